// Energy of the particles themselves, without the energy of their contacts.

#ifndef LMP_GRANULAR_PLUS_PARTICLE_ENERGY_H
#define LMP_GRANULAR_PLUS_PARTICLE_ENERGY_H

#include <array>
#include <vector>

namespace LAMMPS_NS {

class LAMMPS;

struct ParticleEnergy {
  double translation = 0.0, rotation = 0.0;    // kinetic energy
  double potential = 0.0;                      // potential energy of all fixes gravity
  double sum() const { return translation + rotation + potential; }
};

// Energy of this rank's particles. Before that, gravity alone advances their velocities by the time `ahead`.
ParticleEnergy particle_energy(const LAMMPS *lmp, double ahead = 0.0);

// Gravity whose strength or direction depends on variables: computes the energy that its changes bring in.
class ChangingGravity {
 public:
  // called in setup, when all atoms exist; LAMMPS knows the strength of gravity only from then on
  void begin_run(LAMMPS *lmp);
  // Called at the end of a step. Returns the energy gained by this rank's particles since begin_run or the last
  // step.
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
