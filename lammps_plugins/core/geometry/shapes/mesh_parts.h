// A closed mesh for contacts with shaped grains: the distance to the nearest triangle, and the part to which this
// triangle belongs. A concave edge, as seen from the grain, separates two parts, and the grain may touch both.
// Triangles that meet at smooth or convex edges belong to the same part. Within a part the distance is continuous;
// therefore the stored energy of a contact depends on positions only.
//
// A closed surface may be a container or an obstacle, and the normals in an STL file may point to either side. Each
// grain therefore has its own free side of a surface: the side on which the deepest point within the grain lies.

#ifndef GRANULAR_PLUS_MESH_PARTS_H
#define GRANULAR_PLUS_MESH_PARTS_H

#include "../meshes/triangle_mesh.h"

#include <vector>

namespace granular_plus {

class MeshParts {
 public:
  // throws MeshError for a one-sided surface
  explicit MeshParts(const TriangleMesh &mesh);

  // all triangles within `reach` of `place`; `nearest` searches them
  struct Candidates {
    const int *triangle;
    int count;
    Vector place;
    double reach;
  };
  // Sets `sides` for each candidate: 1 if the normal of the triangle points to the side of the surface on which the
  // point lies, otherwise -1. Returns the distance from the point to the nearest of these surfaces.
  double find_free_sides(const Candidates &candidates, const Vector &point, signed char *sides) const;
  // sets the candidates for the next calls of `nearest`
  void set_candidates(const Candidates &candidates, const signed char *free_sides)
  {
    among = candidates;
    sides = free_sides;
  }
  // Sets the distance, its gradient, and the nearest part. The distance is negative if the point does not lie on the
  // free side of the nearest triangle. Returns false if no triangle is near; in that case `distance` is only a lower
  // bound.
  bool nearest(const Vector &point, double &distance, Vector &gradient, int &part) const;

 private:
  const TriangleMesh &mesh;
  // The part of each triangle. [0]: parts as seen from the side to which the normals point after multiplication by
  // `winding`; [1]: as seen from the other side.
  std::vector<int> part_of[2];
  std::vector<int> surface_of;         // triangles connected by edges belong to one surface
  std::vector<signed char> winding;    // factor 1 or -1; multiplied by it, all normals of a surface point to one side
  Candidates among{};
  const signed char *sides = nullptr;

  struct Neighbour {    // neighbour at an edge; alike: 1 if it has the same orientation, otherwise -1
    int triangle;
    signed char alike;
  };
  void find_surfaces(const std::vector<std::vector<Neighbour>> &neighbours);
  void find_parts(const std::vector<std::vector<Neighbour>> &neighbours, double side, std::vector<int> &parts) const;
  std::vector<std::vector<Neighbour>> neighbours() const;
};

}    // namespace granular_plus

#endif
