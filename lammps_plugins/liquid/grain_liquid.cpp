#include "grain_liquid.h"

#include "../glue/films.h"
#include "../core/laws/capillary/film.h"
#include "../glue/share_of_pair.h"
#include "../glue/over_ranks.h"

#include "atom.h"
#include "comm.h"
#include "domain.h"
#include "error.h"
#include "force.h"
#include "update.h"

#include <algorithm>
#include <cmath>

using namespace LAMMPS_NS;
using namespace granular_plus;
using granular_plus::capillary::Films;

void GrainLiquid::init(const std::string &new_prefix, bool new_from_films)
{
  message_prefix = new_prefix;
  from_films = new_from_films;
  if (!from_films) return;
  warned_of_fit = false;
  largest_outside_fit = 0.0;
  check_films(lmp, message_prefix);
  film = films_of(lmp);
  here = anywhere = 0;
}

void GrainLiquid::Group::make_room()
{
  const std::size_t room = pairs->end - pairs->begin + Pairs::LIST_PADDING;
  if (memory.size() < 5 * room) memory.resize(5 * room);
  found = {};
  int *at = memory.data();
  for (int **list : {&found.touching, &found.separated, &found.forming, &found.ruptured, &found.ended}) {
    *list = at;
    at += room;
  }
}

/* ----------------------------------------------------------------------
   With newton off, each rank changes only the films of its own atoms.
------------------------------------------------------------------------- */

bool GrainLiquid::is_ours(int n) const { return force->newton_pair || n < atom->nlocal; }

void GrainLiquid::find_and_move(const Kernels &kernels, const Particles &particles, Pairs &pairs,
                                const LoopOptions &options, LoopWork &work)
{
  groups.resize(pair_groups.size());
  for (std::size_t k = 0; k < pair_groups.size(); ++k) {
    groups[k].pairs = &pair_groups[k];
    groups[k].found = {};
    if (!pair_groups[k].film) continue;
    groups[k].make_room();
    kernels.find_contacts(particles, pairs, pair_groups[k], work, groups[k].found);
  }
  move(pairs, options.stamp_before, options.mode == Mode::STEP);
}

void GrainLiquid::move_without_pairs(bool is_step)
{
  groups.clear();
  Pairs none{};
  move(none, 0, is_step);
}

void GrainLiquid::evaluate(std::size_t k, const Kernels &kernels, const Particles &particles, const Pairs &pairs,
                           const LoopOptions &options, LoopWork &work) const
{
  const auto &[group, found, memory] = groups[k];
  kernels.evaluate_pairs(particles, pairs, found.touching, found.touching_count, contacts->history(), *group,
                         group->touching, options, work);
  kernels.evaluate_pairs(particles, pairs, found.separated, found.separated_count, contacts->history(), *group,
                         group->separated, options, work);
}

void GrainLiquid::move(Pairs &pairs, int stamp, bool is_step)
{
  film = films_of(lmp);
  here &= OUTSIDE;
  if (!force->newton_pair && (domain->xperiodic || domain->yperiodic || domain->zperiodic)) find_doubtful(pairs);
  for (Group &group : groups)
    if (is_step && group.found.separated_count > 0) rupture_slow(pairs, group);
  for (const Group &group : groups) {
    if (group.found.forming_count > 0) here |= BRIDGE_FORMS;
    if (group.found.ruptured_count > 0 && is_step) here |= BRIDGE_RUPTURES;
  }
  anywhere = reduced(world, MPI_BOR, here);
  if (anywhere & OUTSIDE) warn_of_fit();
  if (anywhere & DOUBTFUL) resolve_doubtful(pairs);
  if (!(anywhere & (BRIDGE_FORMS | BRIDGE_RUPTURES))) return;

  const std::size_t all = atom->nlocal + atom->nghost;
  change.assign(all, 0.0);
  if (anywhere & BRIDGE_FORMS) {
    forming.assign(all, 0.0);
    for (const Group &group : groups)
      for (int k = 0; k < group.found.forming_count; ++k) {
        const int p = group.found.forming[k];
        for (const int n : {pairs.i(p), pairs.j(p)})
          if (is_ours(n)) forming[n] += 1.0;
      }
    send_to_owners(forming);
    sent = FILMS;
    comm->forward_comm(pair, 2);
    sent = NOTHING;
    for (const Group &group : groups) form(pairs, group, stamp);
    // only the last step of a run warns here; other steps leave the warning to the next step
    if (update->ntimestep == update->laststep && reduced(world, MPI_BOR, here) & OUTSIDE) warn_of_fit();
  }
  if (is_step)
    for (const Group &group : groups) rupture(pairs, group);
  send_to_owners(change);
  // rounding may make the film slightly negative
  for (int n = 0; n < atom->nlocal; ++n) film[n] = std::max(0.0, film[n] + change[n]);
}

