// Files that one processor reads for all, as on a cluster others may not find them or find others, and rows that it gathers
// from all.

#ifndef LMP_GRANULAR_PLUS_FILE_FOR_ALL_H
#define LMP_GRANULAR_PLUS_FILE_FOR_ALL_H

#include "pointers.h"

#include <mpi.h>

#include <numeric>
#include <string>
#include <vector>

namespace LAMMPS_NS {

// Its bytes, on all processors. What is wrong is a MeshError, on all of them too.
std::string file_for_all(LAMMPS *lmp, const std::string &path);

// the rows of all processors, on the first one; empty on others
template <class Row> std::vector<Row> gathered(MPI_Comm world, const std::vector<Row> &here)
{
  int me, processors;
  MPI_Comm_rank(world, &me);
  MPI_Comm_size(world, &processors);
  std::vector<int> counts(processors), places(processors, 0);
  const int bytes = static_cast<int>(here.size() * sizeof(Row));
  MPI_Gather(&bytes, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, world);
  std::partial_sum(counts.begin(), counts.end() - 1, places.begin() + 1);
  std::vector<Row> all(me == 0 ? (places.back() + counts.back()) / sizeof(Row) : 0);
  MPI_Gatherv(here.data(), bytes, MPI_BYTE, all.data(), counts.data(), places.data(), MPI_BYTE, 0, world);
  return all;
}

}    // namespace LAMMPS_NS

#endif
