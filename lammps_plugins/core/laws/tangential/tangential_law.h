// What every tangential law offers: damping and, if it has history, stiffness of the tangential spring. What happens at the
// Coulomb limit is the slider's (friction/).

#ifndef GRANULAR_PLUS_TANGENTIAL_LAW_H
#define GRANULAR_PLUS_TANGENTIAL_LAW_H

#include "../friction/slider.h"
#include "../normal/normal_law.h"

GRANULAR_PLUS_LAWS_BEGIN

constexpr Parameter TANGENTIAL_DAMPING = {"xgamma", "-", "tangential damping over normal damping", NON_NEGATIVE};
constexpr Parameter FRICTION = {"mu", "-", "friction coefficient", NON_NEGATIVE};

struct TangentialLaw {
  static constexpr int history = 3;                   // values per contact
  static constexpr int history_vectors = 1;           // leading values in threes that change sign with the pair's order
  static constexpr bool carries_force = false;        // history holds the spring's force instead of its displacement
  static constexpr bool grows_with_radius = false;    // the stiffness, in proportion to the contact radius
  static constexpr bool rescales = false;             // history[3] is the contact radius; unloading shrinks the spring
  static constexpr bool keeps_length = true;    // of the spring, when it turns with the contact; else it is projected

  // Moves its springs and slides by itself, so that the slider has no part in it: the law adds advance, elastic_force and
  // elastic_energy (mindlin_deresiewicz.h), for which history_vectors leading triples have been turned with the contact.
  static constexpr bool complete = false;
  static constexpr bool needs_material = false;
  static constexpr const char *in_lammps = nullptr;    // the model that pair granular of 22 July 2025 makes of it

  struct Constants {
    double stiffness, damping_ratio, friction;
  };
};

GRANULAR_PLUS_LAWS_END

#endif
