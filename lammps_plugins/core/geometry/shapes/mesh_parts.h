// A closed mesh as grains with a shape meet it: the distance to its nearest triangle, and to which part that belongs. Parts
// meet at edges that are hollow as seen from the grain: there it may touch both. Over smooth and over sharp edges that stand
// out the distance goes on, so that what a contact there holds follows from places alone.
//
// A closed surface may be a container or an obstacle, and drawings have normals pointing either way. So each grain has its
// own free side of a surface: the one where its innermost point is.

#ifndef GRANULAR_PLUS_MESH_PARTS_H
#define GRANULAR_PLUS_MESH_PARTS_H

#include "../meshes/triangle_mesh.h"

#include <vector>

namespace granular_plus {

class MeshParts {
 public:
  // throws MeshError for a surface that has one side only
  explicit MeshParts(const TriangleMesh &mesh);

  // all triangles within reach of a place, among which the nearest is looked for
  struct Candidates {
    const int *triangle;
    int count;
    Vector place;
    double reach;
  };
  // For each candidate 1 if its normal points to the side of its surface on which a point lies, -1 if away from it. Returns
  // how far the point is from the nearest of these surfaces.
  double find_free_sides(const Candidates &candidates, const Vector &point, signed char *sides) const;
  // what the next calls of `nearest` refer to
  void look_at(const Candidates &candidates, const signed char *free_sides)
  {
    among = candidates;
    sides = free_sides;
  }
  // Distance, negative where the nearest triangle is seen from its side that is not free, its gradient, and the nearest
  // part. False where nothing is near; the distance is then a lower bound.
  bool nearest(const Vector &point, double &distance, Vector &gradient, int &part) const;

 private:
  const TriangleMesh &mesh;
  std::vector<int> part_of[2];    // as seen from the side to which winding times the normal points, and from the other
  std::vector<int> surface_of;    // triangles that are connected over edges are one surface
  std::vector<signed char> winding;    // times the normal: points to the same side all over a surface
  Candidates among{};
  const signed char *sides = nullptr;

  struct Neighbour {    // at an edge, wound alike or against each other
    int triangle;
    signed char alike;
  };
  void find_surfaces(const std::vector<std::vector<Neighbour>> &neighbours);
  void find_parts(const std::vector<std::vector<Neighbour>> &neighbours, double side, std::vector<int> &parts) const;
  std::vector<std::vector<Neighbour>> neighbours() const;
};

}    // namespace granular_plus

#endif
