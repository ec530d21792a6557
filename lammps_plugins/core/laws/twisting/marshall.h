#ifndef GRANULAR_PLUS_TWISTING_MARSHALL_H
#define GRANULAR_PLUS_TWISTING_MARSHALL_H

#include "../tangential/tangential_law.h"

GRANULAR_PLUS_LAWS_BEGIN
namespace twisting {

// The tangential spring, dashpot and friction, integrated over a contact area of radius a:
//   k = K a^2/2, gamma = gamma_t a^2/2, mu = 2/3 mu_t a,
// where K is the tangential stiffness. In Mindlin's models, K is k_t a.
struct Marshall {
  static constexpr const char *name = "marshall";
  static constexpr const char *source = "[marshall2009] eqs. 32, 44";
  static constexpr int history = 1;
  static constexpr int history_vectors = 0;
  static constexpr bool follows_tangential = true;

  struct Arguments {};
  // Either stiffness or stiffness_per_radius is 0.
  struct Constants {
    double stiffness, stiffness_per_radius, damping_ratio, friction;
  };
  static Constants prepare(const Arguments &, const TangentialLaw::Constants &tangential, bool grows_with_radius)
  {
    return {grows_with_radius ? 0.0 : tangential.stiffness, grows_with_radius ? tangential.stiffness : 0.0,
            tangential.damping_ratio, tangential.friction};
  }

  LANE double stiffness(const Constants &c, double radius)
  {
    return 0.5 * (c.stiffness + c.stiffness_per_radius * radius) * radius * radius;
  }
  LANE double damping(const Constants &c, double radius, double normal_damping)
  {
    return 0.5 * c.damping_ratio * normal_damping * radius * radius;
  }
  LANE double friction(const Constants &c, double radius) { return 2.0 / 3.0 * c.friction * radius; }
};

}    // namespace twisting
GRANULAR_PLUS_LAWS_END

#endif
