// Position and motion of a wall's surface. Owned by the fix.

#ifndef LMP_WALL_SURFACE_H
#define LMP_WALL_SURFACE_H

#include "pointers.h"

#include "../core/history/near_grains.h"
#include "../core/geometry/shapes/contact_of_shapes.h"
#include "../device/body_under_load.h"
#include "../device/simple_surface.h"
#include "../glue/options.h"

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace granular_plus {
struct FlatMesh;
}

namespace LAMMPS_NS {

// A point of a surface near a particle. A patch of a mesh is replaced by a plane with which the particle has the same
// overlap; the point is then the point of this plane that is nearest to the particle.
struct WallPoint {
  WallPoint() {}
  // number of the plane, region part or patch: the partner in a link; on a mesh, set by WallContacts
  int surface = 0;
  int body = 0;
  double separation[3] = {};    // from the point to the centre of the particle
  double distance = 0.0;
  double surface_radius = 0.0;        // reciprocal of the mean curvature: FLAT for a plane, negative if concave
  double surface_velocity[3] = {};    // relative to the body
  double gradient = 1.0;              // magnitude of the gradient of the overlap
  int patch = -1;                     // index of the patch of a mesh in this step
  bool hidden = false;                // true if the patch lies behind another patch
};

// Part of a wall that moves as a rigid body. If the motion is that of a region, or is due to a variable or a load,
// velocities are means over the last step.
struct WallBody {
  double velocity[3] = {}, spin[3] = {}, centre[3] = {};
  // The body is first rotated about an axis through the pivot and then displaced.
  struct Pose {
    double displacement[3] = {}, angle = 0.0;
    bool operator==(const Pose &other) const
    {
      return displacement[0] == other.displacement[0] && displacement[1] == other.displacement[1] &&
          displacement[2] == other.displacement[2] && angle == other.angle;
    }
  } pose;
  double pivot[3] = {}, axis[3] = {};
  void velocity_at(const double *point, double *result) const
  {
    for (int d = 0; d < 3; ++d) {
      const int e = (d + 1) % 3, f = (d + 2) % 3;
      result[d] = velocity[d] + spin[e] * (point[f] - centre[f]) - spin[f] * (point[e] - centre[e]);
    }
  }
  // upper bound of the distance by which the body has approached any point of this space since the last call
  double distance_moved(const granular_plus::Extent &space)
  {
    return pose == last_pose ? 0.0 : distance_since_last_place(space);
  }

 private:
  Pose last_pose;
  double distance_since_last_place(const granular_plus::Extent &space);
};

class WallSurface : protected Pointers {
 public:
  // Parses the wall style, which is words[next], and its arguments. `next` becomes the index of the first word after
  // the arguments. `message_prefix` names the fix in messages.
  static std::unique_ptr<WallSurface> create(LAMMPS *, const std::string &message_prefix,
                                             const std::vector<std::string> &words, std::size_t &next);
  static bool is_style(const std::string &word);
  static std::vector<std::string> styles();

  // `refusal` is called for a keyword that is in none of the tables of this wall. The function returns the reason why
  // the wall refuses the keyword, or an empty string if the keyword is unknown. `complete` is called when all keywords
  // have been read.
  virtual std::vector<OptionsOf> options() { return {}; }
  virtual std::string refusal(const std::string & /*keyword*/) const { return ""; }
  virtual void complete() {}

