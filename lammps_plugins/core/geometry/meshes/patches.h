// Contacts of a sphere with a mesh: one for each smooth patch of triangles near it. Independent of LAMMPS.

#ifndef GRANULAR_PLUS_PATCHES_H
#define GRANULAR_PLUS_PATCHES_H

#include "patch_search.h"
#include "triangle_mesh.h"

#include <vector>

namespace granular_plus {

struct Patch : PatchDepth {
  bool opposed;    // the triangles of the patch push from opposite sides and nearly cancel
  bool hidden;     // the nearest point of the patch lies behind another patch
  int first_share, end_share;
};

// triangles that a sphere may touch
struct NearTriangles {
  const int *triangles;
  int count;
  bool in_one_plane;
  int likely = 0;    // index of the triangle to test first, if all lie in one plane
};

class PatchFinder {
 public:
  struct Share {
    int triangle;
    double weight;    // the weights of a contact sum to 1
  };

  // Adds the patches within the cutoff from the centre. Candidates must include all triangles within the larger of
  // the cutoff and PATCH_REACH radii. If the sphere had at most one patch before (`known`) and one patch touches
  // now, patches that do not touch may be left out.
  void find(const TriangleMesh &mesh, const NearTriangles &candidates, const Vector &centre, double radius,
            double cutoff, int known, std::vector<Patch> &patches);

  // load shares of the triangles of all patches found since this vector was last cleared
  std::vector<Share> shares;

 private:
  struct Near {
    int triangle, patch;
    Footprint footprint;
  };
  struct Parts;    // `near` in the form that patch_search reads
  bool find_on_one_plane(const TriangleMesh &mesh, const NearTriangles &candidates, const Vector &centre, double radius,
                         std::vector<Patch> &patches);
  int number_patches(const TriangleMesh &mesh, double reach);
  bool pushes_against(const TriangleMesh &mesh, int patch, const Vector &normal) const;
  bool is_hidden(const TriangleMesh &mesh, int patch, const Vector &way) const;

  std::vector<Near> near;
  std::vector<int> mark, waiting;    // mark: for each triangle, its index in `near` if it is there
};

}    // namespace granular_plus

#endif
