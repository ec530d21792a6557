#ifndef GRANULAR_PLUS_NORMAL_THORNTON_NING_H
#define GRANULAR_PLUS_NORMAL_THORNTON_NING_H

#include "../gauss_legendre.h"
#include "jkr.h"
#include "yielding_law.h"

GRANULAR_PLUS_LAWS_BEGIN
namespace normal {

// A JKR contact (jkr.h) whose pressure cannot exceed py. With A = 2 E* a/(pi R) and B = sqrt(4 gamma E*/(pi a)), the
// contact yields when A - B = py. At larger overlaps, the JKR pressure is limited to py inside the radius
// a sqrt(1 - s^2):
//   s = (py + sqrt(py^2 + 4 A B))/(2 A),  F = 2 pi a^2 (A s^3/3 - B s + py (1 - s^2)/2).
// Unloading and reloading follow JKR with two changes. The radius of curvature Rp is such that JKR gives the force of
// first loading at the largest contact radius. The overlap is measured from the plastic overlap.
//
// The yielded surfaces are flatter than spheres, so the contact may break while the spheres still overlap. The contact
// then has no force until the surfaces meet again at the plastic overlap.
struct ThorntonNing : YieldingLaw {
  static constexpr const char *name = "thornton_ning";
  static constexpr const char *source = "[thornton1998]";
  static constexpr bool cohesive = true;
  static constexpr bool pulls_at_touch = true;
  static constexpr bool acts_across_gap = true;
  static constexpr Parameter parameters[] = {
      {"E", "pressure", "Young's modulus", POSITIVE, false, Quantity::youngs_modulus},
      {"nu", "-", "Poisson's ratio", POISSON, false, Quantity::poisson_ratio},
      {"py", "pressure", "contact pressure at which yield begins", POSITIVE},
      {"gamma", "energy/area", "surface energy density", NON_NEGATIVE},
      OPTIONAL_DAMPING};

  // LARGEST_RADIUS: contact radius at the largest overlap, 0 until the contact yields. JOINED: 1 if the surfaces are
  // joined, else 0.
  enum { LARGEST_RADIUS = KEPT, JOINED, ALL_KEPT };
  static constexpr int history = ALL_KEPT;

  struct Arguments {
    double modulus, poisson_ratio, yield_pressure, surface_energy, damping;
  };
  struct Constants {
    Jkr::Constants elastic;
    double yield_pressure;
  };
  static Constants prepare(const Arguments &given, bool mixed)
  {
    const double modulus = mixed ? given.modulus : effective_youngs_modulus(given.modulus, given.poisson_ratio);
    return {{modulus, given.surface_energy}, given.yield_pressure};
  }
  static Material material(const Arguments &given)
  {
    return {given.damping, false, effective_shear_modulus(given.modulus, given.poisson_ratio)};
  }

  LANE void follow(const Constants &c, NormalContact &contact, Row *kept, int lane, double, double)
  {
    const double overlap = contact.overlap, radius = contact.effective_radius;
    const double largest_before = kept[LARGEST_RADIUS][lane];
    const double plastic_before = kept[PLASTIC_OVERLAP][lane];
    const double curvature_before = curvature(c, largest_before, radius);
    const double elastic_overlap = overlap - plastic_before;
    const double gap = Jkr::breaking_gap(c.elastic, curvature_before);
    // Conditions are numbers, because products of numbers can be vectorised.
    const double was_joined = larger(kept[JOINED][lane], elastic_overlap >= 0.0 ? 1.0 : 0.0);
    const double joined = was_joined * (elastic_overlap >= -gap ? 1.0 : 0.0);

    // virgin: contact radius if the contact yields in this step; unloaded: contact radius otherwise
    const double virgin = Jkr::contact_radius(c.elastic, overlap, radius);
    const double unloaded = Jkr::contact_radius(c.elastic, elastic_overlap, curvature_before);
    const Pressure pressure = pressure_of(c, virgin, radius);
    const double presses = joined * (pressure.elastic - pressure.adhesive > c.yield_pressure ? 1.0 : 0.0);
    const double yields = presses * (virgin >= largest_before ? 1.0 : 0.0);
    const double largest = yields > 0.0 ? virgin : largest_before;
    const double curved = curvature(c, largest, radius);
    const double flattened = depth(c, virgin, radius) - depth(c, virgin, curved);
    const double plastic = yields > 0.0 ? larger(flattened, plastic_before) : plastic_before;

    const double closed = yields > 0.0 ? virgin : unloaded;
    contact.contact_radius = joined * closed;
    contact.stiffness = curved;    // this field stores the radius of curvature
    contact.plastic_overlap = plastic;
    const double lost = loss(c, largest_before, largest, radius);
    contact.plastic_loss = largest > largest_before ? lost : 0.0;
    kept[LARGEST_OVERLAP][lane] = larger(kept[LARGEST_OVERLAP][lane], overlap);
    // When the surfaces are apart and not joined, the history is erased except for the largest overlap.
    const double remains = larger(joined, overlap > 0.0 ? 1.0 : 0.0);
    kept[PLASTIC_OVERLAP][lane] = remains * plastic;
    kept[LARGEST_RADIUS][lane] = remains * largest;
    kept[JOINED][lane] = joined;
  }