  virtual void init() {}
  virtual void reset_timestep() {}
  virtual void move() = 0;
  // lower bound of the distance from a particle's centre to the surface; 0 if not known
  virtual double clearance(const double * /*x*/, double /*radius*/) { return 0.0; }
  virtual bool touches(const double *x, double radius) { return clearance(x, radius) < radius; }
  // Adds the points that are closer to the centre than the cutoff. `previous_contacts`: number of contacts that the
  // particle had in the last evaluation. If this number is 0 or 1, points that the particle does not touch may be
  // omitted. With ALL_POINTS, no point is omitted.
  static constexpr int ALL_POINTS = 2;
  virtual void points_near(int particle, const double *x, double radius, double cutoff, int previous_contacts,
                           std::vector<WallPoint> &points) = 0;
  // gap up to which points are needed after a contact has ended
  virtual double gap_after_contact(double radius) const { return radius; }
  // called after an engine has computed steps
  virtual void refresh() {}
  virtual int max_points() const = 0;
  virtual bool normals_turn() const { return true; }
  // These functions are for GPU kernels. The result of `simple` is empty for a region. The result of `triangles` is
  // null except for a mesh. obstacle_on_gpu returns the name of a feature that the kernels do not compute, or an empty
  // string. needs_variables returns true if position or load depends on variables.
  virtual std::optional<granular_plus::SimpleSurface> simple() const { return {}; }
  virtual std::shared_ptr<const granular_plus::FlatMesh> triangles() const { return {}; }
  virtual std::string obstacle_on_gpu() const { return {}; }
  virtual granular_plus::WallPose pose() const { return {}; }
  virtual bool needs_variables() const { return false; }
  // If the wall is a cylinder that contains the particle, returns true and sets the parameters of the cylinder.
  virtual bool tube(const double * /*x*/, granular_plus::Tube &) const { return false; }
  // Called on all ranks. Stops with an error if grains with a shape must not touch this surface.
  virtual void admit_shapes() {}
  // Returns the parts of a closed mesh near a grain with a shape, or null if there are none. The result is valid until
  // the next call. Also sets the frame of the mesh.
  virtual const granular_plus::MeshParts *parts_near(int /*particle*/, const granular_plus::Body & /*grain*/,
                                                     granular_plus::Vector & /*origin*/,
                                                     granular_plus::Rotation & /*axes*/)
  {
    return nullptr;
  }
  // velocity, relative to the body, of the surface where its normal is `normal`
  virtual granular_plus::Vector belt(const granular_plus::Vector & /*normal*/) const { return {0.0, 0.0, 0.0}; }
  // true for a mesh: contacts are identified by direction and distance, and the gradient may differ from 1
  virtual bool has_patches() const { return false; }

  // If bears_load returns true, `apply_force` is called after each evaluation with the force of this rank's particles
  // on the wall.
  virtual bool bears_load() const { return false; }
  virtual double mass() const { return INFINITY; }
  virtual void apply_force(const double * /*force*/) {}
  // These functions are for an engine. state_under_load returns the state without the forces of contacts. If
  // follows_load is false, `move` does not advance a wall under load.
  virtual std::optional<granular_plus::LoadedWall> state_under_load() const { return {}; }
  virtual void set_state_under_load(const granular_plus::LoadedWall &) {}
  bool follows_load = true;

  // `force` acts on the particle
  virtual void record(const WallPoint &, const double * /*force*/, double /*sliding_distance*/) {}
  virtual void note_merger(int /*particle*/, const WallPoint &) {}
  virtual void end_of_step() {}

  // Values for a wall that is moved by the fix command. The velocity excludes motion along the surface. stopped_energy
  // is the kinetic energy that is lost when the wall stops at a bound.
  double displacement[3] = {}, velocity[3] = {};
  double stopped_energy = 0.0;

  // restore returns false for the state of a different wall
  virtual std::vector<double> state() const = 0;
  virtual bool restore(const double *state, int size) = 0;

  virtual double memory_usage() const { return 0.0; }

  std::vector<WallBody> bodies;
  // If false, a region surface whose curvature varies is treated as flat.
  bool curvature_as_lammps = false;

 protected:
  using Pointers::Pointers;
  std::string message_prefix;
};

// The planes are perpendicular to `dimension`; `low` and `high` are positions or NULL.
std::unique_ptr<WallSurface> make_planes_wall(LAMMPS *, int dimension, const std::string &low, const std::string &high);
std::unique_ptr<WallSurface> make_cylinder_wall(LAMMPS *, const std::string &radius);
std::unique_ptr<WallSurface> make_mesh_wall(LAMMPS *, const std::string &file);
std::unique_ptr<WallSurface> make_region_wall(LAMMPS *, const std::string &id);

}    // namespace LAMMPS_NS

#endif
