#ifndef GRANULAR_PLUS_TWISTING_SDS_H
#define GRANULAR_PLUS_TWISTING_SDS_H

#include "../tangential/tangential_law.h"

GRANULAR_PLUS_LAWS_BEGIN
namespace twisting {

// spring-dashpot-slider for the twisting angle
struct Sds {
  static constexpr const char *name = "sds";
  static constexpr const char *source = "[luding2008]";
  static constexpr int history = 1;
  static constexpr int history_vectors = 0;    // the angle does not change when the pair is swapped
  static constexpr bool follows_tangential = false;
  static constexpr Parameter parameters[] = {{"k", "torque", "twisting stiffness", NON_NEGATIVE},
                                             {"gamma", "torque time", "twisting damping", NON_NEGATIVE},
                                             {"mu", "distance", "twisting friction coefficient", NON_NEGATIVE}};

  struct Constants {
    double stiffness, damping, friction;
  };
  using Arguments = Constants;
  static Constants prepare(const Arguments &given, const TangentialLaw::Constants &, bool) { return given; }

  LANE double stiffness(const Constants &c, double) { return c.stiffness; }
  LANE double damping(const Constants &c, double, double) { return c.damping; }
  LANE double friction(const Constants &c, double) { return c.friction; }
};

}    // namespace twisting
GRANULAR_PLUS_LAWS_END

#endif
