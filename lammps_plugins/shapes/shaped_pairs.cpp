#include "shaped_pairs.h"

#include <algorithm>
#include <cmath>

namespace granular_plus {

namespace {

Vector row_of(const double *rows, int particle)
{
  const double *r = rows + 3 * static_cast<long>(particle);
  return {r[0], r[1], r[2]};
}

void add_to(double *rows, int particle, double sign, const Row *values, int lane)
{
  double *r = rows + 3 * static_cast<long>(particle);
  for (int d = 0; d < 3; ++d) r[d] += sign * values[d][lane];
}

// between the two grains, by their temperatures, and to both of them
void pass_heat(const Particles &particles, const LoopWork &work, int lane)
{
  const Batch &b = work.batch;
  const int i = work.i(lane), j = work.j(lane);
  const double conducted = b.conductance[lane] * (particles.temperature[j] - particles.temperature[i]);
  particles.heatflow[i] += conducted + b.warming[lane];
  if (j < particles.force_end) particles.heatflow[j] -= conducted - b.warming[lane];
}

}    // namespace

void ShapedPairs::begin_list(int pairs)
{
  caches.resize(pairs);
  last.resize(pairs);
  for (auto &cache : caches) cache.of_i.known = cache.of_j.known = false;
  for (auto &contact : last) contact.known = false;
}

Partner ShapedPairs::partner(const Particles &particles, int k) const
{
  return {row_of(particles.position, k),
          row_of(particles.velocity, k),
          row_of(particles.spin, k),
          bodies[k].volume_radius(),
          particles.mass[k],
          bodies[k].shape ? &inertias[k] : nullptr};
}

void ShapedPairs::loop(const Particles &particles, const Pairs &pairs, const History &history,
                       const PairGroup &pair_group, const LoopOptions &options, int normal_history, LoopWork &work)
{
  work.batch.timestep = options.timestep;
  work.batch.count = 0;
  int waiting[LANES], count = 0;
  for (int p = pair_group.begin; p < pair_group.end; ++p) {
    const int i = pairs.i(p), j = pairs.j(p);
    const Vector apart = bodies[i].position - bodies[j].position;
    const double reach = particles.radius[i] + particles.radius[j];
    if (!(dot(apart, apart) < reach * reach)) continue;
    ContactCache &cache = options.mode == Mode::LOOK ? scratch : caches[pairs.number[p]];
    if (options.mode == Mode::LOOK) cache.of_i.known = cache.of_j.known = false;
    if (!find_contact(bodies[i], bodies[j], cache, found[count])) continue;
    if (!(found[count].overlap < bodies[i].volume_radius() + bodies[j].volume_radius())) {
      too_deep = {i, j, found[count].overlap};
      continue;
    }
    waiting[count++] = p;
    if (count < LANES) continue;
    evaluate(particles, pairs, history, pair_group, options, normal_history, work, waiting, count);
    count = 0;
  }
  if (count > 0) evaluate(particles, pairs, history, pair_group, options, normal_history, work, waiting, count);
}

void ShapedPairs::evaluate(const Particles &particles, const Pairs &pairs, const History &history,
                           const PairGroup &pair_group, const LoopOptions &options, int normal_history, LoopWork &work,
                           const int *pair, int count)
{
  Batch &b = work.batch;
  b.count = count;
  const int size = history.size, alive = options.alive();
  for (int l = 0; l < count; ++l) {
    const PairIndex p = pairs.number[pair[l]];
    work.row_i[l] = pairs.row_i[p];
    work.row_j[l] = pairs.row_j[p];
    int slot = history.slot[p];
    if (slot < 0) {
      slot = history.slot[p] = static_cast<PairIndex>((*history.slots_used)++);
      history.row(slot)[size] = 0.0;
    }
    work.slot[l] = slot;
    const double *row = history.row(slot);
    const bool goes_on = row[size] == alive;
    for (int h = 0; h < size; ++h) b.history[h][l] = goes_on ? row[h] : 0.0;
    const Vector before{b.history[normal_history][l], b.history[normal_history + 1][l],
                        b.history[normal_history + 2][l]};
    fill_lane(b, l, pair_group.constants, found[l], partner(particles, work.i(l)), partner(particles, work.j(l)),
              before);
  }
  for (int s = 0; s < pair_group.stage_count; ++s) pair_group.stages[s](b, pair_group.constants);

  for (int l = 0; l < count; ++l) {
    const PairIndex p = pairs.number[pair[l]];
    const int i = work.i(l), j = work.j(l);
    finish_lane(b, l, pair_group.constants, found[l], partner(particles, i), partner(particles, j));
    const Vector apart = bodies[i].position - bodies[j].position;
    b.separation[0][l] = apart.x;    // what reports take for it
    b.separation[1][l] = apart.y;
    b.separation[2][l] = apart.z;
    if (pairs.special) {
      const double factor = options.force_factors[pairs.special[p]];
      for (int d = 0; d < 3; ++d) {
        b.force[d][l] *= factor;
        b.torque_i[d][l] *= factor;
        b.torque_j[d][l] *= factor;
      }
    }
    if (particles.force) {
      add_to(particles.force, i, 1.0, b.force, l);
      add_to(particles.torque, i, 1.0, b.torque_i, l);
      if (j < particles.force_end) {
        add_to(particles.force, j, -1.0, b.force, l);
        add_to(particles.torque, j, 1.0, b.torque_j, l);
      }
    }
    if (pair_group.passes_heat && particles.heatflow) pass_heat(particles, work, l);

    // springs and normal are those of the end of a step; in setup contacts may begin, and a ledger remembers forces
    double *row = history.row(work.slot[l]);
    const bool begins = row[size] != alive;
    const Vector normal = normal_of(found[l]);
    const double normal_values[3] = {normal.x, normal.y, normal.z};
    for (int d = 0; d < 3; ++d) b.history[normal_history + d][l] = normal_values[d];
    if (options.mode == Mode::STEP) {
      for (int h = 0; h < size; ++h) row[h] = b.history[h][l];
      row[size] = options.evaluation;
    } else if (options.mode == Mode::SETUP) {
      if (begins) {
        std::fill_n(row, size, 0.0);
        std::copy_n(normal_values, 3, row + normal_history);
        row[size] = alive;
      }
      const auto &model = pair_group.constants;
      for (int h = 0; h < model.yielding_values; ++h)
        row[model.normal_history + h] = b.history[model.normal_history + h][l];
      for (int h = options.ledger; h >= 0 && h < size; ++h) row[h] = b.history[h][l];
    }
    if (options.mode != Mode::LOOK) {
      last[p] = {found[l], true};
      const double share = found[l].overlap * found[l].overlap * std::sqrt(found[l].overlap * found[l].radius);
      weighted_nodes += share * found[l].nodes;
      weight += share;
    }
  }
  if (options.report) options.report(options.receiver, work);
}

// The forces of the evaluation before act over half of this step; how the two met is known from then, or guessed from the
// normal where the list has changed since: forces are small as a contact ends.

void ShapedPairs::end(const Particles &particles, const Pairs &pairs, int count, const History &history,
                      const PairGroup &pair_group, const LoopOptions &options, int normal_history, LoopWork &work)
{
  Batch &b = work.batch;
  b.timestep = options.timestep;
  for (int first = 0; first < count; first += LANES) {
    b.count = std::min(count - first, LANES);
    for (int l = 0; l < b.count; ++l) {
      const PairIndex p = pairs.number[first + l];
      work.row_i[l] = pairs.row_i[p];
      work.row_j[l] = pairs.row_j[p];
      const int i = work.i(l), j = work.j(l);
      const double *row = history.row(history.slot[p]);
      for (int h = 0; h < history.size; ++h) b.history[h][l] = row[h];
      const Partner of_i = partner(particles, i), of_j = partner(particles, j);
      const Vector normal{row[normal_history], row[normal_history + 1], row[normal_history + 2]};
      Last &known = last[p];
      ShapeContact contact = known.contact;
      if (!known.known) {
        contact = {};
        contact.gradient = -1.0 * normal;
        const double share = of_i.radius / (of_i.radius + of_j.radius);
        contact.point = of_i.position - share * (of_i.position - of_j.position);
        contact.turning_i = cross(contact.point - of_i.position, contact.gradient);
        contact.turning_j = -1.0 * cross(contact.point - of_j.position, contact.gradient);
      }
      known.known = false;
      contact.overlap = 0.0;    // the stage takes velocities at the full radius
      fill_lane(b, l, pair_group.constants, contact, of_i, of_j, normal);
    }
    for (int s = 0; s < pair_group.ending_stage_count; ++s) pair_group.ending_stages[s](b, pair_group.constants);
    for (int l = 0; pair_group.passes_heat && particles.heatflow && l < b.count; ++l) pass_heat(particles, work, l);
    if (options.report) options.report(options.receiver, work);
  }
}

double ShapedPairs::memory_usage() const
{
  double bytes = static_cast<double>(bodies.capacity()) * sizeof(Body) +
      static_cast<double>(inertias.capacity()) * sizeof(TurnedInertia) +
      static_cast<double>(last.capacity()) * sizeof(Last);
  for (const auto &cache : caches)
    for (const auto *list : {&cache.of_i, &cache.of_j})
      bytes += sizeof(Candidates) + static_cast<double>(list->node.capacity()) * (sizeof(int) + sizeof(double));
  return bytes;
}

}    // namespace granular_plus
