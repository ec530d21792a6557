#include "file_for_all.h"

#include "../core/geometry/meshes/stl.h"

#include "comm.h"

#include <algorithm>
#include <new>

namespace LAMMPS_NS {

std::string file_for_all(LAMMPS *lmp, const std::string &path)
{
  std::string bytes, problem;
  if (lmp->comm->me == 0) {
    try {
      bytes = granular_plus::bytes_of_file(path);
    } catch (const granular_plus::MeshError &e) {
      problem = e.what();
    } catch (const std::bad_alloc &) {
      problem = "not enough memory for the file";
    }
  }
  bigint sizes[2] = {static_cast<bigint>(bytes.size()), static_cast<bigint>(problem.size())};
  MPI_Bcast(sizes, 2, MPI_LMP_BIGINT, 0, lmp->world);
  problem.resize(sizes[1]);
  MPI_Bcast(problem.data(), static_cast<int>(sizes[1]), MPI_CHAR, 0, lmp->world);
  if (!problem.empty()) throw granular_plus::MeshError(problem);
  bytes.resize(sizes[0]);
  constexpr bigint AT_ONCE = 1 << 30;    // MPI's counts are of type int
  for (bigint first = 0; first < sizes[0]; first += AT_ONCE)
    MPI_Bcast(&bytes[first], static_cast<int>(std::min(AT_ONCE, sizes[0] - first)), MPI_CHAR, 0, lmp->world);
  return bytes;
}

}    // namespace LAMMPS_NS
