#include "wall_load.h"

#include <algorithm>
#include <utility>

using namespace LAMMPS_NS;

void WallLoad::begin_evaluation(const std::vector<WallBody> &bodies)
{
  if (is_zero() && now.size() == bodies.size()) return;
  ++without_contact;
  std::swap(before, now);
  now.resize(bodies.size());
  before.resize(bodies.size());
  for (Load &load : now) load = {};
  power_before = power;
  power = 0.0;
}

double WallLoad::work(const std::vector<WallBody> &bodies, double timestep) const
{
  if (is_zero()) return 0.0;
  double work = 0.5 * timestep * (power + power_before);
  for (std::size_t k = 0; k < now.size(); ++k)
    for (int d = 0; d < 3; ++d)
      work += 0.5 * timestep *
          ((now[k].force[d] + before[k].force[d]) * bodies[k].velocity[d] +
           (now[k].torque[d] + before[k].torque[d]) * bodies[k].spin[d]);
  return work;
}

double WallLoad::half_work(const double *velocity, const double *spin, double timestep) const
{
  double work = 0.5 * timestep * power;
  for (int d = 0; d < 3 && !now.empty(); ++d)
    work += 0.5 * timestep * (now[0].force[d] * velocity[d] + now[0].torque[d] * spin[d]);
  return work;
}

void WallLoad::set(const double *force, const double *torque, double power_of_belt)
{
  now.assign(1, {});
  std::copy_n(force, 3, now[0].force);
  std::copy_n(torque, 3, now[0].torque);
  power = power_of_belt;
  without_contact = 0;
}

void WallLoad::get(double *force, double *torque, double &power_of_belt) const
{
  const Load none, &load = now.empty() ? none : now[0];
  std::copy_n(load.force, 3, force);
  std::copy_n(load.torque, 3, torque);
  power_of_belt = power;
}

void WallLoad::add_to(double *force, double *torque, const std::vector<WallBody> &bodies) const
{
  const double several = now.size() > 1 ? 1.0 : 0.0;
  for (std::size_t k = 0; k < now.size(); ++k) {
    const double *centre = bodies[k].centre, *of_k = now[k].force;
    for (int d = 0; d < 3; ++d) {
      const int e = (d + 1) % 3, f = (d + 2) % 3;
      force[d] -= of_k[d];
      torque[d] -= now[k].torque[d] + several * (centre[e] * of_k[f] - centre[f] * of_k[e]);
    }
  }
}
