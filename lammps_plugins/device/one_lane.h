// Laws and stages as types, for batches of one lane.

#ifndef GRANULAR_PLUS_ONE_LANE_H
#define GRANULAR_PLUS_ONE_LANE_H

#include "../core/laws/registry.h"
#include "../core/laws/stages/attraction.h"
#include "../core/laws/stages/bridge.h"
#include "../core/laws/stages/ending.h"
#include "../core/laws/stages/gaps.h"
#include "../core/laws/stages/heat.h"
#include "../core/laws/stages/normal.h"
#include "../core/laws/stages/rolling.h"
#include "../core/laws/stages/surface.h"
#include "../core/laws/stages/synchronized.h"
#include "../core/laws/stages/tangential.h"
#include "../core/laws/stages/twisting.h"

#include <type_traits>

namespace granular_plus {

enum class Path { TOUCHING, PATCHES, SYNCHRONIZED, SEPARATED, ENDING };

}    // namespace granular_plus

GRANULAR_PLUS_LAWS_BEGIN

template <class NormalLaw, class DampingLaw = damping::Viscoelastic, class TangentialLaw = tangential::Mindlin,
          class SliderLaw = friction::Csds, class RollingLaw = friction::None, class TwistingLaw = friction::None,
          class BridgeLaw = capillary::None, class HeatLaw = heat::None>
struct Laws8 {
  using Normal = NormalLaw;
  using Damping = std::conditional_t<Normal::per_collision, damping::OfContact, DampingLaw>;
  using NamedDamping = DampingLaw;
  using Tangential = TangentialLaw;
  using Slider = SliderLaw;
  using Rolling = RollingLaw;
  using Twisting = TwistingLaw;
  using Bridge = BridgeLaw;
  using Heat = HeatLaw;
  static constexpr bool attracts = false;
  // warms: dissipation in contacts generates heat
  static constexpr bool passes_heat = !std::is_same_v<Heat, heat::None>, warms = false;
};

template <class L> struct Attracted : L {
  static constexpr bool attracts = true;
};

// The heat law may be None if contacts only generate heat, or if only liquid bridges conduct heat.
template <class L, bool WARMS> struct Heated : L {
  static constexpr bool passes_heat = true, warms = WARMS;
};

// ENDED: the surfaces do not touch.
template <class L, bool OBSERVES, bool ENDED> STAGE void pass_heat(Batch &b, const ModelConstants &model)
{
  if constexpr (L::passes_heat) {
    heat_stage<typename L::Heat, OBSERVES && L::warms, ENDED>(b, model);
    if constexpr (L::Bridge::pulls)
      if (model.gap_heat.liquid != 0.0) liquid_heat_stage(b, model);
  }
}

template <class L> constexpr bool reaches_across = L::attracts || L::Bridge::pulls || L::Normal::acts_across_gap;
template <class L> STAGE double acting_gap(const ModelConstants &model, double radius_i, double radius_j)
{
  if constexpr (L::attracts)
    return attraction_gap(model, radius_i, radius_j);
  else if constexpr (L::Bridge::pulls)
    return bridge_breaking_gap_for<typename L::Bridge>(model, radius_i, radius_j);
  else if constexpr (L::Normal::acts_across_gap)
    return breaking_gap_for<typename L::Normal>(model, radius_i, radius_j);
  else
    return 0.0;
}

template <class L, Path PATH, bool OBSERVES, bool AT_WALL = false>
STAGE void pass_stages(Batch &b, const ModelConstants &model)
{
  if constexpr (PATH == Path::SEPARATED) {
    gap_stage<OBSERVES>(b, model);
    if constexpr (L::attracts) {
      attraction_stage<AT_WALL, OBSERVES>(b, model);
    } else {
      if constexpr (OBSERVES) ending_stage<typename L::Normal>(b, model);
      bridge_stage<typename L::Bridge, true, OBSERVES>(b, model);
      if constexpr (L::Bridge::from_films) viscous_stage<OBSERVES>(b, model);
    }
    pass_heat<L, OBSERVES, true>(b, model);
  } else if constexpr (PATH == Path::ENDING) {
    gap_stage<true>(b, model);
    ending_stage<typename L::Normal>(b, model);
    if constexpr (L::Bridge::pulls) rupture_stage<typename L::Bridge>(b, model);
    if constexpr (L::passes_heat) heat_stage<typename L::Heat, L::warms, true>(b, model);
  } else {
    constexpr bool SYNCHRONIZED = PATH == Path::SYNCHRONIZED;
    if constexpr (SYNCHRONIZED) half_step_back(b, model);
    if constexpr (PATH == Path::PATCHES) into_depth_stage<typename L::Normal, OBSERVES>(b, model);
    normal_stage<typename L::Normal, typename L::Damping, OBSERVES>(b, model);
    if constexpr (PATH == Path::PATCHES) out_of_depth_stage<OBSERVES>(b, model);
    tangential_stage<typename L::Tangential, typename L::Slider, OBSERVES, SYNCHRONIZED>(b, model);
    if constexpr (L::Rolling::history > 0)
      rolling_stage<typename L::Rolling, typename L::Slider, OBSERVES, SYNCHRONIZED>(b, model);
    if constexpr (L::Twisting::history > 0)
      twisting_stage<typename L::Twisting, typename L::Slider, OBSERVES>(b, model);
    if constexpr (L::Bridge::pulls) bridge_stage<typename L::Bridge, false, OBSERVES>(b, model);
    if constexpr (L::Bridge::from_films) viscous_stage<OBSERVES>(b, model);
    if constexpr (L::attracts) attraction_stage<AT_WALL, OBSERVES>(b, model);
    pass_heat<L, OBSERVES, false>(b, model);
    if constexpr (SYNCHRONIZED) end_of_step(b, model);
  }
}

GRANULAR_PLUS_LAWS_END

#endif
