#include "wall_ledger.h"

#include "../energy/dissipation_receiver.h"
#include "../energy/growth_receiver.h"
#include "../grains/grain_history.h"
#include "../grains/pair_granular_plus.h"

#include "error.h"
#include "neighbor.h"
#include "update.h"

using namespace LAMMPS_NS;
using namespace granular_plus;

void WallLedger::open()
{
  const auto *pair = granular_pair(lmp);
  keeps = pair && pair->has_ledger();
  const GrainHistory *history = keeps ? pair->contact_history() : nullptr;
  if (!keeps || (history && !history->ledger.started)) ledger.reset();
  contacts.set_layout(keeps);
  growing = GrowthReceiver::all(lmp);
}

void WallLedger::check_liquid(const std::string &message_prefix) const
{
  const auto *pair = granular_pair(lmp);
  if (contacts.liquid.uses_films && pair && pair->has_ledger() && !liquid_pair(lmp))
    error->all(FLERR, "{}: with a ledger, `bridge ... film` of a wall also needs `bridge ... film` in pair_coeff",
               message_prefix);
}

void WallLedger::close()
{
  const auto *pair = granular_pair(lmp);
  GrainHistory *history = keeps && ledger.started && pair && pair->has_ledger() ? pair->contact_history() : nullptr;
  if (history && history->ledger.started) history->ledger.add_removed_wall(ledger);
}

void WallLedger::evaluate()
{
  const bool is_step = is_time_step(*update);
  dissipation.clear();
  if (keeps) {
    const bool knows_before = contacts.last_stored_energy.has_value();
    if (knows_before && ledger.started && is_step && neighbor->ago == 0) contacts.tally_exchange();
    if (is_step) dissipation = DissipationReceiver::active_receivers(lmp);
    ledger.run_evaluation(
        is_step, knows_before, [this] { return *contacts.last_stored_energy; }, [this] { contacts.evaluate(); });
  } else {
    contacts.evaluate();
  }
  if (is_step) ledger.work += load.work(surface.bodies, update->dt);
  if (keeps && !ledger.started) ledger.open(ledger.stored_energy());
}

double WallLedger::dry_bridges(double depth, int groupbit)
{
  return contacts.liquid.dry(depth, groupbit, keeps, [this](int grain, double energy) {
    *contacts.last_stored_energy -= energy;
    for (auto *compute : dissipation) compute->add_bridge_loss(grain, -1, energy);
  });
}

void WallLedger::tally(const LoopWork &work, Mode mode)
{
  if (!keeps) return;
  ledger.tally(contacts.batches.kernels, work.batch, mode != Mode::ENDED_CONTACTS);
  for (auto *compute : dissipation) compute->add(work, false);
  if (mode != Mode::ENDED_CONTACTS)
    for (auto *fix : growing) fix->add(work, true);
}
