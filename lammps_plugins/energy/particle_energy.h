// Energy of particles themselves, beside that of their contacts.

#ifndef LMP_GRANULAR_PLUS_PARTICLE_ENERGY_H
#define LMP_GRANULAR_PLUS_PARTICLE_ENERGY_H

#include <array>
#include <vector>

namespace LAMMPS_NS {

class LAMMPS;

struct ParticleEnergy {
  double translation = 0.0, rotation = 0.0;    // kinetic
  double potential = 0.0;                      // of all fix gravity
  double sum() const { return translation + rotation + potential; }
};

// of this rank's particles, with the velocities that gravity alone would give them some time ahead
ParticleEnergy particle_energy(const LAMMPS *lmp, double ahead = 0.0);

// Gravity whose strength or direction follow variables: what it brings in as it changes.
class ChangingGravity {
 public:
  // during setup, once all atoms are there: afterwards LAMMPS knows how strong gravity is
  void begin_run(LAMMPS *lmp);
  // at the end of a step: energy that this rank's particles have got since then, or since the last step
  double energy_brought_in(const LAMMPS *lmp);

 private:
  using Acceleration = std::array<double, 3>;
  struct Field {
    int group;
    const double *acceleration;
    Acceleration before;
  };
  std::vector<Field> fields;
};

}    // namespace LAMMPS_NS

#endif
