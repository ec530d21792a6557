#include "surface_distance.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace granular_plus {

namespace {

std::string words_of(const Vector &v)
{
  std::ostringstream words;
  words << v.x << " " << v.y << " " << v.z;
  return words.str();
}

// Returns the solid angle that a triangle subtends at a point, in units of 4 pi (van Oosterom and Strackee, IEEE Trans.
// Biomed. Eng. 30 (1983) 125).
double turns(const ClosedSurface &mesh, int triangle, const Vector &from)
{
  const auto &corner = mesh.triangles[triangle];
  const Vector a = mesh.points[corner[0]] - from, b = mesh.points[corner[1]] - from, c = mesh.points[corner[2]] - from;
  const double la = length(a), lb = length(b), lc = length(c);
  return std::atan2(dot(a, cross(b, c)), la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb) / (2.0 * PI);
}

class Crossings {
 public:
  explicit Crossings(const ClosedSurface &mesh) : mesh(mesh), count(static_cast<int>(mesh.triangles.size()))
  {
    Vector low{INFINITY, INFINITY, INFINITY}, high{-INFINITY, -INFINITY, -INFINITY};
    double largest = 0.0;
    for (const Vector &p : mesh.points) {
      widen(low, high, p);
      largest = std::max(largest, length(p));
    }
    constexpr double SINGLE_PRECISION = 2.0e-7;
    tolerance = SINGLE_PRECISION * (length(high - low) + largest);
    close_by = 1.0e3 * tolerance;
    constexpr int LEAF = 4;
    tree.build(
        count, 3, LEAF, [this](int t, int k) -> const Vector & { return corner(t, k); },
        [this](int a, int b, int axis) { return middle(a, axis) < middle(b, axis); });
  }

  bool any(Vector &place) const
  {
    const Vector margin{tolerance, tolerance, tolerance};
    bool found = false;
    for (int t = 0; t < count && !found; ++t) {
      Vector low = corner(t, 0), high = low;
      for (int k = 1; k < 3; ++k) widen(low, high, corner(t, k));
      tree.visit(low - margin, high + margin, [&](int k) {
        const int other = tree.order[k];
        found = found || (other < t && cross_each_other(t, other, place));
      });
    }
    return found;
  }

 private:
  const ClosedSurface &mesh;
  const int count;
  BoxTree<double> tree;
  double tolerance, close_by;

  const Vector &corner(int triangle, int k) const { return mesh.points[mesh.triangles[triangle][k]]; }

  double middle(int t, int axis) const
  {
    return component(corner(t, 0), axis) + component(corner(t, 1), axis) + component(corner(t, 2), axis);
  }

  bool has(int triangle, int point) const
  {
    const auto &corners = mesh.triangles[triangle];
    return std::find(corners.begin(), corners.end(), point) != corners.end();
  }

  // Neighbours at an edge do not cross.
  bool cross_each_other(int one, int other, Vector &place) const
  {
    int common = 0;
    for (const int point : mesh.triangles[one]) common += has(other, point);
    return common < 2 && (an_edge_crosses(one, other, place) || an_edge_crosses(other, one, place));
  }

  bool an_edge_crosses(int edges_of, int triangle, Vector &place) const
  {
    const Vector at[3] = {corner(triangle, 0), corner(triangle, 1), corner(triangle, 2)};
    const Vector doubled = normal_of(mesh, mesh.triangles[triangle]);
    const double area = length(doubled);
    if (!(area > 0.0)) return false;
    const Vector normal = (1.0 / area) * doubled;
    for (int k = 0; k < 3; ++k) {
      const auto &corners = mesh.triangles[edges_of];
      if (has(triangle, corners[k]) || has(triangle, corners[(k + 1) % 3])) continue;
      const Vector &from = mesh.points[corners[k]], &to = mesh.points[corners[(k + 1) % 3]];
      const double above = dot(from - at[0], normal), below = dot(to - at[0], normal);
      if (!(std::min(above, below) < -tolerance && std::max(above, below) > tolerance)) continue;
      place = from + (above / (above - below)) * (to - from);
      double inside = INFINITY;    // smallest distance from the edges of the triangle, negative outside the triangle
      for (int c = 0; c < 3; ++c) {
        const Vector edge = at[(c + 1) % 3] - at[c];
        inside = std::min(inside, dot(cross(normal, edge), place - at[c]) / length(edge));
      }
      int feature;
      double barycentric[3];
      if (inside > tolerance) return true;
      if (length(place - nearest_of(at, place, feature, barycentric)) <= tolerance && counts_twice_at(place))
        return true;
    }
    return false;
  }

