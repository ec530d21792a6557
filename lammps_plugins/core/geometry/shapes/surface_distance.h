// Signed distance to a closed surface, negative inside. Each triangle is replaced by a parabolic patch through its
// corners and the points of the body above the midpoints of its edges.

#ifndef GRANULAR_PLUS_SURFACE_DISTANCE_H
#define GRANULAR_PLUS_SURFACE_DISTANCE_H

#include "../meshes/box_tree.h"
#include "closed_surface.h"

namespace granular_plus {

// Sets `feature` to 0, 1 or 2 if the nearest point is a corner, to 3, 4 or 5 if it lies on the edge 0-1, 1-2 or 2-0,
// and to 6 if it lies inside the face.
Vector nearest_of(const Vector corner[3], const Vector &p, int &feature, double barycentric[3]);

class SurfaceDistance {
 public:
  SurfaceDistance(const ClosedSurface &mesh, double feature_angle);
  double operator()(const Vector &point) const;

 private:
  BoxTree<double> tree;
  std::vector<std::array<Vector, 3>> corners;    // in the order of the tree, like all members below
  // Angle-weighted normals of corners, edges and face. The normal of the corner, edge or face nearest to a point tells
  // on which side the point lies (Baerentzen and Aanaes, IEEE Trans. Vis. Comput. Graph. 11 (2005) 243).
  std::vector<std::array<Vector, 7>> normals;
  std::vector<std::array<double, 3>> heights;    // heights of the body above the midpoints of the edges
};

}    // namespace granular_plus

#endif
