// Computes that ask what contacts lose in a step: those that evaluate contacts, among grains or with walls, report to them.

#ifndef LMP_GRANULAR_PLUS_DISSIPATION_RECEIVER_H
#define LMP_GRANULAR_PLUS_DISSIPATION_RECEIVER_H

#include "compute.h"

#include "../core/kernels/kernels.h"

#include <vector>

namespace LAMMPS_NS {

class DissipationReceiver : public Compute {
 public:
  using Compute::Compute;

  // those of a LAMMPS that ask for what is lost in this step; of most runs, none
  static std::vector<DissipationReceiver *> asking(const class LAMMPS *lmp);
  // the first that asks in every step, null where none does
  static const DissipationReceiver *asking_always(const class LAMMPS *lmp);

  // Around each evaluation of pairs, on all ranks: ghosts begin with nothing and hand on what they have got. The first
  // of a step begins anew what is counted for this step alone.
  virtual void begin_pairs() = 0;
  virtual void end_pairs(bool ghosts_have_got) = 0;
  // A finished batch of contacts that are, or have just ended, or of bonds. Seen from both sides, a pair that crosses a
  // rank's border gives each side its own half there.
  virtual void add(const granular_plus::LoopWork &work, bool seen_from_both) = 0;
  // what a bridge between two grains loses otherwise, or one between a grain and a wall (j: -1)
  virtual void add_to_bridge(int i, int j, double energy) = 0;

 protected:
  bool sums = false;    // of all steps so far, else rates of the last one
};

}    // namespace LAMMPS_NS

#endif
