#ifdef COMPUTE_CLASS
// clang-format off
ComputeStyle(granular/liquid,ComputeGranularLiquid);
// clang-format on
#else

#ifndef LMP_COMPUTE_GRANULAR_LIQUID_H
#define LMP_COMPUTE_GRANULAR_LIQUID_H

#include "compute.h"

namespace LAMMPS_NS {

// Liquid of each grain: its film, half of its bridges with grains, and all of its bridges with walls.
class ComputeGranularLiquid : public Compute {
 public:
  ComputeGranularLiquid(class LAMMPS *, int, char **);
  ~ComputeGranularLiquid() override;
  void init() override;
  void compute_peratom() override;
  int pack_reverse_comm(int, int, double *) override;
  void unpack_reverse_comm(int, int *, double *) override;
  double memory_usage() override;

 private:
  class PairGranularPlus *pair = nullptr;
  int rows = 0;
  enum { FILM, BRIDGES, COLUMNS };
};

}    // namespace LAMMPS_NS

#endif
#endif
