#include "driven_wall.h"

#include "domain.h"
#include "error.h"

#include <cmath>

using namespace LAMMPS_NS;
using granular_plus::Vector;

namespace {

class CylinderWall : public DrivenWall {
 public:
  CylinderWall(LAMMPS *lmp, const std::string &word) : DrivenWall(lmp), radius(utils::numeric(FLERR, word, false, lmp))
  {
    if (!(radius > 0.0)) error->all(FLERR, "granular/plus: zcylinder radius = {} must be > 0", word);
    if (domain->xperiodic || domain->yperiodic)
      error->all(FLERR, "granular/plus: a zcylinder cannot be a wall if x or y is periodic");
  }

  void complete() override { check_motion(); }
  void init() override
  {
    check_motion();    // the wall may have taken over the rotation of an earlier fix with the same ID
    DrivenWall::init();
  }

  void check_motion() const
  {
    for (int d = 0; d < 2; ++d) {
      if (is_wiggled(d)) error->all(FLERR, "{}: keyword wiggle: a zcylinder can wiggle only along z", message_prefix);
      if (is_sheared(d) && turns())
        error->all(FLERR, "{}: keyword shear {}: a zcylinder with keyword rotate cannot also be sheared",
                   message_prefix, "xy"[d]);
    }
    if (is_sheared(0) && is_sheared(1))
      error->all(FLERR,
                 "{}: keyword shear: shear x and shear y both rotate a zcylinder around z; give only one of them",
                 message_prefix);
  }

  double clearance(const double *x, double /*radius*/) override
  {
    constexpr double ROUNDING = 1.0e-13;
    const Vector place = to_body(x);
    return std::fabs(radius - distance_from_axis(place)) - ROUNDING * radius;
  }

  void points_near(int /*particle*/, const double *x, double /*radius*/, double cutoff, int /*previous_contacts*/,
                   std::vector<WallPoint> &points) override
  {
    const Vector place = to_body(x);
    const double from_axis = distance_from_axis(place);
    const double gap = radius - from_axis;
    if (!(std::fabs(gap) < cutoff) || from_axis == 0.0) return;
    WallPoint &point = points.emplace_back();
    point.distance = std::fabs(gap);
    point.surface_radius = gap > 0.0 ? -2.0 * radius : 2.0 * radius;
    write(point.separation, from_body({-gap / from_axis * place.x, -gap / from_axis * place.y, 0.0}));
  }

  int max_points() const override { return 1; }

  std::optional<granular_plus::SimpleSurface> simple() const override
  {
    granular_plus::SimpleSurface surface{};
    surface.frame = frame();
    surface.kind = granular_plus::SimpleSurface::CYLINDER;
    surface.sides = 1;
    surface.radius = radius;
    return surface;
  }

  bool tube(const double *x, granular_plus::Tube &tube) const override
  {
    const Vector place = to_body(x);
    const Vector next_to_grain = granular_plus::vector_of(x) - from_body({place.x, place.y, 0.0});
    tube = {next_to_grain, from_body({0.0, 0.0, 1.0}), radius};
    return place.x * place.x + place.y * place.y < radius * radius;
  }

 protected:
  std::vector<double> identity() const override { return {'c', radius}; }

  // Shear along x or y rotates the cylinder about its axis. The rotation is clockwise, as in fix wall/gran.
  void add_surface_velocity(WallBody &body) override
  {
    body.velocity[2] += shear[2];
    for (int d = 0; d < 2; ++d) {
      if (!is_sheared(d)) continue;
      body.spin[2] = -shear[d] / radius;
      for (int e = 0; e < 3; ++e) body.centre[e] = displacement[e];
    }
  }

 private:
  double radius;
  static double distance_from_axis(const Vector &place) { return std::sqrt(place.x * place.x + place.y * place.y); }
};

}    // namespace

std::unique_ptr<WallSurface> LAMMPS_NS::make_cylinder_wall(LAMMPS *lmp, const std::string &radius)
{
  return std::make_unique<CylinderWall>(lmp, radius);
}
