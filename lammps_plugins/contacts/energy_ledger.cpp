#include "energy_ledger.h"

#include <numeric>

namespace granular_plus {

void EnergyLedger::end_evaluation(bool is_step)
{
  const double attraction_before = now[ATTRACTION_ENERGY];
  for (int k = 0; k < OBSERVABLES; ++k) {
    now[k] = std::accumulate(living[k], living[k] + LANES, 0.0);
    if (is_step) total[k] += std::accumulate(ended[k], ended[k] + LANES, now[k]);
  }
  // it follows from positions alone: what it changes by between two runs has come from commands
  if (started && !is_step && knows_now) exchanged += now[ATTRACTION_ENERGY] - attraction_before;
  knows_now = true;
}

double EnergyLedger::held() const
{
  return now[NORMAL_ENERGY] + now[TANGENTIAL_ENERGY] + now[ROLLING_ENERGY] + now[TWISTING_ENERGY] +
      now[CAPILLARY_ENERGY] + now[ATTRACTION_ENERGY] + now[BOND_ENERGY];
}

void EnergyLedger::open(double energy)
{
  reference = energy;
  work_before = work;
  started = true;
}

void EnergyLedger::reset()
{
  const double done = work;
  *this = {};
  work = done;
}

}    // namespace granular_plus
