// A closed mesh for contacts with shaped grains. An edge that is concave as seen from the grain separates two parts.
// The grain may touch both parts. Triangles that meet at smooth or convex edges belong to the same part. Within a part,
// the distance is continuous.
//
// The normals in an STL file may point to either side. Each grain therefore has its own free side of a surface: the
// side on which the deepest point within the grain lies.

#ifndef GRANULAR_PLUS_MESH_PARTS_H
#define GRANULAR_PLUS_MESH_PARTS_H

#include "../meshes/triangle_mesh.h"

#include <vector>

namespace granular_plus {

class MeshParts {
 public:
  // Throws MeshError for a one-sided surface.
  explicit MeshParts(const TriangleMesh &mesh);

  struct Candidates {
    const int *triangle;
    int count;
    Vector place;
    double reach;
  };
  // Sets `sides` of each candidate to 1 if the candidate's normal points to the side of the point, otherwise to -1.
  // Returns the distance from the point to the nearest surface.
  double find_free_sides(const Candidates &candidates, const Vector &point, signed char *sides) const;
  void set_candidates(const Candidates &candidates, const signed char *free_sides)
  {
    among = candidates;
    sides = free_sides;
  }
  // The distance is negative if the point does not lie on the free side of the nearest triangle. Returns false if no
  // triangle is near; in that case `distance` is only a lower bound.
  bool nearest(const Vector &point, double &distance, Vector &gradient, int &part) const;

 private:
  const TriangleMesh &mesh;
  // [0]: seen from the side to which the normals times `winding` point; [1]: seen from the opposite side
  std::vector<int> part_of[2];
  std::vector<int> surface_of;         // number of the surface; triangles connected by edges form one surface
  std::vector<signed char> winding;    // factor 1 or -1 that makes all normals of a surface point to one side
  Candidates among{};
  const signed char *sides = nullptr;

  struct Neighbour {    // alike: 1 if the orientations of the two triangles are consistent, otherwise -1
    int triangle;
    signed char alike;
  };
  void find_surfaces(const std::vector<std::vector<Neighbour>> &neighbours);
  void find_parts(const std::vector<std::vector<Neighbour>> &neighbours, double side, std::vector<int> &parts) const;
  std::vector<std::vector<Neighbour>> neighbours() const;
};

}    // namespace granular_plus

#endif
