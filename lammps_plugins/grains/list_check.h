// A check for tests, enabled by the environment variable GRANULAR_PLUS_CHECK_LISTS=yes. In every evaluation, the check
// searches all pairs of grains, including images, for pairs that act on each other but are not listed exactly once.

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
  // Called on all ranks. Stops with an error if a pair acts but is not listed exactly once. The message names the pair.
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
