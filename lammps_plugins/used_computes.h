// Computes that a fix has used in this step, by way of a variable, and will use in the next.

#ifndef LMP_GRANULAR_PLUS_USED_COMPUTES_H
#define LMP_GRANULAR_PLUS_USED_COMPUTES_H

#include "compute.h"
#include "lammps.h"
#include "modify.h"
#include "update.h"

namespace LAMMPS_NS {

// LAMMPS's own Modify::addstep_compute asks all computes, used or not, and that of the pressure makes every step tally the virial.
inline void use_again(const LAMMPS *lmp)
{
  for (Compute *compute : lmp->modify->get_compute_list())
    if (compute->timeflag && compute->invoked_flag != Compute::INVOKED_NONE)
      compute->addstep(lmp->update->ntimestep + 1);
}

}    // namespace LAMMPS_NS

#endif
