// The stages of a contact model for kernels that are compiled at run time.

#ifndef GRANULAR_PLUS_COMPILED_STAGES_H
#define GRANULAR_PLUS_COMPILED_STAGES_H

#include "one_lane.h"
#include "step_kernels.h"

GRANULAR_PLUS_LAWS_BEGIN

namespace steps {

template <class List, int NUMBER> struct LawAt;
template <class First, class... Rest> struct LawAt<Laws<First, Rest...>, 0> {
  using type = First;
};
template <class First, class... Rest, int NUMBER> struct LawAt<Laws<First, Rest...>, NUMBER> {
  using type = typename LawAt<Laws<Rest...>, NUMBER - 1>::type;
};
template <class List, int NUMBER> using Law = typename LawAt<List, NUMBER>::type;

// The first template arguments are the members of ChosenLaws. OF_NORMAL to OF_BRIDGE: index of the first value of each
// law in a contact's history. VALUES: number of values in this history. AT_WALL: 1 if the partner is a wall, 2 if it is
// a patch of a mesh, 0 otherwise. OBSERVED: number of observables that stages fill, 0 without a ledger. REMEMBERED:
// values of ModelConstants::remembered if there is a ledger. stages_on_gpu in grain_engine.h writes the name of this
// type.
template <int NORMAL, int DAMPING, int TANGENTIAL, int SLIDER, int ROLLING, int TWISTING, int BRIDGE, int HEAT,
          bool ATTRACTS, bool PASSES_HEAT, bool WARMS, bool SYNCHRONIZED, int OF_NORMAL, int OF_TANGENTIAL,
          int OF_ROLLING, int OF_TWISTING, int OF_BRIDGE, int VALUES, int AT_WALL, int OBSERVED, int... REMEMBERED>
struct CompiledStages {
  using Plain =
      Laws8<Law<NormalLaws, NORMAL>, Law<DampingLaws, DAMPING>, Law<TangentialLaws, TANGENTIAL>, Law<Sliders, SLIDER>,
            Law<RollingLaws, ROLLING>, Law<TwistingLaws, TWISTING>, Law<CapillaryLaws, BRIDGE>, Law<HeatLaws, HEAT>>;
  using WithHeat = std::conditional_t<PASSES_HEAT, Heated<Plain, WARMS>, Plain>;
  using Chosen = std::conditional_t<ATTRACTS, Attracted<WithHeat>, WithHeat>;
  static constexpr bool passes_heat = PASSES_HEAT, attracts = ATTRACTS, acts_across_gap = reaches_across<Chosen>,
                        has_separated_stages = ATTRACTS || Chosen::Bridge::pulls, films = Chosen::Bridge::from_films;
  STAGE double gap(const ModelConstants &model, double radius_i, double radius_j) const
  {
    return acting_gap<Chosen>(model, radius_i, radius_j);
  }
  STAGE int values(const Rows &) const { return VALUES; }
  STAGE bool observe() const { return OBSERVED > 0; }
  STAGE void run(Batch &batch, const ModelConstants &given) const
  {
    constexpr Path PATH = AT_WALL == 2 ? Path::PATCHES : SYNCHRONIZED ? Path::SYNCHRONIZED : Path::TOUCHING;
    pass_stages<Chosen, PATH, (OBSERVED > 0), (AT_WALL > 0)>(batch, known(given));
  }
  STAGE void run_separated(Batch &batch, const ModelConstants &given) const
  {
    if constexpr (has_separated_stages)
      pass_stages<Chosen, Path::SEPARATED, (OBSERVED > 0), (AT_WALL > 0)>(batch, known(given));
  }
  STAGE void run_ending(Batch &batch, const ModelConstants &given) const
  {
    if constexpr (OBSERVED > 0) pass_stages<Chosen, Path::ENDING, true>(batch, known(given));
  }

 private:
  STAGE ModelConstants known(ModelConstants model) const
  {
    model.normal_history = OF_NORMAL;
    model.tangential_history = OF_TANGENTIAL;
    model.rolling_history = OF_ROLLING;
    model.twisting_history = OF_TWISTING;
    model.bridge_history = OF_BRIDGE;
    model.meets_surface = AT_WALL != 0;
    if constexpr (OBSERVED > 0) {
      constexpr int FIRST[] = {REMEMBERED...};
      static_assert(sizeof FIRST == REMEMBERED_PARTS * sizeof(int),
                    "REMEMBERED must have one index for each remembered part");
      UNROLL
      for (int part = 0; part < REMEMBERED_PARTS; ++part) model.remembered[part] = FIRST[part];
      model.observables = OBSERVED;
    }
    return model;
  }
};

}    // namespace steps

GRANULAR_PLUS_LAWS_END

#endif
