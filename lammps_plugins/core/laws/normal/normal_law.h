// What every normal law offers; a law overrides what differs. It adds prepare, material, and on a lane secant (elastic
// force over overlap), force and energy; one that acts across a gap adds breaking_gap(constants, effective_radius), the gap
// up to which a contact that has formed acts on.
//
// A law with history says how many values each contact keeps (`history`) and adds follow(constants, contact, kept, lane,
// normal_velocity, timestep), which reads these values and writes the new ones, once a step, before force and energy are
// asked for; they are 0 when the contact begins. Its force and energy then depend on what follow has found, so it gives a
// collision_time of its own. What a law does with the values is its own affair: actm fixes stiffness and damping at
// touch, walton_braun follows the overlap up to which the contact has yielded. `kept` are the contact's values in the
// batch; core/kernels/transfer.h takes them from the contact's row of history and puts them back there (Batch::history).

#ifndef GRANULAR_PLUS_NORMAL_LAW_H
#define GRANULAR_PLUS_NORMAL_LAW_H

#include "../contact.h"
#include "../lane.h"
#include "../parameters.h"

GRANULAR_PLUS_LAWS_BEGIN

// geometry and motion of one contact along its normal, as a normal or damping law sees it
struct NormalContact {
  double overlap, effective_radius, effective_mass;
  double contact_radius;
  // what a law finds in its history, for force and energy to read
  double stiffness, damping, power, plastic_overlap, plastic_power;
  double plastic_loss;    // of contacts that yield, in this step
};

// what other laws may ask of a normal law's parameters
struct Material {
  double damping;          // the damping coefficient or coefficient of restitution given with the normal law
  bool linear;             // force proportional to the overlap
  double shear_modulus;    // effective, E/(4 (2 - nu)(1 + nu)) with E and nu as they stand in the parameters
};

LANE double effective_youngs_modulus(double modulus, double poisson_ratio)
{
  return modulus / (2.0 * (1.0 - poisson_ratio * poisson_ratio));
}

LANE double effective_shear_modulus(double modulus, double poisson_ratio)
{
  return modulus / (4.0 * (2.0 - poisson_ratio) * (1.0 + poisson_ratio));
}

// The one material that in contact with itself has the same effective moduli as two materials with each other. Its
// Poisson's ratio lies between theirs.
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
  static constexpr bool cohesive = false;
  static constexpr bool pulls_at_touch = false;     // with a force where the overlap is 0
  static constexpr bool acts_across_gap = false;    // a contact lives on across a gap of up to breaking_gap()
  // Stiffness and damping are fixed when a contact begins: the law adds begin, which makes its first value,
  // STIFFNESS, > 0, and takes no damping law. Tangential stiffness that follows from the material becomes a ratio to the
  // normal one.
  static constexpr bool per_collision = false;
  // Contacts deform for good. All values follow from the overlaps so far, so that follow may be called again where nothing
  // has moved; it also says what the plastic deformation of the step costs. Restitution follows from the law: damping
  // laws that are given one are refused. The first two values are the largest and the plastic overlap.
  static constexpr bool yields = false;
  // Forces depend on all contacts of a grain; a law that couples contacts is one of these: see nonlocal_law.h.
  static constexpr bool nonlocal = false, couples = false;
  static constexpr bool finds_dashpot = false;    // and has damping laws of its own, which read it

  // relative velocity along the normal that the dashpot takes
  LANE double dashpot_velocity(const NormalContact &, double /*elastic_force*/, double normal_velocity,
                               double /*timestep*/)
  {
    return normal_velocity;
  }

  template <class Constants> LANE double contact_radius(const Constants &, double overlap, double effective_radius)
  {
    return std::sqrt(overlap * effective_radius);
  }

  // by how much adhesion raises the elastic force in the Coulomb limit
  template <class Constants> LANE double adhesion(const Constants &, const NormalContact &) { return 0.0; }

  // Time that a collision takes, without damping, for the check of the time step. What the law inherits follows from
  // its energy; it counts at least an overlap of a hundred-thousandth of the radius, for contacts at rest.
  template <class Law, class Constants>
  static double collision_time(const Constants &c, double effective_mass, double effective_radius, double speed)
  {
    static_assert(Law::history == 0, "force and energy depend on follow: the law needs a collision_time of its own");
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

    // twice the way in, overlap = deepest sin(angle): the integrand is finite where the speed is not
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