/* ----------------------------------------------------------------------
   With newton off, a pair that crosses a border is computed once for each of its grains. Both computations must detect
   the contact in the same step; otherwise only one of the two films would give liquid. The coordinates in the two
   computations may differ by a period, so their rounding may differ. A bridge therefore forms slightly below the
   distance at which the grains touch (WITHIN). If rounding could matter there (DOUBT), the distance is computed again
   from the positions of the two owned atoms.
------------------------------------------------------------------------- */

namespace {
// factors that multiply the squared distance at which the grains touch; DOUBT exceeds the rounding error in a box whose
// length is 10^5 diameters
constexpr double WITHIN = 1.0 - 1.0e-9, DOUBT = 1.0e-10;

template <class Keeps> void keep(int *list, int &count, Keeps keeps)
{
  count = static_cast<int>(std::remove_if(list, list + count, [&](int p) { return !keeps(p); }) - list);
}
}    // namespace

void GrainLiquid::find_doubtful(const Pairs &pairs)
{
  for (Group &group : groups)
    keep(group.found.forming, group.found.forming_count, [&](int p) {
      const int i = pairs.i(p), j = pairs.j(p);
      if (j < atom->nlocal) return true;
      const double part = squared_distance(atom->x[i], atom->x[j]) / pairs.touching_squared[p];
      if (std::fabs(part - WITHIN) < DOUBT) here |= DOUBTFUL;
      return part < WITHIN + DOUBT;
    });
}

void GrainLiquid::resolve_doubtful(const Pairs &pairs)
{
  owner_positions.assign(atom->x[0], atom->x[0] + 3 * static_cast<std::size_t>(atom->nlocal));
  owner_positions.resize(3 * static_cast<std::size_t>(atom->nlocal + atom->nghost));
  sent = HOMES;
  comm->forward_comm(pair, 3);
  sent = NOTHING;
  for (Group &group : groups)
    keep(group.found.forming, group.found.forming_count, [&](int p) {
      const int i = pairs.i(p);
      const int j = pairs.j(p);
      return j < atom->nlocal || squared_distance_at_home(i, j) < WITHIN * pairs.touching_squared[p];
    });
}

// The pair is computed once for each of its grains. Both results must be bitwise identical.

double GrainLiquid::squared_distance_at_home(int i, int ghost) const
{
  const double *h = domain->h, *inverse = domain->h_inv;
  double shift[3];
  for (int d = 0; d < 3; ++d) shift[d] = atom->x[ghost][d] - owner_positions[3 * ghost + d];
  const double periods[] = {std::nearbyint(inverse[0] * shift[0] + inverse[5] * shift[1] + inverse[4] * shift[2]),
                            std::nearbyint(inverse[1] * shift[1] + inverse[3] * shift[2]),
                            std::nearbyint(inverse[2] * shift[2])};
  const Vector whole{periods[0] * h[0] + periods[1] * h[5] + periods[2] * h[4], periods[1] * h[1] + periods[2] * h[3],
                     periods[2] * h[2]};
  const Vector apart = vector_of(&owner_positions[3 * i]) - vector_of(&owner_positions[3 * ghost]) - whole;
  return dot(apart, apart);
}

/* ----------------------------------------------------------------------
   A grain that forms k bridges in one step gives at most 1/k of its film to each bridge.
------------------------------------------------------------------------- */

void GrainLiquid::form(Pairs &pairs, const Group &group, int stamp)
{
  const auto &constants = group.pairs->constants;
  const FilmConstants &films = constants.film;
  const auto offered = [&](int n) { return film[n] * std::min(films.share, 1.0 / forming[n]); };
  for (int k = 0; k < group.found.forming_count; ++k) {
    const int p = group.found.forming[k];
    const int i = pairs.i(p);
    const int j = pairs.j(p);
    double from_i = offered(i), from_j = offered(j);
    const double radius_i = atom->radius[i], radius_j = atom->radius[j];
    const double volume = Films::share_out(films, radius_i, radius_j, from_i, from_j);
    if (!(volume > 0.0)) continue;
    if (is_ours(i)) change[i] -= from_i;
    if (is_ours(j)) change[j] -= from_j;

    contacts->begin_contact(pairs, p, stamp)[constants.bridge_history] = volume;
    pairs.wet[p] = 1;
    const double reach = radius_i + radius_j + Films::breaking_gap(films, radius_i, radius_j, volume);
    pairs.cutoff_squared[p] = reach * reach;
    const double outside = Films::outside_fit(radius_i, radius_j, volume);
    if (outside > 0.0) here |= OUTSIDE;
    largest_outside_fit = std::max(largest_outside_fit, outside);
  }
}

