#include "grain_ledger.h"

#include "../energy/dissipation_receiver.h"
#include "../energy/growth_receiver.h"
#include "../liquid/wet_surface.h"
#include "grain_history.h"

#include "../glue/share_of_pair.h"

#include "atom.h"
#include "force.h"
#include "update.h"

using namespace LAMMPS_NS;
using namespace granular_plus;

/* ----------------------------------------------------------------------
   Within a step, velocities are half a step behind positions. The kinetic energy of added or removed atoms is therefore
   computed from velocities advanced by half a step of gravity.
------------------------------------------------------------------------- */

void GrainLedger::open(bool new_keeps)
{
  keeps = new_keeps;
  dissipation.clear();
  growing = GrowthReceiver::all(lmp);
  history->before_exchange = nullptr;
  history->after_exchange = nullptr;
  if (bonds.any()) bonds.history->after_exchange = nullptr;
  GrainHistory *last = bonds.any() ? bonds.history : history;
  history->call_after_step(nullptr);
  if (!keeps) {
    history->ledger.reset();
    knows_before = false;
    return;
  }
  history->before_exchange = [this](bool in_step) {
    energy_before = present_energy(in_step);
    liquid_before = present_liquid();
    knows_before = true;
  };
  last->after_exchange = [this] {
    if (update->setupflag) gravity.begin_run(lmp);
    if (knows_before && history->ledger.started) {
      history->ledger.exchanged += present_energy(update->setupflag == 0) - energy_before;
      history->ledger.liquid_lost -= present_liquid() - liquid_before;
    }
    knows_before = false;
  };
  history->call_after_step([this] { history->ledger.exchanged += gravity.energy_brought_in(lmp); });
}

void GrainLedger::run_evaluation(const std::function<void()> &evaluate)
{
  auto &ledger = history->ledger;
  dissipation = DissipationReceiver::active_receivers(lmp);
  for (auto *compute : dissipation) compute->begin_pairs();
  ledger.run_evaluation(contacts_go_on(*update), true, [this] { return energy_of_contacts(false); }, evaluate);
  for (auto *compute : dissipation) compute->end_pairs(force->newton_pair || bonds.any());
  if (ledger.started) return;
  knows_before = false;
  ledger.open(particle_energy(lmp).sum() + ledger.stored_energy());
}

void GrainLedger::tally(const LoopWork &work, Mode mode, bool seen_from_both)
{
  if (!keeps) return;
  if (mode == Mode::STEP || mode == Mode::ENDED_CONTACTS)
    for (auto *compute : dissipation) compute->add(work, seen_from_both);
  history->ledger.tally(contacts.kernels(), work.batch, mode != Mode::ENDED_CONTACTS,
                        seen_from_both ? work.row_j : nullptr, Pairs::row_of(atom->nlocal));
}

void GrainLedger::report_to_growth(const LoopWork &work, Mode mode)
{
  if (keeps && mode != Mode::ENDED_CONTACTS)
    for (auto *fix : growing) fix->add(work, contacts.see_pairs_once());
}

double GrainLedger::dry_bridges(double depth, int groupbit)
{
  for (auto *compute : dissipation) compute->begin_pairs();
  const double gone =
      contacts.liquid.dry_bridges(depth, groupbit, contacts.particles(), *contacts.work,
                                  keeps ? &history->ledger : nullptr, [this](int i, int j, double energy) {
                                    for (auto *compute : dissipation) compute->add_bridge_loss(i, j, energy);
                                  });
  for (auto *compute : dissipation) compute->end_pairs(force->newton_pair);
  return gone;
}

void GrainLedger::add_supplied_liquid(double volume)
{
  if (!contacts.liquid.any() || !history) return;
  history->ledger.liquid_supplied += volume;
  liquid_before += volume;
}

void GrainLedger::add_evaporated_liquid(double volume)
{
  if (contacts.liquid.any() && history) history->ledger.liquid_evaporated += volume;
}

// If a command ends bridges with a wall, the wall receives half of their liquid. The sum therefore includes the liquid
// of walls.

double GrainLedger::present_liquid() const
{
  if (!contacts.liquid.any()) return 0.0;
  double sum = contacts.liquid.in_films_and_bridges() + history->ledger.liquid_taken;
  for (const WetSurface *wall : WetSurface::all(lmp)) {
    wall->for_each_bridge([&sum](int, double volume) { sum += volume; });
    sum += wall->liquid_taken();
  }
  return sum;
}

double GrainLedger::present_energy(bool in_step) const
{
  return particle_energy(lmp, in_step ? 0.5 * update->dt : 0.0).sum() + energy_of_contacts(in_step);
}

double GrainLedger::energy_of_contacts(bool in_step) const
{
  double sum = 0.0;
  const auto &list = history->contacts;
  const auto &layout = contacts.layout;
  if (list.row_size() < layout.size) return sum;    // the last run had no ledger
  for (int p = 0; p < list.size(); ++p)
    if (list.is_alive(p))
      sum += share_of_pair(lmp, list.j(p), contacts.see_pairs_once()) *
          stored_energy_in_row(list.row(p), layout.remembered);
  bonds.add_energy(in_step, sum);
  return sum;
}
