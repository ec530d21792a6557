#ifndef GRANULAR_PLUS_NORMAL_MDR_H
#define GRANULAR_PLUS_NORMAL_MDR_H

#include "hertz.h"
#include "nonlocal_law.h"
#include "yielding_law.h"

GRANULAR_PLUS_LAWS_BEGIN
namespace normal {

// Adhesive, elastic, perfectly plastic grains up to high compaction. A contact of two grains is treated as two
// contacts. In each of these, one grain presses on a rigid flat. The flat lies in the plane in which the two spheres
// intersect at the largest overlap. The method of dimensionality reduction replaces the grain at the flat by a
// half-elliptical profile of height A and width B, which is pressed into a bed of springs of stiffness E* per length.
// If grains are adhesive, springs carry tension up to an extension of sqrt(2 pi a gamma/E*). The grain yields when the
// mean Hertz pressure exceeds
//   pY = Y (1 + 7/4 exp(-4.4 delta_max/R)).
// Then A = 4 pY a_max/E* and B = 2 a_max. The radius R of a grain grows to conserve its volume. When the free fraction
// of its surface is below psi_b, the grain also responds as a whole. The force of a contact is reduced (`PENALTY`) if
// other grains lie between its two grains.
//
// The work of the contact force in excess of the work of the springs is counted as plastic work.
struct Mdr : YieldingLaw {
  static constexpr const char *name = "mdr";
  static constexpr const char *source = "[zunker2024a]; [zunker2024b]; [zunker2025]";
  static constexpr bool nonlocal = true, finds_dashpot = true;
  static constexpr Parameter parameters[] = {
      {"E", "pressure", "Young's modulus", POSITIVE, false, Quantity::youngs_modulus},
      {"nu", "-", "Poisson's ratio", {0.0, 0.5, true, false}, false, Quantity::poisson_ratio},
      {"Y", "pressure", "yield stress", POSITIVE},
      {"gamma", "energy/area", "effective surface energy", NON_NEGATIVE},
      {"psi_b", "-", "free fraction of the surface below which a grain responds as a whole", {0.0, 1.0, true, true}},
      {"eta", "see damping", "damping coefficient", NON_NEGATIVE, false, Quantity::damping}};

  enum {
    FORCE = KEPT,
    DASHPOT,    // sqrt(2 m_eff E* a)
    ENERGY,
    LOSS,    // plastic work in this step
    OVERLAP,
    PENALTY,
    OF_SIDES
  };
  enum OfSide {
    DEPTH,            // depth of the flat below the present radius of the grain
    DISPLACEMENT,     // depth of the flat below the initial radius of the grain
    PROFILE_DEPTH,    // depth of the flat in the profile
    LARGEST_DEPTH,    // largest depth of the flat in the profile so far
    BULK_DEPTH,       // part of the displacement due to the response of the grain as a whole
    PLASTIC_DEPTH,    // depth at which the profile loses contact
    YIELDED,
    AREA_INTERCEPT,
    ADHESIVE_RADIUS,
    AREA,    // contact area times 1 - penalty
    STRAIN,
    KEPT_OF_SIDE
  };
  static constexpr int SIDES = 2;
  static constexpr int history = OF_SIDES + SIDES * KEPT_OF_SIDE;

  struct Arguments {
    double modulus, poisson_ratio, yield_stress, surface_energy, free_part, damping;
  };
  struct Constants {
    double stiffness;    // 4/3 of the effective modulus
  };
  static Constants prepare(const Arguments &given, bool mixed)
  {
    return {4.0 / 3.0 * (mixed ? given.modulus : effective_youngs_modulus(given.modulus, given.poisson_ratio))};
  }
  static Material material(const Arguments &given)
  {
    return {given.damping, false, effective_shear_modulus(given.modulus, given.poisson_ratio)};
  }

  LANE void follow(const Constants &, NormalContact &contact, Row *kept, int lane, double, double)
  {
    contact.stiffness = kept[FORCE][lane];
    contact.damping = kept[DASHPOT][lane];
    contact.power = kept[ENERGY][lane];
    contact.plastic_overlap = kept[PLASTIC_OVERLAP][lane];
    contact.plastic_loss = kept[LOSS][lane];
  }
  LANE double force(const Constants &, const NormalContact &contact) { return contact.stiffness; }
  LANE double energy(const Constants &, const NormalContact &contact) { return contact.power; }

