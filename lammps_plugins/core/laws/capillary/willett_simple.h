#ifndef GRANULAR_PLUS_CAPILLARY_WILLETT_SIMPLE_H
#define GRANULAR_PLUS_CAPILLARY_WILLETT_SIMPLE_H

#include "../elementary.h"
#include "capillary_law.h"

GRANULAR_PLUS_LAWS_BEGIN
namespace capillary {

// F = 2 pi R gamma cos(theta)/(1 + 2.1 s + 10 s^2), where s = (S/2)/sqrt(V/R)
struct WillettSimple : CapillaryLaw {
  static constexpr const char *name = "willett/simple";
  static constexpr const char *source = "[willett2000] closed-form approximation";
  static constexpr bool closed_energy = true;

  struct Constants {
    Rupture rupture;
    double tension, per_volume;    // tension: 2 pi gamma cos(theta)
  };
  static Constants prepare(const Arguments &given)
  {
    return {CapillaryLaw::rupture(given), 2.0 * PI * given.tension * std::cos(in_radians(given.contact_angle)),
            1.0 / given.volume};
  }

  struct Liquid {
    double per_volume;
  };
  LANE Liquid liquid(const Constants &c) { return {c.per_volume}; }
  LANE Liquid liquid(double volume) { return {1.0 / volume}; }

  LANE double force(const Constants &c, const Liquid &liquid, double radius, double gap)
  {
    const double s = 0.5 * gap * std::sqrt(radius * liquid.per_volume);
    return c.tension * radius / (1.0 + s * (2.1 + 10.0 * s));
  }
  LANE double force_at_touch(const Constants &c, const Liquid &, double radius) { return c.tension * radius; }

  LANE double stretch_energy(const Constants &c, const Liquid &liquid, double radius, double gap)
  {
    constexpr double ROOT = 2.98286774765493101;    // square root of the discriminant 4 * 2.5 - 1.05^2
    const double per_length = std::sqrt(radius * liquid.per_volume);
    const double x = gap * per_length;
    return c.tension * radius / per_length * (2.0 / ROOT) * arctangent(ROOT * x / (2.0 + 1.05 * x));
  }
};

}    // namespace capillary
GRANULAR_PLUS_LAWS_END

#endif
