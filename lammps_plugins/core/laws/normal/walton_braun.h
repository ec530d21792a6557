#ifndef GRANULAR_PLUS_NORMAL_WALTON_BRAUN_H
#define GRANULAR_PLUS_NORMAL_WALTON_BRAUN_H

#include "yielding_law.h"

GRANULAR_PLUS_LAWS_BEGIN
namespace normal {

// Loading follows F = k1 delta. Unloading and reloading follow F = k2 (delta - delta_0) >= 0, where
// delta_0 = delta_max (1 - k1/k2). The coefficient of restitution is sqrt(k1/k2).
struct WaltonBraun : YieldingLaw {
  static constexpr const char *name = "walton_braun";
  static constexpr const char *source = "[walton1986]";
  static constexpr Parameter parameters[] = {LOADING_STIFFNESS, UNLOADING_STIFFNESS, OPTIONAL_DAMPING};

  struct Arguments {
    double loading, unloading, damping;
  };
  struct Constants {
    double unloading, plastic_part, loss;    // k2, 1 - k1/k2, k1 (1 - k1/k2)/2
  };
  static Constants prepare(const Arguments &given, bool)
  {
    const double plastic_part = 1.0 - given.loading / given.unloading;
    return {given.unloading, plastic_part, 0.5 * given.loading * plastic_part};
  }
  static Material material(const Arguments &given) { return {given.damping, true, 0.0}; }

  LANE void follow(const Constants &c, NormalContact &contact, Row *kept, int lane, double, double)
  {
    const double before = kept[LARGEST_OVERLAP][lane], largest = larger(before, contact.overlap);
    contact.plastic_overlap = c.plastic_part * largest;
    contact.plastic_loss = c.loss * (largest * largest - before * before);
    kept[LARGEST_OVERLAP][lane] = largest;
    kept[PLASTIC_OVERLAP][lane] = contact.plastic_overlap;
  }

  LANE double force(const Constants &c, const NormalContact &contact)
  {
    return larger(0.0, c.unloading * (contact.overlap - contact.plastic_overlap));
  }
  LANE double energy(const Constants &c, const NormalContact &contact)
  {
    const double pressed = force(c, contact);
    return 0.5 * pressed * pressed / c.unloading;
  }

  template <class Law> static double collision_time(const Constants &c, double effective_mass, double, double)
  {
    return PI * std::sqrt(effective_mass / c.unloading);
  }
};

}    // namespace normal
GRANULAR_PLUS_LAWS_END

#endif
