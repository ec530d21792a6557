// The frame of an evaluation in which finished batches are tallied, of pairs as of walls.

#ifndef LMP_GRANULAR_PLUS_LEDGER_FRAME_H
#define LMP_GRANULAR_PLUS_LEDGER_FRAME_H

#include "../contacts/energy_ledger.h"

namespace LAMMPS_NS {

// In setup, if there was an evaluation before (knows_before), commands may have changed contacts since then: the difference of
// the energy that contacts hold (held) counts as exchanged.
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
