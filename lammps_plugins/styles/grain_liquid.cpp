#include "grain_liquid.h"

#include "../laws/capillary/capillary_law.h"

#include "atom.h"
#include "comm.h"
#include "error.h"
#include "force.h"
#include "lammps.h"
#include "pair.h"

#include <algorithm>
#include <cmath>

using namespace LAMMPS_NS;
using granular_plus::ContactList;
using granular_plus::Pairs;

/* ---------------------------------------------------------------------- */

double *LAMMPS_NS::films_of(const LAMMPS *lmp)
{
  int is_double, columns;
  const int index = lmp->atom->find_custom("film", is_double, columns);
  return index >= 0 && is_double && columns == 0 ? lmp->atom->dvector[index] : nullptr;
}

/* ---------------------------------------------------------------------- */

void GrainLiquid::init(const std::string &new_who)
{
  who = new_who;
  warned_of_fit = false;
  int is_double, columns;
  const int index = atom->find_custom("film", is_double, columns);
  if (index < 0 || !is_double || columns != 0)
    error->all(FLERR, "{}: keyword film needs the films of grains: fix ID all property/atom d_film ghost yes", who);
  film = films_of(lmp);
  double least = 0.0, least_of_all;
  for (int i = 0; i < atom->nlocal; ++i)
    if (!(film[i] >= 0.0 && std::isfinite(film[i]))) least = -1.0;
  MPI_Allreduce(&least, &least_of_all, 1, MPI_DOUBLE, MPI_MIN, world);
  if (least_of_all < 0.0) error->all(FLERR, "{}: the film d_film of a grain must be >= 0 and finite", who);
  here = anywhere = 0;
}

/* ---------------------------------------------------------------------- */

void GrainLiquid::Group::make_room()
{
  const std::size_t room = pairs->end - pairs->begin + Pairs::LIST_AHEAD;
  if (memory.size() < 5 * room) memory.resize(5 * room);
  found = {};
  int *at = memory.data();
  for (int **list : {&found.touching, &found.separated, &found.forming, &found.ruptured, &found.ended}) {
    *list = at;
    at += room;
  }
}

/* ----------------------------------------------------------------------
   without newton a pair that crosses a processor's border is seen from both sides, and each side sees to its own atom
------------------------------------------------------------------------- */

bool GrainLiquid::is_ours(int n) const { return force->newton_pair || n < atom->nlocal; }

/* ---------------------------------------------------------------------- */

void GrainLiquid::move(ContactList &contacts, Pairs &pairs, int alive, bool is_step)
{
  film = films_of(lmp);
  here &= OUTSIDE;
  for (const Group &group : groups) {
    if (group.found.forming_count > 0) here |= FORMS;
    if (group.found.ruptured_count > 0 && is_step) here |= RUPTURES;
  }
  MPI_Allreduce(&here, &anywhere, 1, MPI_INT, MPI_BOR, world);
  if (anywhere & OUTSIDE) warn_of_fit();
  if (!(anywhere & (FORMS | RUPTURES))) return;

  const std::size_t all = atom->nlocal + atom->nghost;
  change.assign(all, 0.0);
  if (anywhere & FORMS) {
    forming.assign(all, 0.0);
    for (const Group &group : groups)
      for (int k = 0; k < group.found.forming_count; ++k) {
        const int p = group.found.forming[k];
        for (const unsigned row : {pairs.row_i[p], pairs.row_j[p]}) {
          const int n = static_cast<int>(row / Pairs::ROW_BYTES);
          if (is_ours(n)) forming[n] += 1.0;
        }
      }
    send_home(forming);
    communicating = true;
    comm->forward_comm(pair, 2);
    communicating = false;
    for (const Group &group : groups) form(contacts, pairs, group, alive);
  }
  if (is_step)
    for (const Group &group : groups) rupture(contacts, pairs, group);
  send_home(change);
  // the last bridge that takes all may round to less than nothing
  for (int n = 0; n < atom->nlocal; ++n) film[n] = std::max(0.0, film[n] + change[n]);
}

/* ----------------------------------------------------------------------
   of a grain that forms k bridges at once each takes at most the k-th part
------------------------------------------------------------------------- */

