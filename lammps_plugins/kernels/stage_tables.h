// Stages of all combinations of laws, filled from the registry.

#ifndef GRANULAR_PLUS_STAGE_TABLES_H
#define GRANULAR_PLUS_STAGE_TABLES_H

#include "kernels.h"
#include "../laws/registry.h"
#include "../laws/stages/attraction.h"
#include "../laws/stages/bond.h"
#include "../laws/stages/bridge.h"
#include "../laws/stages/ending.h"
#include "../laws/stages/heat.h"
#include "../laws/stages/normal.h"
#include "../laws/stages/rolling.h"
#include "../laws/stages/surface.h"
#include "../laws/stages/synchronized.h"
#include "../laws/stages/tangential.h"
#include "../laws/stages/twisting.h"

#include <type_traits>

GRANULAR_PLUS_LAWS_BEGIN

namespace {

template <class Normal> double breaking_gap_for(const ModelConstants &model, double radius_i, double radius_j)
{
  return Normal::breaking_gap(constants_of<Normal>(model.normal), radius_i * radius_j / (radius_i + radius_j));
}

double attraction_gap(const ModelConstants &model, double, double)
{
  return constants_of<attraction::VanDerWaals>(model.attraction).cutoff;
}

double derjaguin_radius(double radius_i, double radius_j) { return 2.0 / (1.0 / radius_i + 1.0 / radius_j); }

template <class Law> double rupture_gap(const ModelConstants &model, double radius_i, double radius_j, double volume,
                                        double away)
{
  const auto constants = constants_of<Law>(model.bridge);
  return Law::rupture_distance(constants, std::cbrt(volume), derjaguin_radius(radius_i, radius_j)) *
      Law::lengthening(constants, away);
}

template <class Law> double breaking_gap_of_volume(const ModelConstants &model, double radius_i, double radius_j,
                                                   double volume)
{
  return rupture_gap<Law>(model, radius_i, radius_j, volume, UNBOUNDED);
}

template <class Law> double bridge_breaking_gap_for(const ModelConstants &model, double radius_i, double radius_j)
{
  const auto constants = constants_of<Law>(model.bridge);
  if constexpr (Law::from_films)
    return breaking_gap_of_volume<Law>(model, radius_i, radius_j, Law::largest_volume(constants, radius_i, radius_j));
  else
    return Law::rupture_distance(constants, derjaguin_radius(radius_i, radius_j));
}

template <class Law> constexpr FilmLaw film_law{
    [](const ModelConstants &model) { return constants_of<Law>(model.bridge).share; },
    [](const ModelConstants &model, double radius_i, double radius_j) {
      return Law::largest_volume(constants_of<Law>(model.bridge), radius_i, radius_j);
    },
    [](const ModelConstants &model, double radius_i, double radius_j) {
      return Law::least_volume(constants_of<Law>(model.bridge), derjaguin_radius(radius_i, radius_j));
    },
    breaking_gap_of_volume<Law>,
    [](const ModelConstants &model) { return constants_of<Law>(model.bridge).quickening > 0.0; },
    rupture_gap<Law>,
    Law::remember,
    [](double radius_i, double radius_j, double volume, double gap) {
      return Law::surface(volume, derjaguin_radius(radius_i, radius_j), gap);
    }};

struct Tables {    // the last index says whether the stage observes; null where there is none
  Stage normal[NormalLaws::count][DampingLaws::count][2] = {};
  Stage into_depth[NormalLaws::count][2];
  Stage out_of_depth[2] = {out_of_depth_stage<false>, out_of_depth_stage<true>};
  Stage tangential[TangentialLaws::count][Sliders::count][2][2];    // the last but one says whether it is synchronized
  Stage rolling[RollingLaws::count][Sliders::count][2][2] = {};
  Stage twisting[TwistingLaws::count][Sliders::count][2] = {};
  Stage ending[NormalLaws::count];
  Stage rupture[CapillaryLaws::count] = {};
  Stage gap[2] = {gap_stage<false>, gap_stage<true>};
  Stage bridge[CapillaryLaws::count][2][2] = {};    // the first of the two says whether surfaces may be apart
  Stage viscous[CapillaryLaws::count][2] = {};
  const FilmLaw *film[CapillaryLaws::count] = {};
  Stage attraction[2][2] = {{attraction_stage<false, false>, attraction_stage<false, true>},
                            {attraction_stage<true, false>, attraction_stage<true, true>}};    // at walls
  Stage heat[HeatLaws::count][2][2];
  Stage bond[BondLaws::count][2] = {};
  BreakingGap breaking_gap[NormalLaws::count];
  BreakingGap bridge_breaking_gap[CapillaryLaws::count] = {};

