#include "depth_moment.h"

#include <algorithm>
#include <cmath>

namespace granular_plus {

namespace {

// Gauss-Legendre on [-1, 1], half of the nodes; five integrate polynomials of degree 9, eight of degree 15
constexpr double NODES_5[] = {0.0, 0.53846931010568309104, 0.90617984593866399280};
constexpr double WEIGHTS_5[] = {0.56888888888888888889, 0.47862867049936646804, 0.23692688505618908751};
constexpr double NODES_8[] = {0.18343464249564980494, 0.52553240991632898582, 0.79666647741362673959,
                              0.96028985649753623168};
constexpr double WEIGHTS_8[] = {0.36268378337836198297, 0.31370664587788728734, 0.22238103445337447054,
                                0.10122853629037625915};

// sums of f(place, weight)
template <int COUNT, class Function>
void over_nodes(const double (&nodes)[COUNT], const double (&weights)[COUNT], double low, double high, Function f)
{
  const double half = 0.5 * (high - low), middle = 0.5 * (high + low);
  for (int k = 0; k < COUNT; ++k) {
    f(middle - half * nodes[k], half * weights[k]);
    if (nodes[k] > 0.0) f(middle + half * nodes[k], half * weights[k]);
  }
}

// seen from the foot, of a piece of an edge
double angle_of(double distance, double begin, double end)
{
  return std::atan2(distance * (end - begin), distance * distance + begin * end);
}

// What edges contribute, in units in which a full disc has the moments 2 pi: of d^4, of d^3, and along the edge of d^4.
// With t = 1 - r^2/c, d^4 has the potential (1 - t^5) dtheta, which is a polynomial times the arc length.
struct Sums {
  double fourth = 0.0, third = 0.0, along = 0.0;
};

// the potential that is 0 at the foot, over a piece of the edge within the disc
void add_from_foot(double c, double root, double distance, double low, double high, Sums &sums)
{
  const double per_c = 1.0 / c, factor = distance * per_c;
  over_nodes(NODES_5, WEIGHTS_5, low, high, [&](double s, double weight) {
    const double t = (root - s) * (root + s) * per_c;
    const double square = t * t, three = 1.0 + t + square * (1.0 + t);
    sums.third += factor * weight * three;
    sums.fourth += factor * weight * (three + square * square);
    sums.along += weight * square * square;
  });
}

// The potential that is 0 at the rim of the disc, -t^5 dtheta. Towards the rim it is integrated as it stands: from the
// other one nothing would be left but round-off, of which the overlap takes the fifth root.
void add_from_rim(double c, double root, double distance, double low, double high, Sums &sums)
{
  constexpr double OUTER = 0.3;    // t at which the outer part begins
  const double per_c = 1.0 / c, square = distance * distance;
  const double inner_square = root * root - OUTER * c;
  const double inner = inner_square > 0.0 ? std::sqrt(inner_square) : 0.0;
  const double from = std::clamp(-inner, low, high), to = std::clamp(inner, low, high);
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
    over_nodes(NODES_8, WEIGHTS_8, begin, end, [&](double s, double weight) {
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

}    // namespace

Facet facet_of(const Vector *corners)
{
  Facet facet{{corners[0], corners[1], corners[2]}, {}, {}};
  // in units of an edge, that squares neither vanish nor overflow
  const double unit = 1.0 / length(corners[1] - corners[0]);
  const Vector area = cross(unit * (corners[1] - corners[0]), unit * (corners[2] - corners[0]));
  facet.normal = (1.0 / length(area)) * area;
  for (int k = 0; k < 3; ++k) {
    const Vector way = corners[k == 2 ? 0 : k + 1] - corners[k];
    const Vector outward = cross((1.0 / length(way)) * way, facet.normal);
    facet.outward[k] = (1.0 / length(outward)) * outward;
  }
  return facet;
}

bool find_footprint(const Facet &facet, const Vector &centre, double per_radius, double reach, Footprint &f)
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
    const double beside = edge.begin > 0.0 ? edge.begin : (edge.end < 0.0 ? edge.end : 0.0);
    f.square_to_edge = std::min(f.square_to_edge, edge.distance * edge.distance + beside * beside);
  }
  f.square = f.height * f.height + (f.inside ? 0.0 : f.square_to_edge);
  return f.square < reach * reach;
}

Vector way_to_nearest(const Facet &facet, const Footprint &f)
{
  Vector way = -f.height * facet.normal;
  if (f.inside) return way;
  double least = INFINITY;
  Vector in_plane{};
  for (int k = 0; k < 3; ++k) {
    const auto &edge = f.edge[k];
    const Vector along = cross(facet.normal, facet.outward[k]);
    const double beside = edge.begin > 0.0 ? edge.begin : (edge.end < 0.0 ? edge.end : 0.0);
    const double square = edge.distance * edge.distance + beside * beside;
    if (!(square < least)) continue;
    least = square;
    in_plane = edge.distance * facet.outward[k] + beside * along;
  }
  return way + in_plane;
}

DepthMoment depth_moment(const Facet &facet, const Footprint &f)
{
  const double c = (1.0 - f.height) * (1.0 + f.height), radius = std::sqrt(c);
  // near the foot angles are uncertain and the potential must vanish there, elsewhere it had better do so at the rim
  const bool from_rim = f.square_to_edge >= 0.09 * c;
  Sums all;
  if (from_rim && f.inside) all.fourth = all.third = 2.0 * PI;
  Vector edges{};
  for (int k = 0; k < 3; ++k) {
    const auto &edge = f.edge[k];
    const double beyond = (radius - edge.distance) * (radius + edge.distance);
    const double root = beyond > 0.0 ? std::sqrt(beyond) : 0.0;
    const double low = std::max(edge.begin, -root), high = std::min(edge.end, root);
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
  moment.fourth = std::max(0.0, fourth_power * c / 160.0 * all.fourth);
  moment.third = std::max(0.0, fourth_power / 64.0 * all.third);
  moment.gradient = (-fourth_power / 16.0) * ((f.height * all.third) * facet.normal + edges);
  return moment;
}

/* ----------------------------------------------------------------------
   A plane has M = pi c^5/80 and the overlap 1 - sqrt(1 - c). Beyond an overlap of 0.9, where grains do not belong, the
   overlap goes on in a straight line with c: two faces may have more moment than any plane.
------------------------------------------------------------------------- */

Depth depth_of(const DepthMoment &moment)
{
  constexpr double LARGEST = 0.99, SLOPE = 5.0;    // c and its derivative at the overlap of 0.9
  constexpr double LEAST_GRADIENT = 1.0e-6;        // where forces of opposite faces cancel
  Depth depth{};
  const double c = std::pow(80.0 / PI * moment.fourth, 0.2);
  const double root = std::sqrt(1.0 - std::min(c, LARGEST));
  depth.overlap = c / (1.0 + root);
  double slope = 0.5 / root;
  if (c > LARGEST) {
    depth.overlap = 0.9 + SLOPE * (c - LARGEST);
    slope = SLOPE;
  }
  const double size = length(moment.gradient);
  depth.gradient = std::max(LEAST_GRADIENT, slope * c / (5.0 * moment.fourth) * size);
  depth.normal = size > 0.0 ? (-1.0 / size) * moment.gradient : Vector{};
  return depth;
}

}    // namespace granular_plus
