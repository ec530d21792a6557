// Energy of the particles themselves, without the energy of their contacts.

#ifndef LMP_GRANULAR_PLUS_PARTICLE_ENERGY_H
#define LMP_GRANULAR_PLUS_PARTICLE_ENERGY_H

#include <array>
#include <vector>

namespace LAMMPS_NS {

class LAMMPS;

struct ParticleEnergy {
  double translation = 0.0, rotation = 0.0;    // kinetic energy
  double potential = 0.0;                      // energy in all fixes gravity
  double sum() const { return translation + rotation + potential; }
};

// Returns the energy of this rank's particles. Velocities are extrapolated by the time `ahead` with the acceleration of
// gravity.
ParticleEnergy particle_energy(const LAMMPS *lmp, double ahead = 0.0);

// Energy that particles gain by changes of gravity, whose strength or direction may depend on variables.
class ChangingGravity {
 public:
  // called in setup, because the acceleration of a fix gravity is not valid earlier
  void begin_run(LAMMPS *lmp);
  // Called at the end of a step. Returns the energy gained by this rank's particles since begin_run or the last step.
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
