// A closed mesh as grains with a shape meet it: the distance to its nearest triangle, and to which smooth part that belongs.

#ifndef GRANULAR_PLUS_MESH_PARTS_H
#define GRANULAR_PLUS_MESH_PARTS_H

#include "triangle_mesh.h"

#include "../shapes/contact_of_shapes.h"

#include <vector>

namespace granular_plus {

class MeshParts : public PartedSurface {
 public:
  explicit MeshParts(const TriangleMesh &mesh);
  // all triangles within reach of a place, among which the nearest is looked for
  void look_at(const int *candidates, int count, const Vector &around, double within)
  {
    list = candidates;
    size = count;
    place = around;
    reach = within;
  }
  bool nearest(const Vector &point, double &distance, Vector &gradient, int &part) const override;

 private:
  const TriangleMesh &mesh;
  std::vector<int> part_of;    // triangles that go on smoothly from one another are one part
  const int *list = nullptr;
  int size = 0;
  Vector place{0.0, 0.0, 0.0};
  double reach = 0.0;
};

}    // namespace granular_plus

#endif
