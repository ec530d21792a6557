// Interface of tangential laws: the damping ratio and, with history, the stiffness of the tangential spring. The slider
// handles the Coulomb limit. A law provides name, source, parameters, prepare(arguments, material) and, if it has
// history, the lane function stiffness(constants, contact_radius).

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

  // True if the law updates its springs without a slider. Such a law provides advance, elastic_force and
  // elastic_energy. The stage rotates the vectors of the history with the contact before it calls advance.
  static constexpr bool complete = false;
  static constexpr bool needs_material = false;
  // name of the law that pair granular of LAMMPS 22 July 2025 actually computes for this law, or null
  static constexpr const char *in_lammps = nullptr;

  struct Constants {
    double stiffness, damping_ratio, friction;
  };
};

GRANULAR_PLUS_LAWS_END

#endif
