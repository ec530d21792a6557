#include "hand_over.h"

#include "step_plan.h"

#include "../glue/surroundings.h"
#include "../grains/grain_history.h"

#include "atom.h"
#include "domain.h"
#include "error.h"
#include "force.h"
#include "neighbor.h"
#include "update.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

using namespace LAMMPS_NS;
using namespace granular_plus;

HandOver::HandOver(LAMMPS *lmp, std::unique_ptr<GrainEngine> engine)
    : Pointers(lmp), computes(std::move(engine)), poisons(is_switched_on(lmp->error, "GRANULAR_PLUS_POISON"))
{
}

std::string HandOver::begin_run()
{
  list_of = -1;
  pair = granular_pair(lmp);
  return plan_steps(lmp, plan, walls);
}

void HandOver::lend()
{
  if (list_of != neighbor->lastcall) lend_list();
  lend_contacts();
  of_walls.clear();
  for (const LentWall &wall : walls) of_walls.push_back(wall.lend());
  computes->load(arrays(), plan, pair->contacts.layout.size, of_pairs, of_walls);
  lent = true;
  if (poisons) poison();
}

void HandOver::take_back()
{
  if (!lent) return;
  lent = false;
  computes->unload(arrays(), of_pairs, of_walls);
  take_back_contacts();
  for (std::size_t w = 0; w < walls.size(); ++w) walls[w].take_back(of_walls[w]);
}

GrainArrays HandOver::arrays() const
{
  return {atom->x[0],      atom->v[0],   atom->omega[0], atom->f[0],
          atom->torque[0], atom->radius, atom->rmass,    pair->contacts.particles().packed_mass,
          atom->mask};
}

void HandOver::poison()
{
  const int values = 3 * (atom->nlocal + atom->nghost);
  for (double *array : {atom->x[0], atom->v[0], atom->omega[0], atom->f[0], atom->torque[0]})
    std::fill_n(array, values, std::numeric_limits<double>::quiet_NaN());
}

/* ----------------------------------------------------------------------
   the pairs of the list, in its order, and whose images the ghosts are
------------------------------------------------------------------------- */

void HandOver::lend_list()
{
  const ContactList &contacts = pair->contact_history()->contacts;
  const auto &groups = pair->contacts.groups;
  ListedPairs list;
  list.owned = atom->nlocal;
  list.both_receive = force->newton_pair != 0;
  for (int p = 0; p < contacts.size(); ++p) {
    list.i.push_back(contacts.i(p));
    list.j.push_back(contacts.j(p));
  }
  plan.pairs.clear();
  for (int g = 0; g < contacts.groups(); ++g) {
    const PairGroup &group = groups[g];
    plan.pairs.push_back({contacts.begin(g), contacts.end(g), group.touching,
                          stages_on_card(group, pair->contacts.layout.size), group.constants});
    if (!group.breaking_gap) continue;
    list.cutoff_squared.resize(contacts.size(), 0.0);    // no contact acts across a gap
    for (int p = contacts.begin(g); p < contacts.end(g); ++p) {
      const double radius_i = atom->radius[list.i[p]], radius_j = atom->radius[list.j[p]];
      const double cutoff = radius_i + radius_j + group.breaking_gap(group.constants, radius_i, radius_j);
      list.cutoff_squared[p] = cutoff * cutoff;
    }
  }
  const auto &listed = pair->grain_radii().when_listed();
  for (int a = 0; a < atom->nlocal; ++a) {
    list.positions.insert(list.positions.end(), &listed[GrainRadii::LISTED * a], &listed[GrainRadii::LISTED * a] + 3);
    list.budgets.push_back(pair->grain_neighbors().budget(a));
  }
  lend_ghosts(list);
  computes->set_list(list);
  list_of = neighbor->lastcall;
}

void HandOver::lend_ghosts(ListedPairs &list) const
{
  std::copy_n(domain->prd, 3, list.period);
  std::unordered_map<tagint, int> owner;
  for (int a = 0; a < atom->nlocal; ++a) owner[atom->tag[a]] = a;
  for (int ghost = atom->nlocal; ghost < atom->nlocal + atom->nghost; ++ghost) {
    const int a = owner.at(atom->tag[ghost]);
    list.owner.push_back(a);
    for (int d = 0; d < 3; ++d)
      list.periods.push_back(domain->periodicity[d]
                                 ? static_cast<int>(std::lround((atom->x[ghost][d] - atom->x[a][d]) / domain->prd[d]))
                                 : 0);
  }
}

/* ----------------------------------------------------------------------
   contacts among grains; walls lend theirs themselves
------------------------------------------------------------------------- */

void HandOver::lend_contacts()
{
  const ContactList &contacts = pair->contact_history()->contacts;
  const int count = contacts.size(), values = pair->contacts.layout.size;
  of_pairs.history.assign(static_cast<std::size_t>(count) * values, 0.0);
  of_pairs.alive.assign(count, 0);
  for (int p = 0; p < count; ++p) {
    if (!contacts.alive(p)) continue;
    of_pairs.alive[p] = 1;
    for (int h = 0; h < values; ++h) of_pairs.history[static_cast<std::size_t>(h) * count + p] = contacts.row(p)[h];
  }
}

// as if the last of the steps had been computed here

void HandOver::take_back_contacts()
{
  ContactList &contacts = pair->contact_history()->contacts;
  const int count = contacts.size(), values = pair->contacts.layout.size;
  auto step = LoopOptions::of(true, update->dt, -1);
  contacts.begin_evaluation(step);
  const History history = contacts.history();
  for (int p = 0; p < count; ++p) {
    if (!of_pairs.alive[p]) continue;
    double *row = history.row(history.take_slot(p));
    for (int h = 0; h < values; ++h) row[h] = of_pairs.history[static_cast<std::size_t>(h) * count + p];
    row[values] = step.stamp_now;
  }
  contacts.select_anew();
}
