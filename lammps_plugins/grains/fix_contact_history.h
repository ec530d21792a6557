#ifdef FIX_CLASS
// clang-format off
FixStyle(GRANULAR_PLUS/HISTORY,FixContactHistory);
// clang-format on
#else

#ifndef LMP_FIX_CONTACT_HISTORY_H
#define LMP_FIX_CONTACT_HISTORY_H

#include "grain_history.h"

#include "../liquid/linked_liquid.h"

#include <vector>

namespace LAMMPS_NS {

// Contact history of pair granular/plus for all pairs of the neighbour list. Created and owned by the pair style.
class FixContactHistory : public GrainHistory {
 public:
  FixContactHistory(class LAMMPS *, int, char **);
  ~FixContactHistory() override;
  void post_run() override;
  void set_arrays(int) override;

  bool holds_liquid() const override { return liquid.any(); }

 private:
  LinkedLiquid liquid;

  void on_groups_set(const Groups &groups) override { liquid.value = groups.volume; }
  void build_list(const tagint *name) override;
  void before_row_discarded(int atom_index, const double *packed) override;
  void make_room();
  void list_pairs(const tagint *name, std::vector<bool> &listed);
  void give_back(const std::vector<bool> &listed, const tagint *name);
};

}    // namespace LAMMPS_NS

#endif
#endif