  template <class Law>
  static double collision_time(const Constants &c, double effective_mass, double effective_radius, double speed)
  {
    return Hertz::collision_time<Hertz>(Hertz::Constants{c.stiffness}, effective_mass, effective_radius, speed);
  }

  // ------------------------------------------------------------------------------------------ interface of nonlocal laws

  enum Stored {
    FIRST_RADIUS,
    CAPS,
    VOLUME,
    ELASTIC_VOLUME,
    MEAN_STRAIN,
    GROWTH_ABOVE,
    GROWTH_BELOW,
    CONTACT_AREA_BEFORE,
    CONTACT_AREA,
    SURFACE,
    SURFACE_CHANGE,
    SURFACE_DISPLACEMENT,
    FREE_PART,
    STRESS_X,
    STRESS_Y,
    STRESS_Z,
    MEAN_GROWTH,
    STORED_COUNT
  };
  // LAMMPS scripts refer to these names.
  static constexpr StoredValue stored[] = {
      {"Ro", "distance", "initial radius of the grain", Sent::AFTER_EVALUATION},
      {"Vcaps", "volume", "volume of the caps that flats cut off", Sent::NEVER},
      {"Vgeo", "volume", "volume of a sphere of the present radius minus the volume of the caps",
       Sent::AFTER_EVALUATION},
      {"Velas", "volume", "volume according to linear elasticity", Sent::AFTER_EVALUATION},
      {"eps_bar", "-", "volumetric strain", Sent::NEVER},
      {"dRnumerator", "volume", "numerator of the growth of the radius", Sent::NEVER},
      {"dRdenominator", "area", "part of the denominator of the growth of the radius", Sent::NEVER},
      {"Acon0", "area", "contact area in the previous step", Sent::AFTER_EVALUATION},
      {"Acon1", "area", "contact area", Sent::NEVER},
      {"Atot", "area", "area of the surface", Sent::NEVER},
      {"Atot_sum", "area", "change of the surface area by contacts", Sent::NEVER},
      {"ddelta_bar", "distance", "mean displacement of the surface in this step", Sent::AFTER_ADDITION},
      {"psi", "-", "free fraction of the surface", Sent::AFTER_EVALUATION},
      {"sigmaxx", "pressure", "normal stress along x", Sent::NEVER},
      {"sigmayy", "pressure", "normal stress along y", Sent::NEVER},
      {"sigmazz", "pressure", "normal stress along z", Sent::NEVER},
      {"dRavg", "distance", "running mean of the growth of the radius", Sent::NEVER}};

  // The constants that all contacts of a grain share come first.
  struct GrainConstants {
    double modulus, poisson_ratio, bulk_modulus, shear_modulus, yield_stress, free_part, surface_energy, at_wall;
  };
  static constexpr int constants_of_grains = 6;
  static constexpr const char *parameters_of_grains = "E, nu, Y and psi_b";
  static GrainConstants prepare_grains(const Arguments &given, bool mixed, bool at_wall)
  {
    const double nu = given.poisson_ratio;
    // given.modulus is effective after mixing
    const double modulus = mixed ? 2.0 * (1.0 - nu * nu) * given.modulus : given.modulus;
    return {modulus / (1.0 - nu * nu),
            nu,
            modulus / (3.0 * (1.0 - 2.0 * nu)),
            modulus / (2.0 * (1.0 + nu)),
            given.yield_stress,
            given.free_part,
            given.surface_energy,
            at_wall ? 1.0 : 0.0};
  }

  static void begin(const StoredGrain &grain) { grain[FIRST_RADIUS] = grain.radius(); }

  static double sphere(double radius) { return 4.0 / 3.0 * PI * radius * radius * radius; }

