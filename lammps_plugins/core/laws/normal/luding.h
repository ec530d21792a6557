#ifndef GRANULAR_PLUS_NORMAL_LUDING_H
#define GRANULAR_PLUS_NORMAL_LUDING_H

#include "yielding_law.h"

GRANULAR_PLUS_LAWS_BEGIN
namespace normal {

// First loading follows F = k1 delta. Unloading and reloading follow F = k (delta - delta_0), where delta_0 is the
// plastic overlap. F never falls below the adhesive branch F = -kc delta. The slope k grows linearly with the
// largest overlap, from k1 up to k2 at delta* = delta_0* k2/(k2 - k1) with delta_0* = 2 R phi. Beyond delta* the
// contact is elastic. On the adhesive branch, delta_0 shrinks, and reloading follows the previous slope.
struct Luding : YieldingLaw {
  static constexpr const char *name = "luding";
  static constexpr const char *source = "[luding2008]";
  static constexpr bool cohesive = true;
  static constexpr Parameter parameters[] = {
      LOADING_STIFFNESS,
      UNLOADING_STIFFNESS,
      {"kc", "force/distance", "adhesive stiffness", NON_NEGATIVE},
      {"phi", "-", "largest plastic overlap divided by twice the effective radius", {0.0, 1.0, false, false}},
      OPTIONAL_DAMPING};

  struct Arguments {
    double loading, unloading, adhesive, plasticity_depth, damping;
  };
  struct Constants {
    double loading, growth, adhesive, plastic_limit, elastic_limit;    // k1, k2 - k1, kc, delta_0*/R, delta*/R
  };
  static Constants prepare(const Arguments &given, bool)
  {
    const double growth = given.unloading - given.loading, limit = 2.0 * given.plasticity_depth;
    return {given.loading, growth, given.adhesive, limit, growth > 0.0 ? limit * (given.unloading / growth) : 0.0};
  }
  static Material material(const Arguments &given) { return {given.damping, true, 0.0}; }

  LANE void follow(const Constants &c, NormalContact &contact, Row *kept, int lane, double, double)
  {
    const double overlap = contact.overlap, k1 = c.loading, kc = c.adhesive;
    const double limit = c.elastic_limit * contact.effective_radius;
    const double largest_before = kept[LARGEST_OVERLAP][lane], plastic_before = kept[PLASTIC_OVERLAP][lane];
    const double largest = larger(largest_before, smaller(overlap, limit));
    const double per_limit = limit > 0.0 ? 1.0 / limit : 0.0;
    const double slope = smaller(k1 + c.growth * (largest * per_limit), k1 + c.growth);
    const double slope_before = k1 + c.growth * (largest_before * per_limit);

    // A step that yields follows the previous slope first and then the branch of first loading.
    const double part = 1.0 - k1 / slope, part_before = 1.0 - k1 / slope_before;
    const double reloaded = larger(plastic_before, smaller(overlap, largest_before) * part_before);
    const double loaded = smaller(larger(plastic_before, overlap * part), c.plastic_limit * contact.effective_radius);
    const double per_part = part_before > 0.0 ? 1.0 / part_before : 0.0;
    const double loading_loss = k1 *
        (per_part * (reloaded * reloaded - plastic_before * plastic_before) + part * largest * largest -
         part_before * largest_before * largest_before);
    const double plastic = smaller(loaded, overlap * (1.0 + kc / slope));
    const double adhesive_loss = kc * (slope / (slope + kc)) * (loaded * loaded - plastic * plastic);

    contact.stiffness = slope;
    contact.plastic_overlap = plastic;
    contact.plastic_loss = 0.5 * (loading_loss + adhesive_loss);
    kept[LARGEST_OVERLAP][lane] = largest;
    kept[PLASTIC_OVERLAP][lane] = plastic;
  }

  LANE double force(const Constants &, const NormalContact &contact)
  {
    return contact.stiffness * (contact.overlap - contact.plastic_overlap);
  }
  LANE double energy(const Constants &, const NormalContact &contact)
  {
    const double stretch = contact.overlap - contact.plastic_overlap;
    return 0.5 * contact.stiffness * stretch * stretch;
  }
  LANE double adhesion(const Constants &c, const NormalContact &contact) { return c.adhesive * contact.overlap; }

  template <class Law> static double collision_time(const Constants &c, double effective_mass, double, double)
  {
    return PI * std::sqrt(effective_mass / (c.loading + c.growth));
  }
};

}    // namespace normal
GRANULAR_PLUS_LAWS_END

#endif
