#include "nonlocal_forces.h"

#include "../core/laws/lane.h"

#include "nonlocal_surface.h"

#include "atom.h"
#include "comm.h"
#include "error.h"
#include "force.h"
#include "modify.h"
#include "pair.h"
#include "update.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace LAMMPS_NS;
using namespace granular_plus;

namespace {

const std::string STORE = "GRANULAR_PLUS_GRAINS";

}    // namespace

NonlocalForces::~NonlocalForces() { remove_store(); }

void NonlocalForces::init(const ModelTable &models)
{
  law = {};
  for (const ContactModel &model : models.list())
    if (model.nonlocal()) law = model.nonlocal_law();
  if (!any()) return remove_store();
  coupled.law_name = law.name;
  const std::string normal = std::string("normal model ") + law.name;
  if (models.any([](const ContactModel &model) { return !model.nonlocal(); }))
    error->all(FLERR, "{}: {} must be used for all pairs of types or for none", message_prefix, normal);
  if (force->pair_match("^hybrid", 0))
    error->all(FLERR, "{}: {} cannot be combined with pair_style hybrid", message_prefix, normal);
  surfaces = NonlocalSurface::all(lmp);
  law.stored_count > 0 ? provide_store() : remove_store();
}

/* ----------------------------------------------------------------------
   A fix property/atom stores the values in restart files and lets them migrate with the atoms.
------------------------------------------------------------------------- */

void NonlocalForces::provide_store()
{
  std::string words;
  for (int k = 0; k < law.stored_count; ++k) words += std::string(" d_") + law.stored[k].name;
  if (!modify->get_fix_by_id(STORE)) modify->add_fix(STORE + " all property/atom" + words + " ghost no");
  provides_store = true;
  find_properties();
}

void NonlocalForces::remove_store()
{
  if (provides_store && modify->get_fix_by_id(STORE)) modify->delete_fix(STORE);
  provides_store = false;
  indices.clear();
  columns.clear();
}

void NonlocalForces::set_laws(const ModelTable &models)
{
  if (!any()) return;
  laws.clear();
  for (const ContactModel &model : models.list()) {
    laws.push_back(model.nonlocal_law());
    check_same(message_prefix, laws.back());
  }
}

void NonlocalForces::check_same(const std::string &asks, const NonlocalLaw &other) const
{
  constexpr double ROUNDING = 1.0e-12;
  if (std::strcmp(law.name, other.name) != 0)
    error->all(FLERR, "{}: normal model {} must be used for all pairs and walls, but there is also normal model {}",
               asks, law.name, other.name);
  for (int k = 0; k < law.constants_of_grains; ++k) {
    const double one = law.constants.values[k], two = other.constants.values[k];
    if (std::fabs(one - two) > ROUNDING * std::fabs(one))
      error->all(
          FLERR,
          "{}: normal model {}: {} must be the same for all pairs and walls, because the contacts of a grain affect "
          "each other",
          asks, law.name, law.parameters_of_grains);
  }
}

double *NonlocalForces::radii() { return atom->radius; }

void NonlocalForces::find_properties()
{
  indices.clear();
  for (int k = 0; k < law.stored_count; ++k) {
    int is_double, width;
    indices.push_back(atom->find_custom(law.stored[k].name, is_double, width));
    if (indices[k] < 0 || !is_double || width > 0)
      error->all(FLERR, "{}: normal model {}: the property d_{} of grains is missing", message_prefix, law.name,
                 law.stored[k].name);
  }
  find_columns();
}

void NonlocalForces::find_columns()
{
  columns.resize(law.stored_count);
  for (int k = 0; k < law.stored_count; ++k) columns[k] = atom->dvector[indices[k]];
}

void NonlocalForces::forget(int n)
{
  if (!any()) return;
  find_columns();
  for (double *column : columns) column[n] = 0.0;
}

/* ----------------------------------------------------------------------
   Each grain stores sums over its contacts with grains and walls in the last step. The law evaluates these sums and
   resets them.
------------------------------------------------------------------------- */

