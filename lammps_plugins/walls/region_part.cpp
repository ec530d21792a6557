#include "region_part.h"

#include <algorithm>
#include <cmath>
#include <string>

using namespace LAMMPS_NS;
using granular_plus::Vector;
using granular_plus::vector_of;

namespace {

/* ----------------------------------------------------------------------
   Gives access to a region's axis of rotation, which is protected in LAMMPS.
------------------------------------------------------------------------- */

struct RotationAxis : Region {
  static const double *direction_in(const Region &region) { return region.*(&RotationAxis::runit); }
  static const double *origin_in(const Region &region) { return region.*(&RotationAxis::point); }
};

std::array<double, 4> place_of(const Region &r)
{
  return {r.moveflag ? r.dx : 0.0, r.moveflag ? r.dy : 0.0, r.moveflag ? r.dz : 0.0, r.rotateflag ? r.theta : 0.0};
}

}    // namespace

RegionPart::RegionPart(Region *region) : region(region)
{
  // for other styles, LAMMPS may miss points within the cutoff
  static const std::array<std::string, 6> styles{"block", "cone", "cylinder", "plane", "prism", "sphere"};
  has_distance = std::find(styles.begin(), styles.end(), region->style) != styles.end();
}

void RegionPart::mark()
{
  if (!region->varshape) region->prev[RADIUS] = 1.0;
  is_marked = true;
}

/* ----------------------------------------------------------------------
   In a setup, no step has passed, so the last velocity is kept.
------------------------------------------------------------------------- */

void RegionPart::follow(const Update &update, WallBody &body)
{
  Region &r = *region;
  const std::array<double, 4> now = place_of(r);
  if (motion.known != 0.0 && !update.setupflag)
    for (int k = 0; k < 4; ++k) motion.rate[k] = (now[k] - motion.place[k]) / update.dt;
  if (r.varshape) {
    if (motion.known == 0.0)
      r.rprev = r.prev[RADIUS];
    else if (update.setupflag)
      r.rprev = motion.radius_before;
    motion.radius_before = r.rprev;
  }
  motion.place = now;
  motion.known = 1.0;
  mark();
  for (int d = 0; d < 3; ++d) {
    body.velocity[d] = motion.rate[d];
    body.pose.displacement[d] = now[d];
    if (!r.rotateflag) continue;
    body.pivot[d] = RotationAxis::origin_in(r)[d];
    body.axis[d] = RotationAxis::direction_in(r)[d];
    body.spin[d] = motion.rate[3] * body.axis[d];
    body.centre[d] = body.pivot[d] + now[d];
  }
  body.pose.angle = now[3];
  if (!r.rotateflag) return;
  sine = std::sin(r.theta);
  cosine = std::cos(r.theta);
}

/* ----------------------------------------------------------------------
   Returns the distance of a point, on either side, from the surface. Open faces are treated as closed. LAMMPS finds no
   surface if the point is on an axis or at a centre. In this case, a shifted point is used, and the shift is subtracted
   from the distance.
------------------------------------------------------------------------- */

double RegionPart::clearance(const double *x, double radius) const
{
  Region &r = *region;
  const double beside = 1.0e-4 * radius;
  double place[3] = {x[0] + 0.48 * beside, x[1] + 0.36 * beside, x[2] + 0.8 * beside};
  to_rest(place);
  const int openflag = r.openflag;
  std::array<int, 6> open_faces = ends.closed;
  std::swap_ranges(open_faces.begin(), open_faces.end(), r.open_faces);
  r.openflag = 0;
  double least = INFINITY;
  int found = 0;
  const auto look = [&](int count) {
    for (int k = 0; k < count; ++k) least = std::min(least, r.contact[k].r);
    found += count;
  };
  look(r.surface_interior(place, INFINITY));
  look(r.surface_exterior(place, INFINITY));
  r.openflag = openflag;
  std::swap_ranges(open_faces.begin(), open_faces.end(), r.open_faces);
  return found > 0 ? least - beside : 0.0;
}

void RegionPart::to_rest(double *x) const
{
  if (region->moveflag) write(x, vector_of(x) - Vector{region->dx, region->dy, region->dz});
  if (region->rotateflag) turn(x, -sine);
}

void RegionPart::from_rest(double *x) const
{
  if (region->rotateflag) turn(x, sine);
  if (region->moveflag) write(x, vector_of(x) + Vector{region->dx, region->dy, region->dz});
}

void RegionPart::turn(double *x, double signed_sine) const
{
  const Vector axis = vector_of(RotationAxis::direction_in(*region));
  const Vector origin = vector_of(RotationAxis::origin_in(*region));
  const Vector arm = vector_of(x) - origin, along = dot(arm, axis) * axis, across = arm - along;
  write(x, origin + along + (cosine * across + signed_sine * cross(axis, across)));
}
