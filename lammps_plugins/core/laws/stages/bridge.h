// Liquid bridges, and pairs that interact only through bridges.

#ifndef GRANULAR_PLUS_STAGES_BRIDGE_H
#define GRANULAR_PLUS_STAGES_BRIDGE_H

#include "../capillary/film.h"
#include "../gauss_legendre.h"
#include "geometry.h"

GRANULAR_PLUS_LAWS_BEGIN

// Geometry of pairs on which no contact law acts. Springs of an earlier contact are reset.
template <bool OBSERVES> STAGE void gap_stage(Batch &b, const ModelConstants &model)
{
  std::memset(b.history, 0, model.bridge_history * sizeof(Row));
  if constexpr (OBSERVES) begin_to_observe(b, model, 0);
  const double *facing = facing_of(b, model);
  const int lanes = padded_to_vectors(b.count);

#pragma omp simd
  for (int l = 0; l < lanes; ++l) {
    const Geometry pair = geometry(b, facing, l);
    store(b.normal, l, {pair.normal.x, pair.normal.y, pair.normal.z});
    b.overlap[l] = pair.overlap;
    b.effective_radius[l] = pair.effective_radius;
    b.normal_force[l] = 0.0;
    store(b.force, l, Vector{});
    store(b.torque_i, l, Vector{});
    store(b.torque_j, l, Vector{});
  }
}

// A bridge without liquid receives the volume 1 as a placeholder.
template <class Law> LANE auto liquid_of(const typename Law::Constants &constants, const Row *kept, int l)
{
  if constexpr (!Law::from_films)
    return Law::liquid(constants);
  else
    return Law::liquid(kept[0][l] > 0.0 ? kept[0][l] : 1.0);
}

template <class Law, class Gap>
STAGE void add_stretch_energy(const typename Law::Constants &constants, const Batch &b, const Row *kept, Gap gap,
                              double *energy)
{
  const int lanes = padded_to_vectors(b.count);
  if constexpr (Law::closed_energy) {
#pragma omp simd
    for (int l = 0; l < lanes; ++l) {
      const auto liquid = liquid_of<Law>(constants, kept, l);
      energy[l] += Law::stretch_energy(constants, liquid, 2.0 * b.effective_radius[l], gap(l));
    }
  } else {
    // The integration variable is the cube root of the gap, because the force falls steeply at small gaps.
    gauss_legendre::for_each_node([&](double node, double weight) {
      const double place = node * node * node, part = 3.0 * node * node * weight;
#pragma omp simd
      for (int l = 0; l < lanes; ++l) {
        const auto liquid = liquid_of<Law>(constants, kept, l);
        energy[l] += part * gap(l) * Law::force(constants, liquid, 2.0 * b.effective_radius[l], place * gap(l));
      }
    });
  }
}

// GAPS: true if surfaces may be apart. In that case, no contact law has acted on the batch.
template <class Law, bool GAPS, bool OBSERVES> STAGE void bridge_stage(Batch &b, const ModelConstants &model)
{
  const auto constants = constants_of<Law>(model.bridge);
  const double timestep = b.timestep;
  Row *remembered = remembered_of(OF_BRIDGE, b, model);
  [[maybe_unused]] const Row *of_collision = remembered_of(OF_COLLISION, b, model);
  const Row *kept = b.history + model.bridge_history;
  const int lanes = padded_to_vectors(b.count);
  if constexpr (OBSERVES) {
    std::memset(b.observed[CAPILLARY_ENERGY], 0, sizeof(Row));
    if constexpr (GAPS) {
      forget_part<OF_CONTACT>(b, model);
      forget_part<OF_ROLLING>(b, model);
      forget_part<OF_TWISTING>(b, model);
      forget_part<OF_COLLISION>(b, model);
      const auto gap = [&b](int l) { return larger(0.0, -b.overlap[l]); };
      add_stretch_energy<Law>(constants, b, kept, gap, b.observed[CAPILLARY_ENERGY]);
    }
  }

#pragma omp simd
  for (int l = 0; l < lanes; ++l) {
    const double radius = 2.0 * b.effective_radius[l];
    const auto liquid = liquid_of<Law>(constants, kept, l);
    double pull;
    if constexpr (GAPS)
      pull = Law::force(constants, liquid, radius, larger(0.0, -b.overlap[l]));
    else
      pull = Law::force_at_touch(constants, liquid, radius);
    if constexpr (Law::from_films) pull = kept[0][l] > 0.0 ? pull : 0.0;
    const Vector normal = load(b.normal, l);
    store(b.force, l, load(b.force, l) - pull * normal);

    if constexpr (OBSERVES) {
      const double energy = b.observed[CAPILLARY_ENERGY][l] - pull * larger(0.0, b.overlap[l]);
      // A new bridge acts for only part of the step, so its energy differs from the work done on the bridge.
      const double work = 0.5 * pull * timestep * dot(load(b.velocity, l), normal);
      const bool forms = remembered[BRIDGE_FORCE_BEFORE][l] == 0.0 && timestep > 0.0;
      double forming = forms ? work - energy : 0.0;
      double bridges = 1.0;
      if constexpr (Law::from_films) {
        // The bridge forms later than the contact if the grains were dry when they touched. The difference between work
        // and energy is then due to the volume that the bridge receives.
        const double late = of_collision[CONTACT_TIME][l] > timestep ? forming : 0.0;
        forming -= late;
        bridges = kept[0][l] > 0.0 ? 1.0 : 0.0;
        b.observed[VOLUME_CHANGE_LOSS][l] = late;
        b.observed[BRIDGE_VOLUME][l] = kept[0][l];
      }
      b.observed[NUMERICAL_LOSS][l] += forming;
      b.observed[CAPILLARY_FORCE][l] = pull;
      b.observed[CAPILLARY_ENERGY][l] = energy;
      b.observed[BRIDGES][l] = bridges;
      remembered[BRIDGE_FORCE_BEFORE][l] = pull;
      remembered[BRIDGE_ENERGY_BEFORE][l] = energy;
    }
  }
}