  // grows: true at the beginning of a step, where the sums are reset; false for a new grain outside a step.
  static void evaluate_sums(const GrainConstants &c, const StoredGrain &grain, bool grows)
  {
    constexpr int WINDOW = 10;
    constexpr double LARGEST = 1.5;     // largest ratio of the radius to its initial value
    constexpr double CONFINED = 0.1;    // a grain with a smaller free fraction of its surface does not grow
    const double radius = grain.radius(), first = sphere(grain[FIRST_RADIUS]);
    const double free_surface = 4.0 * PI * radius * radius;
    grain[VOLUME] = smaller(sphere(radius) - grain[CAPS], first);
    grain[ELASTIC_VOLUME] = first * (1.0 + grain[MEAN_STRAIN]);
    grain[SURFACE] = free_surface + grain[SURFACE_CHANGE];
    grain[FREE_PART] = (grain[SURFACE] - grain[CONTACT_AREA]) / grain[SURFACE];
    const double psi = grain[FREE_PART];
    if (psi > c.free_part && psi > CONFINED) {
      const double weight = 1.0 / (1.0 + std::exp(-75.0 * (psi - 0.2)));
      const double growth = weight * grain[GROWTH_ABOVE] / (grain[GROWTH_BELOW] - free_surface);
      if (growth > 0.0) {
        grain[MEAN_GROWTH] += (growth - grain[MEAN_GROWTH]) / WINDOW;
        if (radius + growth < LARGEST * grain[FIRST_RADIUS]) grain.radius() = radius + grain[MEAN_GROWTH];
      }
    }
    grain[CONTACT_AREA_BEFORE] = grain[CONTACT_AREA];
    if (!grows) return;
    constexpr int SUMS[] = {CAPS,           MEAN_STRAIN, GROWTH_ABOVE, GROWTH_BELOW, CONTACT_AREA,
                            SURFACE_CHANGE, STRESS_X,    STRESS_Y,     STRESS_Z};
    for (const int sum : SUMS) grain[sum] = 0.0;
  }

  // Computes the penalty of a contact. A third grain lies between the two grains in contact if it touches both and is
  // closer to each of them than the two grains are to each other. The weight of the third grain grows with the angle
  // between the directions from its centre to the other two grains.
  static void evaluate_between(const Neighbour &partner, const Neighbour *others, int count, double *kept)
  {
    double penalty = 0.0;
    for (int k = 0; k < count; ++k) {
      const Neighbour &other = others[k];
      if (other.squared_distance > partner.squared_distance) continue;
      // square of the vector from `other` to `partner`, and its dot product with the vector from `other` to the grain
      // that both touch
      double squared = 0.0, along = 0.0;
      for (int d = 0; d < 3; ++d) {
        const double way = partner.to[d] - other.to[d];
        squared += way * way;
        along -= way * other.to[d];
      }
      const double touch = partner.radius + other.radius;
      if (squared > partner.squared_distance || squared > touch * touch) continue;
      const double lengths = std::sqrt(squared * other.squared_distance);
      const double angle = lengths > 0.0 ? std::acos(larger(smaller(along / lengths, 1.0), -1.0)) : 0.0;
      penalty += 1.0 / (1.0 + std::exp(-50.0 * (angle / PI - 0.5)));
    }
    kept[PENALTY] = penalty;
  }

  // Adds the displacement of each flat, weighted by its last contact area, to the mean displacement of its grain.
  static void add_to_sums(const NonlocalContact &contact)
  {
    for (int side = 0; side < contact.sides; ++side) {
      const StoredGrain &grain = contact.grains[side];
      const double area = grain[CONTACT_AREA_BEFORE];
      if (area == 0.0) continue;
      const double *kept = of_side(contact, side);
      grain[SURFACE_DISPLACEMENT] += kept[AREA] / area * (depth_of_flat(contact, side) - kept[DEPTH]);
    }
  }

