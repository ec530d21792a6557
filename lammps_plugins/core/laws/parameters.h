// Field tables: a law declares its parameters once; the parser, the bounds, the restart file, the manual and Python
// read them from here.

#ifndef GRANULAR_PLUS_PARAMETERS_H
#define GRANULAR_PLUS_PARAMETERS_H

#include <cstring>
#include <limits>
#include <type_traits>

namespace granular_plus {

struct Bounds {
  double low, high;
  bool low_allowed, high_allowed;    // whether the bound itself is allowed
};

constexpr double UNBOUNDED = std::numeric_limits<double>::infinity();
constexpr Bounds NON_NEGATIVE{0.0, UNBOUNDED, true, false};
constexpr Bounds POSITIVE{0.0, UNBOUNDED, false, false};
constexpr Bounds SEED{0.0, 9007199254740992.0, false, true};    // 2^53: up to it a double holds every integer
constexpr Bounds NON_POSITIVE{-UNBOUNDED, 0.0, false, true};
constexpr Bounds RESTITUTION{0.0, 1.0, false, true};
constexpr Bounds POISSON{-1.0, 0.5, false, true};

// what other parts of the model ask for, by whatever symbol a law gives it
enum class Quantity {
  other,
  youngs_modulus,    // mixes as 1 / ((1 - nu_i^2)/E_i + (1 - nu_j^2)/E_j), others as sqrt(a b), as in pair granular
  poisson_ratio,
  damping,         // read by the damping law, with its bounds
  exponent,        // gives others their units: only equal ones mix
  contact_angle    // its cosine mixes as (a + b)/2: of a small bridge each grain pulls with half of the surface tension
};

constexpr double NULL_PARAMETER = -UNBOUNDED;    // stored for NULL; no user can type it

struct Parameter {
  const char *symbol;    // as in the manual's syntax
  const char *unit;
  const char *meaning;
  Bounds bounds;
  bool may_be_null = false;    // NULL: derived from the material, or none
  Quantity quantity = Quantity::other;
  const char *label = nullptr;    // a word that stands before the value
  bool may_be_steps = false;      // a time, or "steps" and a multiple of the time step; the law's first parameter only
  bool may_be_missing = false;    // label and value, in any order after those that may not
  double if_missing = 0.0;
  const char *not_below = nullptr;    // symbol of a parameter of the same law that this one must not be less than
};

// label and value may be missing
constexpr Parameter optional(const char *label, Parameter parameter, double if_missing = 0.0)
{
  parameter.label = label;
  parameter.may_be_missing = true;
  parameter.if_missing = if_missing;
  return parameter;
}

constexpr Parameter not_below(const char *symbol, Parameter parameter)
{
  parameter.not_below = symbol;
  return parameter;
}

// what a user gave, by the names of the law: its Arguments are doubles in the order of its parameters
template <class Law> typename Law::Arguments arguments_of(const double *values)
{
  using Arguments = typename Law::Arguments;
  Arguments arguments{};
  if constexpr (!std::is_empty_v<Arguments>) {
    static_assert(sizeof(Arguments) / sizeof(double) == sizeof(Law::parameters) / sizeof(Parameter),
                  "one argument for each parameter");
    std::memcpy(&arguments, values, sizeof arguments);
  }
  return arguments;
}

}    // namespace granular_plus

#endif
