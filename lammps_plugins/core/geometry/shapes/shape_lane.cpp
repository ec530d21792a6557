#include "shape_lane.h"

#include "../../laws/stages/geometry.h"

#include <cmath>

namespace granular_plus {

namespace {

// Inverse of the effective mass of motion along delta; 0 if both bodies are held.
double inverse_mass(const ShapeContact &c, const Partner &i, const Partner &j)
{
  double sum = 0.0;
  const auto add = [&](const Partner &p, const Vector &turning) {
    if (p.held) return;
    sum += dot(c.gradient, c.gradient) / p.mass;
    if (!p.inertia) return;
    const double *moment = p.inertia->moment;
    const Vector t = p.inertia->axes.back(turning);
    sum += t.x * t.x / moment[0] + t.y * t.y / moment[1] + t.z * t.z / moment[2];
  };
  add(i, c.turning_i);
  add(j, c.turning_j);
  return sum;
}

// The gradient is proportional to depth^(-1/5), so it is unbounded at first touch. The gradient is therefore evaluated
// at a depth of at least the distance covered in this step.
double bounded(double gradient, double overlap, double way)
{
  const double depth = 0.8 * overlap / gradient;    // for a face, d(delta)/d(depth) = 4 delta/(5 depth)
  return depth < way ? gradient * std::pow(depth / way, 0.2) : gradient;
}

}    // namespace

void fill_lane(Batch &b, int l, const ModelConstants &model, const ShapeContact &c, const Partner &i, const Partner &j,
               const Vector &normal_before)
{
  const double gradient = length(c.gradient);
  const Vector normal = (-1.0 / gradient) * c.gradient;
  const double distance = i.radius + j.radius - c.overlap;
  const double rate = dot(c.gradient, i.velocity - j.velocity) + dot(c.turning_i, i.spin) + dot(c.turning_j, j.spin);

  const Vector at_point =
      i.velocity + cross(i.spin, c.point - i.position) - j.velocity - cross(j.spin, c.point - j.position);
  const double depth = model.slip_depth * c.overlap;
  const Vector surface_spin = (i.radius - depth) * i.spin + (j.radius - depth) * j.spin;
  const Vector velocity = at_point - (dot(at_point, normal) + rate / gradient) * normal + cross(surface_spin, normal);

  store(b.separation, l, distance * normal);
  store(b.velocity, l, velocity);
  store(b.spin_i, l, i.spin);
  store(b.spin_j, l, j.spin);
  b.radius_i[l] = i.radius;
  b.radius_j[l] = j.radius;
  b.surface_radius[l] = j.is_wall ? FLAT : j.radius;
  b.gradient[l] = bounded(gradient, c.overlap, std::fabs(rate / gradient) * b.timestep);
  const double inverse = inverse_mass(c, i, j);
  b.mass_i[l] = inverse > 0.0 ? gradient * gradient / inverse : i.mass;
  b.mass_j[l] = b.mass_i[l];
  b.held_i[l] = 0.0;
  b.held_j[l] = 1.0;

  const double cosine = dot(normal, normal_before);
  constexpr double SAME_SIDE = 0.5;    // below this cosine, the previous normal belongs to another contact
  store(b.turning_velocity, l,
        cosine > SAME_SIDE && b.timestep > 0.0
            ? (std::fabs(distance) / b.timestep) * (normal - (1.0 / cosine) * normal_before)
            : Vector{0.0, 0.0, 0.0});
}

void finish_lane(Batch &b, int l, const ModelConstants &model, const ShapeContact &c, const Partner &i,
                 const Partner &j)
{
  const Vector normal = load(b.normal, l), force = load(b.force, l);
  const double along = b.normal_force[l];
  const Vector friction = force - along * normal;
  const double per_depth = -along / length(c.gradient);    // force along delta
  const double depth = model.lever_depth * c.overlap;
  const auto torque = [&](const Row *rows, const Partner &p, double sign, const Vector &turning) {
    const Vector of_spheres = (p.radius - depth) * cross(friction, normal);
    return load(rows, l) - of_spheres + sign * cross(c.point - p.position, friction) + per_depth * turning;
  };
  store(b.torque_i, l, torque(b.torque_i, i, 1.0, c.turning_i));
  store(b.torque_j, l, torque(b.torque_j, j, -1.0, c.turning_j));
  b.observed[LEVER_LOSS][l] = 0.0;    // slip is measured where friction acts
}

}    // namespace granular_plus
