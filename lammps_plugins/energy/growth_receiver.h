// Base of fixes that make grains grow. Pairs and walls report the forces on these grains. Used only with a ledger.

#ifndef LMP_GRANULAR_PLUS_GROWTH_RECEIVER_H
#define LMP_GRANULAR_PLUS_GROWTH_RECEIVER_H

#include "fix.h"

#include "../core/kernels/kernels.h"

#include <vector>

namespace LAMMPS_NS {

class GrowthReceiver : public Fix {
 public:
  using Fix::Fix;

  static std::vector<GrowthReceiver *> all(class LAMMPS *lmp);

  virtual bool grows() const = 0;
  // seen_once is false if both ranks compute a pair that crosses their border.
  virtual void add(const granular_plus::LoopWork &work, bool seen_once) = 0;
};

}    // namespace LAMMPS_NS

#endif
