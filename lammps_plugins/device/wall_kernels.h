// Kernels for contacts with planes and cylinders, and parts that the kernels of all walls share. Also compiled for
// GPUs.

#ifndef GRANULAR_PLUS_WALL_KERNELS_H
#define GRANULAR_PLUS_WALL_KERNELS_H

#include "../core/laws/capillary/film.h"
#include "simple_surface.h"
#include "step_kernels.h"

GRANULAR_PLUS_LAWS_BEGIN

namespace steps {

// to_body transforms a point to the frame of the body at rest. from_body transforms a direction in this frame to the
// simulation frame.
STAGE Vector to_body(const WallFrame &frame, const double *point, const WallPose &pose)
{
  if (!frame.turns) return vector_of(point) - vector_of(pose.displacement);
  double arm[3], result[3];
  for (int d = 0; d < 3; ++d) arm[d] = point[d] - pose.displacement[d] - frame.pivot[d];
  for (int d = 0; d < 3; ++d)
    result[d] =
        frame.pivot[d] + pose.rotation[0][d] * arm[0] + pose.rotation[1][d] * arm[1] + pose.rotation[2][d] * arm[2];
  return {result[0], result[1], result[2]};
}

STAGE Vector from_body(const WallFrame &frame, const Vector &v, const WallPose &pose)
{
  if (!frame.turns) return v;
  double result[3];
  for (int d = 0; d < 3; ++d)
    result[d] = pose.rotation[d][0] * v.x + pose.rotation[d][1] * v.y + pose.rotation[d][2] * v.z;
  return {result[0], result[1], result[2]};
}

STAGE Vector velocity_at(const double *place, const WallPose &pose)
{
  double result[3];
  for (int d = 0; d < 3; ++d) {
    const int e = (d + 1) % 3, f = (d + 2) % 3;
    result[d] =
        pose.velocity[d] + pose.spin[e] * (place[f] - pose.centre[f]) - pose.spin[f] * (place[e] - pose.centre[e]);
  }
  return {result[0], result[1], result[2]};
}

// The poses of a wall. A wall that moves has one pose for each step from `first` on. Any other wall has a single pose.
struct Poses {
  const WallPose *poses;
  bool moves;
  int first;
  const Progress *progress;
  STAGE const WallPose &now() const { return poses[moves ? progress->done + 1 - first : 0]; }
  STAGE const WallPose &next() const { return poses[moves ? progress->done + 2 - first : 0]; }
};

// Load and work of the contacts with a moving wall. Value k of contact c is at [k * contacts + c].
struct WallLoads {
  // force on the grain, torque on the grain about the centre of the wall's body, power of a belt, work so far
  enum { FORCE = 0, TORQUE = 3, POWER = 6, WORK = 7, VALUES = 8 };
  long contacts;
  double *values;    // null for a wall at rest

