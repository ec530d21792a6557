// Load on the triangles of a mesh, sliding of grains over them and the resulting wear, as VTK files. Owned by the mesh
// wall.

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
  // wear is the volume worn off per force and sliding distance (Archard)
  MeshOutput(const TriangleMesh &mesh, double wear);

  // Adds the normal and tangential force of a contact in a step, and the distance that the surfaces slide. The
  // triangles of the contact share them by weight.
  void add(const PatchFinder::Share *begin, const PatchFinder::Share *end, double normal_force, double shear_force,
           double way, double timestep);
  void end_step(double timestep) { elapsed += timestep; }

  // State for a restart: totals returns the sums of all ranks, on the first rank. restore returns false if the
  // state belongs to another mesh.
  std::vector<double> totals(MPI_Comm world) const;
  bool restore(const double *totals, int size, bool first_rank);

  // Called on all ranks. Writes a VTK file in which tractions are means over the steps since the last file. Returns
  // whether the file could be written.
  bool write(const std::string &name, MPI_Comm world, const std::function<Vector(const Vector &)> &place);

 private:
  const TriangleMesh &mesh;
  int count;
  double wear, elapsed = 0.0;
  // for each triangle of the STL file: impulses since the last VTK file, and the other quantities over all steps
  enum { NORMAL, SHEAR, SLIDING, WORN, QUANTITIES };
  std::vector<double> values[QUANTITIES];
  std::vector<double> areas;
};

}    // namespace granular_plus

#endif
