// A closed mesh for contacts with shaped grains: the distance to the nearest triangle, and the part to which it
// belongs. Parts meet at edges that are concave as seen from the grain, where it may touch both. Across smooth and
// convex edges the distance is continuous, so that the stored energy of a contact depends on positions only.
//
// A closed surface may be a container or an obstacle, and the normals of a drawing may point either way. Each grain
// therefore has its own free side of a surface: the side on which its innermost point lies.

#ifndef GRANULAR_PLUS_MESH_PARTS_H
#define GRANULAR_PLUS_MESH_PARTS_H

#include "../meshes/triangle_mesh.h"

#include <vector>

namespace granular_plus {

class MeshParts {
 public:
  // throws MeshError for a surface that has one side only
  explicit MeshParts(const TriangleMesh &mesh);

  // all triangles within reach of a place; `nearest` searches them
  struct Candidates {
    const int *triangle;
    int count;
    Vector place;
    double reach;
  };
  // Sets, for each candidate, 1 if its normal points to the side of its surface on which the point lies, else -1.
  // Returns the distance from the point to the nearest of these surfaces.
  double find_free_sides(const Candidates &candidates, const Vector &point, signed char *sides) const;
  // sets the candidates for the next calls of `nearest`
  void set_candidates(const Candidates &candidates, const signed char *free_sides)
  {
    among = candidates;
    sides = free_sides;
  }
  // Distance, negative if the nearest triangle is seen from its side that is not free, with its gradient and the
  // nearest part. Returns false if nothing is near; the distance is then a lower bound.
  bool nearest(const Vector &point, double &distance, Vector &gradient, int &part) const;

 private:
  const TriangleMesh &mesh;
  std::vector<int> part_of[2];    // seen from the side to which winding times the normal points, and from the other
  std::vector<int> surface_of;    // triangles connected by edges belong to one surface
  std::vector<signed char> winding;    // factor on the normal so that normals point to the same side all over a surface
  Candidates among{};
  const signed char *sides = nullptr;

  struct Neighbour {    // at an edge, oriented alike or opposite
    int triangle;
    signed char alike;
  };
  void find_surfaces(const std::vector<std::vector<Neighbour>> &neighbours);
  void find_parts(const std::vector<std::vector<Neighbour>> &neighbours, double side, std::vector<int> &parts) const;
  std::vector<std::vector<Neighbour>> neighbours() const;
};

}    // namespace granular_plus

#endif
