#ifdef COMPUTE_CLASS
// clang-format off
ComputeStyle(granular/ledger,ComputeGranularLedger);
// clang-format on
#else

#ifndef LMP_COMPUTE_GRANULAR_LEDGER_H
#define LMP_COMPUTE_GRANULAR_LEDGER_H

#include "../glue/options.h"

#include "compute.h"

namespace LAMMPS_NS {

// Sums the ledgers of pairs, bonds and walls, and the energy of the particles, over all ranks. Computes the residual of
// the energy balance. The pair style and the walls fill the ledgers.
class ComputeGranularLedger : public Compute {
 public:
  ComputeGranularLedger(class LAMMPS *, int, char **);
  ~ComputeGranularLedger() override;
  void init() override;
  void compute_vector() override;

 private:
  class PairGranularPlus *pair = nullptr;
  bool reset_due = false, warned_of_walls = false;
  static const Options<ComputeGranularLedger> OPTIONS;
  void reset();
};

}    // namespace LAMMPS_NS

#endif
#endif
