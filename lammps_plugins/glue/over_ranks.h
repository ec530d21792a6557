// Reductions and gathers over all ranks. Every rank must call these functions.

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

// Gathers rows in rank order. If `everywhere` is true, all ranks receive the result, otherwise only the first rank.
template <class Row>
std::vector<Row> gathered(MPI_Comm world, const std::vector<Row> &here, bool everywhere = false)
{
  int me, ranks;
  MPI_Comm_rank(world, &me);
  MPI_Comm_size(world, &ranks);
  std::vector<int> counts(ranks), places(ranks, 0);
  const int bytes = static_cast<int>(here.size() * sizeof(Row));
  MPI_Allgather(&bytes, 1, MPI_INT, counts.data(), 1, MPI_INT, world);
  std::partial_sum(counts.begin(), counts.end() - 1, places.begin() + 1);
  std::vector<Row> all(everywhere || me == 0 ? (places.back() + counts.back()) / sizeof(Row) : 0);
  if (everywhere)
    MPI_Allgatherv(here.data(), bytes, MPI_BYTE, all.data(), counts.data(), places.data(), MPI_BYTE, world);
  else
    MPI_Gatherv(here.data(), bytes, MPI_BYTE, all.data(), counts.data(), places.data(), MPI_BYTE, 0, world);
  return all;
}

}    // namespace LAMMPS_NS

#endif