  // If surfaces cross, the winding number of some nearby point is neither 0 nor 1. Where surfaces merely touch, the
  // function returns false.
  bool counts_twice_at(const Vector &place) const
  {
    // evenly distributed directions
    constexpr int DIRECTIONS = 32;
    constexpr double GOLDEN_ANGLE = 2.399963229728653;
    for (int k = 0; k < DIRECTIONS; ++k) {
      const double up = (2.0 * k + 1.0) / DIRECTIONS - 1.0, across = std::sqrt(1.0 - up * up);
      const Vector way{across * std::cos(GOLDEN_ANGLE * (k + 0.5)), across * std::sin(GOLDEN_ANGLE * (k + 0.5)), up};
      const Vector from = place + close_by * way;
      double around = 0.0;
      for (int t = 0; t < count; ++t) around += turns(mesh, t, from);
      if (around > 1.5 || around < -0.5) return true;
    }
    return false;
  }
};

}    // namespace

void check_simple(const ClosedSurface &mesh)
{
  Vector place;
  if (Crossings(mesh).any(place))
    throw ShapeError(
        "the mesh crosses itself at " + words_of(place) +
        ": the common part of two bodies would count twice; unite the bodies in the program that made the mesh");

  const ByEdge<int> triangle = left_of(mesh);
  const int n = static_cast<int>(mesh.triangles.size());
  std::vector<int> surface;
  const int count = number_parts(n, surface, [&](int t, const auto &meet) {
    const auto &corners = mesh.triangles[t];
    for (int k = 0; k < 3; ++k) meet(triangle.at({corners[(k + 1) % 3], corners[k]}));
  });
  if (count == 1) return;
  for (int s = 0; s < count; ++s) {
    const auto corner = [&](int t, int k) { return mesh.points[mesh.triangles[t][k]]; };
    const Vector origin = corner(static_cast<int>(std::find(surface.begin(), surface.end(), s) - surface.begin()), 0);
    double volume = 0.0;
    // centre: centroid of the largest triangle; doubled: unit normal of this triangle times twice the area
    Vector centre = origin, doubled{0.0, 0.0, 0.0};
    for (int t = 0; t < n; ++t) {
      if (surface[t] != s) continue;
      const Vector a = corner(t, 0), b = corner(t, 1), c = corner(t, 2), normal = cross(b - a, c - a);
      volume += dot(a - origin, normal) / 6.0;
      if (dot(normal, normal) > dot(doubled, doubled)) doubled = normal, centre = (1.0 / 3.0) * (a + b + c);
    }
    // The point that is tested lies just inside this surface, because another surface may touch this one.
    constexpr double INSIDE = 1.0e-4;    // distance divided by the size of a triangle
    const Vector from = centre - ((volume < 0.0 ? -INSIDE : INSIDE) / std::sqrt(length(doubled))) * doubled;
    double around = 0.0;
    for (int t = 0; t < n; ++t)
      if (surface[t] != s) around += turns(mesh, t, from);
    const bool is_hollow = volume < 0.0;
    if (std::lround(around) == (is_hollow ? 1 : 0)) continue;
    throw ShapeError(
        "the mesh has " + std::to_string(count) + " surfaces; the surface at " + words_of(origin) +
        (is_hollow ? " is inside out and lies in no other body: reverse the order of the corners of its triangles"
                   : " lies inside another surface: the volume inside both would count twice; leave out the inner "
                     "surface or, if it bounds a hollow, reverse the order of the corners of its triangles"));
  }
}

}    // namespace granular_plus
