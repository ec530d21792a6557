// Each law declares its parameters once. The parser, the checks of bounds, the restart file, the manual and Python use
// this declaration.

#ifndef GRANULAR_PLUS_PARAMETERS_H
#define GRANULAR_PLUS_PARAMETERS_H

#include <cstring>
#include <limits>
#include <type_traits>

namespace granular_plus {

struct Bounds {
  double low, high;
  bool low_allowed, high_allowed;
};

constexpr double UNBOUNDED = std::numeric_limits<double>::infinity();
constexpr Bounds NON_NEGATIVE{0.0, UNBOUNDED, true, false};
constexpr Bounds POSITIVE{0.0, UNBOUNDED, false, false};
// A double represents every integer up to 2^53.
constexpr Bounds SEED{0.0, 9007199254740992.0, false, true};
constexpr Bounds NON_POSITIVE{-UNBOUNDED, 0.0, false, true};
constexpr Bounds RESTITUTION{0.0, 1.0, false, true};
constexpr Bounds POISSON{-1.0, 0.5, false, true};

enum class Quantity {
  other,
  // Mixes as 1/((1 - nu_i^2)/E_i + (1 - nu_j^2)/E_j). Quantities without a comment on mixing mix as sqrt(a b), as in
  // pair granular.
  youngs_modulus,
  poisson_ratio,
  damping,     // read by the damping law, which also sets the bounds
  exponent,    // types mix only if their values are equal
  // The cosine of the angle mixes as (a + b)/2.
  contact_angle
};

constexpr double NULL_PARAMETER = -UNBOUNDED;    // the parser rejects this value as input

struct Parameter {
  const char *symbol;
  const char *unit;
  const char *meaning;
  Bounds bounds;
  bool may_be_null = false;
  Quantity quantity = Quantity::other;
  const char *label = nullptr;    // keyword before the value
  // The value may also be the word "steps", followed by a number of time steps. Only the first parameter of a law may
  // set this flag.
  bool may_be_steps = false;
  bool may_be_missing = false;    // label and value are optional; they follow the required parameters in any order
  double if_missing = 0.0;
  const char *not_below = nullptr;    // symbol of a parameter that is a lower bound of this parameter
};

// label: null if the parameter is the second of two numbers that follow the label of the preceding parameter
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

// `values` holds the user's numbers in the order of the law's parameters.
template <class Law> typename Law::Arguments arguments_of(const double *values)
{
  using Arguments = typename Law::Arguments;
  Arguments arguments{};
  if constexpr (!std::is_empty_v<Arguments>) {
    static_assert(sizeof(Arguments) / sizeof(double) == sizeof(Law::parameters) / sizeof(Parameter),
                  "Arguments must have one member for each parameter");
    std::memcpy(&arguments, values, sizeof arguments);
  }
  return arguments;
}

}    // namespace granular_plus

#endif
