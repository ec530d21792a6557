#include "wall_batches.h"

#include "update.h"

#include <cmath>

using namespace LAMMPS_NS;
using namespace granular_plus;

WallBatches::WallBatches(LAMMPS *lmp, const ContactModel &model, WallSurface &surface, ContactLinks &links,
                         const HistoryLayout &layout, ShapesAtWall &shapes, WallNonlocal &nonlocal, Report report,
                         void *receiver)
    : Pointers(lmp), kernels(granular_plus::kernels()), work(std::make_unique<LoopWork>()), model(model),
      surface(surface), links(links), layout(layout), shapes(shapes), nonlocal(nonlocal), report(report),
      receiver(receiver), kernels_for_few(granular_plus::kernels_for_few())
{
}

void WallBatches::compile()
{
  const Surfaces surfaces = surface.has_patches() ? Surfaces::PATCHES : Surfaces::ROUND;
  model.compile(pair_group, layout, kernels, update->dt, surfaces);
  model.compile(group_of_few, layout, kernels_for_few, update->dt, surfaces);
  if (shapes.any()) model.compile(shapes.pair_group, layout, kernels, update->dt, Surfaces::SHAPES);
}

void WallBatches::begin(bool steps)
{
  is_step = steps;
  jumped_links.clear();
  work->heat_made = work->heat_of_wall = 0.0;
  if (queued_count == 0) return;
  // removes contacts that remain from an evaluation that ended with an error
  for (auto &list : queued) list.clear();
  for (auto &list : queued_shapes) list.clear();
  queued_count = 0;
}

void WallBatches::evaluate_all()
{
  for (int kind = 0; queued_count > 0 && kind < KINDS; ++kind)
    if (count_of(static_cast<Kind>(kind)) > 0) evaluate(static_cast<Kind>(kind));
}

bool WallBatches::restart_in_ledger(Link link)
{
  if (has_jumped(link)) return false;
  jumped_links.push_back(link);
  return true;
}

double WallBatches::normal_speed(int i, const WallPoint &point) const
{
  double place[3], velocity[3], speed = 0.0;
  for (int d = 0; d < 3; ++d) place[d] = atom->x[i][d] - point.separation[d];
  surface.bodies[point.body].velocity_at(place, velocity);
  for (int d = 0; d < 3; ++d)
    speed += (atom->v[i][d] - velocity[d] - point.surface_velocity[d]) * point.separation[d] / point.distance;
  return speed;
}

// Kinds that precede `kind` are evaluated first, because the forces on a grain must be added in the order of kinds.

void WallBatches::evaluate(Kind kind)
{
  for (int before = 0; before < kind; ++before)
    if (count_of(static_cast<Kind>(before)) > 0) evaluate(static_cast<Kind>(before));
  const int count = count_of(kind);
  current_kind = kind;
  const bool has_few = count < FEW_CONTACTS && !is_of_shapes(kind);
  const auto &group = is_of_shapes(kind) ? shapes.pair_group : has_few ? group_of_few : pair_group;
  FoundContact found[LANES];
  for (int l = 0; l < count; ++l) {
    const WallContact &each = contact(l);
    // an attracted contact has no link; such contacts use the only row of no_history
    const Slot slot = kind == ATTRACTED ? Slot{0} : slot_of(has_ended(kind) ? each.previous_link : each.link);
    found[l] = {each.particle, -1, 0, slot};
  }
  if (nonlocal.any && kind == TOUCHING)
    for (const RoundWallContact &each : queued[kind])
      nonlocal.compute_force(each.particle, points[each.point], each.link, mass_of(each.particle),
                             normal_speed(each.particle, points[each.point]), is_step);
  History history = links.history();
  const StageList *stages = has_ended(kind) ? &group.ending : &group.touching;
  if (kind == SEPARATED || kind == ATTRACTED) stages = &group.separated;
  if (kind == ATTRACTED) {
    no_history.assign(layout.size + 1 + History::READ_AHEAD, 0.0);
    history = {nullptr, no_history.data(), layout.size, nullptr};
  }

  Particles particles;
  particles.force_end = 0;
  particles.force = atom->f[0];
  particles.torque = atom->torque[0];
  particles.temperature = atom->temperature;
  particles.heatflow = group.passes_heat ? atom->heatflow : nullptr;
  particles.wall_temperature = temperature;
  LoopOptions options = LoopOptions::of(is_step, update->dt, layout.ledger_index_or_none());
  if (has_ended(kind)) options.mode = Mode::ENDED_CONTACTS;
  if (kind == ATTRACTED) options.mode = Mode::READ_ONLY;
  options.stamp_before = options.stamp_now = ContactLinks::ALIVE;
  options.report = report;
  options.receiver = receiver;
  const auto &suited = has_few ? kernels_for_few : kernels;
  suited.evaluate_contacts(particles, nullptr, found, count, *this, history, group, *stages, options, *work);
  queued_count -= count;
  queued[kind].clear();
  queued_shapes[kind].clear();
}

