#ifdef FIX_CLASS
// clang-format off
FixStyle(granular/temperature,FixGranularTemperature);
// clang-format on
#else

#ifndef LMP_FIX_GRANULAR_TEMPERATURE_H
#define LMP_FIX_GRANULAR_TEMPERATURE_H

#include "../energy/growth_receiver.h"
#include "../glue/options.h"

#include <optional>
#include <string>
#include <vector>

namespace LAMMPS_NS {

// Sets the temperature of grains that are inserted during a run; LAMMPS alone would set this temperature to 0. Also
// makes grains expand: R = R0 (1 + expansion (T - reference)). Mass and angular momentum stay constant.
class FixGranularTemperature : public GrowthReceiver {
 public:
  FixGranularTemperature(class LAMMPS *, int, char **);
  ~FixGranularTemperature() override;
  int setmask() override;
  void init() override;
  void setup(int) override;
  void setup_pre_force(int) override;
  void pre_force(int) override;
  void initial_integrate(int) override;

  void grow_arrays(int) override;
  void copy_arrays(int, int, int) override;
  void set_arrays(int) override;
  int pack_exchange(int, double *) override;
  int unpack_exchange(int, double *) override;
  int pack_restart(int, double *) override;
  void unpack_restart(int, int) override;
  int size_restart(int) override { return 2; }
  int maxsize_restart() override { return 2; }
  int pack_reverse_comm(int, int, double *) override;
  void unpack_reverse_comm(int, int *, double *) override;
  double memory_usage() override;

  bool grows() const override { return expansion > 0.0; }
  bool initial_varies() const { return initial && initial->varies(); }
  void add(const granular_plus::LoopWork &work, bool seen_once) override;

 private:
  std::optional<NumberOrVariable> initial;
  double temperature = 0.0;
  double expansion = 0.0, reference = 0.0;
  std::vector<double> radii;     // R0 of each grain; 0 if R0 is not yet known
  std::vector<double> pushes;    // sum of normal forces on each grain in the last evaluation, > 0 if repulsive

  static const Options<FixGranularTemperature> OPTIONS;
  void parse(int narg, char **arg);
  double factor(int grain) const;
  void expand();
};

}    // namespace LAMMPS_NS

#endif
#endif
