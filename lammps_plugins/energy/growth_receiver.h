// Fixes that make grains grow: those that evaluate contacts, among grains or with walls, report to them how hard grains are
// pushed, so that they can book the work of growth. Only with a ledger.

#ifndef LMP_GRANULAR_PLUS_GROWTH_RECEIVER_H
#define LMP_GRANULAR_PLUS_GROWTH_RECEIVER_H

#include "fix.h"

#include "../core/kernels/kernels.h"

#include <vector>

namespace LAMMPS_NS {

class GrowthReceiver : public Fix {
 public:
  using Fix::Fix;

  // those of a LAMMPS that make grains grow
  static std::vector<GrowthReceiver *> all(class LAMMPS *lmp);

  virtual bool grows() const = 0;
  // a finished batch of contacts that have not ended; seen_once: else pairs that cross a rank's border are seen from both sides
  virtual void add(const granular_plus::LoopWork &work, bool seen_once) = 0;
};

}    // namespace LAMMPS_NS

#endif
