#include "coupled_contacts.h"

#include "../core/laws/lane.h"

#include "../glue/over_ranks.h"

#include "atom.h"
#include "comm.h"
#include "error.h"
#include "pair.h"

#include <algorithm>
#include <cmath>

using namespace LAMMPS_NS;
using namespace granular_plus;

/* ----------------------------------------------------------------------
   The iteration may oscillate, because adjacent contacts push each other inwards. If the changes do not decrease, only
   a part of each change is applied.
------------------------------------------------------------------------- */

void CoupledContacts::solve(bool is_step)
{
  list_sides();
  if (!is_step && !any_over_ranks(world, std::any_of(contacts.begin(), contacts.end(), [](const Contact &contact) {
                                    return !contact.seen.kept || contact.seen.kept[FOUND_AT] != contact.seen.overlap;
                                  })))
    return;
  constexpr double ENOUGH = 1.0e-11;    // tolerance of the forces, divided by the largest force
  constexpr double LEAST_PART = 1.0e-3;
  constexpr int MOST_PASSES = 1000;
  find_influences();
  find_places_in_ghosts();
  for (Contact &contact : contacts)
    contact.force = contact.law->respond(contact.law->constants, contact.seen, contact.displacement);
  double part = 1.0, before = INFINITY;
  for (int pass = 0; pass < MOST_PASSES; ++pass) {
    find_displacements();
    double here[2] = {0.0, 0.0}, most[2];
    for (const Contact &contact : contacts) {
      const double change =
          std::fabs(contact.law->respond(contact.law->constants, contact.seen, contact.displacement) - contact.force);
      here[0] = change <= here[0] ? here[0] : change;    // NaN is kept
      here[1] = std::max(here[1], contact.force);
    }
    if (!std::isfinite(here[0])) here[0] = INFINITY;
    MPI_Allreduce(here, most, 2, MPI_DOUBLE, MPI_MAX, world);
    if (most[0] <= ENOUGH * most[1]) return;
    if (!std::isfinite(most[0])) break;
    if (!(most[0] < before)) part *= 0.5;
    if (part < LEAST_PART) break;
    before = most[0];
    for (Contact &contact : contacts)
      contact.force +=
          part * (contact.law->respond(contact.law->constants, contact.seen, contact.displacement) - contact.force);
  }
  fail();
}

void CoupledContacts::fail() const
{
  struct {
    double overlap;
    int rank;
  } here{0.0, comm->me}, most;
  tagint grain = 0;
  for (const Contact &contact : contacts) {
    const double overlap = contact.seen.overlap / atom->radius[contact.i];
    if (!(overlap > here.overlap)) continue;
    here.overlap = overlap;
    grain = atom->tag[contact.i];
  }
  MPI_Allreduce(&here, &most, 1, MPI_DOUBLE_INT, MPI_MAXLOC, world);
  MPI_Bcast(&grain, 1, MPI_LMP_TAGINT, most.rank, world);
  error->all(
      FLERR,
      "{}: normal model {}: the forces and the displacements of surfaces do not converge, because grains are "
      "compressed beyond the range of the law; grain {} has the deepest contact, with an overlap of {:.3g} radii",
      message_prefix, law_name, grain, most.overlap);
}

void CoupledContacts::away_from(const Contact &contact, bool from_j, double *to)
{
  for (int d = 0; d < 3; ++d) to[d] = from_j ? contact.seen.normal[d] : -contact.seen.normal[d];
}

void CoupledContacts::list_sides()
{
  const int owned = atom->nlocal;
  first.assign(owned + 2, 0);
  const auto each = [&](const auto &see) {
    for (std::size_t k = 0; k < contacts.size(); ++k)
      for (const bool from_j : {false, true})
        if (const int n = from_j ? contacts[k].j : contacts[k].i; n >= 0 && n < owned)
          see(n, static_cast<int>(k), from_j);
  };
  each([&](int n, int, bool) { ++first[n + 2]; });
  for (int n = 0; n < owned; ++n) first[n + 2] += first[n + 1];
  sides.resize(first[owned + 1]);
  each([&](int n, int contact, bool from_j) {
    Side &side = sides[first[n + 1]++];
    side.contact = contact;
    away_from(contacts[contact], from_j, side.to);
  });
}