void NonlocalForces::evaluate_sums(bool is_step)
{
  if (law.stored_count == 0) return;
  find_columns();
  for (int n = 0; n < atom->nlocal; ++n) {
    const StoredGrain one = grain(n);
    const bool is_new = one[0] == 0.0;
    if (is_new && !(one.radius() > 0.0))
      error->one(FLERR, "{}: normal model {}: radius of grain {} = {:g} must be > 0", message_prefix, law.name,
                 atom->tag[n], one.radius());
    if (is_new) law.begin(one);
    if (is_new || is_step) law.evaluate_sums(law.constants, one, is_step);
  }
}

void NonlocalForces::find_contacts(const Pairs &pairs, const PairGroup &group, int model, const double *packed_mass,
                                   ContactList &list, int stamp, int values_before)
{
  const double *const *x = atom->x, *radius = atom->radius;
  find_columns();
  for (int p = group.begin; p < group.end; ++p) {
    const int i = pairs.i(p), j = pairs.j(p);
    const double *x_i = x[i], *x_j = x[j], touch = radius[i] + radius[j];
    const double separation[3] = {x_i[0] - x_j[0], x_i[1] - x_j[1], x_i[2] - x_j[2]};
    const double squared = dot(vector_of(separation), vector_of(separation));
    if (!(squared < touch * touch)) continue;
    Contact &contact = contacts.emplace_back();
    contact.i = i;
    contact.j = j;
    contact.model = model;
    std::copy_n(separation, 3, contact.separation);
    contact.squared_distance = squared;
    contact.seen.kept = list.begin_contact(pairs, p, stamp) + values_before;
    fill_law_input(contact, packed_mass[i], packed_mass[j]);
  }
}

void NonlocalForces::fill_law_input(Contact &contact, double mass_i, double mass_j)
{
  const int i = contact.i, j = contact.j;
  const bool in_order = atom->tag[i] > atom->tag[j];
  NonlocalContact &seen = contact.seen;
  seen.grains[0] = grain(in_order ? i : j);
  seen.grains[1] = grain(in_order ? j : i);
  seen.sides = 2;
  seen.distance = std::sqrt(contact.squared_distance);
  const double radii = atom->radius[i] + atom->radius[j];
  seen.overlap = radii - seen.distance;
  seen.effective_radius = atom->radius[i] * atom->radius[j] / radii;
  const double both = std::fabs(mass_i * mass_j) / (std::fabs(mass_i) + std::fabs(mass_j));
  seen.effective_mass = mass_j < 0.0 ? std::fabs(mass_i) : mass_i < 0.0 ? mass_j : both;
  double speed = 0.0;
  for (int d = 0; d < 3; ++d) {
    seen.normal[d] = seen.distance > 0.0 ? contact.separation[d] / seen.distance : 0.0;
    speed += (atom->v[i][d] - atom->v[j][d]) * seen.normal[d];
  }
  seen.separation_change = update->dt * speed;
}

void NonlocalForces::compute_forces(bool is_step)
{
  if (law.couples()) return couple(is_step);
  find_columns();
  send(Sent::AFTER_EVALUATION);
  int displacement = 0;
  for (int k = 0; k < law.stored_count; ++k)
    if (law.stored[k].sent == Sent::AFTER_ADDITION) displacement = k;
  std::fill_n(columns[displacement], atom->nlocal + atom->nghost, 0.0);
  if (is_step) {
    meet_neighbours();
    for (const Contact &contact : contacts) law.add_to_sums(contact.seen);
    for (NonlocalSurface *surface : surfaces) surface->add_contacts();
  }
  send(Sent::AFTER_ADDITION);
  for (const Contact &contact : contacts)
    laws[contact.model].compute_force(laws[contact.model].constants, contact.seen, is_step);
}

void NonlocalForces::couple(bool is_step)
{
  coupled.contacts.clear();
  for (const Contact &contact : contacts)
    coupled.contacts.push_back(
        {contact.i, contact.j, &laws[contact.model], contact.seen, contact.seen.kept[DISPLACEMENT], 0.0});
  for (NonlocalSurface *surface : surfaces) surface->add_contacts();
  coupled.solve(is_step);
  for (const CoupledContacts::Contact &contact : coupled.contacts) {
    if (contact.j < 0) continue;
    contact.seen.kept[DISPLACEMENT] = contact.displacement;
    contact.seen.kept[FOUND_AT] = contact.seen.overlap;
  }
}

