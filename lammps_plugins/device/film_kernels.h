// Kernels that move the liquid of grains. As in GrainLiquid, each grain gives and receives volumes in the order of its
// pairs. Also compiled for GPUs.

#ifndef GRANULAR_PLUS_FILM_KERNELS_H
#define GRANULAR_PLUS_FILM_KERNELS_H

#include "../core/laws/capillary/film.h"
#include "wall_kernels.h"

GRANULAR_PLUS_LAWS_BEGIN

namespace steps {

// --------------------------------------------------------------------------------------- bridges among grains

struct FilmBridges {
  int *bridge;    // a Bridge for each pair
  // volumes that the films of i and j give to a bridge or receive from a bridge, at [2 p] and [2 p + 1]
  double *given;
  int *last_step;
  const Progress *progress;

  STAGE void mark_liquid_move() const { *last_step = progress->done; }    // all threads write the same value
  // true in steps in which a bridge forms or ruptures; may also be true in other steps
  STAGE bool liquid_moves() const { return *last_step == progress->done; }
};

// Returns whether an overlapping pair can form a bridge. With newton off, a pair with an image is tested once for each
// of its grains. The distances in the two tests differ by rounding, but both tests must agree; see
// GrainLiquid::find_doubtful.
struct TouchOfImages {
  static constexpr double WITHIN = 1.0 - 1.0e-9, DOUBT = 1.0e-10;
  bool is_asked;    // false with newton on
  const double *position;
  double period[3];

  STAGE bool operator()(int a, int b, int shift, double part, double touching_squared) const
  {
    if (!is_asked || shift == NO_SHIFT) return true;
    if (!(length(part - WITHIN) < DOUBT)) return part < WITHIN;
    double squared = 0.0;
    for (int d = 0; d < 3; ++d) {
      const double apart = (position[3 * a + d] - position[3 * b + d]) - periods_of(shift, d) * period[d];
      squared += apart * apart;
    }
    return squared < WITHIN * touching_squared;
  }
};

struct NoBridges {
  int *bridge;
  STAGE void operator()(int p) const { bridge[p] = NO_BRIDGE; }
};

struct FindBridges {
  int begin;    // first pair of the group
  const int *i, *j, *shift;
  double period[3];
  Grains grains;
  Rows rows;
  FilmConstants films;
  int volume;    // index in the history
  TouchOfImages touch_of_images;
  FilmBridges bridges;

  STAGE void operator()(int k) const
  {
    const int p = begin + k, found = find(p);
    bridges.bridge[p] = found;
    if (found == BRIDGE_FORMS || found == BRIDGE_RUPTURES) bridges.mark_liquid_move();
  }

 private:
  STAGE int find(int p) const
  {
    const int a = i[p], b = j[p];
    const Vector apart = vector_of(grains.position + 3 * a) - shifted(grains.position + 3 * b, shift[p], period);
    const double radius_i = grains.radius[a], radius_j = grains.radius[b], touch = radius_i + radius_j,
                 squared = apart.x * apart.x + apart.y * apart.y + apart.z * apart.z, touching = touch * touch,
                 held = rows.alive[p] ? rows.history[volume * rows.contacts + p] : 0.0;
    const bool is_wet = held > 0.0;
    if (squared < touching)
      return !is_wet && touch_of_images(a, b, shift[p], squared / touching, touching) ? BRIDGE_FORMS : NO_BRIDGE;
    if (!is_wet) return NO_BRIDGE;
    const double reach = touch + capillary::Films::breaking_gap(films, radius_i, radius_j, held);
    if (!(squared < reach * reach)) return BRIDGE_RUPTURES;
    return films.quickening > 0.0 && is_slow(a, b, apart, squared, held) ? BRIDGE_RUPTURES : BRIDGE_LASTS;
  }
  // see GrainLiquid::rupture_slow
  STAGE bool is_slow(int a, int b, const Vector &apart, double squared, double held) const
  {
    const Vector velocity = vector_of(grains.velocity + 3 * a) - vector_of(grains.velocity + 3 * b);
    const double parting = 0.0 + apart.x * velocity.x + apart.y * velocity.y + apart.z * velocity.z,
                 distance = std::sqrt(squared), radius_i = grains.radius[a], radius_j = grains.radius[b];
    return !(distance - (radius_i + radius_j) <
             capillary::Films::rupture_gap(films, radius_i, radius_j, held, parting / distance));
  }
};

struct CountBridges {
  const int *first, *entry;    // see PairsOfGrains
  FilmBridges bridges;
  int *forming;
  STAGE void operator()(int a) const
  {
    if (!bridges.liquid_moves()) return;
    int count = 0;
    for (int k = first[a]; k < first[a + 1]; ++k) count += bridges.bridge[entry[k] / 2] == BRIDGE_FORMS;
    forming[a] = count;
  }
};

struct ShareLiquid {
  int begin;    // first pair of the group
  const int *i, *j;
  const double *radius, *film;
  const int *forming;    // see CountBridges
  Rows rows;
  FilmConstants films;
  int volume;
  FilmBridges bridges;

