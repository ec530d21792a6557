// Interface of normal laws. A law derives from NormalLaw, overrides the defaults that do not apply, and must also
// define
//   name, source     its name in commands, and the paper from which it is taken
//   parameters       the table of its parameters, in the order of its Arguments
//   prepare          computes the Constants from the Arguments. If two types have been mixed, the second argument is
//                    true, and parameters with Quantity::youngs_modulus are effective moduli,
//                    1/((1 - nu_i^2)/E_i + ...)
//   material         returns the properties that other laws derive from its parameters
//   force, energy    lane functions: elastic force and its energy
//   secant           lane function: elastic force divided by overlap, read by damping laws with by_restitution
// A law that acts across a gap also defines breaking_gap(constants, effective_radius), the largest gap across which an
// existing contact continues to act. hooke.h is the smallest example.
//
// A law with history declares the number of values that each contact stores (`history`) and provides follow(constants,
// contact, kept, lane, normal_velocity, timestep). follow is called once per evaluation, before force and energy. It
// reads the stored values and writes the new values. All values are 0 when a contact begins. kept[k][lane] is value k
// of the contact in lane `lane` of the batch. A law with history needs its own collision_time.

#ifndef GRANULAR_PLUS_NORMAL_LAW_H
#define GRANULAR_PLUS_NORMAL_LAW_H

#include "../contact.h"
#include "../lane.h"
#include "../parameters.h"

GRANULAR_PLUS_LAWS_BEGIN

struct NormalContact {
  double overlap, effective_radius, effective_mass;
  double contact_radius;
  // Set by `follow` and read by force and energy. The law may give these fields any meaning, with two exceptions: the
  // stage reads `stiffness` if the law sets per_collision, and damping laws may read `damping` if the law sets
  // per_collision or finds_dashpot.
  double stiffness, damping, power, plastic_overlap, plastic_power;
  double plastic_loss;    // for contacts that yield
};

struct Material {
  double damping;          // damping coefficient or coefficient of restitution
  bool linear;             // true if the force is proportional to the overlap
  double shear_modulus;    // effective shear modulus, E/(4 (2 - nu)(1 + nu)) with the parameters E and nu
};

LANE double effective_youngs_modulus(double modulus, double poisson_ratio)
{
  return modulus / (2.0 * (1.0 - poisson_ratio * poisson_ratio));
}

LANE double effective_shear_modulus(double modulus, double poisson_ratio)
{
  return modulus / (4.0 * (2.0 - poisson_ratio) * (1.0 + poisson_ratio));
}

// Replaces the first material by an equivalent one: two grains of the new material have the effective moduli of the two
// given materials.
inline void mix_materials(double &modulus, double &poisson_ratio, double other_modulus, double other_ratio)
{
  const double a = poisson_ratio, b = other_ratio;
  const double compliance = (1.0 - a * a) / modulus + (1.0 - b * b) / other_modulus;
  const double shear = (2.0 - a) * (1.0 + a) / modulus + (2.0 - b) * (1.0 + b) / other_modulus;
  poisson_ratio = (shear - 2.0 * compliance) / (shear - compliance);
  modulus = 2.0 * (1.0 - poisson_ratio * poisson_ratio) / compliance;
}

struct NormalLaw {
  static constexpr int history = 0;
  static constexpr int history_vectors = 0;
  static constexpr bool cohesive = false;           // the law attracts; its Coulomb limit uses adhesion()
  static constexpr bool pulls_at_touch = false;     // the force at zero overlap is attractive
  static constexpr bool acts_across_gap = false;    // a contact persists across a gap of up to breaking_gap()
  // Stiffness and damping are fixed when a contact begins. The law provides begin, which sets the first history value,
  // STIFFNESS, to a value > 0. The law cannot be combined with a damping law. A tangential stiffness derived from
  // the material is applied as a ratio to the normal stiffness.
  static constexpr bool per_collision = false;
  // Contacts deform permanently. All history values depend on past overlaps only, so follow may be called again if
  // nothing has moved. follow also sets the plastic loss of the step. The law cannot be combined with damping laws that
  // prescribe the restitution. The history begins with the largest overlap and the plastic overlap.
  static constexpr bool yields = false;
  // see nonlocal_law.h
  static constexpr bool nonlocal = false, couples = false;
  // the law computes the dashpot and combines only with damping laws that read this dashpot (DampingLaw::reads_dashpot)
  static constexpr bool finds_dashpot = false;

  LANE double dashpot_velocity(const NormalContact &, double /*elastic_force*/, double normal_velocity,
                               double /*timestep*/)
  {
    return normal_velocity;
  }

  template <class Constants> LANE double contact_radius(const Constants &, double overlap, double effective_radius)
  {
    return std::sqrt(overlap * effective_radius);
  }

  // amount that adhesion adds to the elastic force in the Coulomb limit
  template <class Constants> LANE double adhesion(const Constants &, const NormalContact &) { return 0.0; }

  // Duration of a collision without damping, for the check of the time step. The bisection for the largest overlap
  // returns at least 1e-5 radii.
  template <class Law, class Constants>
  static double collision_time(const Constants &c, double effective_mass, double effective_radius, double speed)
  {
    static_assert(Law::history == 0,
                  "a law with history needs its own collision_time, because its force and energy depend on follow");
    const auto energy = [&](double overlap) {
      NormalContact contact{};
      contact.overlap = overlap;
      contact.effective_radius = effective_radius;
      contact.effective_mass = effective_mass;
      contact.contact_radius = Law::contact_radius(c, overlap, effective_radius);
      return Law::energy(c, contact);
    };
    const double at_touch = energy(0.0), kinetic = 0.5 * effective_mass * speed * speed;
    double shallow = 1.0e-5 * effective_radius, deepest = effective_radius;
    if (energy(shallow) - at_touch > kinetic) deepest = shallow;
    for (int k = 0; k < 60 && deepest > shallow; ++k) {
      const double middle = 0.5 * (shallow + deepest);
      (energy(middle) - at_touch > kinetic ? deepest : shallow) = middle;
    }
    const double there = energy(deepest);
    if (!(there > at_touch)) return UNBOUNDED;

    // The substitution overlap = deepest sin(angle) keeps the integrand finite.
    constexpr int POINTS = 64;
    constexpr double STEP = 0.5 * PI / POINTS;
    double time = 0.0;
    for (int k = 0; k < POINTS; ++k) {
      const double angle = (k + 0.5) * STEP, left = there - energy(deepest * std::sin(angle));
      if (left > 0.0) time += 2.0 * STEP * deepest * std::cos(angle) / std::sqrt(2.0 * left / effective_mass);
    }
    return time;
  }
};

GRANULAR_PLUS_LAWS_END

#endif
