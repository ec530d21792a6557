// Closed form of the fourth moment of the depth of a sphere below a triangle.
//
// At the distance rho from the sphere's centre, the depth is d = (R^2 - rho^2)/2R. M is the integral of d^4 over the
// part of a triangle that lies inside the sphere. In the plane of the triangle, d = (c - r^2)/2R. Here r is the
// distance from the foot of the perpendicular from the centre, and sqrt(c) is the radius of the disc that the sphere
// cuts out of the plane. By Green's theorem M equals an integral along the boundary of the part inside the sphere.
// Along edges of the triangle, the integrand is a polynomial in the arc length. Along the rim of the disc, the
// integrand is constant.
//
// All lengths are in units of the sphere's radius. This file is also compiled for GPUs.

#ifndef GRANULAR_PLUS_DEPTH_MOMENT_H
#define GRANULAR_PLUS_DEPTH_MOMENT_H

#include "../../laws/elementary.h"

#include <limits>

GRANULAR_PLUS_LAWS_BEGIN

struct Facet {
  Vector corner[3];
  Vector normal;    // unit vector; the corners are counterclockwise around it
  // unit vectors in the plane of the triangle, perpendicular to the edge that begins at each corner
  Vector outward[3];
};

struct Outline {
  double height;      // height of the centre above the plane, negative if the centre is behind the plane
  bool may_be_cut;    // true if the sphere cuts the triangle; may also be true if the sphere just misses a corner
  bool holds_disc;    // true if the triangle contains the whole disc that the sphere cuts out of the triangle's plane
};
STAGE Outline outline_of(const Facet &facet, const Vector &centre, double per_radius)
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

// "The foot" is the foot of the perpendicular from the sphere's centre to the plane of the triangle.
struct Footprint {
  double height;            // height of the centre above the plane, negative if the centre is behind the plane
  bool inside;              // true if the foot lies in the triangle
  double square_to_edge;    // squared distance from the foot to the nearest edge
  double square;            // squared distance from the centre to the triangle
  struct Edge {
    double distance;      // distance from the foot to the edge, negative if the foot lies beyond the edge
    double begin, end;    // positions along the edge, relative to the point nearest to the foot
  } edge[3];
};

// Returns whether the triangle is closer to the centre than `reach`. If it is not, the footprint is incomplete.
STAGE bool find_footprint(const Facet &facet, const Vector &centre, double per_radius, double reach, Footprint &f)
{
  Vector corner[3];
  for (int k = 0; k < 3; ++k) corner[k] = per_radius * (facet.corner[k] - centre);
  f.height = -dot(facet.normal, corner[0]);
  if (!(std::fabs(f.height) < reach)) return false;
  f.inside = true;
  f.square_to_edge = reach * reach;
  for (int k = 0; k < 3; ++k) {
    const Vector along = cross(facet.normal, facet.outward[k]);
    Footprint::Edge &edge = f.edge[k];
    edge.distance = dot(corner[k], facet.outward[k]);
    edge.begin = dot(corner[k], along);
    edge.end = dot(corner[k == 2 ? 0 : k + 1], along);
    if (edge.distance < 0.0) f.inside = false;
    const double offset = edge.begin > 0.0 ? edge.begin : (edge.end < 0.0 ? edge.end : 0.0);
    f.square_to_edge = smaller(edge.distance * edge.distance + offset * offset, f.square_to_edge);
  }
  f.square = f.height * f.height + (f.inside ? 0.0 : f.square_to_edge);
  return f.square < reach * reach;
}

STAGE Vector vector_to_nearest(const Facet &facet, const Footprint &f)
{
  Vector way = -f.height * facet.normal;
  if (f.inside) return way;
  double least = std::numeric_limits<double>::max();
  Vector in_plane{};
  for (int k = 0; k < 3; ++k) {
    const auto &edge = f.edge[k];
    const Vector along = cross(facet.normal, facet.outward[k]);
    const double offset = edge.begin > 0.0 ? edge.begin : (edge.end < 0.0 ? edge.end : 0.0);
    const double square = edge.distance * edge.distance + offset * offset;
    if (!(square < least)) continue;
    least = square;
    in_plane = edge.distance * facet.outward[k] + offset * along;
  }
  return way + in_plane;
}