/* ----------------------------------------------------------------------
   The kernels find bridges up to the largest distance at which they may rupture. Slowly stretched bridges of a viscous
   liquid rupture at a shorter distance.
------------------------------------------------------------------------- */

void GrainLiquid::rupture_slow(Pairs &pairs, Group &group)
{
  const auto &constants = group.pairs->constants;
  if (!(constants.film.quickening > 0.0)) return;
  auto &found = group.found;
  keep(found.separated, found.separated_count, [&](int p) {
    const int i = pairs.i(p);
    const int j = pairs.j(p);
    const Vector apart = vector_of(atom->x[i]) - vector_of(atom->x[j]);
    const double parting = dot(apart, vector_of(atom->v[i]) - vector_of(atom->v[j]));
    const double distance = length(apart), radius_i = atom->radius[i], radius_j = atom->radius[j];
    const double volume = contacts->row(pairs.number[p])[constants.bridge_history];
    const double lasts_to = Films::rupture_gap(constants.film, radius_i, radius_j, volume, parting / distance);
    if (distance - (radius_i + radius_j) < lasts_to) return true;
    pairs.had_contact[p] = 0;
    found.ruptured[found.ruptured_count++] = p;
    if (pairs.ended) found.ended[found.ended_count++] = p;
    return false;
  });
  // a grain receives liquid in the order of its pairs, as on a GPU
  std::sort(found.ruptured, found.ruptured + found.ruptured_count);
}

void GrainLiquid::rupture(Pairs &pairs, const Group &group)
{
  for (int k = 0; k < group.found.ruptured_count; ++k) {
    const int p = group.found.ruptured[k];
    const double half = 0.5 * contacts->row(pairs.number[p])[group.pairs->constants.bridge_history];
    for (const int n : {pairs.i(p), pairs.j(p)})
      if (is_ours(n)) change[n] += half;
    pairs.wet[p] = 0;
    pairs.cutoff_squared[p] = pairs.touching_squared[p];
  }
}

double GrainLiquid::volume_to_rupture(const Pairs &pairs) const
{
  double volume = 0.0;
  for (const Group &group : groups)
    for (int k = 0; k < group.found.ruptured_count; ++k) {
      const int p = group.found.ruptured[k];
      volume += share_of_pair(lmp, pairs.j(p)) * contacts->row(pairs.number[p])[group.pairs->constants.bridge_history];
    }
  return volume;
}

double GrainLiquid::dry_bridges(double depth, int groupbit, Particles particles, LoopWork &work, EnergyLedger *ledger,
                                const std::function<void(int i, int j, double energy)> &lose) const
{
  if (contacts->size() == 0) return 0.0;
  Pairs pairs = contacts->listed_pairs();
  double gone = 0.0, dried_out = 0.0;
  for (const Group &group : groups) {
    const Found &found = group.found;
    for (int k = 0; k < found.touching_count; ++k)
      gone += dry_bridge(group, pairs, found.touching[k], depth, groupbit, dried_out);
    for (int k = 0; k < found.separated_count; ++k)
      gone += dry_bridge(group, pairs, found.separated[k], depth, groupbit, dried_out);
  }
  if (!ledger) return gone;
  ledger->current[BRIDGE_VOLUME] -= gone;
  ledger->current[BRIDGES] -= dried_out;
  ledger->total[RUPTURES] += dried_out;

  int of_bridge = 0;
  auto tally = [&](const LoopWork &seen) {
    for (int l = 0; l < seen.batch.count; ++l) {
      double &energy = contacts->history().row(seen.slot[l])[of_bridge + BRIDGE_ENERGY_BEFORE];
      const double left = seen.batch.observed[BRIDGE_VOLUME][l] > 0.0 ? seen.batch.observed[CAPILLARY_ENERGY][l] : 0.0;
      const double freed = share_of_pair(lmp, seen.j(l)) * (energy - left);
      ledger->total[VOLUME_CHANGE_LOSS] += freed;
      ledger->current[CAPILLARY_ENERGY] -= freed;
      lose(seen.i(l), seen.j(l), energy - left);
      energy = left;
    }
  };
  particles.force = particles.heatflow = nullptr;
  pairs.special = nullptr;
  auto options = LoopOptions::read_only(contacts->evaluation());
  options.receiver = &tally;
  options.report = [](void *to, const LoopWork &seen, Mode) { (*static_cast<decltype(tally) *>(to))(seen); };
  for (std::size_t k = 0; k < groups.size(); ++k) {
    if (!groups[k].pairs->film) continue;
    of_bridge = groups[k].pairs->constants.remembered[OF_BRIDGE];
    evaluate(k, in_bounds_kernels(), particles, pairs, options, work);
  }
  return gone;
}

