// Contacts of a sphere with a mesh: one for each smooth patch of triangles near it. Independent of LAMMPS.

#ifndef GRANULAR_PLUS_PATCHES_H
#define GRANULAR_PLUS_PATCHES_H

#include "patch_search.h"
#include "triangle_mesh.h"

#include <vector>

namespace granular_plus {

struct Patch : PatchDepth {
  bool opposed;    // it pushes from opposite sides, which all but cancel
  bool hidden;     // its nearest point lies behind another patch
  int first_share, end_share;
};

// triangles that a sphere may meet
struct NearTriangles {
  const int *triangles;
  int count;
  bool in_one_plane;
  int likely = 0;    // which of them to look at first, where they lie in one plane
};

class PatchFinder {
 public:
  struct Share {
    int triangle;
    double weight;    // those of a contact sum to 1
  };

  // Adds the patches that are within the cutoff of the centre. Candidates are the triangles within the larger of the
  // cutoff and PATCH_REACH radii, and any others. Of a sphere that had none or one of them before, `known`, those that do
  // not touch may be left out while there is one that does.
  void find(const TriangleMesh &mesh, const NearTriangles &candidates, const Vector &centre, double radius,
            double cutoff, int known, std::vector<Patch> &patches);

  // which triangle bears which part of the patches found since this was cleared
  std::vector<Share> shares;

 private:
  struct Near {
    int triangle, patch;
    Footprint footprint;
  };
  struct Parts;    // near, as patch_search sees it
  bool find_on_one_plane(const TriangleMesh &mesh, const NearTriangles &candidates, const Vector &centre, double radius,
                         std::vector<Patch> &patches);
  int number_patches(const TriangleMesh &mesh, double reach);
  bool pushes_against(const TriangleMesh &mesh, int patch, const Vector &normal) const;
  bool is_hidden(const TriangleMesh &mesh, int patch, const Vector &way) const;

  std::vector<Near> near;
  std::vector<int> mark, waiting;    // mark: of each triangle, where it is in near, if it is
};

}    // namespace granular_plus

#endif
