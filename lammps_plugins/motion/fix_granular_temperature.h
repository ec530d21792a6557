#ifdef FIX_CLASS
// clang-format off
FixStyle(granular/temperature,FixGranularTemperature);
// clang-format on
#else

#ifndef LMP_FIX_GRANULAR_TEMPERATURE_H
#define LMP_FIX_GRANULAR_TEMPERATURE_H

#include "fix.h"

#include "../glue/number_or_variable.h"

namespace LAMMPS_NS {

// The temperature of grains that are poured or deposited during a run, which LAMMPS makes 0.
class FixGranularTemperature : public Fix {
 public:
  FixGranularTemperature(class LAMMPS *, int, char **);
  int setmask() override;
  void init() override;
  void setup(int) override;
  void initial_integrate(int) override;
  void set_arrays(int) override;

 private:
  NumberOrVariable initial;
  double temperature = 0.0;    // in this step
};

}    // namespace LAMMPS_NS

#endif
#endif
