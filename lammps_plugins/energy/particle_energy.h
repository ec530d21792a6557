// Energy of the particles themselves, without that of their contacts.

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

// for this rank's particles; gravity alone advances their velocities by the time `ahead`
ParticleEnergy particle_energy(const LAMMPS *lmp, double ahead = 0.0);

// Gravity whose strength or direction depends on variables: books the energy that its changes bring in.
class ChangingGravity {
 public:
  // called in setup, when all atoms exist: only afterwards LAMMPS knows the strength of gravity
  void begin_run(LAMMPS *lmp);
  // called at the end of a step: energy gained by this rank's particles since begin_run or the last step
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