void WallBatches::fill(LoopWork &lanes, int /*first*/)
{
  const int count = lanes.batch.count;
  if (is_of_shapes(current_kind))
    for (int l = 0; l < count; ++l) shapes.fill_lane(lanes.batch, l, queued_shapes[current_kind][l], links, surface);
  else
    for (int l = 0; l < count; ++l) fill_lane(lanes.batch, l, queued[current_kind][l]);
}

void WallBatches::finish(LoopWork &lanes, int /*first*/)
{
  if (has_ended(current_kind) || current_kind == ATTRACTED) return;
  Batch &b = lanes.batch;
  for (int l = 0; is_of_shapes(current_kind) && l < b.count; ++l)
    shapes.finish_lane(b, l, queued_shapes[current_kind][l], surface);
  for (int l = 0; links.extra_values() > 0 && l < b.count; ++l) {
    double *seen = links.own_extra(contact(l).link);
    for (int d = 0; d < 3; ++d) seen[d] = b.normal[d][l];    // a vector load would stall on recent stores
    seen[3] = point(l).distance;
  }
}

void WallBatches::fill_lane(Batch &b, int l, const RoundWallContact &contact) const
{
  const int i = contact.particle;
  const WallPoint &point = points[contact.point];
  const WallBody &body = surface.bodies[point.body];
  const double *x = atom->x[i], *v = atom->v[i], *omega = atom->omega[i];
  double place[3], wall_velocity[3];
  for (int d = 0; d < 3; ++d) place[d] = x[d] - point.separation[d];
  body.velocity_at(place, wall_velocity);
  for (int d = 0; d < 3; ++d) {
    b.separation[d][l] = point.separation[d];
    b.velocity[d][l] = v[d] - wall_velocity[d] - point.surface_velocity[d];
    b.spin_i[d][l] = omega[d];
    b.spin_j[d][l] = body.spin[d];
  }
  b.radius_i[l] = atom->radius[i];
  b.radius_j[l] = 0.0;
  b.surface_radius[l] = point.surface_radius;
  b.gradient[l] = point.gradient;
  b.attraction_factor[l] = contact.attracts ? point.gradient : 0.0;
  b.mass_i[l] = mass_of(i);
  b.mass_j[l] = b.mass_i[l];
  b.held_i[l] = 0.0;
  b.held_j[l] = 1.0;
  if (has_jumped(contact.previous_link))
    for (const int what : {ELASTIC_FORCE_BEFORE, NORMAL_ENERGY_BEFORE})
      b.history[layout.remembered[OF_CONTACT] + what][l] = 0.0;
  find_turn(b, l, contact);
}

/* ----------------------------------------------------------------------
   Sets the velocity that rotates springs from the last normal (`then`) to the present normal. If the angle between the
   normals exceeds 60 degrees, the grain has passed an edge, and the velocity is 0.
------------------------------------------------------------------------- */

void WallBatches::find_turn(Batch &b, int l, const RoundWallContact &contact) const
{
  const WallPoint &point = points[contact.point];
  for (int d = 0; d < 3; ++d) b.turning_velocity[d][l] = 0.0;
  if (links.extra_values() == 0 || contact.previous_link == Link::NONE || !(b.timestep > 0.0) ||
      !(point.distance > 0.0))
    return;
  const double *then = links.own_extra(contact.previous_link);
  double normal[3], cosine = 0.0;
  for (int d = 0; d < 3; ++d) {
    normal[d] = point.separation[d] / point.distance;
    cosine += normal[d] * then[d];
  }
  if (cosine < 0.5) return;
  const double speed = point.distance / b.timestep;
  for (int d = 0; d < 3; ++d) b.turning_velocity[d][l] = speed * (normal[d] - then[d] / cosine);
}