// The loss of a bridge that has ruptured since the last step is the work that stretched the bridge.
template <class Law> STAGE void rupture_stage(Batch &b, const ModelConstants &model)
{
  const auto constants = constants_of<Law>(model.bridge);
  [[maybe_unused]] const FilmConstants films = model.film;
  const double half_step = 0.5 * b.timestep;
  const Row *remembered = remembered_of(OF_BRIDGE, b, model), *kept = b.history + model.bridge_history;
  const int lanes = padded_to_vectors(b.count);
  const auto gap = [&](int l) {
    const double radius = 2.0 * b.effective_radius[l];
    if constexpr (Law::from_films)
      return capillary::Films::rupture_distance(films, cube_root(kept[0][l]), radius);
    else
      return Law::rupture_distance(constants, radius);
  };
  std::memset(b.observed[BRIDGE_LOSS], 0, sizeof(Row));
  add_stretch_energy<Law>(constants, b, kept, gap, b.observed[BRIDGE_LOSS]);

#pragma omp simd
  for (int l = 0; l < lanes; ++l) {
    const double away = dot(load(b.velocity, l), load(b.normal, l));
    // the force of the last step still acts for half a step
    const double last = remembered[BRIDGE_ENERGY_BEFORE][l] + half_step * remembered[BRIDGE_FORCE_BEFORE][l] * away;
    // A rupture distance that depends on the speed is known only to within the motion of one step. The loss is then the
    // last energy of the bridge.
    if constexpr (Law::from_films)
      b.observed[BRIDGE_LOSS][l] = films.quickening > 0.0 ? last : b.observed[BRIDGE_LOSS][l];
    b.observed[NUMERICAL_LOSS][l] += last - b.observed[BRIDGE_LOSS][l];
    b.observed[VISCOUS_LOSS][l] = half_step * remembered[VISCOUS_FORCE_BEFORE][l] * away;
    // a lane without liquid had no bridge
    b.observed[RUPTURES][l] = !Law::from_films || kept[0][l] > 0.0 ? 1.0 : 0.0;
  }
}

template <bool OBSERVES> STAGE void viscous_stage(Batch &b, const ModelConstants &model)
{
  const FilmConstants films = model.film;
  const double timestep = b.timestep;
  Row *remembered = remembered_of(OF_BRIDGE, b, model);
  const Row *kept = b.history + model.bridge_history;
  const int lanes = padded_to_vectors(b.count);

#pragma omp simd
  for (int l = 0; l < lanes; ++l) {
    const Vector normal = load(b.normal, l);
    const double away = dot(load(b.velocity, l), normal);
    const double gap = larger(0.0, -b.overlap[l]);
    const double drag = away * capillary::Films::resistance(films, kept[0][l], 2.0 * b.effective_radius[l], gap);
    store(b.force, l, load(b.force, l) - drag * normal);
    if constexpr (OBSERVES) {
      b.observed[VISCOUS_FORCE][l] = drag;
      b.observed[VISCOUS_LOSS][l] = 0.5 * (remembered[VISCOUS_FORCE_BEFORE][l] + drag) * timestep * away;
      remembered[VISCOUS_FORCE_BEFORE][l] = drag;
    }
  }
}

GRANULAR_PLUS_LAWS_END

#endif