  static void compute_force(const GrainConstants &c, const NonlocalContact &contact, bool is_step)
  {
    double *kept = contact.kept;
    if (!is_step && kept[OVERLAP] == contact.overlap) return;
    const bool had_begun = kept[OVERLAP] > 0.0;
    const double share = larger(1.0 - kept[PENALTY], 0.0);
    double depths[SIDES];
    for (int side = 0; side < contact.sides; ++side) depths[side] = depth_of_flat(contact, side);
    kept[LARGEST_OVERLAP] = larger(kept[LARGEST_OVERLAP], contact.overlap);
    Pressed both{};
    for (int side = 0; side < contact.sides; ++side) {
      const Pressed one = press_side(c, contact, side, depths[side], share, is_step);
      both.force += one.force;
      both.energy += one.energy;
      both.radius += one.radius;
    }
    double force = share * both.force / contact.sides, energy = share * both.energy;
    if (c.at_wall > 0.0) {
      const StoredGrain &grain = contact.grains[0];
      const double deeply = std::exp(10.7 * of_side(contact, 0)[DISPLACEMENT] / grain[FIRST_RADIUS] - 10.0);
      force *= 1.0 + deeply;
      energy *= 1.0 + deeply;
    }
    if (is_step) {
      // At a wall, half of the contact radius and half of the modulus enter the dashpot.
      const double spring = c.modulus * both.radius * (c.at_wall > 0.0 ? 0.25 : 1.0);
      kept[DASHPOT] = spring > 0.0 ? std::sqrt(2.0 * contact.effective_mass * spring) : 0.0;
      kept[LOSS] = had_begun ? kept[ENERGY] - energy - 0.5 * (kept[FORCE] + force) * contact.separation_change : 0.0;
      kept[OVERLAP] = contact.overlap;
      kept[PLASTIC_OVERLAP] = of_side(contact, 0)[PLASTIC_DEPTH] + of_side(contact, 1)[PLASTIC_DEPTH];
    }
    kept[FORCE] = force;
    kept[ENERGY] = energy;
  }

 private:
  static constexpr double DEEPEST = 0.95;    // largest depth of a flat in a grain, divided by the grain's radius

  static double *of_side(const NonlocalContact &contact, int side)
  {
    return contact.kept + OF_SIDES + side * KEPT_OF_SIDE;
  }

  // Depth d (2 R' - d)/(2 (R + R' - d)) of the plane in which two spheres of radii R and R' with the overlap d
  // intersect.
  static double depth_of_plane(double radius, double other, double overlap)
  {
    return overlap * (overlap - 2.0 * other) * (1.0 / (2.0 * (overlap - radius - other)));
  }

  // At the largest overlap, the flat is the plane in which the spheres intersect. During unloading, the flat moves
  // in proportion to the overlap, towards the depth at which both profiles lose contact.
  static double depth_of_flat(const NonlocalContact &contact, int side)
  {
    if (contact.sides == 1) return contact.overlap;
    const double radius = contact.grains[side].radius(), other = contact.grains[1 - side].radius();
    const double largest = larger(contact.kept[LARGEST_OVERLAP], contact.overlap);
    double depth = depth_of_plane(radius, other, largest);
    if (depth > DEEPEST * radius)
      depth = DEEPEST * radius;
    else if (depth_of_plane(other, radius, largest) > DEEPEST * other)
      depth = largest - DEEPEST * other;
    const double plastic = of_side(contact, side)[PLASTIC_DEPTH];
    const double both = plastic + of_side(contact, 1 - side)[PLASTIC_DEPTH];
    return both == largest ? depth : depth + (plastic - depth) * (contact.overlap - largest) / (both - largest);
  }

  struct Pressed {
    double force, energy, radius;    // radius: contact radius for the dashpot
  };

  struct Profile {
    double height, width;
  };
  // If the ellipse is scaled to a circle, `angle` is half of the angle that the chord at the surface spans at the
  // centre. The force is computed as in LAMMPS, although digits are lost for shallow contacts.
  static Pressed compressed(double modulus, const Profile &profile, double depth)
  {
    const double inverse = 1.0 / profile.height, part = larger(smaller(depth * inverse, 1.0), 0.0);
    const double cosine = 1.0 - 2.0 * part, half_sine = std::sqrt(part - part * part), angle = std::acos(cosine);
    const double scale = 0.25 * modulus * profile.height * profile.width;
    const double force = scale * (angle - 2.0 * cosine * half_sine);
    return {force, 0.5 * scale * profile.height * unit_energy(angle, cosine, 2.0 * half_sine), 0.0};
  }
  // sin a - a cos a - (sin a)^3/3
  static double unit_energy(double angle, double cosine, double sine)
  {
    constexpr double SMALL = 0.5;
    if (angle > SMALL) return sine - angle * cosine - sine * sine * sine / 3.0;
    // coefficients of a^n for n = 5, 7, ...: (3/4 + 3^n/12 - n)/n! with alternating signs
    constexpr int TERMS = 7;
    constexpr double COEFFICIENT[TERMS] = {2.0 / 15.0,
                                           -11.0 / 315.0,
                                           17.0 / 3780.0,
                                           -461.0 / 1247400.0,
                                           8303.0 / 389188800.0,
                                           -24911.0 / 27243216000.0,
                                           168151.0 / 5557616064000.0};
    const double square = angle * angle;
    double sum = 0.0;
    for (int k = TERMS - 1; k >= 0; --k) sum = sum * square + COEFFICIENT[k];
    return angle * square * square * sum;
  }
  static double depth_at(const Profile &profile, double radius)
  {
    const double part = 2.0 * radius / profile.width;
    return 0.5 * profile.height * (1.0 - std::sqrt(larger(1.0 - part * part, 0.0)));
  }

