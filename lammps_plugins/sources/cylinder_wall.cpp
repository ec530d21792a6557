#include "driven_wall.h"

#include "domain.h"
#include "error.h"

#include <cmath>

using namespace LAMMPS_NS;

namespace {

// about the z axis, before it is moved
class CylinderWall : public DrivenWall {
 public:
  CylinderWall(LAMMPS *lmp, const std::string &word) : DrivenWall(lmp), radius(utils::numeric(FLERR, word, false, lmp))
  {
    if (!(radius > 0.0)) error->all(FLERR, "granular/plus: zcylinder radius = {} must be > 0", word);
    if (domain->xperiodic || domain->yperiodic)
      error->all(FLERR, "granular/plus: zcylinder cannot be a wall where x or y is periodic");
  }

  void complete() override { check_motion(); }
  void init() override
  {
    check_motion();    // it may go on from where another command has turned it
    DrivenWall::init();
  }

  void check_motion() const
  {
    for (int d = 0; d < 2; ++d) {
      if (is_wiggled(d)) error->all(FLERR, "granular/plus: keyword wiggle: a zcylinder can only wiggle along z");
      if (is_sheared(d) && turns())
        error->all(FLERR, "granular/plus: keyword shear {}: a zcylinder that is sheared around z cannot rotate as well",
                   "xy"[d]);
    }
    if (is_sheared(0) && is_sheared(1))
      error->all(FLERR, "granular/plus: keyword shear: shear x and shear y both turn a zcylinder around z, give one");
  }

  double clearance(const double *x, double /*radius*/) override
  {
    constexpr double ROUNDING = 1.0e-13;
    double place[3];
    to_body(x, place);
    return std::fabs(radius - std::sqrt(place[0] * place[0] + place[1] * place[1])) - ROUNDING * radius;
  }

  void points_near(int /*particle*/, const double *x, double /*radius*/, double cutoff, int /*known*/,
                   std::vector<WallPoint> &points) override
  {
    double place[3];
    to_body(x, place);
    const double from_axis = std::sqrt(place[0] * place[0] + place[1] * place[1]);
    const double gap = radius - from_axis;
    if (!(std::fabs(gap) < cutoff) || from_axis == 0.0) return;
    const double separation[3] = {-gap / from_axis * place[0], -gap / from_axis * place[1], 0.0};
    // twice the radius: the other principal curvature is 0
    WallPoint &point = points.emplace_back();
    point.distance = std::fabs(gap);
    point.radius = gap > 0.0 ? -2.0 * radius : 2.0 * radius;
    from_body(separation, point.separation);
  }

  int max_points() const override { return 1; }

  bool tube(const double *x, double *point, double *axis, double &inside) const override
  {
    double place[3], way[3];
    to_body(x, place);
    const double across[3] = {place[0], place[1], 0.0};    // the point of the axis next to the grain
    from_body(across, way);
    const double along[3] = {0.0, 0.0, 1.0};
    from_body(along, axis);
    for (int d = 0; d < 3; ++d) point[d] = x[d] - way[d];
    inside = radius;
    return place[0] * place[0] + place[1] * place[1] < radius * radius;
  }

 protected:
  std::vector<double> identity() const override { return {'c', radius}; }

  // along z, or with the given speed around its axis, clockwise as in fix wall/gran
  void slide(WallBody &body) override
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
};

}    // namespace

std::unique_ptr<WallSurface> LAMMPS_NS::make_cylinder_wall(LAMMPS *lmp, const std::string &radius)
{
  return std::make_unique<CylinderWall>(lmp, radius);
}