double GrainLiquid::dry_bridge(const Group &group, Pairs &pairs, int p, double depth, int groupbit,
                               double &dried_out) const
{
  const int i = pairs.i(p);
  const int j = pairs.j(p);
  const int in_group = ((atom->mask[i] & groupbit) != 0) + ((atom->mask[j] & groupbit) != 0);
  if (!pairs.wet[p] || in_group == 0) return 0.0;
  const auto &constants = group.pairs->constants;
  const FilmConstants &films = constants.film;
  const double radius_i = atom->radius[i], radius_j = atom->radius[j];
  const double gap = std::max(0.0, std::sqrt(squared_distance(atom->x[i], atom->x[j])) - (radius_i + radius_j));
  double &kept = contacts->row(pairs.number[p])[constants.bridge_history];
  const double volume = kept, share = share_of_pair(lmp, j);
  const double left = std::max(0.0, volume - 0.5 * in_group * depth * Films::surface(radius_i, radius_j, volume, gap));
  kept = left;
  pairs.wet[p] = left > 0.0;
  double reach = radius_i + radius_j;
  if (left > 0.0)
    reach += Films::breaking_gap(films, radius_i, radius_j, left);
  else
    dried_out += share;
  pairs.cutoff_squared[p] = reach * reach;
  return share * (volume - left);
}

void GrainLiquid::add_engine_results(double outside_fit)
{
  largest_outside_fit = std::max(largest_outside_fit, outside_fit);
  if (outside_fit > 0.0) here |= OUTSIDE;
}

void GrainLiquid::for_each_bridge(const std::function<void(int i, int j, double volume)> &see) const
{
  if (!contacts) return;
  for (int group = 0; group < contacts->groups(); ++group) {
    if (!pair_groups[group].film) continue;
    for (int p = contacts->begin(group); p < contacts->end(group); ++p)
      if (contacts->is_alive(p))
        see(contacts->i(p), contacts->j(p), contacts->row(p)[pair_groups[group].constants.bridge_history]);
  }
}

void GrainLiquid::warn_of_fit()
{
  if (warned_of_fit) return;
  warned_of_fit = true;
  warn_of_bridges_outside_fit(lmp, message_prefix, largest_outside_fit);
}

void GrainLiquid::send_to_owners(std::vector<double> &values)
{
  if (!force->newton_pair) return;
  sent_home = &values;
  comm->reverse_comm(pair, 1);
}

int GrainLiquid::pack_forward(int n, const int *atoms, double *buf) const
{
  int m = 0;
  for (int k = 0; k < n; ++k)
    if (sent == HOMES) {
      for (int d = 0; d < 3; ++d) buf[m++] = owner_positions[3 * atoms[k] + d];
    } else {
      buf[m++] = film[atoms[k]];
      buf[m++] = forming[atoms[k]];
    }
  return m;
}

void GrainLiquid::unpack_forward(int n, int start, const double *buf)
{
  int m = 0;
  for (int k = start; k < start + n; ++k)
    if (sent == HOMES) {
      for (int d = 0; d < 3; ++d) owner_positions[3 * k + d] = buf[m++];
    } else {
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

double GrainLiquid::in_films() const
{
  const double *films = from_films ? films_of(lmp) : nullptr;
  double sum = 0.0;
  for (int n = 0; films && n < atom->nlocal; ++n) sum += films[n];
  return sum;
}

double GrainLiquid::in_films_and_bridges() const
{
  double sum = in_films();
  for_each_bridge([&](int, int j, double volume) { sum += share_of_pair(lmp, j) * volume; });
  return sum;
}

double GrainLiquid::memory_usage() const
{
  double bytes =
      static_cast<double>(sizeof(double)) * (forming.capacity() + change.capacity() + owner_positions.capacity());
  for (const Group &group : groups) bytes += static_cast<double>(sizeof(int)) * group.memory.capacity();
  return bytes;
}