  LANE double dashpot_velocity(const NormalContact &contact, double, double normal_velocity, double)
  {
    return contact.contact_radius > 0.0 ? normal_velocity : 0.0;
  }
  LANE double force(const Constants &c, const NormalContact &contact)
  {
    return Jkr::force(c.elastic, jkr(contact.contact_radius, contact.stiffness));
  }
  LANE double energy(const Constants &c, const NormalContact &contact)
  {
    return Jkr::energy(c.elastic, jkr(contact.contact_radius, contact.stiffness));
  }
  LANE double adhesion(const Constants &c, const NormalContact &contact)
  {
    return contact.contact_radius > 0.0 ? 6.0 * PI * c.elastic.surface_energy * contact.stiffness : 0.0;
  }
  LANE double breaking_gap(const Constants &c, double effective_radius)
  {
    return Jkr::breaking_gap(c.elastic, effective_radius);
  }

  template <class Law>
  static double collision_time(const Constants &c, double effective_mass, double effective_radius, double speed)
  {
    return Jkr::collision_time<Jkr>(c.elastic, effective_mass, effective_radius, speed);
  }

 private:
  struct Pressure {
    double elastic, adhesive;    // A, B
  };
  LANE Pressure pressure_of(const Constants &c, double a, double radius)
  {
    const double e = c.elastic.modulus, per_area = a * radius > 0.0 ? 1.0 / (a * radius) : 0.0;
    return {2.0 * e * a * a * per_area / PI, std::sqrt(4.0 * c.elastic.surface_energy * e * (radius * per_area) / PI)};
  }

  LANE double plastic_force(const Constants &c, double a, double radius)
  {
    const Pressure p = pressure_of(c, a, radius);
    const double py = c.yield_pressure;
    const double s =
        p.elastic > 0.0 ? (py + std::sqrt(py * py + 4.0 * p.elastic * p.adhesive)) / (2.0 * p.elastic) : 1.0;
    return 2.0 * PI * a * a * (p.elastic * s * s * s / 3.0 - p.adhesive * s + 0.5 * py * (1.0 - s * s));
  }

  LANE double adhesive_part(const Constants &c, double a)
  {
    return 4.0 * a * std::sqrt(PI * c.elastic.surface_energy * c.elastic.modulus * a);
  }

  // `largest` is 0 before yield
  LANE double curvature(const Constants &c, double largest, double radius)
  {
    const double pressed = plastic_force(c, largest, radius) + adhesive_part(c, largest);
    return pressed > 0.0 ? 4.0 * c.elastic.modulus * largest * largest * largest / (3.0 * pressed) : radius;
  }

  LANE double depth(const Constants &c, double a, double radius)
  {
    return a * a / radius - 2.0 * std::sqrt(PI * c.elastic.surface_energy * a / c.elastic.modulus);
  }

  LANE NormalContact jkr(double a, double radius)
  {
    NormalContact contact{};
    contact.contact_radius = a;
    contact.effective_radius = radius;
    return contact;
  }

  // Newton's method solves q^3 - p q - r = 0 for the square root q of the contact radius at yield.
  LANE double root_of_yield_radius(const Constants &c, double radius)
  {
    const double per_pressure = 0.5 * PI * radius / c.elastic.modulus, p = per_pressure * c.yield_pressure;
    const double r = per_pressure * std::sqrt(4.0 * c.elastic.surface_energy * c.elastic.modulus / PI);
    double q = std::sqrt(p) + cube_root(r);
    UNROLL
    for (int k = 0; k < 8; ++k) q -= (q * (q * q - p) - r) / (3.0 * q * q - p);
    return q;
  }

  // plastic force times d(delta)/dq with delta = q^4/R - step q, where q^2 is the contact radius
  LANE double power(const Constants &c, double q, double radius, double step)
  {
    return plastic_force(c, q * q, radius) * (4.0 * q * q * q / radius - step);
  }

  // work of the plastic force minus the increase of elastic energy
  LANE double loss(const Constants &c, double from, double to, double radius)
  {
    const double e = c.elastic.modulus, step = 2.0 * std::sqrt(PI * c.elastic.surface_energy / e);
    const double at_yield = root_of_yield_radius(c, radius), before_root = std::sqrt(from);
    const double first = from > 0.0 ? before_root : at_yield, last = std::sqrt(to);
    double work = 0.0;
    UNROLL
    for (int k = 0; k < gauss_legendre::POSITIVE_NODES; ++k) {
      const auto node = gauss_legendre::positive_node(k);
      const double middle = 0.5 * (first + last), half = 0.5 * node.place * (last - first);
      work += 0.5 * node.weight * (power(c, middle - half, radius, step) + power(c, middle + half, radius, step));
    }
    return work * (last - first) - Jkr::energy(c.elastic, jkr(to, curvature(c, to, radius))) +
        Jkr::energy(c.elastic, jkr(first * first, curvature(c, from, radius)));
  }
};

}    // namespace normal
GRANULAR_PLUS_LAWS_END

#endif
