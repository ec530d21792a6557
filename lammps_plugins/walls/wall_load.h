// Forces, torques and work of a wall. Owned by the fix.

#ifndef LMP_GRANULAR_PLUS_WALL_LOAD_H
#define LMP_GRANULAR_PLUS_WALL_LOAD_H

#include "wall_surface.h"

#include <vector>

namespace LAMMPS_NS {

class WallLoad {
 public:
  void begin_evaluation(const std::vector<WallBody> &bodies);
  // `force` acts on the particle. `torque_on_wall` acts on the wall and is the torque about the contact point.
  void add(const WallBody &body, const WallPoint &point, const double *place, const double *force,
           const double *torque_on_wall)
  {
    without_contact = 0;
    Load &load = now[point.body];
    for (int d = 0; d < 3; ++d) {
      const int e = (d + 1) % 3, f = (d + 2) % 3;
      load.force[d] += force[d];
      power += force[d] * point.surface_velocity[d];
      load.torque[d] +=
          (place[e] - body.centre[e]) * force[f] - (place[f] - body.centre[f]) * force[e] - torque_on_wall[d];
    }
  }
  // Returns the work on the particles in the step that ends with this evaluation. The work is computed from the mean of
  // the forces before and after this step.
  double work(const std::vector<WallBody> &bodies, double timestep) const;
  // These functions are for a wall with one body. half_work returns half of the work that the last forces would do in a
  // whole step. `set` stores forces that an engine has computed.
  double half_work(const double *velocity, const double *spin, double timestep) const;
  void set(const double *force, const double *torque, double power_of_belt);
  void get(double *force, double *torque, double &power_of_belt) const;
  // The torque is about the centre of the body if the wall has only one body, otherwise about the origin.
  void add_to(double *force, double *torque, const std::vector<WallBody> &bodies) const;

 private:
  // force on the particles, and torque about the centre of the body
  struct Load {
    double force[3] = {}, torque[3] = {};
  };
  std::vector<Load> now, before;
  int without_contact = 0;
  bool is_zero() const { return without_contact >= 2; }
  double power = 0.0, power_before = 0.0;
};

}    // namespace LAMMPS_NS

#endif
