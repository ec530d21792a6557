// Where the surface of a wall is and how it moves: planes, a cylinder, a mesh of triangles, or any region of LAMMPS.

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

// what a particle meets of a surface: the nearest point or, of a mesh, where a plane with the same overlap would be
struct WallPoint {
  WallPoint() {}
  int surface = 0;    // which one of the wall's surfaces; those of a mesh get their numbers from whoever remembers them
  int body = 0;       // which of its bodies
  double separation[3] = {};    // from the point to the particle's centre
  double distance = 0.0;
  double radius = 0.0;                // of curvature: FLAT for a plane, negative where hollow
  double surface_velocity[3] = {};    // beside that of its body: of a belt, or of a surface that changes its shape
  double gradient = 1.0;              // of the overlap along the normal
  int patch = -1;                     // of a mesh: which one of those found in this step
  bool hidden = false;                // of a mesh: behind another of its patches
};

// a part of a wall, which moves as a rigid body; velocities are those of the last step
struct WallBody {
  double velocity[3] = {}, spin[3] = {}, centre[3] = {};
  // where it is: turned about an axis through the pivot, then displaced
  struct Place {
    double displacement[3] = {}, angle = 0.0;
    bool operator==(const Place &other) const
    {
      return displacement[0] == other.displacement[0] && displacement[1] == other.displacement[1] &&
          displacement[2] == other.displacement[2] && angle == other.angle;
    }
  } place;
  double pivot[3] = {}, axis[3] = {};
  // of a point of the body
  void velocity_at(const double *point, double *result) const
  {
    for (int d = 0; d < 3; ++d) {
      const int e = (d + 1) % 3, f = (d + 2) % 3;
      result[d] = velocity[d] + spin[e] * (point[f] - centre[f]) - spin[f] * (point[e] - centre[e]);
    }
  }
  // the most that it can have approached any point of this space since the last call
  double way_moved(const granular_plus::Extent &space) { return place == place_then ? 0.0 : way_from_then(space); }

 private:
  Place place_then;    // place at that call
  double way_from_then(const granular_plus::Extent &space);
};

class WallSurface : protected Pointers {
 public:
  // The words from the wall style on; next becomes the first word after its arguments. Messages in the course of a run begin
  // with who.
  static std::unique_ptr<WallSurface> create(LAMMPS *, const std::string &who, const std::vector<std::string> &words,
                                             std::size_t &next);
  static bool is_style(const std::string &word);
  static std::vector<std::string> styles();

  // The keywords of this wall's own; why it has not one of another wall, empty if nobody has it; then, once all are taken,
  // what they make together.
  virtual std::vector<OptionsOf> options() { return {}; }
  virtual std::string refusal(const std::string & /*keyword*/) const { return ""; }
  virtual void complete() {}

  virtual void init() {}
  virtual void reset_timestep() {}
  virtual void move() = 0;    // to the present step
  // What a particle of that radius is away from the surface at least; 0 where that is not known.
  virtual double clearance(const double * /*x*/, double /*radius*/) { return 0.0; }
  // whether it touches a particle, or may, where the distance is not known
  virtual bool touches(const double *x, double radius) { return clearance(x, radius) < radius; }
  // Adds the points closer to a particle than the cutoff. Points of a mesh have no number yet; of a particle that had
  // none or one of them before, `known`, those that it does not touch may be left out.
  virtual void points_near(int particle, const double *x, double radius, double cutoff, int known,
                           std::vector<WallPoint> &points) = 0;
  // how far from the surface points are worth knowing after a contact has ended
  virtual double beyond_contact(double radius) const { return radius; }
  // after steps that others have computed: grains may have moved any way
  virtual void look_anew() {}
  virtual int max_points() const = 0;
  // whether the normal of a contact may change from step to step
  virtual bool normals_turn() const { return true; }
  // The surface as numbers for kernels, none if it is a region; the triangles of a mesh; what it does besides having contacts, empty
  // if nothing; its place after move; whether variables say where it is, or its load.
  virtual std::optional<granular_plus::SimpleSurface> simple() const { return {}; }
  virtual std::shared_ptr<const granular_plus::FlatMesh> triangles() const { return {}; }
  virtual std::string beyond_contacts() const { return {}; }
  virtual granular_plus::WallPose pose() const { return {}; }
  virtual bool needs_variables() const { return false; }
  // whether a particle is inside a cylinder; if so, that is the tube
  virtual bool tube(const double * /*x*/, granular_plus::Tube &) const { return false; }
  // on all ranks: an error unless grains with a shape may meet this surface
  virtual void admit_shapes() {}
  // What a grain with a shape meets of a closed mesh, and where the mesh lies: valid until the next call; else null.
  virtual const granular_plus::MeshParts *parts_near(int /*particle*/, const granular_plus::Body & /*grain*/,
                                                     granular_plus::Vector & /*origin*/,
                                                     granular_plus::Rotation & /*axes*/)
  {
    return nullptr;
  }
  // velocity beside that of its body, where the normal is this
  virtual granular_plus::Vector belt(const granular_plus::Vector & /*normal*/) const { return {0.0, 0.0, 0.0}; }
  // contacts are known again by direction and distance alone, and the overlap has a gradient
  virtual bool has_patches() const { return false; }

  // a wall under load needs, at the end of each step, the force of this rank's particles on it
  virtual bool bears_load() const { return false; }
  virtual double mass() const { return INFINITY; }
  virtual void bear(const double * /*force*/) {}
  // For others that compute steps: the wall without what its contacts bear, and where they have left it. `move` does not follow
  // the load meanwhile.
  virtual std::optional<granular_plus::LoadedWall> under_load() const { return {}; }
  virtual void go_on_from(const granular_plus::LoadedWall &) {}
  bool follows_load = true;

  // of a contact, for output of the surface: the force on the particle, how far the surfaces have slid
  virtual void record(const WallPoint &, const double * /*force*/, double /*slid*/) {}
  // two contacts that bore load have become one
  virtual void note_merger(int /*particle*/, const WallPoint &) {}
  // at the end of a step, all ranks together
  virtual void end_of_step() {}

  // Of a wall that the command moves: displacement since then, its rate, without what slides along the surface, and
  // kinetic energy that its stops took.
  double displacement[3] = {}, velocity[3] = {};
  double stopped_energy = 0.0;

  // what a restart must know of the motion; restore returns whether it was of such a wall
  virtual std::vector<double> state() const = 0;
  virtual bool restore(const double *state, int size) = 0;

  virtual double memory_usage() const { return 0.0; }

  std::vector<WallBody> bodies;
  // Take the curvature of a region as LAMMPS states it. Otherwise a surface whose curvature changes along it is flat.
  bool curvature_as_lammps = false;

 protected:
  using Pointers::Pointers;
  std::string who;
};

// One for each kind of wall. Of planes, dimension is that of their normal; low and high are positions, or NULL for none.
std::unique_ptr<WallSurface> make_planes_wall(LAMMPS *, int dimension, const std::string &low, const std::string &high);
std::unique_ptr<WallSurface> make_cylinder_wall(LAMMPS *, const std::string &radius);
std::unique_ptr<WallSurface> make_mesh_wall(LAMMPS *, const std::string &file);
std::unique_ptr<WallSurface> make_region_wall(LAMMPS *, const std::string &id);

}    // namespace LAMMPS_NS

#endif
