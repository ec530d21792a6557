// Signed distance to a closed surface: negative inside. A tree of boxes finds the nearest triangle; where the body bulges
// over it, the distance is that to a parabolic patch through the corners and the middles of the edges.

#ifndef GRANULAR_PLUS_SURFACE_DISTANCE_H
#define GRANULAR_PLUS_SURFACE_DISTANCE_H

#include "../meshes/box_tree.h"
#include "closed_surface.h"

namespace granular_plus {

// The point of a triangle nearest to p, and where it lies: corner 0 to 2, edge 3 to 5 (of corners 0 1, 1 2, 2 0), face 6;
// barycentric: of the corners in it.
Vector nearest_of(const Vector corner[3], const Vector &p, int &feature, double barycentric[3]);

class SurfaceDistance {
 public:
  SurfaceDistance(const ClosedSurface &mesh, double feature_angle);
  double operator()(const Vector &point) const;

 private:
  BoxTree<double> tree;
  std::vector<std::array<Vector, 3>> corners;    // in its order, as all that follows
  // On which side a point lies tells the normal of what is nearest: a corner's by the angles of its triangles, an edge's
  // of both (Baerentzen and Aanaes, IEEE Trans. Vis. Comput. Graph. 11 (2005) 243). Corners, edges, face.
  std::vector<std::array<Vector, 7>> normals;
  std::vector<std::array<double, 3>> heights;    // of the body over the middles of the edges
};

}    // namespace granular_plus

#endif
