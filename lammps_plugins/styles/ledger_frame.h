// The frame of an evaluation in which finished batches are tallied, of pairs as of walls.

#ifndef LMP_GRANULAR_PLUS_LEDGER_FRAME_H
#define LMP_GRANULAR_PLUS_LEDGER_FRAME_H

#include "../contacts/energy_ledger.h"

namespace LAMMPS_NS {

// Where no time passes and the ledger knows of an evaluation before, what commands have done to contacts since then has been
// exchanged: `held` tells which energy they have.
template <class Held, class Evaluate>
void tally_around(granular_plus::EnergyLedger &ledger, bool is_step, bool knows_before, const Held &held,
                  const Evaluate &evaluate)
{
  const bool began = ledger.started && knows_before && !is_step;
  if (began) ledger.exchanged -= held();
  ledger.begin_evaluation();
  evaluate();
  ledger.end_evaluation(is_step);
  if (began) ledger.exchanged += held();
}

}    // namespace LAMMPS_NS

#endif
