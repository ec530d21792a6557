// Energy of particles themselves, beside that of their contacts.

#ifndef LMP_GRANULAR_PLUS_PARTICLE_ENERGY_H
#define LMP_GRANULAR_PLUS_PARTICLE_ENERGY_H

namespace LAMMPS_NS {

class LAMMPS;

struct ParticleEnergy {
  double translation = 0.0, rotation = 0.0;    // kinetic
  double potential = 0.0;                      // of all fix gravity
  double sum() const { return translation + rotation + potential; }
};

// of this processor's particles, with the velocities that gravity alone would give them some time ahead
ParticleEnergy particle_energy(const LAMMPS *lmp, double ahead = 0.0);

}    // namespace LAMMPS_NS

#endif
