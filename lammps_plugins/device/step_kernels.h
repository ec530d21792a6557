// Kernels for a time step of spheres. Results are bitwise identical to those of the CPU's loops (core/kernels), because
// each grain adds the same terms in the same order. Also compiled for GPUs.

#ifndef GRANULAR_PLUS_STEP_KERNELS_H
#define GRANULAR_PLUS_STEP_KERNELS_H

#include "../core/laws/contact.h"
#include "../core/laws/lane.h"

GRANULAR_PLUS_LAWS_BEGIN

namespace steps {

// State of the grains. Vectors are rows of three.
struct Grains {
  double *position, *velocity, *spin, *force, *torque;
  const double *radius, *mass;
  const double *packed_mass;    // negative if a grain is held, as in Particles
  const int *mask;
  double *temperature, *heatflow;    // null if temperatures are constant
};

// ------------------------------------------------------------------------------------------------------- motion

// The fixes that move grains, in the order in which they act.
struct Movement {
  static constexpr int MOST = 8;
  int count, groups[MOST];
  // half a time step, and half a time step divided by the inertia of a sphere of mass and radius 1
  double per_mass, per_inertia;
  double timestep;

  // Advances velocities and spins by half a step and positions by a full step, as core/kernels/motion.h does.
  template <bool MOVES_POSITIONS> STAGE void advance(const Grains &grains, int a) const
  {
    const double by_force = per_mass / grains.mass[a];
    const double by_torque = per_inertia / (grains.radius[a] * grains.radius[a] * grains.mass[a]);
    for (int m = 0; m < count; ++m) {
      if (!(grains.mask[a] & groups[m])) continue;
      for (int c = 3 * a; c < 3 * a + 3; ++c) {
        grains.velocity[c] += by_force * grains.force[c];
        grains.spin[c] += by_torque * grains.torque[c];
        if constexpr (MOVES_POSITIONS) grains.position[c] += timestep * grains.velocity[c];
      }
    }
  }

  STAGE Vector position_after(const Grains &grains, int a) const
  {
    const double by_force = per_mass / grains.mass[a];
    double after[3];
    for (int d = 0; d < 3; ++d) {
      const int c = 3 * a + d;
      double velocity = grains.velocity[c], position = grains.position[c];
      for (int m = 0; m < count; ++m) {
        if (!(grains.mask[a] & groups[m])) continue;
        velocity += by_force * grains.force[c];
        position += timestep * velocity;
      }
      after[d] = position;
    }
    return {after[0], after[1], after[2]};
  }
};

struct FirstHalfStep {
  Movement movement;
  Grains grains;
  STAGE void operator()(int a) const { movement.advance<true>(grains, a); }
};

// Progress of steps that the host starts without waiting for earlier steps. Kernels do nothing once `ended` is set.
struct Progress {
  int done;              // number of completed steps
  int exceeds_budget;    // 1 if the next step takes a grain beyond its budget
  int ended;             // 1 if the engine must stop after this step
  int lacks;             // states which room was insufficient, see MeshRoom; 0 if there was enough room
  int is_cold;    // 1 if a radiating grain has a temperature that is not > 0; the owner then computes the next step
};

template <class Kernel> struct UnlessEnded {
  const Progress *progress;
  Kernel kernel;
  STAGE void operator()(int index) const
  {
    if (!progress->ended) kernel(index);
  }
};

struct EndStep {
  Progress *progress;
  STAGE void operator()(int) const
  {
    ++progress->done;
    progress->ended = progress->exceeds_budget | progress->is_cold;
  }
};

struct Budgets {
  const double *listed, *budget;
  Progress *progress;

