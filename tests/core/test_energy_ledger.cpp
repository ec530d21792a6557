// The energy ledger: sums over steps, evaluations at the setup of a run, and energy exchanged between two runs.

#include "ledger/energy_ledger.h"

#include <doctest/doctest.h>

using namespace granular_plus;

namespace {

Batch batch_of(Observed observable, double value)
{
  Batch batch = {};
  batch.count = 1;
  batch.observables = OBSERVABLES;
  batch.observed[observable][0] = value;
  return batch;
}

}    // namespace

TEST_CASE("losses are summed over steps, energies are the current values, and setup has no losses")
{
  EnergyLedger ledger;
  ledger.open(10.0);
  const auto evaluate = [&](bool is_step, double energy, double loss) {
    ledger.run_evaluation(
        is_step, true, [&] { return ledger.stored_energy(); },
        [&] {
          ledger.tally(kernels(), batch_of(NORMAL_ENERGY, energy), true);
          ledger.tally(kernels(), batch_of(NORMAL_LOSS, loss), true);
        });
  };
  evaluate(true, 3.0, 0.5);
  evaluate(true, 4.0, 0.25);
  CHECK(ledger.current[NORMAL_ENERGY] == 4.0);
  CHECK(ledger.total[NORMAL_LOSS] == 0.75);
  evaluate(false, 4.0, 9.0);
  CHECK(ledger.total[NORMAL_LOSS] == 0.75);
  CHECK(ledger.reference == 10.0);
}

TEST_CASE("ended contacts have losses but store no energy")
{
  EnergyLedger ledger;
  ledger.run_evaluation(
      true, true, [] { return 0.0; },
      [&] {
        ledger.tally(kernels(), batch_of(SLIP_LOSS, 0.125), false);
        ledger.tally(kernels(), batch_of(NORMAL_ENERGY, 2.0), false);
      });
  CHECK(ledger.total[SLIP_LOSS] == 0.125);
  CHECK(ledger.current[NORMAL_ENERGY] == 0.0);
}

TEST_CASE("energy changed by commands between two runs is counted as exchanged")
{
  EnergyLedger ledger;
  ledger.open(0.0);
  ledger.run_evaluation(true, true, [&] { return ledger.stored_energy(); }, [&] { ledger.tally(NORMAL_ENERGY, 5.0); });
  ledger.run_evaluation(false, true, [&] { return ledger.stored_energy(); }, [&] { ledger.tally(NORMAL_ENERGY, 2.0); });
  CHECK(ledger.exchanged == doctest::Approx(-3.0));
  // without an evaluation before the setup, there is no previous energy to compare with
  EnergyLedger fresh;
  fresh.open(0.0);
  fresh.run_evaluation(false, false, [&] { return fresh.stored_energy(); }, [&] { fresh.tally(NORMAL_ENERGY, 2.0); });
  CHECK(fresh.exchanged == 0.0);
}

TEST_CASE("a pair has the weight 1/2 if its second particle belongs to another rank")
{
  EnergyLedger ledger;
  const RowOffset row_j[LANES] = {Pairs::row_of(7)};
  ledger.run_evaluation(
      true, true, [] { return 0.0; },
      [&] { ledger.tally(kernels(), batch_of(SLIP_LOSS, 1.0), true, row_j, Pairs::row_of(7)); });
  CHECK(ledger.total[SLIP_LOSS] == 0.5);
  ledger.run_evaluation(
      true, true, [] { return 0.0; },
      [&] { ledger.tally(kernels(), batch_of(SLIP_LOSS, 1.0), true, row_j, Pairs::row_of(8)); });
  CHECK(ledger.total[SLIP_LOSS] == 1.5);
}

TEST_CASE("resetting a ledger keeps the work of its wall")
{
  EnergyLedger ledger;
  ledger.work = 4.0;
  ledger.open(1.0);
  ledger.total[SLIP_LOSS] = 3.0;
  CHECK(ledger.work_before == 4.0);
  ledger.reset();
  CHECK(ledger.work == 4.0);
  CHECK(ledger.total[SLIP_LOSS] == 0.0);
  CHECK_FALSE(ledger.started);
}

TEST_CASE("the energy of a row is the sum over the parts that the row has")
{
  double row[64] = {};
  std::array<int, REMEMBERED_PARTS> at;
  at.fill(-1);
  CHECK(stored_energy_in_row(row, at) == 0.0);
  at[OF_CONTACT] = 3;
  row[3 + NORMAL_ENERGY_BEFORE] = 1.0;
  row[3 + TANGENTIAL_ENERGY_BEFORE] = 2.0;
  at[OF_ROLLING] = 20;
  row[20 + ROLLING_ENERGY_BEFORE] = 4.0;
  CHECK(stored_energy_in_row(row, at) == 7.0);
}
