#ifdef INTEGRATE_CLASS
// clang-format off
IntegrateStyle(verlet/plus/gpu,VerletPlusGpu);
// clang-format on
#else

#ifndef LMP_VERLET_PLUS_GPU_H
#define LMP_VERLET_PLUS_GPU_H

#include "../glue/options.h"
#include "../glue/run_style.h"

#include "state_transfer.h"

#include <memory>
#include <string>

namespace LAMMPS_NS {

// LAMMPS's run style verlet with an engine for some steps. The engine computes the steps in which no fix acts, no
// output is written and LAMMPS need not build a neighbour list.
class VerletPlusGpu : public Verlet {
 public:
  VerletPlusGpu(class LAMMPS *, int, char **);
  void run(int) override;

 private:
  static const Options<VerletPlusGpu> OPTIONS;
  bool strict = false;    // stop with an error if the engine cannot compute the steps
  std::string device;
  std::unique_ptr<StateTransfer> state_transfer;
  std::string reported;

  int steps_for_engine(int done, int steps, bool &in_time);
  void report_obstacle(const std::string &obstacle);
};

}    // namespace LAMMPS_NS

#endif
#endif
