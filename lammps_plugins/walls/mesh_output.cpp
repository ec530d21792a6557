#include "mesh_output.h"

#include "../glue/surface_file.h"

#include <algorithm>
#include <cstdint>

namespace granular_plus {

MeshOutput::MeshOutput(const TriangleMesh &mesh, double wear)
    : mesh(mesh), count(mesh.size_of_file()), wear(wear), areas(count, 0.0)
{
  for (auto &list : values) list.assign(count, 0.0);
  for (int t = 0; t < mesh.size(); ++t) areas[mesh.number(t) - 1] = mesh.area(t);
}

void MeshOutput::add(const PatchFinder::Share *begin, const PatchFinder::Share *end, double normal_force,
                     double shear_force, double sliding_distance, double timestep)
{
  for (const auto *each = begin; each != end; ++each) {
    const int t = mesh.number(each->triangle) - 1;
    values[NORMAL][t] += each->weight * normal_force * timestep;
    values[SHEAR][t] += each->weight * shear_force * timestep;
    values[SLIDING][t] += each->weight * sliding_distance;
    values[WORN][t] += wear * each->weight * std::max(0.0, normal_force) * sliding_distance / areas[t];
  }
}

std::vector<double> MeshOutput::totals(MPI_Comm world) const
{
  std::vector<double> sums(2 * static_cast<std::size_t>(count));
  for (int q = 0; q < 2; ++q)
    MPI_Reduce(values[SLIDING + q].data(), sums.data() + static_cast<std::size_t>(q) * count, count, MPI_DOUBLE,
               MPI_SUM, 0, world);
  return sums;
}

bool MeshOutput::restore(const double *totals, int size, bool first_rank)
{
  if (size != 2 * count) return false;
  for (int q = 0; q < 2; ++q)
    for (int t = 0; t < count; ++t)
      values[SLIDING + q][t] = first_rank ? totals[q * static_cast<long>(count) + t] : 0.0;
  return true;
}

bool MeshOutput::write(const std::string &name, MPI_Comm world, const std::function<Vector(const Vector &)> &place)
{
  std::vector<double> sums[QUANTITIES];
  int rank;
  MPI_Comm_rank(world, &rank);
  for (int q = 0; q < QUANTITIES; ++q) {
    if (rank == 0) sums[q].resize(count);
    MPI_Reduce(values[q].data(), sums[q].data(), count, MPI_DOUBLE, MPI_SUM, 0, world);
  }
  const double time = elapsed;
  elapsed = 0.0;
  for (const int q : {NORMAL, SHEAR}) std::fill(values[q].begin(), values[q].end(), 0.0);
  if (rank != 0) return true;

  LAMMPS_NS::SurfaceFile file("pressure");
  std::vector<float> cells[QUANTITIES];
  std::vector<std::int32_t> numbers;
  for (int t = 0; t < mesh.size(); ++t) {
    if (mesh.is_image(t)) continue;
    const int of_file = mesh.number(t) - 1;
    numbers.push_back(of_file + 1);
    int corner[3];
    for (int k = 0; k < 3; ++k) corner[k] = file.corner(place(mesh.facet(t).corner[k]));
    file.triangle(corner[0], corner[1], corner[2]);
    const double per_traction = time > 0.0 ? 1.0 / (time * areas[of_file]) : 0.0;
    for (int q = 0; q < QUANTITIES; ++q)
      cells[q].push_back(static_cast<float>(sums[q][of_file] * (q < SLIDING ? per_traction : 1.0)));
  }
  const char *names[QUANTITIES] = {"pressure", "shear_traction", "sliding_distance", "wear"};
  for (int q = 0; q < QUANTITIES; ++q) file.add_column(names[q], 1, cells[q]);
  file.add_column("triangle", 1, numbers);
  return file.write(name);
}

}    // namespace granular_plus