  // Looks one step ahead. All threads write the same value.
  STAGE void watch(const Movement &movement, const Grains &grains, int a) const
  {
    const Vector moved = movement.position_after(grains, a) - vector_of(listed + 3 * a);
    const double squared = moved.x * moved.x + moved.y * moved.y + moved.z * moved.z;
    if (!(squared <= budget[a] * budget[a])) progress->exceeds_budget = 1;    // also if a position is NaN
  }
};

struct WatchBudgets {
  Movement movement;
  Grains grains;
  Budgets budgets;
  STAGE void operator()(int a) const { budgets.watch(movement, grains, a); }
};

struct SecondHalfStep {
  Movement movement;
  Grains grains;
  Budgets budgets;
  STAGE void operator()(int a) const
  {
    movement.advance<false>(grains, a);
    budgets.watch(movement, grains, a);
  }
};

// ------------------------------------------------------------------------------------------------------- images

// An image is described by a grain and a shift. The shift packs the numbers of periods in three dimensions into one
// number. Images of one grain are ordered by their shifts.
constexpr int SHIFT_BITS = 10, NO_PERIODS = 1 << (SHIFT_BITS - 1), MOST_PERIODS = NO_PERIODS - 1;
LANE constexpr int shift_of(int x, int y, int z)
{
  return (((z + NO_PERIODS) << SHIFT_BITS | (y + NO_PERIODS)) << SHIFT_BITS) | (x + NO_PERIODS);
}
constexpr int NO_SHIFT = shift_of(0, 0, 0);
LANE int periods_of(int shift, int d) { return (shift >> d * SHIFT_BITS & (2 * NO_PERIODS - 1)) - NO_PERIODS; }
LANE int opposite(int shift) { return shift_of(-periods_of(shift, 0), -periods_of(shift, 1), -periods_of(shift, 2)); }

// Adds one period at a time, as LAMMPS does when it communicates ghosts.
LANE Vector shifted(const double *position, int shift, const double *period)
{
  double at[3] = {position[0], position[1], position[2]};
  for (int d = 0; shift != NO_SHIFT && d < 3; ++d) {
    const int times = periods_of(shift, d);
    for (int k = 0; k < times; ++k) at[d] += period[d];
    for (int k = 0; k > times; --k) at[d] -= period[d];
  }
  return {at[0], at[1], at[2]};
}

// ------------------------------------------------------------------------------------------------------- contacts

// Value h of contact c is at [h * contacts + c]. alive: whether the contact existed in the last evaluation.
struct Rows {
  long contacts;
  int values;
  double *history;
  int *alive;
};

// `values` equals rows.values, but may be a compile-time constant
LANE void load_history(const Rows &rows, int values, int contact, Batch &batch)
{
  UNROLL
  for (int h = 0; h < values; ++h)
    batch.history[h][0] = rows.alive[contact] ? rows.history[h * rows.contacts + contact] : 0.0;
}

LANE void store_history(const Rows &rows, int values, int contact, const Batch &batch)
{
  UNROLL
  for (int h = 0; h < values; ++h) rows.history[h * rows.contacts + contact] = batch.history[h][0];
  rows.alive[contact] = 1;
}

// Change of a bridge whose liquid comes from films. BRIDGE_LASTS: the bridge joins the pair across a gap.
enum Bridge { NO_BRIDGE, BRIDGE_LASTS, BRIDGE_FORMS, BRIDGE_RUPTURES };

// Gives a contact, which may be new, a bridge. `place` is the index of the volume in the history.
LANE void begin_wet(const Rows &rows, int contact, int place, double volume, int alive_if_new)
{
  for (int h = 0; !rows.alive[contact] && h < rows.values; ++h) rows.history[h * rows.contacts + contact] = 0.0;
  if (!rows.alive[contact]) rows.alive[contact] = alive_if_new;
  rows.history[place * rows.contacts + contact] = volume;
}

// For a ledger: losses and energies, summed over steps. Observable k of contact c is at [k * contacts + c].
struct Observations {
  long contacts;
  double *sums;    // null without a ledger
  int heat;        // index k of the heat per time that contacts generate; heat from the wall has the next index
  STAGE void add_heat(int contact, double made, double of_wall) const
  {
    if (!sums) return;
    sums[heat * contacts + contact] += made;
    sums[(heat + 1) * contacts + contact] += of_wall;
  }
  STAGE void add(int contact, const Batch &batch) const
  {
    UNROLL
    for (int k = NORMAL_ENERGY; k < OBSERVABLES; ++k)
      if (k < batch.observables) sums[k * contacts + contact] += batch.observed[k][0];
  }
};

// Term of a sum over all contacts. If a pair is listed once for each of its grains, each entry has the weight 1/2.
struct SumOfObservable {
  const double *sums;
  const int *shift;    // null if all entries have the weight 1
  STAGE double operator()(int contact) const
  {
    return shift && shift[contact] != NO_SHIFT ? 0.5 * sums[contact] : sums[contact];
  }
};

struct Clear {
  double *values;
  STAGE void operator()(int k) const { values[k] = 0.0; }
};

constexpr int FORCES = 9;    // values of a pair: the force on i, and the torques on i and j

// Heat per time of a pair. CONDUCTED: flows from j to i through the contact. ACROSS: flows from j to i across the gap.
// MADE: generated for each of the two grains.
enum HeatOfPair { CONDUCTED, MADE, ACROSS, HEATS };

// A grain adds the forces, and then the heat, of its pairs in the order of phases, as on the CPU.
enum Phase { AT_TOUCH, ACROSS_GAP, GAP_HEAT, AFTER_END };
constexpr int HAS_ENDED = 4;    // added to the phase of a pair whose contact has ended in this step

// Pairs that share a contact model. Stages provides
//   void run(Batch &, const ModelConstants &) const              for surfaces that touch
//   void run_separated(Batch &, const ModelConstants &) const    for separated surfaces, if has_separated_stages
//   void run_ending(Batch &, const ModelConstants &) const       for contacts that have ended, if observe() is true
//   bool observe() const                                         whether there is a ledger
//   int values(const Rows &) const                               number of history values that the stages use
// Contacts persist up to `gap`, which may be > 0 if acts_across_gap is true. If `attracts` is true, forces act in all
// pairs within the gap, even if the grains have not touched, and only pairs that touch store history. If there are
// films, `bridge` states which contacts persist across a gap.
template <class Stages> struct EvaluatePairs {
  int begin;    // first pair of the group
  double timestep;
  const int *i, *j, *shift;    // for all pairs: the two grains, and the image of the second
  double period[3];
  Grains grains;
  Rows rows;
  double *forces;
  int *phase;           // null if the order in which forces are added does not depend on phases
  const int *bridge;    // a Bridge for each pair; null unless bridges take their liquid from films
  double *heat;         // HeatOfPair of each pair; null if temperatures are constant
  Observations observations;
  ModelConstants model;
  Stages stages;

  STAGE void operator()(int k) const
  {
    const int p = begin + k, a = i[p], b = j[p];
    const Vector separation = this->separation(p);
    const double touch = grains.radius[a] + grains.radius[b];
    const double squared = separation.x * separation.x + separation.y * separation.y + separation.z * separation.z;
    double *force = forces + FORCES * static_cast<long>(p);
    const bool was_there = rows.alive[p] != 0, touches = squared < touch * touch;
    const bool acts =
        touches || (stages.acts_across_gap && (was_there || stages.attracts) && is_within_gap(p, squared));
    const bool is_apart = acts && !touches && stages.has_separated_stages,
               goes_on = acts && !(is_apart && stages.attracts);
    const bool ends = was_there && !goes_on;
    if (phase) phase[p] = (is_apart ? ACROSS_GAP : AT_TOUCH) | (ends ? HAS_ENDED : 0);
    for (int h = 0; heat && h < HEATS; ++h) heat[HEATS * static_cast<long>(p) + h] = 0.0;
    Batch batch;
    if (ends) {
      if (stages.observe()) {
        fill(batch, a, b, separation);
        load_history(rows, stages.values(rows), p, batch);
        stages.run_ending(batch, model);
        observations.add(p, batch);
        keep_heat(p, a, b, batch);
      }
      rows.alive[p] = 0;
    }
    if (!acts) {
      for (int d = 0; d < FORCES; ++d) force[d] = 0.0;
      return;
    }
    fill(batch, a, b, separation);
    load_history(rows, stages.values(rows), p, batch);
    is_apart ? stages.run_separated(batch, model) : stages.run(batch, model);
    if (stages.observe()) observations.add(p, batch);
    if (goes_on) {
      store_history(rows, stages.values(rows), p, batch);
      keep_heat(p, a, b, batch);
    }
    for (int d = 0; d < 3; ++d) {
      force[d] = batch.force[d][0];
      force[3 + d] = batch.torque_i[d][0];
      force[6 + d] = batch.torque_j[d][0];
    }
  }

  STAGE Vector separation(int p) const
  {
    return vector_of(grains.position + 3 * i[p]) - shifted(grains.position + 3 * j[p], shift[p], period);
  }
  // not called for grains that only attract each other, because such pairs pass no heat
  STAGE void keep_heat(int p, int a, int b, const Batch &batch) const
  {
    if (!stages.passes_heat) return;
    double *of_pair = heat + HEATS * static_cast<long>(p);
    of_pair[CONDUCTED] = batch.conductance[0] * (grains.temperature[b] - grains.temperature[a]);
    of_pair[MADE] = batch.warming[0];
    observations.add_heat(p, 2.0 * batch.warming[0], 0.0);
  }
  STAGE bool is_within_gap(int p, double squared) const
  {
    if (bridge) return bridge[p] == BRIDGE_LASTS;
    const double radius_i = grains.radius[i[p]], radius_j = grains.radius[j[p]];
    const double cutoff = radius_i + radius_j + stages.gap(model, radius_i, radius_j);
    return squared < cutoff * cutoff;
  }
  STAGE void fill(Batch &batch, int a, int b, const Vector &separation) const
  {
    batch.count = 1;
    batch.timestep = timestep;
    for (int d = 0; d < 3; ++d) {
      batch.velocity[d][0] = grains.velocity[3 * a + d] - grains.velocity[3 * b + d];
      batch.spin_i[d][0] = grains.spin[3 * a + d];
      batch.spin_j[d][0] = grains.spin[3 * b + d];
    }
    batch.separation[0][0] = separation.x;
    batch.separation[1][0] = separation.y;
    batch.separation[2][0] = separation.z;
    batch.radius_i[0] = grains.radius[a];
    batch.radius_j[0] = grains.radius[b];
    batch.held_i[0] = grains.packed_mass[a] < 0.0 ? 1.0 : 0.0;
    batch.held_j[0] = grains.packed_mass[b] < 0.0 ? 1.0 : 0.0;
    batch.mass_i[0] = length(grains.packed_mass[a]);
    batch.mass_j[0] = length(grains.packed_mass[b]);
  }
};

struct PairsOfGrains {
  const int *first;    // index of the first entry of each grain; the last element is the number of entries
  const int *entry;    // twice the index of a pair, plus 1 if the grain is j of the pair
  int groups;
  const int *group_end;    // ends of the groups of pairs
  const int *phase;        // as in EvaluatePairs