  static double longest_spring(const GrainConstants &c, double radius)
  {
    return std::sqrt(2.0 * PI * radius * c.surface_energy / c.modulus);
  }

  // Finds the largest root a of depth - depth_at(a) + longest_spring(a) by Newton's method. If this expression does not
  // decrease with a, the contact detaches and the radius is 0.
  static double retreated_radius(const GrainConstants &c, const Profile &profile, double depth, double radius)
  {
    constexpr int MOST_STEPS = 100;
    constexpr double ENOUGH = 1.0e-15;
    const double quarter = 0.25 * profile.width * profile.width, ratio = profile.height / profile.width;
    const double above = depth - 0.5 * profile.height, spring = std::sqrt(2.0 * PI * c.surface_energy / c.modulus);
    for (int k = 0; k < MOST_STEPS && radius > 0.0; ++k) {
      const double half_height = std::sqrt(larger(quarter - radius * radius, 0.0)), root = std::sqrt(radius);
      if (half_height == 0.0) return 0.0;
      const double slope = 0.5 * spring / root - ratio * radius / half_height;
      if (!(slope < 0.0)) return 0.0;
      const double next = radius - (above + ratio * half_height + spring * root) / slope;
      if (!(next < radius * (1.0 - ENOUGH))) return radius;
      radius = next;
    }
    return 0.0;
  }

  static Pressed pull(const GrainConstants &c, const Profile &profile, double depth, double radius)
  {
    double edge = depth_at(profile, radius);
    if (depth + longest_spring(c, radius) < edge) {
      radius = retreated_radius(c, profile, depth, radius);
      if (radius == 0.0) return {0.0, 0.0, 0.0};
      edge = depth_at(profile, radius);
    }
    const Pressed upright = compressed(c.modulus, profile, edge);
    const double below = depth - edge, spring = c.modulus * radius * below;
    return {upright.force + 2.0 * spring, upright.energy + (upright.force + spring) * below, radius};
  }