  STAGE void operator()(int k) const
  {
    if (!bridges.liquid_moves()) return;
    const int p = begin + k;
    if (bridges.bridge[p] == BRIDGE_RUPTURES) give(p, 0.5 * rows.history[volume * rows.contacts + p]);
    if (bridges.bridge[p] != BRIDGE_FORMS) return;
    give(p, 0.0);
    double from_i = offered(i[p]), from_j = offered(j[p]);
    const double taken = capillary::Films::share_out(films, radius[i[p]], radius[j[p]], from_i, from_j);
    if (!(taken > 0.0)) return;
    give(p, from_i, from_j);
    begin_wet(rows, p, volume, taken, 1);
  }

 private:
  STAGE double offered(int a) const { return film[a] * smaller(films.share, 1.0 / forming[a]); }
  STAGE void give(int p, double both) const { give(p, both, both); }
  STAGE void give(int p, double from_i, double from_j) const
  {
    bridges.given[2 * static_cast<long>(p)] = from_i;
    bridges.given[2 * static_cast<long>(p) + 1] = from_j;
  }
};

// Each grain first gives liquid to its bridges, then receives liquid from them.
struct MoveLiquid {
  const int *first, *entry;
  const int *i, *j;
  const double *radius;
  FilmBridges bridges;
  double *film, *outside_fit;    // outside_fit: largest result of Films::outside_fit so far

  STAGE void operator()(int a) const
  {
    if (!bridges.liquid_moves()) return;
    double change = 0.0;
    for (int k = first[a]; k < first[a + 1]; ++k) {
      const int p = entry[k] / 2;
      if (bridges.bridge[p] != BRIDGE_FORMS) continue;
      const double *given = bridges.given + 2 * static_cast<long>(p), volume = given[0] + given[1];
      change -= given[entry[k] % 2];
      if (volume > 0.0)
        outside_fit[a] = larger(outside_fit[a], capillary::Films::outside_fit(radius[i[p]], radius[j[p]], volume));
    }
    for (int k = first[a]; k < first[a + 1]; ++k)
      if (bridges.bridge[entry[k] / 2] == BRIDGE_RUPTURES)
        change += bridges.given[2 * static_cast<long>(entry[k] / 2) + entry[k] % 2];
    film[a] = larger(0.0, film[a] + change);
  }
};

// --------------------------------------------------------------------------------------- drying

struct Evaporation {
  int group;
  double depth;
};

struct DryFilms {
  Evaporation evaporation;
  const int *mask;
  const double *radius;
  double *film, *lost;    // lost: liquid lost by films and by bridges with walls, summed over steps
  STAGE void operator()(int a) const
  {
    if (!(mask[a] & evaporation.group)) return;
    const double left = larger(0.0, film[a] - evaporation.depth * 2.0 * FULL_TURN * radius[a] * radius[a]);
    lost[a] += film[a] - left;
    film[a] = left;
  }

