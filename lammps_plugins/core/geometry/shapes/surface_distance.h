// Signed distance to a closed surface: negative inside. A tree of boxes finds the nearest triangle; where the body
// bulges beyond it, the distance is that to a parabolic patch through the corners and the midpoints of the edges.

#ifndef GRANULAR_PLUS_SURFACE_DISTANCE_H
#define GRANULAR_PLUS_SURFACE_DISTANCE_H

#include "../meshes/box_tree.h"
#include "closed_surface.h"

namespace granular_plus {

// The point of a triangle nearest to p, and in `feature` where it lies: corner 0 to 2, edge 3 to 5 (of corners 0 1, 1
// 2, 2 0), face 6. `barycentric` receives its coordinates with respect to the corners.
Vector nearest_of(const Vector corner[3], const Vector &p, int &feature, double barycentric[3]);

class SurfaceDistance {
 public:
  SurfaceDistance(const ClosedSurface &mesh, double feature_angle);
  double operator()(const Vector &point) const;

 private:
  BoxTree<double> tree;
  std::vector<std::array<Vector, 3>> corners;    // in the order of the tree, like all members below
  // The side on which a point lies follows from the normal of the nearest feature: at a corner the sum weighted by the angles
  // of its triangles, at an edge the sum of both (Baerentzen and Aanaes, IEEE Trans. Vis. Comput. Graph. 11 (2005) 243).
  std::vector<std::array<Vector, 7>> normals;
  std::vector<std::array<double, 3>> heights;    // of the body over the middles of the edges
};

}    // namespace granular_plus

#endif
