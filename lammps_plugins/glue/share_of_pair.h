// Functions for a pair of particles: the distance, the weight of the pair on this rank, and the rank that counts the
// pair.

#ifndef LMP_GRANULAR_PLUS_SHARE_OF_PAIR_H
#define LMP_GRANULAR_PLUS_SHARE_OF_PAIR_H

#include "atom.h"
#include "force.h"
#include "lammps.h"

namespace LAMMPS_NS {

inline double squared_distance(const double *a, const double *b)
{
  const double dx = a[0] - b[0], dy = a[1] - b[1], dz = a[2] - b[2];
  return dx * dx + dy * dy + dz * dz;
}

// Returns the weight of a pair in sums over all ranks; j is the second particle. The weight is 1/2 if two ranks list
// the pair.
inline double share_of_pair(const LAMMPS *lmp, int j, bool seen_once)
{
  return seen_once || j < lmp->atom->nlocal ? 1.0 : 0.5;
}
inline double share_of_pair(const LAMMPS *lmp, int j) { return share_of_pair(lmp, j, lmp->force->newton_pair); }

// Returns whether `grain`, rather than `partner`, holds their pair. The rule is the same as in compute pair/local: the
// grain with the lower ID holds the pair if the sum of the two IDs is even, otherwise the grain with the higher ID.
inline bool holds_pair(tagint grain, tagint partner)
{
  const bool is_sum_even = ((grain ^ partner) & 1) == 0;
  return is_sum_even == (grain < partner);
}

// Returns whether this rank counts the pair, by the rule of compute pair/local.
inline bool is_listed_here(const LAMMPS *lmp, int i, int j, bool seen_once)
{
  const Atom &atom = *lmp->atom;
  if (seen_once || j < atom.nlocal) return true;
  const tagint first = atom.tag[i], second = atom.tag[j];
  if (first != second) return holds_pair(first, second);
  const double *x = atom.x[i], *y = atom.x[j];    // positions of a grain and of its own image
  for (int d = 2; d >= 0; --d)
    if (y[d] != x[d]) return y[d] > x[d];
  return true;
}
inline bool is_listed_here(const LAMMPS *lmp, int i, int j)
{
  return is_listed_here(lmp, i, j, lmp->force->newton_pair);
}

}    // namespace LAMMPS_NS

#endif
