// Base of computes that need the losses of contacts in a step. Pairs and walls report the losses to these computes.

#ifndef LMP_GRANULAR_PLUS_DISSIPATION_RECEIVER_H
#define LMP_GRANULAR_PLUS_DISSIPATION_RECEIVER_H

#include "compute.h"

#include "../core/kernels/kernels.h"

#include <vector>

namespace LAMMPS_NS {

class DissipationReceiver : public Compute {
 public:
  using Compute::Compute;

  // all receivers that need the losses of this step
  static std::vector<DissipationReceiver *> active_receivers(const class LAMMPS *lmp);
  // the first receiver that needs the losses in every step, or null
  static const DissipationReceiver *permanent_receiver(const class LAMMPS *lmp);

  // Called before and after each evaluation of pairs, on all ranks. begin_pairs sets the sums of ghosts to zero.
  // end_pairs sends these sums to the owners.
  virtual void begin_pairs() = 0;
  virtual void end_pairs(bool ghosts_have_losses) = 0;
  // Adds the losses of a batch of live contacts, of contacts that have just ended, or of bonds. seen_from_both: true if
  // both ranks compute a pair that crosses their border. Each rank then adds only the half that belongs to its own
  // grain.
  virtual void add(const granular_plus::LoopWork &work, bool seen_from_both) = 0;
  // adds the loss of a bridge between two grains, or between a grain and a wall (j = -1)
  virtual void add_bridge_loss(int i, int j, double energy) = 0;

 protected:
  bool sums = false;    // true: sums over all steps so far; false: rates in the last step
};

}    // namespace LAMMPS_NS

#endif
