// Field tables: a law declares its parameters once; the parser, the bounds, the restart file, the manual and Python
// read them from here.

#ifndef GRANULAR_PLUS_PARAMETERS_H
#define GRANULAR_PLUS_PARAMETERS_H

#include <limits>

namespace granular_plus {

struct Bounds {
  double low, high;
  bool low_allowed, high_allowed;    // whether the bound itself is allowed
};

constexpr double UNBOUNDED = std::numeric_limits<double>::infinity();
constexpr Bounds NON_NEGATIVE{0.0, UNBOUNDED, true, false};
constexpr Bounds POSITIVE{0.0, UNBOUNDED, false, false};
constexpr Bounds RESTITUTION{0.0, 1.0, false, true};
constexpr Bounds POISSON{-1.0, 0.5, false, true};

enum class Mixing {
  geometric,        // sqrt(a b), as in pair granular
  youngs_modulus    // 1 / ((1 - nu_i^2)/E_i + (1 - nu_j^2)/E_j), nu being the law's parameter of that name
};

struct Parameter {
  const char *symbol;    // as in the manual's syntax
  const char *unit;
  const char *meaning;
  Bounds bounds;
  bool may_be_null = false;    // NULL: derived from the material, or none
  Mixing mixing = Mixing::geometric;
  const char *label = nullptr;    // a word that stands before the value
  bool may_be_steps = false;      // a time, or "steps" and a multiple of the time step; the law's first parameter only
  bool may_be_missing = false;    // label and value: 0 then; the law's last parameter only
};

constexpr double NULL_PARAMETER = -UNBOUNDED;    // stored for NULL; no user can type it

}    // namespace granular_plus

#endif