void GrainLiquid::form(ContactList &contacts, Pairs &pairs, const Group &group, int alive)
{
  const auto &constants = group.pairs->constants;
  const auto &law = *group.pairs->film;
  const double share = law.share(constants);
  const auto offered = [&](int n) { return film[n] * std::min(share, 1.0 / forming[n]); };
  for (int k = 0; k < group.found.forming_count; ++k) {
    const int p = group.found.forming[k];
    const int i = static_cast<int>(pairs.row_i[p] / Pairs::ROW_BYTES);
    const int j = static_cast<int>(pairs.row_j[p] / Pairs::ROW_BYTES);
    double from_i = offered(i), from_j = offered(j);
    double volume = from_i + from_j;
    if (!(volume > 0.0)) continue;
    const double radius_i = atom->radius[i], radius_j = atom->radius[j];
    const double largest = law.largest_volume(constants, radius_i, radius_j);
    if (volume < law.least_volume(constants, radius_i, radius_j)) continue;
    if (volume > largest) {
      const double scale = largest / volume;
      from_i *= scale;
      from_j *= scale;
      volume = largest;
    }
    if (is_ours(i)) change[i] -= from_i;
    if (is_ours(j)) change[j] -= from_j;

    double *row = contacts.begin_contact(pairs, p, alive);
    row[constants.bridge_history] = volume;
    row[constants.bridge_history + 1] = std::log(volume);
    pairs.wet[p] = 1;
    const double reach = radius_i + radius_j + law.breaking_gap(constants, radius_i, radius_j, volume);
    pairs.cutoff_squared[p] = reach * reach;

    const double radius = 2.0 * radius_i * radius_j / (radius_i + radius_j);
    const double ratio = volume / (radius * radius * radius);
    constexpr auto FITTED = granular_plus::CapillaryLaw::fitted;
    if (!(ratio >= FITTED.smallest_volume && ratio <= FITTED.largest_volume * (1.0 + 1.0e-12))) here |= OUTSIDE;
  }
}

/* ---------------------------------------------------------------------- */

void GrainLiquid::rupture(ContactList &contacts, Pairs &pairs, const Group &group)
{
  for (int k = 0; k < group.found.ruptured_count; ++k) {
    const int p = group.found.ruptured[k];
    const double half = 0.5 * contacts.row(pairs.contact[p])[group.pairs->constants.bridge_history];
    for (const unsigned row : {pairs.row_i[p], pairs.row_j[p]}) {
      const int n = static_cast<int>(row / Pairs::ROW_BYTES);
      if (is_ours(n)) change[n] += half;
    }
    pairs.wet[p] = 0;
    pairs.cutoff_squared[p] = pairs.touching_squared[p];
  }
}

/* ----------------------------------------------------------------------
   volumes over the cube of Derjaguin's radius count
------------------------------------------------------------------------- */

void GrainLiquid::warn_of_fit()
{
  if (warned_of_fit) return;
  warned_of_fit = true;
  constexpr auto FITTED = granular_plus::CapillaryLaw::fitted;
  if (comm->me == 0)
    error->warning(FLERR, "{}: bridges form with V/R^3 outside {} and {}, for which the law was fitted", who,
                   FITTED.smallest_volume, FITTED.largest_volume);
}

/* ---------------------------------------------------------------------- */

void GrainLiquid::send_home(std::vector<double> &values)
{
  if (!force->newton_pair) return;
  sent_home = &values;
  comm->reverse_comm(pair, 1);
}

int GrainLiquid::pack_forward(int n, const int *atoms, double *buf) const
{
  int m = 0;
  for (int k = 0; k < n; ++k) {
    buf[m++] = film[atoms[k]];
    buf[m++] = forming[atoms[k]];
  }
  return m;
}

void GrainLiquid::unpack_forward(int n, int start, const double *buf)
{
  int m = 0;
  for (int k = start; k < start + n; ++k) {
    film[k] = buf[m++];
    forming[k] = buf[m++];
  }
}

int GrainLiquid::pack_reverse(int n, int start, double *buf) const
{
  std::copy_n(sent_home->begin() + start, n, buf);
  return n;
}

void GrainLiquid::unpack_reverse(int n, const int *atoms, const double *buf)
{
  for (int k = 0; k < n; ++k) (*sent_home)[atoms[k]] += buf[k];
}

/* ---------------------------------------------------------------------- */

double GrainLiquid::in_films() const
{
  const double *films = films_of(lmp);
  double sum = 0.0;
  for (int n = 0; films && n < atom->nlocal; ++n) sum += films[n];
  return sum;
}

double GrainLiquid::memory_usage() const
{
  double bytes = static_cast<double>(sizeof(double)) * (forming.capacity() + change.capacity());
  for (const Group &group : groups) bytes += static_cast<double>(sizeof(int)) * group.memory.capacity();
  return bytes;
}
