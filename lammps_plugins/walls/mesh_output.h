// Writes the load, the sliding and the wear of the triangles of a mesh to VTK files. Owned by the mesh wall.

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
  // `wear` is the worn volume divided by the force and the sliding distance (Archard).
  MeshOutput(const TriangleMesh &mesh, double wear);

  void add(const PatchFinder::Share *begin, const PatchFinder::Share *end, double normal_force, double shear_force,
           double sliding_distance, double timestep);
  void end_step(double timestep) { elapsed += timestep; }

  // `totals` returns the sums over all ranks, which are valid only on the first rank. `restore` returns false if the
  // totals belong to another mesh.
  std::vector<double> totals(MPI_Comm world) const;
  bool restore(const double *totals, int size, bool first_rank);

  // Called on all ranks. Tractions are means over the steps since the last file. Returns whether the file was written.
  bool write(const std::string &name, MPI_Comm world, const std::function<Vector(const Vector &)> &place);

 private:
  const TriangleMesh &mesh;
  int count;
  double wear, elapsed = 0.0;
  // For each triangle, NORMAL and SHEAR are impulses since the last VTK file; SLIDING and WORN are sums over all steps.
  enum { NORMAL, SHEAR, SLIDING, WORN, QUANTITIES };
  std::vector<double> values[QUANTITIES];
  std::vector<double> areas;
};

}    // namespace granular_plus

#endif
