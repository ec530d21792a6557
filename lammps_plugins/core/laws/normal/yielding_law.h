// Base of normal laws whose contacts deform permanently.

#ifndef GRANULAR_PLUS_NORMAL_YIELDING_LAW_H
#define GRANULAR_PLUS_NORMAL_YIELDING_LAW_H

#include "normal_law.h"

GRANULAR_PLUS_LAWS_BEGIN
namespace normal {

constexpr Parameter LOADING_STIFFNESS = {"k1", "force/distance", "stiffness of first loading", POSITIVE};
constexpr Parameter UNLOADING_STIFFNESS =
    not_below("k1", {"k2", "force/distance", "largest stiffness of unloading", POSITIVE});
constexpr Parameter OPTIONAL_DAMPING =
    optional("eta", {"eta", "see damping", "damping coefficient", NON_NEGATIVE, false, Quantity::damping});

struct YieldingLaw : NormalLaw {
  static constexpr bool yields = true;

  enum { LARGEST_OVERLAP, PLASTIC_OVERLAP, KEPT };
  static constexpr int history = KEPT;

  template <class Constants> LANE double secant(const Constants &, const NormalContact &) { return 0.0; }
};

}    // namespace normal
GRANULAR_PLUS_LAWS_END

#endif
