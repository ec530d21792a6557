#ifndef GRANULAR_PLUS_FRICTION_TRUNCATE_H
#define GRANULAR_PLUS_FRICTION_TRUNCATE_H

#include "slider.h"

GRANULAR_PLUS_LAWS_BEGIN
namespace friction {

// Limits the force of the spring to the Coulomb limit. While the contact slips, the dashpot exerts no force. While the
// contact sticks, the sum of spring and dashpot force may exceed the limit.
struct Truncate : Slider {
  static constexpr const char *name = "truncate";
  static constexpr const char *source = "[silbert2001]";

  template <class V>
  LANE V step(V &q, const SpringDashpot &s, const V &velocity, double coulomb_limit, double timestep, double &sliding)
  {
    const V stretched = q + (timestep * s.state_rate) * velocity;
    const double magnitude = std::fabs(s.force_per_state) * length(stretched);
    const bool slips = magnitude > coulomb_limit;
    const V capped = (slips ? coulomb_limit / magnitude : 1.0) * stretched;
    q = select(timestep > 0.0, capped, stretched);
    sliding = slips ? 1.0 : 0.0;
    return -s.force_per_state * capped - (slips ? 0.0 : s.damping) * velocity;
  }
};

}    // namespace friction
GRANULAR_PLUS_LAWS_END

#endif