void CoupledContacts::find_influences()
{
  influences.clear();
  first_influence.resize(atom->nlocal);
  for (int n = 0; n < atom->nlocal; ++n) {
    first_influence[n] = influences.size();
    const int begin = first[n], count = first[n + 1] - begin;
    influences.resize(influences.size() + count * count);
    double *matrix = influences.data() + first_influence[n];
    for (int a = 0; a < count; ++a) {
      matrix[a * count + a] = 0.0;
      for (int b = 0; b < a; ++b) {
        const Side &one = sides[begin + a], &other = sides[begin + b];
        const NonlocalLaw &law = *contacts[one.contact].law;
        const double cosine = one.to[0] * other.to[0] + one.to[1] * other.to[1] + one.to[2] * other.to[2];
        matrix[a * count + b] = matrix[b * count + a] = law.displacement(law.constants, atom->radius[n], cosine);
      }
    }
  }
}

// Only the rank that owns a grain knows all contacts of the grain. This rank sends the directions of these contacts to
// the ghosts of the grain. The rank of a ghost compares directions to find which of the sent directions belong to its
// own contacts of the grain.

void CoupledContacts::find_places_in_ghosts()
{
  const int owned = atom->nlocal;
  int here[2] = {0, 0}, most[2];
  for (int n = 0; n < owned; ++n) here[0] = std::max(here[0], first[n + 1] - first[n]);
  here[1] =
      std::any_of(contacts.begin(), contacts.end(), [owned](const Contact &contact) { return contact.j >= owned; });
  MPI_Allreduce(here, most, 2, MPI_INT, MPI_MAX, world);
  width = most[1] ? most[0] : 0;
  if (width == 0) return;
  const std::size_t row = 3 * static_cast<std::size_t>(width);
  to_ghosts.assign((owned + atom->nghost) * row, 0.0);
  for (int n = 0; n < owned; ++n)
    for (int k = first[n]; k < first[n + 1]; ++k) std::copy_n(sides[k].to, 3, &to_ghosts[n * row + 3 * (k - first[n])]);
  send(to_ghosts, 3 * width);
  place_in_ghost.assign(contacts.size(), -1);
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    if (contacts[k].j < owned) continue;
    double to[3], nearest = -1.0;
    away_from(contacts[k], true, to);
    for (int place = 0; place < width; ++place) {
      const double *other = &to_ghosts[contacts[k].j * row + 3 * place];
      const double cosine = dot(vector_of(to), vector_of(other));
      if (!(cosine > nearest)) continue;
      nearest = cosine;
      place_in_ghost[k] = place;
    }
  }
  to_ghosts.resize((owned + atom->nghost) * width);
}

void CoupledContacts::find_displacements()
{
  for (Contact &contact : contacts) contact.displacement = 0.0;
  for (int n = 0; n < atom->nlocal; ++n) {
    const int begin = first[n], count = first[n + 1] - begin;
    const double *matrix = influences.data() + first_influence[n];
    for (int a = 0; a < count; ++a) {
      double displacement = 0.0;
      for (int b = 0; b < count; ++b) displacement += matrix[a * count + b] * contacts[sides[begin + b].contact].force;
      contacts[sides[begin + a].contact].displacement += displacement;
      if (width > 0) to_ghosts[static_cast<std::size_t>(n) * width + a] = displacement;
    }
  }
  if (width == 0) return;
  send(to_ghosts, width);
  for (std::size_t k = 0; k < contacts.size(); ++k)
    if (place_in_ghost[k] >= 0)
      contacts[k].displacement += to_ghosts[static_cast<std::size_t>(contacts[k].j) * width + place_in_ghost[k]];
}

const CoupledContacts::Contact *CoupledContacts::find_at_wall(int grain, const double *normal) const
{
  const Contact *nearest = nullptr;
  double most = 0.0;
  for (int k = first[grain]; k < first[grain + 1]; ++k) {
    const Contact &contact = contacts[sides[k].contact];
    if (contact.j >= 0) continue;
    const double *own = contact.seen.normal;
    const double cosine = dot(vector_of(own), vector_of(normal));
    if (!(cosine > most)) continue;
    most = cosine;
    nearest = &contact;
  }
  return nearest;
}

void CoupledContacts::send(std::vector<double> &rows, int row_width)
{
  sent = &rows;
  sent_width = row_width;
  for (sent_first = 0; sent_first < row_width; sent_first += MOST_SENT) {
    sent_count = std::min(MOST_SENT, row_width - sent_first);
    comm->forward_comm(pair, sent_count);
  }
  sent = nullptr;
}

int CoupledContacts::pack_forward(int n, const int *atoms, double *buf) const
{
  for (int k = 0; k < n; ++k)
    buf = std::copy_n(&(*sent)[static_cast<std::size_t>(atoms[k]) * sent_width + sent_first], sent_count, buf);
  return n * sent_count;
}

void CoupledContacts::unpack_forward(int n, int start, const double *buf)
{
  for (int k = start; k < start + n; ++k, buf += sent_count)
    std::copy_n(buf, sent_count, &(*sent)[static_cast<std::size_t>(k) * sent_width + sent_first]);
}