 private:
  static constexpr double FULL_TURN = 6.28318530717958647692;
};

// Records the energy that a bridge loses by drying. `batch` contains the contact, evaluated with the remaining volume
// `left`.
STAGE void record_drying(const Observations &observations, const Rows &rows, int contact, const ModelConstants &model,
                         double left, const Batch &batch)
{
  double &energy = rows.history[(model.remembered[OF_BRIDGE] + BRIDGE_ENERGY_BEFORE) * rows.contacts + contact];
  const double held = left > 0.0 ? batch.observed[CAPILLARY_ENERGY][0] : 0.0;
  observations.sums[VOLUME_CHANGE_LOSS * observations.contacts + contact] += energy - held;
  observations.sums[RUPTURES * observations.contacts + contact] += left > 0.0 ? 0.0 : 1.0;
  energy = held;
}

// A bridge loses the evaporated depth times half of its surface area if one of its two grains is in the group. The loss
// is twice as large if both grains are in the group.
template <class Stages> struct DryBridges {
  Evaporation evaporation;
  double *lost;    // liquid lost by the bridge of each pair, summed over steps
  EvaluatePairs<Stages> pairs;

  STAGE void operator()(int k) const
  {
    const Rows &rows = pairs.rows;
    const Grains &grains = pairs.grains;
    const int p = pairs.begin + k, a = pairs.i[p], b = pairs.j[p],
              in_group = ((grains.mask[a] & evaporation.group) != 0) + ((grains.mask[b] & evaporation.group) != 0);
    if (!rows.alive[p] || in_group == 0) return;
    double &volume = rows.history[pairs.model.bridge_history * rows.contacts + p];
    const double held = volume;
    if (!(held > 0.0)) return;
    const Vector separation = pairs.separation(p);
    const double radius_i = grains.radius[a], radius_j = grains.radius[b], touch = radius_i + radius_j,
                 squared = dot(separation, separation), gap = larger(0.0, std::sqrt(squared) - touch);
    const double left = larger(
        0.0, held - 0.5 * in_group * evaporation.depth * capillary::Films::surface(radius_i, radius_j, held, gap));
    volume = left;
    lost[p] += held - left;
    if (!pairs.stages.observe()) return;
    Batch batch;
    pairs.fill(batch, a, b, separation);
    batch.timestep = 0.0;
    load_history(rows, pairs.stages.values(rows), p, batch);
    squared < touch *touch ? pairs.stages.run(batch, pairs.model) : pairs.stages.run_separated(batch, pairs.model);
    record_drying(pairs.observations, rows, p, pairs.model, left, batch);
  }
};

// A bridge of a grain in the group loses the evaporated depth times its surface area.
template <class Stages> struct DryBridgesAtWall {
  Evaporation evaporation;
  double *lost;    // see DryFilms
  EvaluateWallContacts<Stages> wall;

  STAGE void operator()(int a) const
  {
    if (!(wall.contacts.grains.mask[a] & evaporation.group)) return;
    for (int side = 0; side < wall.contacts.surface.sides; ++side) dry(a, side);
  }

 private:
  STAGE void dry(int a, int side) const
  {
    const ContactsWithWall<Stages> &contacts = wall.contacts;
    const int contact = side * contacts.owned + a;
    const double held = contacts.volume(contact), radius = contacts.grains.radius[a];
    PointOfWall point;
    if (!(held > 0.0) || !contacts.find_point(a, side, point)) return;
    const double left = larger(
        0.0,
        held -
            evaporation.depth *
                capillary::Films::surface(radius, point.surface_radius, held, larger(0.0, point.distance - radius)));
    contacts.rows.history[contacts.model.bridge_history * contacts.rows.contacts + contact] = left;
    lost[a] += held - left;
    if (!contacts.stages.observe()) return;
    Batch batch;
    double place[3];
    contacts.fill(batch, a, contact, point, place);
    batch.timestep = 0.0;
    // the energy of the bridge is the same as after stages.run, even if the surfaces overlap
    contacts.stages.run_separated(batch, contacts.model);
    record_drying(contacts.observations, contacts.rows, contact, contacts.model, left, batch);
  }
};

}    // namespace steps

GRANULAR_PLUS_LAWS_END

#endif
