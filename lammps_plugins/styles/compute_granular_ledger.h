#ifdef COMPUTE_CLASS
// clang-format off
ComputeStyle(granular/ledger,ComputeGranularLedger);
// clang-format on
#else

#ifndef LMP_COMPUTE_GRANULAR_LEDGER_H
#define LMP_COMPUTE_GRANULAR_LEDGER_H

#include "compute.h"

namespace LAMMPS_NS {

// where the energy of all grains and contacts is, and where it went
class ComputeGranularLedger : public Compute {
 public:
  ComputeGranularLedger(class LAMMPS *, int, char **);
  ~ComputeGranularLedger() override;
  void init() override;
  void compute_vector() override;
  int modify_param(int, char **) override;

 private:
  class PairGranularPlus *pair = nullptr;
  bool warned_of_walls = false;
};

}    // namespace LAMMPS_NS

#endif
#endif
