// Where the energy of one rank's contacts is, and where it went: one such ledger for the pairs, one for each wall.

#ifndef GRANULAR_PLUS_ENERGY_LEDGER_H
#define GRANULAR_PLUS_ENERGY_LEDGER_H

#include "../kernels/kernels.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace granular_plus {

// summed over ranks; after a restart the first one continues them
struct LedgerSums {
  double total[OBSERVABLES] = {};    // of all steps so far
  double reference = 0.0;            // energy there was when the ledger was opened
  double exchanged = 0.0;            // that came in less what went out, see ledger_output::TABLE
  double work = 0.0;                 // of walls on the particles; goes on when the ledger is set back
  double work_before = 0.0;          // of that, done before the ledger was opened
  double liquid_lost = 0.0;          // what went out less what came in: opposite sign to exchanged
  double liquid_evaporated = 0.0, liquid_supplied = 0.0;
  double liquid_taken = 0.0;           // by a wall, less what it gave; goes on like its work
  double liquid_taken_before = 0.0;    // of that, before the ledger was opened
  double heat_made = 0.0;              // that contacts made of what they dissipated, as far as grains got it
  double heat_of_walls = 0.0;          // that walls gave to grains, less what they took

  static constexpr int COUNT = OBSERVABLES + 11;
};
static_assert(sizeof(LedgerSums) == LedgerSums::COUNT * sizeof(double), "they are summed up as an array");

class EnergyLedger : public LedgerSums {
 public:
  bool started = false;
  double now[OBSERVABLES] = {};    // at the last evaluation
  bool knows_now = false;          // `now` is valid

  // Runs an evaluation, in which finished batches are tallied. In setup, if there was an evaluation before (knows_before),
  // commands may have changed contacts since then: the difference of the energy that contacts hold (held_now) counts as
  // exchanged.
  template <class Held, class Evaluate>
  void around(bool is_step, bool knows_before, const Held &held_now, const Evaluate &evaluate)
  {
    const bool began = started && knows_before && !is_step;
    if (began) exchanged -= held_now();
    for (auto *sums : {living, ended}) std::fill_n(&sums[0][0], OBSERVABLES * STRIDE, 0.0);
    evaluate();
    end_evaluation(is_step);
    if (began) exchanged += held_now();
  }
  // a finished batch; goes_on: contacts that have not just ended; row_j and owned_end as in Kernels
  void tally(const Kernels &kernels, const Batch &batch, bool goes_on, const RowOffset *row_j = nullptr,
             RowOffset owned_end = 0)
  {
    kernels.tally(batch, row_j, owned_end, goes_on ? living : ended);
  }
  // what contacts have that were not evaluated
  void tally(Observed observable, double value) { living[observable][0] += value; }
  // what contacts and bonds hold: their elastic energy, that of bridges and that of van der Waals attraction
  double held() const
  {
    return now[NORMAL_ENERGY] + now[TANGENTIAL_ENERGY] + now[ROLLING_ENERGY] + now[TWISTING_ENERGY] +
        now[CAPILLARY_ENERGY] + now[ATTRACTION_ENERGY] + now[BOND_ENERGY];
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
  // those of a wall that is removed: what it did so far stays, what its contacts hold goes out with them
  void take_over(const EnergyLedger &gone)
  {
    for (int k = 0; k < OBSERVABLES; ++k) total[k] += gone.total[k];
    reference += gone.reference;
    exchanged += gone.exchanged - gone.held();
    work += gone.work;
    work_before += gone.work_before;
    liquid_taken += gone.liquid_taken;
    liquid_taken_before += gone.liquid_taken_before;
    heat_made += gone.heat_made;
    heat_of_walls += gone.heat_of_walls;
  }

 private:
  Row living[OBSERVABLES] = {}, ended[OBSERVABLES] = {};    // partial sums of this evaluation

  void end_evaluation(bool is_step)
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
};

// what a contact held when it was last evaluated, from its row of history and where the remembered parts begin there
inline double energy_remembered(const double *row, const std::array<int, REMEMBERED_PARTS> &remembered)
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
