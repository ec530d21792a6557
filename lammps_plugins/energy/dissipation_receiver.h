// Base of computes that need the losses of contacts in a step: pairs and walls report to them as they evaluate contacts.

#ifndef LMP_GRANULAR_PLUS_DISSIPATION_RECEIVER_H
#define LMP_GRANULAR_PLUS_DISSIPATION_RECEIVER_H

#include "compute.h"

#include "../core/kernels/kernels.h"

#include <vector>

namespace LAMMPS_NS {

class DissipationReceiver : public Compute {
 public:
  using Compute::Compute;

  // all of a LAMMPS that need the losses of this step; usually none
  static std::vector<DissipationReceiver *> asking(const class LAMMPS *lmp);
  // the first that needs them in every step, null if none does
  static const DissipationReceiver *asking_always(const class LAMMPS *lmp);

  // Called before and after each evaluation of pairs, on all ranks: ghosts start from zero and pass on what they
  // received. The first evaluation of a step resets the sums for this step.
  virtual void begin_pairs() = 0;
  virtual void end_pairs(bool ghosts_have_got) = 0;
  // Adds a finished batch of contacts that are alive, or have just ended, or of bonds. Seen from both sides, a pair
  // that crosses a rank's border gives its own half to each side.
  virtual void add(const granular_plus::LoopWork &work, bool seen_from_both) = 0;
  // adds any other loss of a bridge between two grains, or between a grain and a wall (j: -1)
  virtual void add_to_bridge(int i, int j, double energy) = 0;

 protected:
  bool sums = false;    // sums over all steps so far, instead of rates of the last one
};

}    // namespace LAMMPS_NS

#endif
