#include "shaped_pairs.h"

#include "../../laws/stages/geometry.h"

#include <cmath>

namespace granular_plus {

void ShapedPairs::begin_list(int pairs)
{
  caches.resize(pairs);
  for (auto &cache : caches) cache.of_i.known = cache.of_j.known = false;
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
  deepest = {};
  ShapeContact contact;
  for (int p = pair_group.begin; p < pair_group.end; ++p) {
    const int i = pairs.i(p), j = pairs.j(p);
    const Vector apart = bodies[i].position - bodies[j].position;
    const double reach = view.radius[i] + view.radius[j];
    if (!(dot(apart, apart) < reach * reach)) continue;
    const PairIndex pair = pairs.number[p];
    ContactCache &cache = options.mode == Mode::READ_ONLY ? scratch : caches[pair];
    if (options.mode == Mode::READ_ONLY) cache.of_i.known = cache.of_j.known = false;
    if (!find_contact(bodies[i], bodies[j], cache, contact)) continue;
    if (!(contact.overlap < bodies[i].volume_radius() + bodies[j].volume_radius())) {
      too_deep = {i, j, contact.overlap};
      continue;
    }
    if (options.mode == Mode::SETUP) {
      const double overlap = contact.overlap / std::fmin(bodies[i].volume_radius(), bodies[j].volume_radius());
      if (overlap > deepest.overlap) deepest = {i, j, overlap};
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
  if (mode == Mode::ENDED_CONTACTS) return;
  Batch &b = work.batch;
  for (int l = 0; l < b.count; ++l) {
    const ShapeContact &contact = contacts[first + l];
    const int i = work.i(l), j = work.j(l);
    finish_lane(b, l, *model, contact, partner(i), partner(j));
    store(b.separation, l, bodies[i].position - bodies[j].position);
    store(b.history + model->normal_of_shapes, l, normal_of(contact));
    remember(b, l, contact, 0.5 * (bodies[i].position + bodies[j].position));
    if (mode == Mode::READ_ONLY) {
      inspected_point = contact.point;
      continue;
    }
    const double weight_here = weight_of_nodes(contact);
    weighted_nodes += weight_here * contact.nodes;
    weight += weight_here;
  }
}

void ShapedPairs::remember(Batch &b, int l, const ShapeContact &contact, const Vector &middle) const
{
  Row *remembered = b.history + model->remembered[OF_SHAPES];
  store(remembered + TURNING_DIFFERENCE_BEFORE, l, contact.turning_i - contact.turning_j);
  store(remembered + POINT_BEFORE, l, contact.point - middle);
  remembered[GRADIENT_BEFORE][l] = length(contact.gradient);
}

// Restores the contact of the previous evaluation from the stored history. Only the difference of turning_i and
// turning_j is stored, because their sum follows from the gradient.

ShapeContact ShapedPairs::remembered(const double *row, const ModelConstants &constants, const Partner &i,
                                     const Partner &j)
{
  const double *known = row + constants.remembered[OF_SHAPES];
  const double gradient =
      known[GRADIENT_BEFORE] > 0.0 ? known[GRADIENT_BEFORE] : 1.0;    // without a ledger, 0 is stored
  ShapeContact contact{};                                             // with overlap 0, fill_lane uses the full radii
  contact.gradient = -gradient * vector_of(row + constants.normal_of_shapes);
  contact.point = 0.5 * (i.position + j.position) + vector_of(known + POINT_BEFORE);
  const Vector sum = cross(j.position - i.position, contact.gradient);
  const Vector difference = vector_of(known + TURNING_DIFFERENCE_BEFORE);
  contact.turning_i = 0.5 * (sum + difference);
  contact.turning_j = 0.5 * (sum - difference);
  return contact;
}

// Computes the losses of ended contacts. The forces of the previous evaluation still act on these contacts in the first
// half of this step.

void ShapedPairs::evaluate_ended(const Kernels &kernels, const Particles &view, const Pairs &pairs,
                                 const std::vector<PairIndex> &ended, const History &history,
                                 const PairGroup &pair_group, const LoopOptions &options, LoopWork &work)
{
  particles = &view;
  for (const PairIndex p : ended) {
    const int i = Pairs::particle_of(pairs.row_i[p]), j = Pairs::particle_of(pairs.row_j[p]);
    found.push_back({i, j, p, history.slot[p]});
    contacts.push_back(remembered(history.row(history.slot[p]), pair_group.constants, partner(i), partner(j)));
  }
  evaluate(kernels, pairs, history, pair_group, pair_group.ending, options, work);
}

double ShapedPairs::memory_usage() const
{
  double bytes = static_cast<double>(bodies.capacity()) * sizeof(Body) +
      static_cast<double>(inertias.capacity()) * sizeof(TurnedInertia);
  for (const auto &cache : caches)
    for (const auto *list : {&cache.of_i, &cache.of_j})
      bytes += sizeof(Candidates) + static_cast<double>(list->node.capacity()) * (sizeof(int) + sizeof(double));
  return bytes;
}

}    // namespace granular_plus
