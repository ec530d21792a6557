// Interface of heat laws. A law provides name, source, parameters and the lane function conductance(constants,
// contact_radius), which returns the heat flow divided by the temperature difference. Shared lists the last parameters
// of every law.

#ifndef GRANULAR_PLUS_HEAT_LAW_H
#define GRANULAR_PLUS_HEAT_LAW_H

#include "../lane.h"
#include "../parameters.h"

GRANULAR_PLUS_LAWS_BEGIN

constexpr Parameter FRICTIONAL_HEAT = optional(
    "friction",
    {"F", "-", "fraction of the energy dissipated in a contact that heats the two grains", {0.0, 1.0, true, true}});

constexpr Parameter GAS = optional(
    "gas", {"kg", "power/(distance temperature)", "thermal conductivity of the gas between grains", NON_NEGATIVE});
constexpr Parameter SMALLEST_GAP =
    optional(nullptr, {"smin", "distance", "gap below which conduction through the gas stays constant", POSITIVE});
constexpr double USUAL_LENS = 0.2;
constexpr Parameter LENS =
    optional("lens",
             {"L",
              "-",
              "largest gap across which the gas conducts, divided by the radius of the larger grain",
              {0.0, 1.0, false, true}},
             USUAL_LENS);

constexpr Parameter EMISSIVITY =
    optional("radiation", {"e", "-", "emissivity of both surfaces", {0.0, 1.0, false, true}});
constexpr Parameter STEFAN_BOLTZMANN =
    optional(nullptr, {"sigma", "power/(area temperature^4)", "Stefan-Boltzmann constant", POSITIVE});
constexpr double USUAL_VIEW = 0.5;
constexpr Parameter VIEW =
    optional("view",
             {"V", "-", "largest gap across which grains exchange radiation, divided by the radius of the larger grain",
              POSITIVE},
             USUAL_VIEW);

constexpr Parameter LIQUID = optional(
    "liquid", {"kl", "power/(distance temperature)", "thermal conductivity of the liquid in bridges", NON_NEGATIVE});
constexpr Parameter SMALLEST_LIQUID = optional(
    nullptr, {"lmin", "distance", "thickness below which conduction through the liquid stays constant", POSITIVE});

struct HeatLaw {
  static constexpr bool conducts = true;

  struct Constants {
    double coefficient;
    double friction;    // fraction of the dissipation that heats the grains
  };
  struct Shared {
    double friction, gas, smallest_gap, lens, emissivity, stefan_boltzmann, view, liquid, smallest_liquid;
  };
  struct Arguments {
    double coefficient;
    Shared shared;
  };
  static Constants prepare(const Arguments &given) { return {given.coefficient, given.shared.friction}; }
};

GRANULAR_PLUS_LAWS_END

#endif
