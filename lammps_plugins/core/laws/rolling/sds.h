#ifndef GRANULAR_PLUS_ROLLING_SDS_H
#define GRANULAR_PLUS_ROLLING_SDS_H

#include "../friction/slider.h"
#include "../parameters.h"

GRANULAR_PLUS_LAWS_BEGIN
namespace rolling {

// A spring-dashpot-slider acts on the rolling displacement. Its force is at most mu F_n. The torque is this force times
// the effective radius.
struct Sds {
  static constexpr const char *name = "sds";
  static constexpr const char *source = "[luding2008]; rolling velocity: [wang2015]";
  static constexpr int history = 3;
  // the displacement does not change when the pair is swapped
  static constexpr int history_vectors = 0;
  static constexpr Parameter parameters[] = {{"k", "force/distance", "rolling stiffness", NON_NEGATIVE},
                                             {"gamma", "force time/distance", "rolling damping", NON_NEGATIVE},
                                             {"mu", "-", "rolling friction coefficient", NON_NEGATIVE}};

  struct Constants {
    double stiffness, damping, friction;
  };
  using Arguments = Constants;
  static Constants prepare(const Arguments &given) { return given; }
};

}    // namespace rolling
GRANULAR_PLUS_LAWS_END

#endif
