// Where the surface of a wall is and how it moves: planes, a cylinder, or any region of LAMMPS.

#ifndef LMP_WALL_SURFACE_H
#define LMP_WALL_SURFACE_H

#include "pointers.h"

#include <memory>
#include <string>
#include <vector>

namespace LAMMPS_NS {

// the point of a surface that is nearest to a particle
struct WallPoint {
  int surface;             // which one of the wall's surfaces
  int body;                // which of its bodies
  double separation[3];    // from the point to the particle's centre
  double distance;
  double radius;            // of curvature: FLAT for a plane, negative where hollow
  double wall_growth[3];    // velocity of a surface that changes its shape, beside that of its body
};

// a part of a wall, which moves as a rigid body; velocities are those of the last step
struct WallBody {
  double velocity[3] = {}, spin[3] = {}, centre[3] = {};
  // of a point of the body
  void velocity_at(const double *point, double *result) const;
};

class WallSurface : protected Pointers {
 public:
  // the words from the wall style on; next becomes the first word after its arguments
  static std::unique_ptr<WallSurface> create(LAMMPS *, const std::vector<std::string> &words, std::size_t &next);
  static bool is_style(const std::string &word);
  static std::vector<std::string> styles();

  // motions that the command gives; error if they do not go with the wall style
  virtual void wiggle(int axis, double amplitude, double period) = 0;
  virtual void shear(int axis, double speed) = 0;

  virtual void init() {}
  virtual void reset_timestep() {}
  virtual void move() = 0;    // to the present step
  // adds the points closer to x than the cutoff
  virtual void points_near(const double *x, double cutoff, std::vector<WallPoint> &points) = 0;
  virtual int max_points() const = 0;
  // whether the normal of a contact may change from step to step
  virtual bool normals_turn() const { return true; }

  // what a restart must know of the motion; restore returns whether it was of such a wall
  virtual std::vector<double> state() const = 0;
  virtual bool restore(const double *state, int size) = 0;

  std::vector<WallBody> bodies;

 protected:
  using Pointers::Pointers;
};

}    // namespace LAMMPS_NS

#endif