  Tables()
  {
    for_each_law(NormalLaws{}, [this](int n, auto normal_type) {
      using Normal = typename decltype(normal_type)::type;
      ending[n] = ending_stage<Normal>;
      into_depth[n][0] = into_depth_stage<Normal, false>;
      into_depth[n][1] = into_depth_stage<Normal, true>;
      breaking_gap[n] = Normal::acts_across_gap ? breaking_gap_for<Normal> : nullptr;
      for_each_law(DampingLaws{}, [this, n](int d, auto type) {
        using Damping = std::conditional_t<Normal::per_collision, damping::OfContact, typename decltype(type)::type>;
        if constexpr (!(Damping::by_restitution && (Normal::cohesive || Normal::yields))) {    // others are refused
          normal[n][d][0] = normal_stage<Normal, Damping, false>;
          normal[n][d][1] = normal_stage<Normal, Damping, true>;
        }
      });
    });
    for_each_law(CapillaryLaws{}, [this](int c, auto type) {
      using Law = typename decltype(type)::type;
      if constexpr (Law::pulls) {
        bridge[c][0][0] = bridge_stage<Law, false, false>;
        bridge[c][0][1] = bridge_stage<Law, false, true>;
        bridge[c][1][0] = bridge_stage<Law, true, false>;
        bridge[c][1][1] = bridge_stage<Law, true, true>;
        rupture[c] = rupture_stage<Law>;
        bridge_breaking_gap[c] = bridge_breaking_gap_for<Law>;
      }
      if constexpr (Law::from_films) {
        viscous[c][0] = viscous_stage<Law, false>;
        viscous[c][1] = viscous_stage<Law, true>;
        film[c] = &film_law<Law>;
      }
    });
    for_each_law(HeatLaws{}, [this](int h, auto type) {
      using Law = typename decltype(type)::type;
      heat[h][0][0] = heat_stage<Law, false, false>;
      heat[h][0][1] = heat_stage<Law, false, true>;
      heat[h][1][0] = heat_stage<Law, true, false>;
      heat[h][1][1] = heat_stage<Law, true, true>;
    });
    for_each_law(BondLaws{}, [this](int b, auto type) {
      using Law = typename decltype(type)::type;
      if constexpr (Law::joins) {
        bond[b][0] = bond_stage<Law, false>;
        bond[b][1] = bond_stage<Law, true>;
      }
    });
    for_each_law(Sliders{}, [this](int s, auto slider_type) {
      using Slider = typename decltype(slider_type)::type;
      for_each_law(TangentialLaws{}, [this, s](int t, auto type) {
        using Law = typename decltype(type)::type;
        // the others have no spring to turn, or do so by themselves
        constexpr bool SYNCHRONIZES = Law::history > 0 && !Law::complete && Law::keeps_length;
        tangential[t][s][0][0] = tangential_stage<Law, Slider, false>;
        tangential[t][s][0][1] = tangential_stage<Law, Slider, true>;
        tangential[t][s][1][0] = tangential_stage<Law, Slider, false, SYNCHRONIZES>;
        tangential[t][s][1][1] = tangential_stage<Law, Slider, true, SYNCHRONIZES>;
      });
      for_each_law(RollingLaws{}, [this, s](int r, auto type) {
        using Law = typename decltype(type)::type;
        if constexpr (Law::history > 0) {
          rolling[r][s][0][0] = rolling_stage<Law, Slider, false>;
          rolling[r][s][0][1] = rolling_stage<Law, Slider, true>;
          rolling[r][s][1][0] = rolling_stage<Law, Slider, false, true>;
          rolling[r][s][1][1] = rolling_stage<Law, Slider, true, true>;
        }
      });
      for_each_law(TwistingLaws{}, [this, s](int t, auto type) {
        using Law = typename decltype(type)::type;
        if constexpr (Law::history > 0) {
          twisting[t][s][0] = twisting_stage<Law, Slider, false>;
          twisting[t][s][1] = twisting_stage<Law, Slider, true>;
        }
      });
    });
  }
};

const Tables &tables()
{
  static const Tables instance;
  return instance;
}

}    // namespace

GRANULAR_PLUS_LAWS_END

#endif
