// The triangles of a mesh near each particle, in the frame of the mesh. Owned by the mesh wall.

#ifndef LMP_GRANULAR_PLUS_TRIANGLE_LISTS_H
#define LMP_GRANULAR_PLUS_TRIANGLE_LISTS_H

#include "../core/geometry/meshes/triangle_mesh.h"

#include <vector>

namespace LAMMPS_NS {

class TriangleLists {
 public:
  struct List {
    granular_plus::Vector place{0.0, 0.0, 0.0};
    double reach = -1.0;
    int begin = 0, end = 0;
    bool flat = false;    // true if all triangles lie in one plane
    int likely = 0;       // index of the triangle that was touched last
    bool empty() const { return begin == end; }
  };

  void set_mesh(const granular_plus::TriangleMesh &new_mesh) { mesh = &new_mesh; }
  void forget(int particles)
  {
    lists.assign(particles, List{});
    all.clear();
  }
  int size() const { return static_cast<int>(lists.size()); }

  // Returns whether the list was rebuilt. `place` is in the frame of the body. If triangles are near, the margin of a
  // list is small, because each listed triangle takes time. If no triangle is near, the margin is at least `spare`.
  bool update(int particle, const granular_plus::Vector &place, double reach, double radius, double spare)
  {
    List &list = lists[particle];
    const granular_plus::Vector moved = place - list.place;
    const double left = list.reach - reach;
    const bool is_new = !(left >= 0.0 && dot(moved, moved) <= left * left);
    if (is_new) make(list, place, reach, radius, spare);
    return is_new;
  }

  List &of(int particle) { return lists[particle]; }
  const int *triangles(int particle) const { return all.data() + lists[particle].begin; }
  const std::vector<int> &candidates() const { return all; }
  std::size_t bytes() const { return lists.capacity() * sizeof(List) + all.capacity() * sizeof(int); }

 private:
  const granular_plus::TriangleMesh *mesh = nullptr;
  std::vector<List> lists;
  std::vector<int> all;

  void make(List &list, const granular_plus::Vector &centre, double reach, double radius, double spare);
};

}    // namespace LAMMPS_NS

#endif
