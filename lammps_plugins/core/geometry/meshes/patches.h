// Contacts of a sphere with a mesh: one contact for each smooth patch of triangles near the sphere.

#ifndef GRANULAR_PLUS_PATCHES_H
#define GRANULAR_PLUS_PATCHES_H

#include "patch_search.h"
#include "triangle_mesh.h"

#include <vector>

namespace granular_plus {

struct Patch : PatchDepth {
  bool opposed;    // true if the triangles of the patch push from opposite sides and their forces nearly cancel
  bool hidden;     // true if the nearest point of the patch lies behind another patch
  int first_share, end_share;
};

struct NearTriangles {
  const int *triangles;
  int count;
  bool in_one_plane;
  int likely = 0;    // index of the triangle to test first, used if in_one_plane
};

class PatchFinder {
 public:
  struct Share {
    int triangle;
    double weight;    // the weights of all triangles of a contact sum to 1
  };

  // `candidates` must include all triangles within the cutoff and within PATCH_REACH radii. `known` is the number of
  // patches in the last step. Patches that do not touch may be left out in two cases: `known` is 0 and at most one
  // patch touches now, or `known` is 1 and exactly one patch touches now.
  void find(const TriangleMesh &mesh, const NearTriangles &candidates, const Vector &centre, double radius,
            double cutoff, int known, std::vector<Patch> &patches);

  // shares of all patches found since the caller last cleared this vector
  std::vector<Share> shares;

 private:
  struct Near {
    int triangle, patch;
    Footprint footprint;
  };
  struct Parts;
  bool find_on_one_plane(const TriangleMesh &mesh, const NearTriangles &candidates, const Vector &centre, double radius,
                         std::vector<Patch> &patches);
  int number_patches(const TriangleMesh &mesh, double reach);
  bool pushes_against(const TriangleMesh &mesh, int patch, const Vector &normal) const;
  bool is_hidden(const TriangleMesh &mesh, int patch, const Vector &way) const;

  std::vector<Near> near;
  std::vector<int> mark, waiting;    // mark: index of each triangle in `near`, or -1
};

}    // namespace granular_plus

#endif