  static Pressed press_side(const GrainConstants &c, const NonlocalContact &contact, int side, double depth,
                            double share, bool is_step)
  {
    // largest ratio of the adhesive radius to the contact radius; keeps square roots real
    constexpr double ADHESIVE_PART = 0.99;
    const StoredGrain &grain = contact.grains[side];
    const double radius = grain.radius(), first_radius = grain[FIRST_RADIUS];
    double before[KEPT_OF_SIDE], *kept = of_side(contact, side);
    for (int k = 0; k < KEPT_OF_SIDE; ++k) before[k] = kept[k];

    const double moved = depth - before[DEPTH], displacement = depth - (radius - first_radius);
    const bool as_whole = grain[FREE_PART] < c.free_part;
    const double of_whole = as_whole ? grain[SURFACE_DISPLACEMENT] : 0.0;
    const double of_profile = as_whole ? smaller(moved - of_whole, depth - before[PROFILE_DEPTH]) : moved;
    const double profile_depth = before[PROFILE_DEPTH] + of_profile;
    const double bulk_depth = larger(before[BULK_DEPTH] + of_whole, 0.0);
    const double deepest = larger(before[LARGEST_DEPTH], profile_depth);
    const bool loads = profile_depth == deepest;
    kept[LARGEST_DEPTH] = deepest;

    const double yield_pressure =
        loads || before[YIELDED] != 0.0 ? c.yield_stress * (1.75 * std::exp(-4.4 * deepest / radius) + 1.0) : 0.0;
    const double pressure = 4.0 * c.modulus * std::sqrt(larger(profile_depth, 0.0)) / (3.0 * PI * std::sqrt(radius));
    if (is_step && before[YIELDED] == 0.0 && loads && pressure > yield_pressure) {
      kept[YIELDED] = 1.0;
      kept[AREA_INTERCEPT] = PI * profile_depth * (profile_depth - radius);
    }
    const bool yielded = kept[YIELDED] != 0.0;

    Profile profile{4.0 * radius, 2.0 * radius};
    double spring_depth = profile_depth, depth_per_spring = 1.0;
    double largest_radius = std::sqrt(larger(deepest * radius, 0.0));
    if (yielded) {
      const double square = deepest * (2.0 * radius - deepest) + kept[AREA_INTERCEPT] / PI;
      largest_radius = std::sqrt(square);
      profile = {4.0 * yield_pressure / c.modulus * largest_radius, 2.0 * largest_radius};
      const double compressed = 0.5 * profile.height;
      // displacement of the grain's centre towards the flat, as in a half space under uniform pressure
      const double largest_force = 0.125 * PI * c.modulus * profile.height * profile.width;
      const double to_centre = radius - (deepest - compressed), root = std::sqrt(square + to_centre * to_centre);
      const double nu = c.poisson_ratio;
      const double shift = largest_force *
          (2.0 * square * (nu - 1.0) - (2.0 * nu - 1.0) * to_centre * (root - to_centre)) /
          (2.0 * PI * square * c.shear_modulus * root);
      depth_per_spring = 1.0 + shift / compressed;
      spring_depth = (profile_depth - deepest + compressed + shift) / depth_per_spring;
      if (is_step) kept[PLASTIC_DEPTH] = deepest - (compressed + shift);
    }

    const double pressed_radius = spring_depth >= 0.0
        ? profile.width * std::sqrt(larger(profile.height - spring_depth, 0.0) * spring_depth) / profile.height
        : 0.0;
    const double adhesive = smaller(before[ADHESIVE_RADIUS], ADHESIVE_PART * largest_radius);
    const bool pulls = c.surface_energy > 0.0 && !loads && pressed_radius < adhesive;
    Pressed result = pulls ? pull(c, profile, spring_depth, adhesive) : compressed(c.modulus, profile, spring_depth);
    double next_adhesive = pulls ? result.radius : pressed_radius;
    if (!pulls) result.radius = pressed_radius;
    if (!pulls && c.surface_energy > 0.0) {
      next_adhesive = ADHESIVE_PART * pressed_radius;
      result.radius = adhesive;
    }
    result.energy *= depth_per_spring;

    const double of_surface =
        yielded ? PI * depth * (2.0 * radius - depth) + kept[AREA_INTERCEPT] : PI * depth * radius;
    const double area = larger(of_surface, 0.0);
    const double of_springs = result.force;
    if (bulk_depth > 0.0)
      result.force += grain[CONTACT_AREA_BEFORE] * bulk_depth * c.bulk_modulus * area / grain[VOLUME];
    if (!is_step) return result;

    kept[DEPTH] = depth;
    kept[DISPLACEMENT] = displacement;
    kept[PROFILE_DEPTH] = profile_depth;
    kept[BULK_DEPTH] = bulk_depth;
    kept[ADHESIVE_RADIUS] = next_adhesive;
    kept[AREA] = share * area;

    grain[SURFACE_CHANGE] += share * (area - 2.0 * PI * radius * (deepest + bulk_depth));
    grain[CONTACT_AREA] += share * area;
    grain[CAPS] += PI / 3.0 * depth * depth * (3.0 * radius - depth);
    const double moment = -share * result.force * (first_radius - displacement) / grain[ELASTIC_VOLUME];
    const double strain = moment / (3.0 * c.bulk_modulus);
    grain[MEAN_STRAIN] += strain;
    kept[STRAIN] = strain;
    for (int d = 0; d < 3; ++d) grain[STRESS_X + d] += moment * contact.normal[d] * contact.normal[d];
    if (loads && yielded && of_springs > 0.0) {
      const double squares =
          displacement * (2.0 * first_radius - displacement) + radius * radius - first_radius * first_radius;
      grain[GROWTH_ABOVE] -= sphere(first_radius) * (strain - before[STRAIN]) +
          share * PI * (displacement - before[DISPLACEMENT]) * squares;
      grain[GROWTH_BELOW] += share * 2.0 * PI * radius * (displacement + radius - first_radius);
    }
    return result;
  }
};

}    // namespace normal
GRANULAR_PLUS_LAWS_END

#endif