  STAGE void end(int contact) const
  {
    for (int k = 0; values && k < WORK; ++k) values[k * contacts + contact] = 0.0;
  }
  // The force acts for half of this step and half of the next, so the work is computed from the velocities in both
  // steps.
  STAGE void add(int contact, const Batch &batch, const double *place, const Vector &belt, const WallPose &now,
                 const WallPose &next) const
  {
    if (!values) return;
    const double half = 0.5 * batch.timestep, of_belt[3] = {belt.x, belt.y, belt.z};
    double work = 0.0, power = 0.0;
    for (int d = 0; d < 3; ++d) {
      const int e = (d + 1) % 3, f = (d + 2) % 3;
      const double force = batch.force[d][0],
                   torque = (place[e] - now.centre[e]) * batch.force[f][0] -
          (place[f] - now.centre[f]) * batch.force[e][0] - batch.torque_j[d][0];
      values[(FORCE + d) * contacts + contact] = force;
      values[(TORQUE + d) * contacts + contact] = torque;
      work += half * (force * (now.velocity[d] + next.velocity[d]) + torque * (now.spin[d] + next.spin[d]));
      power += force * of_belt[d];
    }
    values[POWER * contacts + contact] = power;
    values[WORK * contacts + contact] += work + batch.timestep * power;
  }
};

// The arrays have one value for each grain. `taken` is summed over steps.
struct LiquidAtWall {
  double *film;
  double thickness;       // thickness of the wall's film
  double *taken;          // liquid that the wall took minus liquid that the wall gave
  double *outside_fit;    // largest result of Films::outside_fit so far
};

struct PointOfWall {
  Vector separation{0.0, 0.0, 0.0};    // from the point to the centre of the grain
  double distance = 0.0;
  double surface_radius = FLAT;
  double gradient = 1.0;    // derivative of the overlap along the normal
  Vector belt{0.0, 0.0, 0.0};
};

STAGE bool find_point(const SimpleSurface &surface, const WallPose &pose, const double *x, int side, PointOfWall &point)
{
  const WallFrame &frame = surface.frame;
  if (surface.kind == SimpleSurface::PLANES) {
    const int d = surface.dimension;
    double above = x[d] - (surface.position[side] + pose.displacement[d]);
    if (frame.turns) {
      const Vector in_body = to_body(frame, x, pose);
      above = (d == 0 ? in_body.x : d == 1 ? in_body.y : in_body.z) - surface.position[side];
    }
    point.distance = length(above);
    point.separation = from_body(frame, {d == 0 ? above : 0.0, d == 1 ? above : 0.0, d == 2 ? above : 0.0}, pose);
    return true;
  }
  const Vector place = to_body(frame, x, pose);
  const double from_axis = std::sqrt(place.x * place.x + place.y * place.y);
  const double gap = surface.radius - from_axis;
  if (from_axis == 0.0) return false;
  point.distance = length(gap);
  point.surface_radius = gap > 0.0 ? -2.0 * surface.radius : 2.0 * surface.radius;
  point.separation = from_body(frame, {-gap / from_axis * place.x, -gap / from_axis * place.y, 0.0}, pose);
  return true;
}

// Contacts with a wall. Each contact has one row. If normals vary, springs are rotated as in WallBatches::find_turn.
template <class Stages> struct ContactsWithWall {
  // values per contact for the normal and the distance in the last evaluation
  static constexpr int BESIDE = 4;
  int group, owned;
  bool springs_turn;
  double timestep;
  SimpleSurface surface;
  Poses poses;
  Grains grains;
  Rows rows;
  double *extra;
  WallLoads loads;
  LiquidAtWall liquid;
  double temperature;
  Observations observations;
  ModelConstants model;
  Stages stages;

  STAGE void evaluate_touching(int a, int contact, const PointOfWall &point) const
  {
    Batch batch;
    double place[3];
    fill(batch, a, contact, point, place);
    stages.run(batch, model);
    act(batch, a, contact, point, place, true);
  }

  STAGE void evaluate_separated(int a, int contact, const PointOfWall &point) const
  {
    Batch batch;
    double place[3];
    fill(batch, a, contact, point, place);
    stages.run_separated(batch, model);
    act(batch, a, contact, point, place, !stages.attracts);
  }

  STAGE bool is_within_gap(int a, int contact, const PointOfWall &point) const
  {
    if (!stages.acts_across_gap || !(rows.alive[contact] || stages.attracts)) return false;
    if (stages.films) return is_within_bridge(a, contact, point);
    return point.distance < grains.radius[a] + stages.gap(model, grains.radius[a], point.surface_radius);
  }

  STAGE bool find_point(int a, int side, PointOfWall &point) const
  {
    return steps::find_point(surface, poses.now(), grains.position + 3 * a, side, point);
  }

  // Ends a contact. If the wall has no point near the grain (`point` is a default PointOfWall), only the energy of the
  // springs is known. Returns the heat that the contact generates; the caller must pass this heat to the grain after
  // the heat of all other contacts.
  STAGE double evaluate_ended(int a, int contact, const PointOfWall &point) const
  {
    double made = 0.0;
    if (stages.observe()) {
      Batch batch;
      double place[3];
      fill(batch, a, contact, point, place);
      stages.run_ending(batch, model);
      observations.add(contact, batch);
      if (stages.passes_heat) made = batch.warming[0];
      if (stages.passes_heat) observations.add_heat(contact, made, 0.0);
    }
    rows.alive[contact] = 0;
    return made;
  }

  // Ends a contact without losses: its grain has left the wall's group, or the wall has no point near the grain.
  STAGE void forget(int contact) const
  {
    if (rows.alive[contact]) loads.end(contact);
    rows.alive[contact] = 0;
  }

  STAGE double volume(int contact) const
  {
    return rows.alive[contact] ? rows.history[model.bridge_history * rows.contacts + contact] : 0.0;
  }
  STAGE void form_bridge(int a, int contact, const PointOfWall &point, double offered) const
  {
    const FilmConstants &films = model.film;
    const double radius = grains.radius[a];
    double from_grain = offered, from_wall = films.share * liquid.thickness * 4.0 * PI * radius * radius;
    const double sum = capillary::Films::share_out(films, radius, point.surface_radius, from_grain, from_wall);
    if (!(sum > 0.0)) return;
    liquid.film[a] = larger(0.0, liquid.film[a] - from_grain);
    liquid.taken[a] -= from_wall;
    begin_wet(rows, contact, model.bridge_history, sum, WITHOUT_NORMAL);
    liquid.outside_fit[a] =
        larger(liquid.outside_fit[a], capillary::Films::outside_fit(radius, point.surface_radius, sum));
  }
  STAGE void return_liquid(int a, int contact) const
  {
    const double half = 0.5 * volume(contact);
    liquid.film[a] += half;
    liquid.taken[a] += half;
  }

  STAGE void fill(Batch &batch, int a, int contact, const PointOfWall &point, double *place) const
  {
    batch.count = 1;
    batch.timestep = timestep;
    write(place, vector_of(grains.position + 3 * a) - point.separation);
    const WallPose &pose = poses.now();
    const Vector velocity = velocity_from(a, point, place);
    batch.separation[0][0] = point.separation.x;
    batch.separation[1][0] = point.separation.y;
    batch.separation[2][0] = point.separation.z;
    batch.velocity[0][0] = velocity.x;
    batch.velocity[1][0] = velocity.y;
    batch.velocity[2][0] = velocity.z;
    for (int d = 0; d < 3; ++d) {
      batch.spin_i[d][0] = grains.spin[3 * a + d];
      batch.spin_j[d][0] = pose.spin[d];
    }
    batch.radius_i[0] = grains.radius[a];
    batch.radius_j[0] = 0.0;
    batch.surface_radius[0] = point.surface_radius;
    batch.gradient[0] = batch.attraction_factor[0] = point.gradient;
    batch.mass_i[0] = batch.mass_j[0] = grains.mass[a];
    batch.held_i[0] = 0.0;
    batch.held_j[0] = 1.0;
    turn(batch, contact, point);
    load_history(rows, stages.values(rows), contact, batch);
  }

 private:
  static constexpr int WITHOUT_NORMAL = -1;    // value of `alive` if no normal of an earlier evaluation is known

  STAGE Vector velocity_from(int a, const PointOfWall &point, const double *place) const
  {
    return vector_of(grains.velocity + 3 * a) - velocity_at(place, poses.now()) - point.belt;
  }

  STAGE bool is_within_bridge(int a, int contact, const PointOfWall &point) const
  {
    const double held = volume(contact), radius = grains.radius[a];
    if (!(held > 0.0)) return false;
    double parting = 0.0, place[3];
    if (model.film.quickening > 0.0) {
      write(place, vector_of(grains.position + 3 * a) - point.separation);
      const Vector velocity = velocity_from(a, point, place);
      parting = 0.0 + velocity.x * point.separation.x / point.distance +
          velocity.y * point.separation.y / point.distance + velocity.z * point.separation.z / point.distance;
    }
    return point.distance <
        radius + capillary::Films::rupture_gap(model.film, radius, point.surface_radius, held, parting);
  }

  STAGE void act(Batch &batch, int a, int contact, const PointOfWall &point, const double *place, bool remembers) const
  {
    if (stages.observe()) observations.add(contact, batch);
    if (remembers) store_history(rows, stages.values(rows), contact, batch);
    for (int d = 0; d < 3; ++d) {
      grains.force[3 * a + d] += batch.force[d][0];
      grains.torque[3 * a + d] += batch.torque_i[d][0];
    }
    if (stages.passes_heat) {
      const double conducted = batch.conductance[0] * (temperature - grains.temperature[a]);
      grains.heatflow[a] += conducted + batch.warming[0];
      observations.add_heat(contact, batch.warming[0], conducted);
    }
    loads.add(contact, batch, place, point.belt, poses.now(), poses.next());
    const bool seen = springs_turn && remembers;
    for (int d = 0; seen && d < 3; ++d) extra[d * rows.contacts + contact] = batch.normal[d][0];
    if (seen) extra[3 * rows.contacts + contact] = point.distance;
  }

  STAGE void turn(Batch &batch, int contact, const PointOfWall &point) const
  {
    for (int d = 0; d < 3; ++d) batch.turning_velocity[d][0] = 0.0;
    if (!springs_turn || !(rows.alive[contact] > 0) || !(point.distance > 0.0)) return;
    const double distance = point.distance,
                 normal[3] = {point.separation.x / distance, point.separation.y / distance,
                              point.separation.z / distance};
    double cosine = 0.0;
    for (int d = 0; d < 3; ++d) cosine += normal[d] * extra[d * rows.contacts + contact];
    if (cosine < 0.5) return;
    const double speed = distance / timestep;
    for (int d = 0; d < 3; ++d)
      batch.turning_velocity[d][0] = speed * (normal[d] - extra[d * rows.contacts + contact] / cosine);
  }
};

// Contacts with planes or a cylinder: side s of grain a has row s * grains + a.
template <class Stages> struct EvaluateWallContacts {
  ContactsWithWall<Stages> contacts;

  STAGE void operator()(int a) const
  {
    const int sides = contacts.surface.sides;
    if (!(contacts.grains.mask[a] & contacts.group)) {
      for (int side = 0; side < sides; ++side) {
        if (contacts.stages.films) contacts.return_liquid(a, side * contacts.owned + a);
        contacts.forget(side * contacts.owned + a);
      }
      return;
    }
    if (contacts.stages.films) move_liquid(a);
    for (int side = 0; side < sides; ++side) evaluate(a, side, AT_TOUCH);
    for (int side = 0; contacts.stages.has_separated_stages && side < sides; ++side) evaluate(a, side, ACROSS_GAP);
    for (int side = 0; contacts.stages.passes_heat && side < sides; ++side) evaluate(a, side, AFTER_END);
  }

 private:
  STAGE bool is_touched(int a, const PointOfWall &point) const { return point.distance < contacts.grains.radius[a]; }

  // First, new bridges share the film of the grain. Then, bridges rupture and return their liquid.
  STAGE void move_liquid(int a) const
  {
    const int sides = contacts.surface.sides;
    PointOfWall point;
    const auto forms = [&](int side) {
      return contacts.find_point(a, side, point) && is_touched(a, point) &&
          contacts.volume(side * contacts.owned + a) == 0.0;
    };
    int forming = 0;
    for (int side = 0; side < sides; ++side) forming += forms(side);
    const double offered =
        forming > 0 ? contacts.liquid.film[a] * smaller(contacts.model.film.share, 1.0 / forming) : 0.0;
    for (int side = 0; forming > 0 && side < sides; ++side)
      if (forms(side)) contacts.form_bridge(a, side * contacts.owned + a, point, offered);
    for (int side = 0; side < sides; ++side) {
      const int contact = side * contacts.owned + a;
      if (!(contacts.volume(contact) > 0.0)) continue;
      const bool acts =
          contacts.find_point(a, side, point) && (is_touched(a, point) || contacts.is_within_gap(a, contact, point));
      if (!acts) contacts.return_liquid(a, contact);
    }
  }

  // A contact ends in the last phase if the wall passes heat, otherwise in the first phase.
  STAGE void evaluate(int a, int side, Phase phase) const
  {
    const int contact = side * contacts.owned + a;
    PointOfWall point;
    const bool has_point = contacts.find_point(a, side, point), touches = has_point && is_touched(a, point),
               acts = touches || (has_point && contacts.is_within_gap(a, contact, point)),
               is_apart = acts && !touches && contacts.stages.has_separated_stages;
    if (phase == AT_TOUCH && acts && !is_apart) contacts.evaluate_touching(a, contact, point);
    if (phase == ACROSS_GAP && is_apart) contacts.evaluate_separated(a, contact, point);
    if (phase != (contacts.stages.passes_heat ? AFTER_END : AT_TOUCH)) return;
    const bool goes_on = acts && !(is_apart && contacts.stages.attracts);
    // attraction across a gap has a load, but no history, so the contact is never alive
    if (!acts && (contacts.rows.alive[contact] || contacts.stages.attracts)) contacts.loads.end(contact);
    if (goes_on || !contacts.rows.alive[contact]) return;
    if (!has_point) return contacts.forget(contact);
    const double made = contacts.evaluate_ended(a, contact, point);
    if (contacts.stages.passes_heat) contacts.grains.heatflow[a] += made;
  }
};

}    // namespace steps

GRANULAR_PLUS_LAWS_END

#endif
