#include "shaped_pairs.h"

#include "../laws/stages/geometry.h"

#include <cmath>

namespace granular_plus {

void ShapedPairs::begin_list(int pairs)
{
  caches.resize(pairs);
  last.resize(pairs);
  for (auto &cache : caches) cache.of_i.known = cache.of_j.known = false;
  for (auto &contact : last) contact.known = false;
}

Partner ShapedPairs::partner(int k) const
{
  const long row = 3 * static_cast<long>(k);
  return {vector_of(particles->position + row),
          vector_of(particles->velocity + row),
          vector_of(particles->spin + row),
          bodies[k].volume_radius(),
          std::fabs(particles->packed_mass[k]),
          particles->packed_mass[k] < 0.0,
          false,
          bodies[k].shape ? &inertias[k] : nullptr};
}

void ShapedPairs::loop(const Kernels &kernels, const Particles &view, const Pairs &pairs, const History &history,
                       const PairGroup &pair_group, const LoopOptions &options, LoopWork &work)
{
  particles = &view;
  work.batch.count = 0;
  ShapeContact contact;
  for (int p = pair_group.begin; p < pair_group.end; ++p) {
    const int i = pairs.i(p), j = pairs.j(p);
    const Vector apart = bodies[i].position - bodies[j].position;
    const double reach = view.radius[i] + view.radius[j];
    if (!(dot(apart, apart) < reach * reach)) continue;
    const PairIndex pair = pairs.number[p];
    ContactCache &cache = options.mode == Mode::LOOK ? scratch : caches[pair];
    if (options.mode == Mode::LOOK) cache.of_i.known = cache.of_j.known = false;
    if (!find_contact(bodies[i], bodies[j], cache, contact)) continue;
    if (!(contact.overlap < bodies[i].volume_radius() + bodies[j].volume_radius())) {
      too_deep = {i, j, contact.overlap};
      continue;
    }
    found.push_back({i, j, pair, history.take_slot(pair)});
    contacts.push_back(contact);
    if (found.size() == LANES) evaluate(kernels, pairs, history, pair_group, pair_group.touching, options, work);
  }
  evaluate(kernels, pairs, history, pair_group, pair_group.touching, options, work);
}

void ShapedPairs::evaluate(const Kernels &kernels, const Pairs &pairs, const History &history,
                           const PairGroup &pair_group, const StageList &stages, const LoopOptions &options,
                           LoopWork &work)
{
  model = &pair_group.constants;
  mode = options.mode;
  kernels.evaluate_contacts(*particles, pairs.special, found.data(), static_cast<int>(found.size()), *this, history,
                            pair_group, stages, options, work);
  found.clear();
  contacts.clear();
}

void ShapedPairs::fill(LoopWork &work, int first)
{
  const Row *kept = work.batch.history + model->normal_of_shapes;
  for (int l = 0; l < work.batch.count; ++l)
    fill_lane(work.batch, l, *model, contacts[first + l], partner(work.i(l)), partner(work.j(l)), load(kept, l));
}

void ShapedPairs::finish(LoopWork &work, int first)
{
  if (mode == Mode::END) return;
  Batch &b = work.batch;
  for (int l = 0; l < b.count; ++l) {
    const ShapeContact &contact = contacts[first + l];
    const int i = work.i(l), j = work.j(l);
    finish_lane(b, l, *model, contact, partner(i), partner(j));
    store(b.separation, l, bodies[i].position - bodies[j].position);    // what reports take for it
    store(b.history + model->normal_of_shapes, l, normal_of(contact));
    if (mode == Mode::LOOK) {
      inspected_point = contact.point;
      continue;
    }
    last[work.pair[l]] = {contact, true};
    const double weight_here = weight_of_nodes(contact);
    weighted_nodes += weight_here * contact.nodes;
    weight += weight_here;
  }
}

// The forces of the evaluation before act over half of this step; how the two met is known from then, or guessed from the
// normal where the list has changed since: forces are small as a contact ends.

void ShapedPairs::evaluate_ended(const Kernels &kernels, const Particles &view, const Pairs &pairs,
                                 const std::vector<PairIndex> &ended, const History &history,
                                 const PairGroup &pair_group, const LoopOptions &options, LoopWork &work)
{
  particles = &view;
  for (const PairIndex p : ended) {
    const int i = Pairs::particle_of(pairs.row_i[p]), j = Pairs::particle_of(pairs.row_j[p]);
    const Partner of_i = partner(i), of_j = partner(j);
    Last &known = last[p];
    ShapeContact contact = known.contact;
    if (!known.known) {
      contact = {};
      contact.gradient = -1.0 * vector_of(history.row(history.slot[p]) + pair_group.constants.normal_of_shapes);
      const double part = of_i.radius / (of_i.radius + of_j.radius);
      contact.point = of_i.position - part * (of_i.position - of_j.position);
      contact.turning_i = cross(contact.point - of_i.position, contact.gradient);
      contact.turning_j = -1.0 * cross(contact.point - of_j.position, contact.gradient);
    }
    known.known = false;
    contact.overlap = 0.0;    // the stage takes velocities at the full radius
    found.push_back({i, j, p, history.slot[p]});
    contacts.push_back(contact);
  }
  evaluate(kernels, pairs, history, pair_group, pair_group.ending, options, work);
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
