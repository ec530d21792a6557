// What the triangles of a mesh bear, how far grains slide over them and what that wears off, as files of VTK.

#ifndef GRANULAR_PLUS_MESH_OUTPUT_H
#define GRANULAR_PLUS_MESH_OUTPUT_H

#include "../core/geometry/meshes/patches.h"

#include <mpi.h>

#include <functional>
#include <string>
#include <vector>

namespace granular_plus {

class MeshOutput {
 public:
  // wear: volume per force and length (Archard)
  MeshOutput(const TriangleMesh &mesh, double wear);

  // a contact over a step, which its triangles share: force along the normal and across it, way that the surfaces slide
  void add(const PatchFinder::Share *begin, const PatchFinder::Share *end, double normal_force, double shear_force,
           double way, double timestep);
  void end_step(double timestep) { elapsed += timestep; }

  // Of all ranks, on the first one: what goes on after a restart. restore returns whether it was of such a mesh.
  std::vector<double> totals(MPI_Comm world) const;
  bool restore(const double *totals, int size, bool first_rank);

  // Tractions are means over the steps since the last file; returns whether the file could be written. All ranks.
  bool write(const std::string &name, MPI_Comm world, const std::function<Vector(const Vector &)> &place);

 private:
  const TriangleMesh &mesh;
  int count;
  double wear, elapsed = 0.0;
  // of each triangle of the file: impulses since the last file, and the rest of all steps
  enum { NORMAL, SHEAR, SLIDING, WORN, QUANTITIES };
  std::vector<double> values[QUANTITIES];
  std::vector<double> areas;
};

}    // namespace granular_plus

#endif
