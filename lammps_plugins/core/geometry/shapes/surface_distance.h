// Signed distance to a closed surface, negative inside. A tree of boxes finds the nearest triangle. If the body
// bulges out of the triangle's plane, the distance is measured to a parabolic patch through the corners of the
// triangle and the points of the body above the midpoints of its edges.

#ifndef GRANULAR_PLUS_SURFACE_DISTANCE_H
#define GRANULAR_PLUS_SURFACE_DISTANCE_H

#include "../meshes/box_tree.h"
#include "closed_surface.h"

namespace granular_plus {

// The point of a triangle nearest to p. `feature` receives its location: 0 to 2 for a corner, 3 to 5 for an edge
// (corners 0 1, 1 2, 2 0), 6 for the face. `barycentric` receives its barycentric coordinates.
Vector nearest_of(const Vector corner[3], const Vector &p, int &feature, double barycentric[3]);

class SurfaceDistance {
 public:
  SurfaceDistance(const ClosedSurface &mesh, double feature_angle);
  double operator()(const Vector &point) const;

 private:
  BoxTree<double> tree;
  std::vector<std::array<Vector, 3>> corners;    // in the order of the tree, like all members that follow
  // The side on which a point lies follows from the normal of the nearest feature. At a corner this normal is the sum
  // over the triangles at the corner, weighted by their angles; at an edge it is the sum over both triangles
  // (Baerentzen and Aanaes, IEEE Trans. Vis. Comput. Graph. 11 (2005) 243).
  std::vector<std::array<Vector, 7>> normals;
  std::vector<std::array<double, 3>> heights;    // heights of the body above the midpoints of the edges
};

}    // namespace granular_plus

#endif
