// For tests: are all pairs listed that act on each other? Looks at all of them, images included, in every evaluation. Switched on
// by the environment variable GRANULAR_PLUS_CHECK_LISTS=yes.

#ifndef LMP_GRANULAR_PLUS_LIST_CHECK_H
#define LMP_GRANULAR_PLUS_LIST_CHECK_H

#include "pointers.h"

#include "../core/history/contact_list.h"
#include "../core/model/model_table.h"
#include "grain_neighbors.h"

#include <vector>

namespace LAMMPS_NS {

class ListCheck : protected Pointers {
 public:
  explicit ListCheck(LAMMPS *lmp);

  bool is_on() const { return on; }
  // On all processors: an error that names the first pair that acts and is not listed once.
  void check(const granular_plus::ModelTable &models, const GrainNeighbors &neighbors,
             const granular_plus::ContactList &list) const;

 private:
  bool on;

  struct Grain {
    double place[3], radius;
    int type, mask;
    tagint tag, molecule;
  };
  std::vector<Grain> all_grains() const;
};

}    // namespace LAMMPS_NS

#endif
