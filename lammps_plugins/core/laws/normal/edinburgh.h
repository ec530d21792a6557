#ifndef GRANULAR_PLUS_NORMAL_EDINBURGH_H
#define GRANULAR_PLUS_NORMAL_EDINBURGH_H

#include "../elementary.h"
#include "yielding_law.h"

GRANULAR_PLUS_LAWS_BEGIN
namespace normal {

// First loading follows F = f0 + k1 delta^n. Unloading and reloading follow F = f0 + k2 (delta^n - delta_p^n), where
// delta_p is the plastic overlap. F never falls below the adhesive branch F = f0 - kadh delta^chi. On the adhesive
// branch, delta_p shrinks. The force f0 acts as soon as the surfaces touch.
struct Edinburgh : YieldingLaw {
  static constexpr const char *name = "edinburgh";
  static constexpr const char *source = "[morrissey2013]; [thakur2014]";
  static constexpr bool cohesive = true;
  static constexpr bool pulls_at_touch = true;
  static constexpr Parameter parameters[] = {
      {"k1", "force/distance^n", "stiffness of first loading", POSITIVE},
      not_below("k1", {"k2", "force/distance^n", "stiffness of unloading", POSITIVE}),
      {"kadh", "force/distance^chi", "adhesive stiffness", NON_NEGATIVE},
      {"f0", "force", "constant force while the surfaces overlap", NON_POSITIVE},
      {"n", "-", "exponent of loading and unloading", {1.0, 3.0, true, true}, false, Quantity::exponent},
      {"chi", "-", "exponent of adhesion", {0.5, 5.0, true, true}, false, Quantity::exponent},
      OPTIONAL_DAMPING};

  // The history also stores delta_p^n.
  enum { PLASTIC_POWER = KEPT, ALL_KEPT };
  static constexpr int history = ALL_KEPT;

  struct Arguments {
    double loading, unloading, adhesive, force_at_touch, exponent, adhesive_exponent, damping;
  };
  // in this order: k2, kadh/k2, f0, n, chi, 1 - k1/k2, (1 - k1/k2)^(1/n), and the energy lost in first loading divided
  // by delta_p^(n+1)
  struct Constants {
    double unloading, adhesive, force_at_touch, exponent, adhesive_exponent, plastic_part, plastic, loss;
  };
  static Constants prepare(const Arguments &given, bool)
  {
    const double n = given.exponent, plastic_part = 1.0 - given.loading / given.unloading;
    const double plastic = std::pow(plastic_part, 1.0 / n);
    return {given.unloading,
            given.adhesive / given.unloading,
            given.force_at_touch,
            n,
            given.adhesive_exponent,
            plastic_part,
            plastic,
            plastic > 0.0 ? given.unloading * (1.0 / plastic - 1.0) * n / (n + 1.0) : 0.0};
  }
  static Material material(const Arguments &given) { return {given.damping, given.exponent == 1.0, 0.0}; }

  LANE void follow(const Constants &c, NormalContact &contact, Row *kept, int lane, double, double)
  {
    const double overlap = contact.overlap;
    const double power_before = kept[PLASTIC_POWER][lane], overlap_before = kept[PLASTIC_OVERLAP][lane];
    const double now = power(overlap, c.exponent), limit = now + c.adhesive * power(overlap, c.adhesive_exponent);
    const double loaded = larger(power_before, now * c.plastic_part);
    const double plastic = smaller(loaded, limit);
    const double loaded_overlap = loaded > power_before ? overlap * c.plastic : overlap_before;
    // The root of a ratio is taken, so that results in other units are bitwise identical.
    const double adhesive_overlap = overlap * power(limit / (now > 0.0 ? now : 1.0), 1.0 / c.exponent);
    contact.plastic_overlap = plastic < loaded ? adhesive_overlap : loaded_overlap;

    const double loading_loss = c.loss * (loaded * loaded_overlap - power_before * overlap_before);
    const double entry = adhesive_entry(c, loaded, loaded_overlap);
    const double adhesive_loss = adhesive_height(c, entry, loaded, loaded_overlap) -
        adhesive_height(c, overlap, plastic, contact.plastic_overlap);
    contact.plastic_loss = loading_loss + (plastic < loaded ? adhesive_loss : 0.0);
    contact.power = now;
    contact.plastic_power = plastic;
    kept[LARGEST_OVERLAP][lane] = larger(kept[LARGEST_OVERLAP][lane], overlap);
    kept[PLASTIC_OVERLAP][lane] = contact.plastic_overlap;
    kept[PLASTIC_POWER][lane] = plastic;
  }

  LANE double force(const Constants &c, const NormalContact &contact)
  {
    return c.force_at_touch + c.unloading * (contact.power - contact.plastic_power);
  }
  LANE double energy(const Constants &c, const NormalContact &contact)
  {
    return c.force_at_touch * contact.overlap +
        spring_energy(c, contact.overlap, contact.power, contact.plastic_power, contact.plastic_overlap);
  }
  LANE double adhesion(const Constants &c, const NormalContact &contact)
  {
    return c.unloading * c.adhesive * power(contact.overlap, c.adhesive_exponent) - c.force_at_touch;
  }

  template <class Law>
  static double collision_time(const Constants &c, double effective_mass, double effective_radius, double speed)
  {
    const double n = c.exponent, loading = c.unloading * (1.0 - c.plastic_part);
    const double deepest = std::pow(0.5 * (n + 1.0) * effective_mass * speed * speed / loading, 1.0 / (n + 1.0));
    const double overlap = smaller(larger(deepest, 1.0e-5 * effective_radius), effective_radius);
    return PI * std::sqrt(effective_mass / (c.unloading * n * std::pow(overlap, n - 1.0)));
  }

 private:
  // k2 ((delta^(n+1) - delta_p^(n+1))/(n+1) - delta_p^n (delta - delta_p))
  LANE double spring_energy(const Constants &c, double overlap, double now, double plastic, double plastic_overlap)
  {
    return c.unloading *
        ((now * overlap - plastic * plastic_overlap) / (c.exponent + 1.0) - plastic * (overlap - plastic_overlap));
  }

  // Finds by Newton's method the value of x = ln(overlap/plastic overlap) at which unloading reaches the adhesive
  // branch.
  LANE double adhesive_entry(const Constants &c, double plastic, double plastic_overlap)
  {
    const double pull = c.adhesive * power(plastic_overlap, c.adhesive_exponent);
    const double ratio = pull / (plastic > 0.0 ? plastic : 1.0);
    constexpr double FURTHEST = -140.0;    // keeps e^(5 x) >= e^-700; 5 is the largest exponent
    double x = 0.0;
    UNROLL
    for (int k = 0; k < 6; ++k) {
      const double elastic = exponential_inside(c.exponent * x),
                   adhesive = ratio * exponential_inside(c.adhesive_exponent * x);
      const double sum = elastic + adhesive;
      x = larger(x - logarithm(sum) * sum / (c.exponent * elastic + c.adhesive_exponent * adhesive), FURTHEST);
    }
    return plastic_overlap * exponential_inside(x);
  }

  // Energy of the spring minus the work along the adhesive branch.
  LANE double adhesive_height(const Constants &c, double overlap, double plastic, double plastic_overlap)
  {
    const double pull = c.unloading * c.adhesive * power(overlap, c.adhesive_exponent);
    return spring_energy(c, overlap, power(overlap, c.exponent), plastic, plastic_overlap) +
        pull * overlap / (c.adhesive_exponent + 1.0);
  }
};

}    // namespace normal
GRANULAR_PLUS_LAWS_END

#endif
