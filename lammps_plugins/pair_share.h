// How much of a pair is this processor's.

#ifndef LMP_GRANULAR_PLUS_PAIR_SHARE_H
#define LMP_GRANULAR_PLUS_PAIR_SHARE_H

#include "atom.h"
#include "force.h"
#include "lammps.h"

namespace LAMMPS_NS {

// of a pair whose second particle is j: with newton off one that crosses a processor's border is seen from both sides
inline double share_of_pair(const LAMMPS *lmp, int j)
{
  return lmp->force->newton_pair || j < lmp->atom->nlocal ? 1.0 : 0.5;
}

}    // namespace LAMMPS_NS

#endif
