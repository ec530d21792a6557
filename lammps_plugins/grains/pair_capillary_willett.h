#ifdef PAIR_CLASS
// clang-format off
PairStyle(capillary/willett,PairCapillaryWillett);
// clang-format on
#else

#ifndef LMP_PAIR_CAPILLARY_WILLETT_H
#define LMP_PAIR_CAPILLARY_WILLETT_H

#include "pair_granular_plus.h"

namespace LAMMPS_NS {

// Liquid bridges without contact forces. The style can be added to any granular pair style.
class PairCapillaryWillett : public PairGranularPlus {
 public:
  PairCapillaryWillett(class LAMMPS *);
  void settings(int, char **) override;
  void coeff(int, char **) override;
};

}    // namespace LAMMPS_NS

#endif
#endif