namespace depth_sums {

// Gauss-Legendre rules on [-1, 1]. Only nodes >= 0 are stored.
struct Five {
  static constexpr int COUNT = 3;
  STAGE static double node(int k) { return k == 0 ? 0.0 : k == 1 ? 0.53846931010568309104 : 0.90617984593866399280; }
  STAGE static double weight(int k)
  {
    return k == 0 ? 0.56888888888888888889 : k == 1 ? 0.47862867049936646804 : 0.23692688505618908751;
  }
};
struct Eight {
  static constexpr int COUNT = 4;
  STAGE static double node(int k)
  {
    constexpr double NODES[] = {0.18343464249564980494, 0.52553240991632898582, 0.79666647741362673959,
                                0.96028985649753623168};
    return NODES[k];
  }
  STAGE static double weight(int k)
  {
    constexpr double WEIGHTS[] = {0.36268378337836198297, 0.31370664587788728734, 0.22238103445337447054,
                                  0.10122853629037625915};
    return WEIGHTS[k];
  }
};

template <class Rule, class Function> STAGE void over_nodes(double low, double high, const Function &f)
{
  const double half = 0.5 * (high - low), middle = 0.5 * (high + low);
  UNROLL
  for (int k = 0; k < Rule::COUNT; ++k) {
    f(middle - half * Rule::node(k), half * Rule::weight(k));
    if (Rule::node(k) > 0.0) f(middle + half * Rule::node(k), half * Rule::weight(k));
  }
}

STAGE double angle_of(double distance, double begin, double end)
{
  return angle_to(distance * distance + begin * end, distance * (end - begin));
}

// Here t = 1 - r^2/c, where r and c are defined at the top of this file. theta is the polar angle about the foot of the
// perpendicular from the sphere's centre.
//
// fourth, third: contributions of edges to the moments of d^4 and d^3, in units in which each moment of a full disc is
// 2 pi. The contribution to the moment of d^4 is the integral of (1 - t^5) dtheta.
// along: integral of t^4 along an edge.
struct Sums {
  double fourth = 0.0, third = 0.0, along = 0.0;
};

STAGE void add_from_foot(double c, double root, double distance, double low, double high, Sums &sums)
{
  const double per_c = 1.0 / c, factor = distance * per_c;
  over_nodes<Five>(low, high, [&](double s, double weight) {
    const double t = (root - s) * (root + s) * per_c;
    const double square = t * t, three = 1.0 + t + square * (1.0 + t);
    sums.third += factor * weight * three;
    sums.fourth += factor * weight * (three + square * square);
    sums.along += weight * square * square;
  });
}

// Unlike add_from_foot, this function integrates -t^5 dtheta. This integrand vanishes at the rim of the disc. If the
// disc contains only a small part of the triangle near the rim, the integrals of the three edges nearly cancel in
// add_from_foot, but not in this function.
STAGE void add_from_rim(double c, double root, double distance, double low, double high, Sums &sums)
{
  // Where t is below this value, -t^5 dtheta is integrated numerically. Elsewhere, the integral equals the integral of
  // add_from_foot minus the angle.
  constexpr double OUTER = 0.3;
  const double per_c = 1.0 / c, square = distance * distance;
  const double inner_square = root * root - OUTER * c;
  const double inner = inner_square > 0.0 ? std::sqrt(inner_square) : 0.0;
  const double from = smaller(larger(-inner, low), high), to = smaller(larger(inner, low), high);
  if (from < to) {
    Sums part;
    add_from_foot(c, root, distance, from, to, part);
    const double angle = angle_of(distance, from, to);
    sums.fourth += part.fourth - angle;
    sums.third += part.third - angle;
    sums.along += part.along;
  }
  const auto outer = [&](double begin, double end) {
    if (!(begin < end)) return;
    over_nodes<Eight>(begin, end, [&](double s, double weight) {
      const double t = (root - s) * (root + s) * per_c;
      const double power = t * t * t * t, turn = weight * distance / (square + s * s);
      sums.third -= turn * power;
      sums.fourth -= turn * power * t;
      sums.along += weight * power;
    });
  };
  outer(low, from);
  outer(to, high);
}

}    // namespace depth_sums

