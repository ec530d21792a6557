// The fourth moment of depth of a sphere on triangles, in closed form.
//
// With d = (R^2 - rho^2)/2R, rho the distance from the sphere's centre, M = integral of d^4 over the part of a triangle
// that lies within the sphere. In the plane of the triangle d = (c - r^2)/2R, r from the foot of the perpendicular and
// sqrt(c) the radius of the disc that the sphere cuts out: by Green's theorem M is an integral along the boundary of
// disc and triangle, of a polynomial in the arc length along edges and of a constant along the disc. So triangles add
// up to what one plane gives, however it is cut, and the force that follows is the gradient of an energy.
//
// All lengths are in units of the sphere's radius.

#ifndef GRANULAR_PLUS_DEPTH_MOMENT_H
#define GRANULAR_PLUS_DEPTH_MOMENT_H

#include "../../laws/lane.h"

namespace granular_plus {

struct Facet {
  Vector corner[3];
  Vector normal;        // of length 1; the corners go round it counterclockwise
  Vector outward[3];    // of length 1, in the plane, perpendicular to the edge that begins at each corner
};
// from corners, which have an area
Facet facet_of(const Vector *corners);

// What the plane of a triangle has to do with a sphere: all that most contacts need.
struct Outline {
  double height;      // of the centre above the plane, negative behind it
  bool may_be_cut;    // by the sphere: it is unless only the corners keep it away
  bool holds_disc;    // that the sphere cuts out of the plane
};
inline Outline outline_of(const Facet &facet, const Vector &centre, double per_radius)
{
  Outline outline{per_radius * dot(facet.normal, centre - facet.corner[0]), false, false};
  const double c = (1.0 - outline.height) * (1.0 + outline.height);
  if (!(c > 0.0)) return outline;
  bool cut = true, holds = true;
  for (int k = 0; k < 3; ++k) {
    const double distance = per_radius * dot(facet.outward[k], facet.corner[k] - centre);
    const bool far = distance * distance >= c;
    cut = cut && (distance >= 0.0 || !far);
    holds = holds && distance >= 0.0 && far;
  }
  outline.may_be_cut = cut;
  outline.holds_disc = holds;
  return outline;
}

// how a triangle lies to the centre of a sphere
struct Footprint {
  double height;            // of the centre above the plane, negative behind it
  bool inside;              // the foot of the perpendicular lies in the triangle
  double square_to_edge;    // of the distance from the foot to the nearest edge
  double square;            // of the distance from the centre to the triangle
  struct Edge {
    double distance;      // of the edge from the foot, negative where the foot is beyond it
    double begin, end;    // along the edge, from the point next to the foot
  } edge[3];
};

// whether the triangle is within reach; the footprint is complete only then
bool find_footprint(const Facet &facet, const Vector &centre, double per_radius, double reach, Footprint &footprint);

// nearest point of the triangle, from the centre
Vector way_to_nearest(const Facet &facet, const Footprint &footprint);

struct DepthMoment {
  double fourth = 0.0, third = 0.0;
  Vector gradient{};    // of the fourth, with the place of the centre
};

// that of one triangle which the sphere cuts: footprint.square < 1
DepthMoment depth_moment(const Facet &facet, const Footprint &footprint);

// the overlap of a plane with the same moment, how fast it grows along the normal, and that normal
struct Depth {
  double overlap, gradient;
  Vector normal;    // towards the centre
};
Depth depth_of(const DepthMoment &moment);

}    // namespace granular_plus

#endif
