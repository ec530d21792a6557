// Finds the type of a law that was chosen at run time, and converts the parameter values of the law to the Arguments of
// this type.

#ifndef GRANULAR_PLUS_CHOSEN_LAW_H
#define GRANULAR_PLUS_CHOSEN_LAW_H

#include "parse.h"

#include "../laws/registry.h"

namespace granular_plus {

template <class... Law, class Function> void with_law(Laws<Law...> laws, int chosen, Function f)
{
  for_each_law(laws, [&](int index, auto type) {
    if (index == chosen) f(type);
  });
}

template <class... Law, class Function>
void with_arguments(Laws<Law...> laws, const Choices &choices, Role role, Function f)
{
  const Choices::Choice &choice = choices.choice[role];
  with_law(laws, choice.law,
           [&](auto type) { f(type, arguments_of<typename decltype(type)::type>(choice.parameters.data())); });
}

// The functions below return 0 if the model has no such law.

inline HeatLaw::Shared heat_arguments(const Choices &choices)
{
  HeatLaw::Shared shared{};
  with_arguments(HeatLaws{}, choices, HEAT, [&](auto, const auto &given) { shared = given.shared; });
  return shared;
}

inline capillary::FilmArguments film_arguments(const Choices &choices)
{
  capillary::FilmArguments arguments{};
  with_arguments(CapillaryLaws{}, choices, BRIDGE, [&](auto type, const auto &given) {
    if constexpr (decltype(type)::type::from_films) arguments = given;
  });
  return arguments;
}

inline double volume_of_bridges(const Choices &choices)    // 0 if bridges have different volumes
{
  double volume = 0.0;
  with_arguments(CapillaryLaws{}, choices, BRIDGE, [&](auto type, const auto &given) {
    using Law = typename decltype(type)::type;
    if constexpr (Law::pulls && !Law::from_films) volume = given.volume;
  });
  return volume;
}

inline double tangential_friction(const Choices &choices)
{
  double friction = 0.0;
  with_arguments(TangentialLaws{}, choices, TANGENTIAL, [&](auto, const auto &given) { friction = given.friction; });
  return friction;
}

}    // namespace granular_plus

#endif