struct DepthMoment {
  double fourth = 0.0, third = 0.0;
  Vector gradient{};
};

// The sphere must cut the triangle, i.e. f.square < 1.
STAGE DepthMoment depth_moment(const Facet &facet, const Footprint &f)
{
  using namespace depth_sums;
  const double c = (1.0 - f.height) * (1.0 + f.height), radius = std::sqrt(c);
  // add_from_rim is not used if the foot is close to an edge, because polar angles are ill-defined near the foot.
  const bool from_rim = f.square_to_edge >= 0.09 * c;
  Sums all;
  if (from_rim && f.inside) all.fourth = all.third = 2.0 * PI;
  Vector edges{};
  for (int k = 0; k < 3; ++k) {
    const auto &edge = f.edge[k];
    const double beyond = (radius - edge.distance) * (radius + edge.distance);
    const double root = beyond > 0.0 ? std::sqrt(beyond) : 0.0;
    const double low = larger(edge.begin, -root), high = smaller(edge.end, root);
    Sums sums;
    if (from_rim) {
      if (low < high) add_from_rim(c, root, edge.distance, low, high, sums);
    } else {
      double angle = 0.0;
      if (low < high) {
        add_from_foot(c, root, edge.distance, low, high, sums);
        if (edge.begin < low) angle += angle_of(edge.distance, edge.begin, low);
        if (high < edge.end) angle += angle_of(edge.distance, high, edge.end);
      } else {
        angle = angle_of(edge.distance, edge.begin, edge.end);
      }
      sums.fourth += angle;
      sums.third += angle;
    }
    all.fourth += sums.fourth;
    all.third += sums.third;
    edges = edges + sums.along * facet.outward[k];
  }
  const double fourth_power = c * c * c * c;
  DepthMoment moment;
  moment.fourth = larger(fourth_power * c / 160.0 * all.fourth, 0.0);
  moment.third = larger(fourth_power / 64.0 * all.third, 0.0);
  moment.gradient = (-fourth_power / 16.0) * ((f.height * all.third) * facet.normal + edges);
  return moment;
}

// overlap: the overlap at which a sphere on a plane would have the same moment. gradient: the derivative of this
// overlap along the normal.
struct Depth {
  double overlap, gradient;
  Vector normal;    // towards the centre
};
STAGE Depth depth_of(const DepthMoment &moment)
{
  // On a plane, M = pi c^5/80 and the overlap is 1 - sqrt(1 - c), where c <= 1. Two faces together may have a larger
  // moment. Above c = LARGEST, where the overlap is 0.9, the overlap is therefore extrapolated linearly in c.
  constexpr double LARGEST = 0.99, SLOPE = 5.0;
  constexpr double LEAST_GRADIENT = 1.0e-6;    // lower bound of the gradient, for opposite faces whose forces cancel
  Depth depth{};
  const double c = fifth_root(80.0 / PI * moment.fourth);
  const double root = std::sqrt(1.0 - smaller(c, LARGEST));
  depth.overlap = c / (1.0 + root);
  double slope = 0.5 / root;
  if (c > LARGEST) {
    depth.overlap = 0.9 + SLOPE * (c - LARGEST);
    slope = SLOPE;
  }
  const double size = length(moment.gradient);
  depth.gradient = larger(slope * c / (5.0 * moment.fourth) * size, LEAST_GRADIENT);
  depth.normal = size > 0.0 ? (-1.0 / size) * moment.gradient : Vector{};
  return depth;
}

GRANULAR_PLUS_LAWS_END

#endif
