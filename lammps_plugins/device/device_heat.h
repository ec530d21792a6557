// Temperatures and heat of grains on an executor.

#ifndef GRANULAR_PLUS_DEVICE_HEAT_H
#define GRANULAR_PLUS_DEVICE_HEAT_H

#include "grain_engine.h"
#include "heat_kernels.h"
#include "device_list_maker.h"

#include <cstddef>
#include <vector>

namespace granular_plus {

template <class Executor> class DeviceHeat {
 public:
  void begin(Executor &executor, const StepPlan &plan, const GrainArrays &from, int owned)
  {
    has_heat = !plan.warming.empty();
    if (!has_heat) return;
    temperatures.set(executor, from.temperature, owned), heatflows.set(executor, from.heatflow, owned);
    capacities.resize(plan.warming.size());
    for (std::size_t k = 0; k < capacities.size(); ++k) capacities[k].set(executor, plan.warming[k].capacity);
  }
  void provide(Executor &executor, int pairs)
  {
    if (has_heat) pair_heat.provide(executor, steps::HEATS * static_cast<std::size_t>(pairs));
  }
  void unload(Executor &executor, const GrainArrays &to, int owned)
  {
    if (!has_heat) return;
    executor.copy_out(to.temperature, temperatures.data(), sizeof(double) * owned);
    executor.copy_out(to.heatflow, heatflows.data(), sizeof(double) * owned);
  }

  bool counts() const { return has_heat; }
  double *temperature() const { return has_heat ? temperatures.data() : nullptr; }
  double *heatflow() const { return has_heat ? heatflows.data() : nullptr; }
  double *of_pairs() const { return has_heat ? pair_heat.data() : nullptr; }

  template <class ForEach> void warm(const StepPlan &plan, const ForEach &for_each, const steps::Grains &grains) const
  {
    for (std::size_t k = 0; k < plan.warming.size(); ++k)
      for_each(steps::Warm{plan.warming[k].group, plan.timestep, capacities[k].data(), grains});
  }

 private:
  bool has_heat = false;
  DeviceBuffer<double, Executor> temperatures, heatflows, pair_heat;
  std::vector<DeviceBuffer<double, Executor>> capacities;    // one array for each fix heat/flow
};

}    // namespace granular_plus

#endif
