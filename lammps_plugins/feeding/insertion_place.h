// Where grains are inserted: a region, the inside of a closed mesh, or the space behind a flat one, through which they stream.

#ifndef LMP_GRANULAR_PLUS_INSERTION_PLACE_H
#define LMP_GRANULAR_PLUS_INSERTION_PLACE_H

#include "pointers.h"

#include <memory>
#include <string>
#include <vector>

namespace LAMMPS_NS {

class InsertionPlace : protected Pointers {
 public:
  // A keyword of such a place, and what stands behind it; next becomes the first word after that. Throws InputError, also
  // where a file is wrong.
  static bool is_keyword(const std::string &word);
  static std::unique_ptr<InsertionPlace> parse(LAMMPS *lmp, const std::string &keyword,
                                               const std::vector<std::string> &words, std::size_t &next);

  const std::string name;    // for messages
  double low[3], high[3];    // around all of it; valid after begin
  virtual ~InsertionPlace() = default;

  // Before a run; throws InputError, also where a grain of the largest diameter can never lie in it.
  virtual void init(const double *velocity, double largest) = 0;
  // Before grains are inserted: how far they come until the next insertion, and the largest diameter.
  virtual void begin(const double *way, double largest) = 0;
  // a point from three numbers between 0 and 1
  virtual void draw(const double *uniform, double *point) const;
  // whether all of a sphere lies in it
  virtual bool holds(const double *point, double radius) = 0;

 protected:
  InsertionPlace(LAMMPS *lmp, std::string name) : Pointers(lmp), name(std::move(name)) {}
};

}    // namespace LAMMPS_NS

#endif
