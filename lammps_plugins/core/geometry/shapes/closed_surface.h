// Closed surfaces of triangles. If a mesh has a defect, a ShapeError that describes the defect is thrown.

#ifndef GRANULAR_PLUS_CLOSED_SURFACE_H
#define GRANULAR_PLUS_CLOSED_SURFACE_H

#include "../../laws/lane.h"
#include "../meshes/stl.h"

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace granular_plus {

struct ShapeError : MeshError {
  using MeshError::MeshError;
};

struct ClosedSurface {
  std::vector<Vector> points;
  std::vector<std::array<int, 3>> triangles;    // counterclockwise as seen from outside
};

inline Vector normal_of(const ClosedSurface &mesh, const std::array<int, 3> &t)    // the length is twice the area
{
  const Vector &a = mesh.points[t[0]];
  return cross(mesh.points[t[1]] - a, mesh.points[t[2]] - a);
}

inline Vector unit(const Vector &v)
{
  const double l = length(v);
  return l > 0.0 ? (1.0 / l) * v : Vector{0.0, 0.0, 0.0};
}

using Edge = std::pair<int, int>;
struct EdgeHash {
  std::size_t operator()(const Edge &e) const
  {
    return std::hash<std::uint64_t>()(static_cast<std::uint64_t>(e.first) << 32 | static_cast<std::uint32_t>(e.second));
  }
};
template <class T> using ByEdge = std::unordered_map<Edge, T, EdgeHash>;

ByEdge<int> left_of(const ClosedSurface &mesh);

// Sets part[k] to the number of the connected part to which item k belongs, and returns the number of parts.
// neighbours(k, meet) must call meet(n) for each neighbour n of k. The first call of meet for each n returns true.
template <class Neighbours> int number_parts(int count, std::vector<int> &part, const Neighbours &neighbours)
{
  part.assign(count, -1);
  std::vector<int> waiting;
  int parts = 0;
  for (int first = 0; first < count; ++first) {
    const auto meet = [&](int next) {
      if (part[next] >= 0) return false;
      part[next] = parts;
      waiting.push_back(next);
      return true;
    };
    if (!meet(first)) continue;
    while (!waiting.empty()) {
      const int here = waiting.back();
      waiting.pop_back();
      neighbours(here, meet);
    }
    ++parts;
  }
  return parts;
}

// Reads STL (binary or ASCII) or Wavefront OBJ. Coincident points are joined.
ClosedSurface parse_mesh(const std::string &bytes);

// Throws a ShapeError unless the surface is closed, is oriented outwards and encloses a volume.
void check_closed(const ClosedSurface &mesh);

// Throws a ShapeError if triangles cross or if one part of the surface lies inside another part.
void check_simple(const ClosedSurface &mesh);

// mass properties at unit density; the inertia is about the centre of mass
struct Solid {
  double volume, area;
  Vector centre;
  double inertia[3][3];
};
Solid solid_of(const ClosedSurface &mesh);

// Returns the principal axes as the columns of a rotation matrix.
void principal_axes(const double inertia[3][3], double axes[3][3], double moments[3]);

// Returns the largest angle, in degrees, between the normals of two triangles with a common edge.
double sharpest_angle(const ClosedSurface &mesh);

// Returns, for each triangle, the vectors from the midpoints of its edges to the body that the mesh represents. The
// edges join the corners 0 and 1, 1 and 2, 2 and 0. The body is smooth across edges whose angle is smaller than the
// feature angle (in degrees). A smooth edge is a cubic through its ends, with tangents determined by the normals. A
// sharp edge follows the curve along which the surfaces on its two sides meet. If the feature angle is 0, triangles
// stay flat.
std::vector<std::array<Vector, 3>> bulges(const ClosedSurface &mesh, double feature_angle);

// Splits each triangle into four. The new points lie on the body that the mesh represents.
ClosedSurface refined(const ClosedSurface &mesh, double feature_angle);

}    // namespace granular_plus

#endif