  // Calls add.pair(index, whether the grain is j, phase) group by group and phase by phase up to Add::LAST.
  // add.belongs(phase of the pair, phase) returns whether the pair contributes in this phase.
  template <class Add> STAGE void visit(int a, Add &add) const
  {
    int k = first[a];
    const int end = first[a + 1];
    for (; !phase && k < end; ++k) add.pair(entry[k] / 2, entry[k] % 2 != 0, AT_TOUCH);
    for (int g = 0; g < groups && k < end; ++g) {
      int next = k;
      while (next < end && entry[next] / 2 < group_end[g]) ++next;
      for (int now = AT_TOUCH; now <= Add::LAST; ++now)
        for (int e = k; e < next; ++e)
          if (add.belongs(phase[entry[e] / 2], now)) add.pair(entry[e] / 2, entry[e] % 2 != 0, now);
      k = next;
    }
  }
};

struct SumForces {
  PairsOfGrains pairs;
  const double *forces;
  Grains grains;

  struct Sum {
    static constexpr int LAST = ACROSS_GAP;
    const double *forces;
    double force[3], torque[3];
    STAGE bool belongs(int phase, int now) const { return (phase & ~HAS_ENDED) == now; }
    STAGE void pair(int p, bool is_j, int)
    {
      const double *of_pair = forces + FORCES * static_cast<long>(p);
      for (int d = 0; d < 3; ++d) {
        force[d] += is_j ? -of_pair[d] : of_pair[d];
        torque[d] += of_pair[(is_j ? 6 : 3) + d];
      }
    }
  };
  STAGE void operator()(int a) const
  {
    Sum sum{forces, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    pairs.visit(a, sum);
    for (int d = 0; d < 3; ++d) {
      grains.force[3 * a + d] = sum.force[d];
      grains.torque[3 * a + d] = sum.torque[d];
    }
  }
};

// ------------------------------------------------------------------------------------------------------- other forces

struct AddGravity {
  int group;
  double acceleration[3];
  Grains grains;
  STAGE void operator()(int a) const
  {
    if (!(grains.mask[a] & group)) return;
    for (int d = 0; d < 3; ++d) grains.force[3 * a + d] += grains.mass[a] * acceleration[d];
  }
};

struct Freeze {
  int group;
  Grains grains;
  STAGE void operator()(int a) const
  {
    if (!(grains.mask[a] & group)) return;
    for (int c = 3 * a; c < 3 * a + 3; ++c) grains.force[c] = grains.torque[c] = 0.0;
  }
};

}    // namespace steps

GRANULAR_PLUS_LAWS_END

#endif
