#include "driven_wall.h"

#include "../core/laws/contact.h"

#include "domain.h"
#include "error.h"

#include <cmath>

using namespace LAMMPS_NS;

namespace {

class PlanesWall : public DrivenWall {
 public:
  PlanesWall(LAMMPS *lmp, int dimension, const std::string &low, const std::string &high)
      : DrivenWall(lmp), dimension(dimension), name{"xyz"[dimension], 'p', 'l', 'a', 'n', 'e'}
  {
    if (domain->periodicity[dimension])
      error->all(FLERR, "granular/plus: {} cannot be a wall in a periodic dimension", name);
    const std::string *words[] = {&low, &high};
    for (int side = 0; side < 2; ++side) {
      present[side] = *words[side] != "NULL";
      if (present[side]) position[side] = utils::numeric(FLERR, *words[side], false, lmp);
    }
    if (!present[0] && !present[1])
      error->all(FLERR, "granular/plus: {} lo = NULL hi = NULL: at least one of the two must be a position", name);
    if (present[0] && present[1] && !(position[0] <= position[1]))
      error->all(FLERR, "granular/plus: {} lo = {} must be <= hi = {}", name, low, high);
    if (present[0] && present[1] && position[0] == position[1]) present[1] = false;
  }

  void complete() override
  {
    if (is_sheared(dimension))
      error->all(FLERR, "{}: keyword shear: wall style {} can be sheared only within its plane", message_prefix, name);
  }

  double clearance(const double *x, double /*radius*/) override
  {
    double in_body[3], least = INFINITY;
    write(in_body, to_body(x));
    for (int side = 0; side < 2; ++side)
      if (present[side]) least = std::fmin(least, std::fabs(in_body[dimension] - position[side]));
    return least;
  }

  void points_near(int /*particle*/, const double *x, double /*radius*/, double cutoff, int /*previous_contacts*/,
                   std::vector<WallPoint> &points) override
  {
    double in_body[3];
    if (turns()) write(in_body, to_body(x));
    for (int side = 0; side < 2; ++side) {
      if (!present[side]) continue;
      const double above =
          turns() ? in_body[dimension] - position[side] : x[dimension] - (position[side] + displacement[dimension]);
      if (!(std::fabs(above) < cutoff)) continue;
      WallPoint &point = points.emplace_back();
      point.surface = side;
      point.distance = std::fabs(above);
      point.surface_radius = granular_plus::FLAT;
      double separation[3] = {};
      separation[dimension] = above;
      write(point.separation, from_body(granular_plus::vector_of(separation)));
    }
  }

  int max_points() const override { return 2; }
  bool normals_turn() const override { return turns(); }

  std::optional<granular_plus::SimpleSurface> simple() const override
  {
    granular_plus::SimpleSurface surface{};
    surface.frame = frame();
    surface.kind = granular_plus::SimpleSurface::PLANES;
    surface.dimension = dimension;
    for (int side = 0; side < 2; ++side) {
      if (!present[side]) continue;
      surface.number[surface.sides] = side;
      surface.position[surface.sides++] = position[side];
    }
    return surface;
  }

 protected:
  std::vector<double> identity() const override
  {
    return {'p',         static_cast<double>(dimension),  static_cast<double>(present[0]),
            position[0], static_cast<double>(present[1]), position[1]};
  }

 private:
  int dimension;
  std::string name;
  bool present[2];
  double position[2] = {};
};

}    // namespace

std::unique_ptr<WallSurface> LAMMPS_NS::make_planes_wall(LAMMPS *lmp, int dimension, const std::string &low,
                                                         const std::string &high)
{
  return std::make_unique<PlanesWall>(lmp, dimension, low, high);
}
