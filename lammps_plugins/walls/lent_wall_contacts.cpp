// WallContacts: what others need to compute steps in its place, and what comes back from them.

#include "wall_contacts.h"

#include "update.h"

#include <algorithm>

using namespace LAMMPS_NS;
using namespace granular_plus;

std::string WallContacts::plan(StepPlan::Wall &steps) const
{
  const auto at_rest = surface.at_rest();
  if (!at_rest) return "a wall that moves, or is neither a plane nor a cylinder";
  if (layout.has_ledger) return "an energy ledger, or heat of friction";
  if (pair_group.passes_heat) return "heat";
  if (liquid.any) return "bridges from films";
  if (shapes.any()) return "grains with a shape";
  if (!rigid_bodies.empty()) return "rigid bodies";
  if (softens) return "a normal law that adapts to a prescribed collision time";
  if (pair_group.breaking_gap) return "contacts that act across a gap";
  for (int i = 0; at_rest->is_cylinder && i < atom->nlocal; ++i)
    if (atom->radius[i] >= 2.0 * at_rest->radius) return "a grain that does not fit into the cylinder";
  steps = {groupbit,
           *at_rest,
           links.numbers_beside() > 0,
           layout.size,
           pair_group.touching,
           stages_on_card(pair_group, layout.size),
           pair_group.constants};
  return "";
}

RememberedContacts WallContacts::lend(const RestingSurface &at_rest) const
{
  const int owned = atom->nlocal, count = at_rest.sides * owned, beside = links.numbers_beside();
  RememberedContacts contacts;
  contacts.history.assign(static_cast<std::size_t>(count) * layout.size, 0.0);
  contacts.beside.assign(static_cast<std::size_t>(count) * beside, 0.0);
  contacts.alive.assign(count, 0);
  for (int a = 0; a < owned; ++a)
    for (int link = links.first(a); link >= 0; link = links.next(link)) {
      int side = 0;
      while (at_rest.number[side] != links.partner(link)) ++side;
      const int contact = side * owned + a;
      contacts.alive[contact] = 1;
      for (int h = 0; h < layout.size; ++h) contacts.history[h * count + contact] = links.own_row(link)[h];
      for (int h = 0; h < beside; ++h) contacts.beside[h * count + contact] = links.own_beside(link)[h];
    }
  return contacts;
}

// as evaluate leaves them: in each chain in the order of the wall's sides

void WallContacts::take_back(const RestingSurface &at_rest, const RememberedContacts &contacts)
{
  const int owned = atom->nlocal, count = at_rest.sides * owned, beside = links.numbers_beside();
  for (int a = 0; a < owned; ++a) {
    links.take_out(a, before);
    for (int side = 0; side < at_rest.sides; ++side) {
      const int contact = side * owned + a;
      if (!contacts.alive[contact]) continue;
      const int known = links.find(before, at_rest.number[side]);
      const int link = known < 0 ? links.make(at_rest.number[side]) : known;
      links.put_back(a, link);
      double *row = links.own_row(link);
      for (int h = 0; h < layout.size; ++h) row[h] = contacts.history[h * count + contact];
      row[layout.size] = ContactLinks::ALIVE;
      for (int h = 0; h < beside; ++h) links.own_beside(link)[h] = contacts.beside[h * count + contact];
    }
    for (const int link : before)
      if (!links.holds(a, link)) links.drop(link);
  }
  near.forget_all();
}
