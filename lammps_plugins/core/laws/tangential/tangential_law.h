// Interface of tangential laws. A law defines the damping ratio and, if it has history, the stiffness of the tangential
// spring, which may depend on the contact radius but not on the stretch. The slider handles the Coulomb limit. A law
// provides name, source, parameters, Arguments, prepare(arguments, material) and, if it has history, the lane function
// stiffness(constants, contact_radius).

#ifndef GRANULAR_PLUS_TANGENTIAL_LAW_H
#define GRANULAR_PLUS_TANGENTIAL_LAW_H

#include "../friction/slider.h"
#include "../normal/normal_law.h"

GRANULAR_PLUS_LAWS_BEGIN

constexpr Parameter TANGENTIAL_DAMPING = {"xgamma", "-", "ratio of tangential to normal damping", NON_NEGATIVE};
constexpr Parameter FRICTION = {"mu", "-", "friction coefficient", NON_NEGATIVE};

struct TangentialLaw {
  static constexpr int history = 3;
  // number of leading vectors of the history that change sign when the pair is swapped
  static constexpr int history_vectors = 1;
  static constexpr bool carries_force = false;    // the history holds the spring's force instead of its displacement
  static constexpr bool grows_with_radius = false;    // the stiffness is proportional to the contact radius
  static constexpr bool rescales = false;             // unloading shortens the spring; history[3] is the contact radius
  static constexpr bool keeps_length = true;          // rotation keeps the length of the spring

  // True if the law moves its springs and limits its force without a slider. Such a law provides three further lane
  // functions, in which rows[k][lane] is history value k of the contact (Row is defined in ../contact.h). The stage has
  // already rotated the vectors of the history with the contact. The functions are
  //   Vector advance(constants, rows, lane, velocity, coulomb_normal_force, contact_radius, damping, timestep)
  //   Vector elastic_force(constants, rows, lane)
  //   double elastic_energy(constants, rows, lane)
  // advance does one step and returns the tangential force, including the force of the dashpot, whose coefficient is
  // `damping`. If the time step is 0, advance returns the present force and leaves the rows unchanged. The elastic
  // force is minus the gradient of the elastic energy. The energy must be a convex function of the stretch. Otherwise
  // the ledger reports created energy where the force decreases.
  static constexpr bool complete = false;
  static constexpr bool needs_material = false;    // the normal law must have E and nu
  // Name of the law that pair granular of LAMMPS 22 July 2025 computes in place of this law. In addition, pair granular
  // multiplies springs that slip by the contact radius. The slider `dsds` reproduces both errors. Null for laws that
  // pair granular computes without these errors.
  static constexpr const char *in_lammps = nullptr;

  // Result of prepare. `stiffness` is passed to the law's functions. `damping_ratio` is the ratio of tangential to
  // normal damping. `friction` is the friction coefficient mu. A law that needs more constants derives its Constants
  // from this struct and defines `scaled`. Constants may hold at most eight doubles.
  struct Constants {
    double stiffness, damping_ratio, friction;
  };
  // Constants with `factor` times the stiffness. Members are copied one by one, because GCC does not vectorise loops
  // that copy a whole struct.
  LANE Constants scaled(const Constants &c, double factor)
  {
    return {c.stiffness * factor, c.damping_ratio, c.friction};
  }
};

GRANULAR_PLUS_LAWS_END

#endif
