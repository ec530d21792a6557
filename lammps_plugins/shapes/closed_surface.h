// Closed surfaces made of triangles: reading, checking, what the solid inside weighs, and finer triangles.
//
// Knows neither LAMMPS nor contact laws. Whatever is wrong with a mesh is a ShapeError that says so.

#ifndef GRANULAR_PLUS_CLOSED_SURFACE_H
#define GRANULAR_PLUS_CLOSED_SURFACE_H

#include "../laws/lane.h"
#include "../meshes/stl.h"

#include <array>
#include <string>
#include <vector>

namespace granular_plus {

struct ShapeError : MeshError {
  using MeshError::MeshError;
};

struct ClosedSurface {
  std::vector<Vector> points;
  std::vector<std::array<int, 3>> triangles;    // counterclockwise seen from outside
};

// STL (binary or ASCII) or Wavefront OBJ, told by content; points that coincide become one
ClosedSurface parse_mesh(const std::string &bytes);

// throws unless the surface is closed, its triangles are oriented alike, outwards, and it encloses something
void check_closed(const ClosedSurface &mesh);

// Throws where a closed surface counts space twice, and says where: triangles cross, or one of its surfaces lies inside
// another. Triangles that only touch, to the single precision of files, do not cross.
void check_simple(const ClosedSurface &mesh);

// of the solid, at unit density, about its centre
struct Solid {
  double volume, area;
  Vector centre;
  double inertia[3][3];
};
Solid solid_of(const ClosedSurface &mesh);

// axes of inertia as the columns of a rotation, and the moments about them
void principal_axes(const double inertia[3][3], double axes[3][3], double moments[3]);

// Largest angle, in degrees, between the normals of two triangles with a common edge.
double sharpest_angle(const ClosedSurface &mesh);

// From the middles of the edges of each triangle (corners 0 1, 1 2, 2 0) to the body that the mesh stands for. That is
// smooth across edges flatter than the feature angle (degrees): there an edge is a cubic through its ends with the tangents
// that the normals give, and the distance to the smooth body falls with the fourth power of its length. Sharp edges follow
// the curve in which the two sides meet. With an angle of 0 triangles stay flat.
std::vector<std::array<Vector, 3>> bulges(const ClosedSurface &mesh, double feature_angle);

// each triangle cut into four, with new points on that body
ClosedSurface refined(const ClosedSurface &mesh, double feature_angle);

}    // namespace granular_plus

#endif