void NonlocalForces::add_surface_contact(int grain, const NonlocalLaw &of_surface, const NonlocalContact &contact)
{
  if (of_surface.couples())
    coupled.contacts.push_back({grain, -1, &of_surface, contact, contact.kept ? contact.kept[DISPLACEMENT] : 0.0, 0.0});
  else if (contact.kept)
    of_surface.add_to_sums(contact);
}

void NonlocalForces::compute_surface_force(int grain, const NonlocalLaw &of_surface, const NonlocalContact &contact,
                                           bool is_step)
{
  if (!of_surface.couples()) return of_surface.compute_force(of_surface.constants, contact, is_step);
  const CoupledContacts::Contact *found = coupled.find_at_wall(grain, contact.normal);
  contact.kept[DISPLACEMENT] = found ? found->displacement : 0.0;
  contact.kept[FOUND_AT] = contact.overlap;
}

void NonlocalForces::list_by_grain()
{
  const int owned = atom->nlocal;
  first.assign(owned + 2, 0);
  const auto each = [&](const auto &see) {
    for (std::size_t k = 0; k < contacts.size(); ++k)
      for (const int n : {contacts[k].i, contacts[k].j})
        if (n < owned) see(n, static_cast<int>(k));
  };
  each([&](int n, int) { ++first[n + 2]; });
  for (int n = 0; n < owned; ++n) first[n + 2] += first[n + 1];
  entries.resize(first[owned + 1]);
  each([&](int n, int contact) { entries[first[n + 1]++] = contact; });
}

// Only owned grains have all their contacts on this rank, so neighbours are found for owned grains only.

void NonlocalForces::meet_neighbours()
{
  list_by_grain();
  for (int n = 0; n < atom->nlocal; ++n) {
    const int begin = first[n], count = first[n + 1] - begin;
    neighbours.resize(count);
    for (int k = 0; k < count; ++k) {
      const Contact &contact = contacts[entries[begin + k]];
      const bool from_i = contact.i == n;
      Neighbour &one = neighbours[k];
      for (int d = 0; d < 3; ++d) one.to[d] = from_i ? -contact.separation[d] : contact.separation[d];
      one.squared_distance = contact.squared_distance;
      one.radius = atom->radius[from_i ? contact.j : contact.i];
    }
    for (int k = 0; k < count; ++k) {
      const Contact &contact = contacts[entries[begin + k]];
      if (contact.i != n) continue;
      std::swap(neighbours[k], neighbours[count - 1]);
      law.evaluate_between(neighbours[count - 1], neighbours.data(), count - 1, contact.seen.kept);
      std::swap(neighbours[k], neighbours[count - 1]);
    }
  }
}

std::vector<int> NonlocalForces::sent(Sent what) const
{
  std::vector<int> values;
  for (int k = 0; k < law.stored_count; ++k)
    if (law.stored[k].sent == what) values.push_back(k);
  return values;
}

void NonlocalForces::send(Sent what)
{
  sends = what;
  comm->forward_comm(pair, static_cast<int>(sent(what).size()));
  sends = Sent::NEVER;
}

int NonlocalForces::pack_forward(int n, const int *atoms, double *buf) const
{
  if (coupled.communicates()) return coupled.pack_forward(n, atoms, buf);
  int at = 0;
  const auto values = sent(sends);
  for (int k = 0; k < n; ++k)
    for (const int value : values) buf[at++] = columns[value][atoms[k]];
  return at;
}

void NonlocalForces::unpack_forward(int n, int start, const double *buf)
{
  if (coupled.communicates()) return coupled.unpack_forward(n, start, buf);
  int at = 0;
  const auto values = sent(sends);
  for (int k = start; k < start + n; ++k)
    for (const int value : values) columns[value][k] = buf[at++];
}
