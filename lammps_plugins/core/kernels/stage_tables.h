// Fills the table of stages with all permitted combinations of laws in the registry.

#ifndef GRANULAR_PLUS_STAGE_TABLES_H
#define GRANULAR_PLUS_STAGE_TABLES_H

#include "kernels.h"
#include "../laws/registry.h"
#include "../laws/stages/attraction.h"
#include "../laws/stages/bond.h"
#include "../laws/stages/bridge.h"
#include "../laws/stages/ending.h"
#include "../laws/stages/gaps.h"
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

template <class StageOf> void fill(Stage (&at)[2], StageOf stage_of)
{
  at[0] = stage_of(std::false_type{});
  at[1] = stage_of(std::true_type{});
}

template <class... Law> constexpr bool fit(Laws<Law...> laws) { return laws.count <= StageTable::MOST; }
static_assert(fit(NormalLaws{}) && fit(DampingLaws{}) && fit(TangentialLaws{}) && fit(RollingLaws{}) &&
                  fit(TwistingLaws{}) && fit(Sliders{}) && fit(CapillaryLaws{}) && fit(HeatLaws{}) && fit(BondLaws{}),
              "more laws of a kind than the table has room for: raise StageTable::MOST");

void fill_in_normal(StageTable &table)
{
  for_each_law(NormalLaws{}, [&table](int n, auto normal_type) {
    using Normal = typename decltype(normal_type)::type;
    table.ending[n] = ending_stage<Normal>;
    fill(table.into_depth[n], [](auto observes) { return into_depth_stage<Normal, observes>; });
    if constexpr (Normal::acts_across_gap) table.breaking_gap[n] = breaking_gap_for<Normal>;
    for_each_law(DampingLaws{}, [&table, n](int d, auto type) {
      using Damping = std::conditional_t<Normal::per_collision, damping::OfContact, typename decltype(type)::type>;
      // ContactModel::check rejects all other combinations
      if constexpr (Damping::reads_dashpot == Normal::finds_dashpot &&
                    !(Damping::by_restitution && (Normal::cohesive || Normal::yields)))
        fill(table.normal[n][d], [](auto observes) { return normal_stage<Normal, Damping, observes>; });
    });
  });
  fill(table.out_of_depth, [](auto observes) { return out_of_depth_stage<observes>; });
}

// true if a tangential law has a spring that the slider moves
template <class Law> constexpr bool moved_by_slider = Law::history > 0 && !Law::complete;

// If the slider has no effect, all sliders share one stage, to save compilation time.
template <class Law, class Slider, bool OBSERVES>
using SliderThatCounts =
    std::conditional_t<moved_by_slider<Law> || (OBSERVES && Slider::lammps_geometry), Slider, friction::Csds>;

void fill_in_friction(StageTable &table)
{
  for_each_law(Sliders{}, [&table](int s, auto slider_type) {
    using Slider = typename decltype(slider_type)::type;
    for_each_law(TangentialLaws{}, [&table, s](int t, auto type) {
      using Law = typename decltype(type)::type;
      [[maybe_unused]] constexpr bool SYNCHRONIZES = moved_by_slider<Law> && Law::keeps_length;
      fill(table.tangential[t][s][0],
           [](auto observes) { return tangential_stage<Law, SliderThatCounts<Law, Slider, observes>, observes>; });
      fill(table.tangential[t][s][1], [](auto observes) {
        return tangential_stage<Law, SliderThatCounts<Law, Slider, observes>, observes, SYNCHRONIZES>;
      });
    });
    for_each_law(RollingLaws{}, [&table, s](int r, auto type) {
      using Law = typename decltype(type)::type;
      if constexpr (Law::history > 0) {
        fill(table.rolling[r][s][0], [](auto observes) { return rolling_stage<Law, Slider, observes>; });
        fill(table.rolling[r][s][1], [](auto observes) { return rolling_stage<Law, Slider, observes, true>; });
      }
    });
    for_each_law(TwistingLaws{}, [&table, s](int t, auto type) {
      using Law = typename decltype(type)::type;
      if constexpr (Law::history > 0)
        fill(table.twisting[t][s], [](auto observes) { return twisting_stage<Law, Slider, observes>; });
    });
  });
}

void fill_in_bridges(StageTable &table)
{
  for_each_law(CapillaryLaws{}, [&table](int c, auto type) {
    using Law = typename decltype(type)::type;
    if constexpr (Law::pulls) {
      fill(table.bridge[c][0], [](auto observes) { return bridge_stage<Law, false, observes>; });
      fill(table.bridge[c][1], [](auto observes) { return bridge_stage<Law, true, observes>; });
      table.rupture[c] = rupture_stage<Law>;
      table.bridge_breaking_gap[c] = bridge_breaking_gap_for<Law>;
    }
  });
  fill(table.viscous, [](auto observes) { return viscous_stage<observes>; });
  fill(table.gap, [](auto observes) { return gap_stage<observes>; });
}

StageTable all_stages()
{
  StageTable table{};
  fill_in_normal(table);
  fill_in_friction(table);
  fill_in_bridges(table);
  for_each_law(HeatLaws{}, [&table](int h, auto type) {
    using Law = typename decltype(type)::type;
    fill(table.heat[h][0], [](auto observes) { return heat_stage<Law, observes, false>; });
    fill(table.heat[h][1], [](auto observes) { return heat_stage<Law, observes, true>; });
  });
  table.liquid_heat = liquid_heat_stage;
  for_each_law(BondLaws{}, [&table](int b, auto type) {
    using Law = typename decltype(type)::type;
    if constexpr (Law::joins) fill(table.bond[b], [](auto observes) { return bond_stage<Law, observes>; });
  });
  fill(table.attraction[0], [](auto observes) { return attraction_stage<false, observes>; });
  fill(table.attraction[1], [](auto observes) { return attraction_stage<true, observes>; });
  table.attraction_gap = attraction_gap;
  table.half_step_back = half_step_back;
  table.end_of_step = end_of_step;
  return table;
}

const StageTable &stages()
{
  static const StageTable table = all_stages();
  return table;
}

}    // namespace

GRANULAR_PLUS_LAWS_END

#endif
