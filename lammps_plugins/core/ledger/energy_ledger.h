// Energy stored and lost in the contacts of one rank. There is one ledger for all pairs and one for each wall.

#ifndef GRANULAR_PLUS_ENERGY_LEDGER_H
#define GRANULAR_PLUS_ENERGY_LEDGER_H

#include "../kernels/kernels.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace granular_plus {

// Each rank has its own values. Output sums the values over ranks. A restart restores the sums on the first rank.
struct LedgerSums {
  double total[OBSERVABLES] = {};
  double reference = 0.0;      // energy when the ledger was opened
  double exchanged = 0.0;      // energy inflow minus outflow
  double work = 0.0;           // work of walls on the particles; kept when the ledger is reset
  double work_before = 0.0;    // part of `work` done before the ledger was opened
  double liquid_lost = 0.0;    // liquid outflow minus inflow
  double liquid_evaporated = 0.0, liquid_supplied = 0.0;
  // liquid that a wall took from grains, minus liquid that the wall gave to grains; kept when the ledger is reset
  double liquid_taken = 0.0;
  double liquid_taken_before = 0.0;
  double heat_made = 0.0;        // heat that grains received from dissipation in contacts
  double heat_of_walls = 0.0;    // heat that walls gave to grains, minus heat that walls took

  static constexpr int COUNT = OBSERVABLES + 11;
};
static_assert(sizeof(LedgerSums) == LedgerSums::COUNT * sizeof(double),
              "LedgerSums is summed as an array of COUNT doubles");

class EnergyLedger : public LedgerSums {
 public:
  bool started = false;
  double current[OBSERVABLES] = {};    // values of the last evaluation
  bool now_is_valid = false;

  // Runs an evaluation, which tallies finished batches. In setup, a change of the stored energy counts as exchanged,
  // because commands may have changed contacts between two runs.
  template <class Held, class Evaluate>
  void run_evaluation(bool is_step, bool has_energy_before, const Held &stored_energy_now, const Evaluate &evaluate)
  {
    const bool began = started && has_energy_before && !is_step;
    if (began) exchanged -= stored_energy_now();
    for (auto *sums : {living, ended}) std::fill_n(&sums[0][0], OBSERVABLES * STRIDE, 0.0);
    evaluate();
    end_evaluation(is_step);
    if (began) exchanged += stored_energy_now();
  }
  // goes_on: false for contacts that have just ended. row_j and owned_end have the same meaning as in Kernels::tally.
  void tally(const Kernels &kernels, const Batch &batch, bool goes_on, const RowOffset *row_j = nullptr,
             RowOffset owned_end = 0)
  {
    kernels.tally(batch, row_j, owned_end, goes_on ? living : ended);
  }
  void tally(Observed observable, double value) { living[observable][0] += value; }
  double stored_energy() const
  {
    return current[NORMAL_ENERGY] + current[TANGENTIAL_ENERGY] + current[ROLLING_ENERGY] + current[TWISTING_ENERGY] +
        current[CAPILLARY_ENERGY] + current[ATTRACTION_ENERGY] + current[BOND_ENERGY];
  }
  void open(double energy)
  {
    reference = energy;
    work_before = work;
    liquid_taken_before = liquid_taken;
    started = true;
  }
  void reset()
  {
    const double done = work, taken = liquid_taken;
    *this = {};
    work = done;
    liquid_taken = taken;
  }
  // The energy stored in the contacts of the removed wall is counted as outflow.
  void add_removed_wall(const EnergyLedger &gone)
  {
    for (int k = 0; k < OBSERVABLES; ++k) total[k] += gone.total[k];
    reference += gone.reference;
    exchanged += gone.exchanged - gone.stored_energy();
    work += gone.work;
    work_before += gone.work_before;
    liquid_taken += gone.liquid_taken;
    liquid_taken_before += gone.liquid_taken_before;
    heat_made += gone.heat_made;
    heat_of_walls += gone.heat_of_walls;
  }

 private:
  Row living[OBSERVABLES] = {}, ended[OBSERVABLES] = {};

  void end_evaluation(bool is_step)
  {
    const double attraction_before = current[ATTRACTION_ENERGY];
    for (int k = 0; k < OBSERVABLES; ++k) {
      current[k] = std::accumulate(living[k], living[k] + LANES, 0.0);
      if (is_step) total[k] += std::accumulate(ended[k], ended[k] + LANES, current[k]);
    }
    // In setup, only commands can have changed the energy of attraction.
    if (started && !is_step && now_is_valid) exchanged += current[ATTRACTION_ENERGY] - attraction_before;
    now_is_valid = true;
  }
};

inline double stored_energy_in_row(const double *row, const std::array<int, REMEMBERED_PARTS> &remembered)
{
  double sum = 0.0;
  const auto add = [&](RememberedPart part, int energy) {
    if (remembered[part] >= 0) sum += row[remembered[part] + energy];
  };
  add(OF_CONTACT, NORMAL_ENERGY_BEFORE);
  add(OF_CONTACT, TANGENTIAL_ENERGY_BEFORE);
  add(OF_ROLLING, ROLLING_ENERGY_BEFORE);
  add(OF_TWISTING, TWISTING_ENERGY_BEFORE);
  add(OF_BRIDGE, BRIDGE_ENERGY_BEFORE);
  return sum;
}

}    // namespace granular_plus

#endif
