#include "wall_load.h"

using namespace LAMMPS_NS;

void WallLoad::begin_evaluation(const std::vector<WallBody> &bodies)
{
  now.assign(bodies.size(), Load{});
  before.resize(bodies.size());
  power = 0.0;
}

double WallLoad::work(const std::vector<WallBody> &bodies, double timestep) const
{
  double work = 0.5 * timestep * (power + power_before);
  for (std::size_t k = 0; k < now.size(); ++k)
    for (int d = 0; d < 3; ++d)
      work += 0.5 * timestep *
          ((now[k].force[d] + before[k].force[d]) * bodies[k].velocity[d] +
           (now[k].torque[d] + before[k].torque[d]) * bodies[k].spin[d]);
  return work;
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
