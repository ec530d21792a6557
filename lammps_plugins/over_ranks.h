// What all processors have together; each of these functions is to be called by all of them.

#ifndef LMP_GRANULAR_PLUS_OVER_RANKS_H
#define LMP_GRANULAR_PLUS_OVER_RANKS_H

#include "lmptype.h"

#include <mpi.h>

#include <numeric>
#include <type_traits>
#include <vector>

namespace LAMMPS_NS {

template <class Number> Number reduced(MPI_Comm world, MPI_Op operation, Number here)
{
  Number all;
  const MPI_Datatype type = std::is_same_v<Number, double> ? MPI_DOUBLE
      : std::is_same_v<Number, int>                        ? MPI_INT
                                                           : MPI_LMP_BIGINT;
  MPI_Allreduce(&here, &all, 1, type, operation, world);
  return all;
}

template <class Number> Number sum_over_ranks(MPI_Comm world, Number here) { return reduced(world, MPI_SUM, here); }
template <class Number> Number most_over_ranks(MPI_Comm world, Number here) { return reduced(world, MPI_MAX, here); }
inline bool any_over_ranks(MPI_Comm world, bool here) { return reduced<int>(world, MPI_MAX, here) != 0; }

// in the order of the processors
inline std::vector<tagint> gathered_from_ranks(MPI_Comm world, const std::vector<tagint> &here)
{
  int ranks;
  MPI_Comm_size(world, &ranks);
  const int count = static_cast<int>(here.size());
  std::vector<int> counts(ranks), places(ranks, 0);
  MPI_Allgather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, world);
  std::partial_sum(counts.begin(), counts.end() - 1, places.begin() + 1);
  std::vector<tagint> all(places.back() + counts.back());
  MPI_Allgatherv(here.data(), count, MPI_LMP_TAGINT, all.data(), counts.data(), places.data(), MPI_LMP_TAGINT, world);
  return all;
}

}    // namespace LAMMPS_NS

#endif
