// Places where grains are inserted: a region, the inside of a closed mesh, or the space behind a flat mesh.

#ifndef LMP_GRANULAR_PLUS_INSERTION_PLACE_H
#define LMP_GRANULAR_PLUS_INSERTION_PLACE_H

#include "pointers.h"

#include "../glue/options.h"

#include <memory>
#include <string>
#include <vector>

namespace LAMMPS_NS {

class InsertionPlace : protected Pointers {
 public:
  // Create a place from the argument of the keyword region, mesh or face. Throw InputError if the argument or the file
  // is invalid.
  static std::unique_ptr<InsertionPlace> in_region(LAMMPS *lmp, const std::string &id);
  static std::unique_ptr<InsertionPlace> in_mesh(const Operands &given);
  static std::unique_ptr<InsertionPlace> behind_face(const Operands &given);

  const std::string name;
  double low[3], high[3];    // valid after begin
  virtual ~InsertionPlace() = default;

  // Called before a run. Throws InputError if the place cannot be used or is too small for a grain of the largest
  // diameter.
  virtual void init(const double *velocity, double largest) = 0;
  // Called before grains are inserted. `displacement` is the displacement of the grains until the next insertion.
  // `largest` is the largest diameter.
  virtual void begin(const double *displacement, double largest) = 0;
  // `uniform` points to three numbers between 0 and 1.
  virtual void draw(const double *uniform, double *point) const;
  virtual bool holds(const double *point, double radius) = 0;

 protected:
  InsertionPlace(LAMMPS *lmp, std::string name) : Pointers(lmp), name(std::move(name)) {}
};

}    // namespace LAMMPS_NS

#endif
