#ifndef GRANULAR_PLUS_NORMAL_ACTM_H
#define GRANULAR_PLUS_NORMAL_ACTM_H

#include "../contact.h"
#include "../elementary.h"
#include "normal_law.h"

GRANULAR_PLUS_LAWS_BEGIN
namespace normal {

// Adaptive collision time: a Hertz contact with a linear dashpot. The stiffness k and the damping coefficient d are
// chosen for each collision so that the collision has the duration Tc and the coefficient of restitution e.
//
// Let m be the effective mass, u the speed of approach when the surfaces first touch, t* = (m^2/(k^2 u))^(1/5) and
// lambda = d t*/(2 m). The overlap is then u t* z, and z as a function of time/t* obeys
//   z'' + 2 lambda z' + z^(3/2) = 0,  z(0) = 0, z'(0) = 1.
// The collision ends at z(tau) = 0 with z'(tau) = -e. Therefore lambda and tau depend on e alone. From t* = Tc/tau
// follow k = m/sqrt(u t*^5) and d = 2 lambda m/t*. If the stiffness of the material is below this k, the law uses the
// stiffness of the material.
struct Actm : NormalLaw {
  static constexpr const char *name = "actm";
  static constexpr const char *source = "[kempe2012]; [ray2015]; docs/explanation/theory_actm.md";
  static constexpr bool per_collision = true;
  static constexpr Parameter parameters[] = {{"Tc", "time", "collision time (or \"steps n\" for n time steps)",
                                              POSITIVE, false, Quantity::other, nullptr, true},
                                             {"e", "-", "coefficient of restitution", {0.01, 1.0, true, true}},
                                             {"E", "pressure",
                                              "Young's modulus (NULL: the stiffness has no upper bound)", POSITIVE,
                                              true, Quantity::youngs_modulus},
                                             {"nu", "-", "Poisson's ratio", POISSON, false, Quantity::poisson_ratio}};

  // STIFFNESS is 0 for a contact that begins.
  enum { STIFFNESS, DAMPING, KEPT };
  static constexpr int history = KEPT;

  struct Arguments {
    double collision_time, restitution, modulus, poisson_ratio;
  };
  // in this order: 1/t*, (1/t*)^(5/2), 2 lambda, stiffness 4/3 E* of the material, Tc, e
  struct Constants {
    double rate, softening, damping_ratio, stiffness, time, restitution;
  };
  static Constants prepare(const Arguments &given, bool mixed)
  {
    const double rate = duration(given.restitution) / given.collision_time;
    const double modulus = given.modulus == NULL_PARAMETER || mixed
        ? given.modulus
        : effective_youngs_modulus(given.modulus, given.poisson_ratio);
    const double stiffness = given.modulus == NULL_PARAMETER ? UNBOUNDED : 4.0 / 3.0 * modulus;
    return {rate,      rate * rate * std::sqrt(rate), 2.0 * damping(given.restitution),
            stiffness, given.collision_time,          given.restitution};
  }

  // The shear modulus is in units of 4/3 E*. A tangential stiffness computed from this modulus is therefore the ratio
  // of the tangential stiffness to the contact's normal stiffness.
  static Material material(const Arguments &given)
  {
    const double ratio = given.poisson_ratio;
    return {0.0, false, effective_shear_modulus(1.5 * (1.0 - ratio * ratio), ratio)};
  }

  template <class Law>
  static double collision_time(const Constants &c, double /*effective_mass*/, double /*radius*/, double /*speed*/)
  {
    return c.time;
  }

  // Contacts may form at rest or begin with an overlap. The approach speed has a lower bound, so that such contacts
  // have a dashpot and a stiffness that the time step resolves. The bound is approximately the speed of an impact whose
  // largest overlap is `least`, the larger of the present overlap and RESTING times the effective radius.
  static constexpr double RESTING = 1.0e-5;

  STAGE static void begin(const Constants &c, const NormalContact &contact, double approach_speed, Row *kept, int lane)
  {
    const double mass = contact.effective_mass, radius = contact.effective_radius;
    if (!(radius > 0.0)) return;
    const double root = std::sqrt(radius), least = larger(contact.overlap, RESTING * radius);
    const double material = c.stiffness * root / mass;    // k/m of F = k delta^(3/2)
    const double slowest = least * smaller(c.rate, std::sqrt(std::sqrt(least) * material));
    const double speed = larger(approach_speed, slowest);
    const double fifth_power = c.rate * c.rate * c.rate * c.rate * c.rate;
    // The root of a ratio is taken, so that results in other units are bitwise identical.
    const double rate = c.rate * fifth_root(smaller(material * material * speed / fifth_power, 1.0));
    kept[STIFFNESS][lane] = smaller(mass * c.softening / (root * std::sqrt(speed)), c.stiffness);
    kept[DAMPING][lane] = c.damping_ratio * mass * rate;
  }

  // In a step in which the contact begins or ends, the dashpot acts only for the part of the step in which the spheres
  // touch. Otherwise the error of e would be linear in the time step. DAMPING is negative if the contact was expected
  // to end in the previous step but the dashpot delayed the end.
  LANE void follow(const Constants &, NormalContact &contact, Row *kept, int lane, double normal_velocity,
                   double timestep)
  {
    const double way = normal_velocity * timestep, length = std::fabs(way);
    const double known = kept[DAMPING][lane], damping = std::fabs(known);
    const bool ends = way > contact.overlap;
    const double part = length > contact.overlap ? contact.overlap / length : 0.5;
    contact.stiffness = kept[STIFFNESS][lane];
    contact.damping = (part + (ends && known < 0.0 ? 0.0 : 0.5)) * damping;
    kept[DAMPING][lane] = ends ? -damping : damping;
  }

  // The velocities that LAMMPS provides are half a step older than the positions. This function returns the velocity at
  // the time of the positions.
  LANE double dashpot_velocity(const NormalContact &contact, double elastic_force, double normal_velocity,
                               double timestep)
  {
    const double half = 0.5 * timestep, mass = contact.effective_mass;
    return (mass * normal_velocity + half * elastic_force) / (mass + half * contact.damping);
  }

  LANE double secant(const Constants &, const NormalContact &contact)
  {
    return contact.stiffness * contact.contact_radius;
  }
  LANE double force(const Constants &c, const NormalContact &contact) { return secant(c, contact) * contact.overlap; }
  LANE double energy(const Constants &c, const NormalContact &contact)
  {
    return 0.4 * secant(c, contact) * contact.overlap * contact.overlap;
  }

  // Fits of lambda(e) and tau(e). lambda e^(-1/10) is an odd function of ln e. tau e^(1/10) is an even function of ln
  // e.
  static double damping(double e)
  {
    const double logarithm = std::log(e);
    return -std::exp(0.1 * logarithm) * logarithm * fitted(DAMPING_FIT, logarithm);
  }
  static double duration(double e)
  {
    const double logarithm = std::log(e);
    return std::exp(-0.1 * logarithm) * fitted(DURATION_FIT, logarithm);
  }

 private:
  // polynomials in ln^2 e/(SCALE + ln^2 e); written by docs/fit_actm.py
  static constexpr double SCALE = 24.0;
  static constexpr double DAMPING_FIT[] = {0.27967112889792967,  -0.26039137940066048,  0.20272205552531625,
                                           -0.23046040521400427, 0.28771401243955075,   -0.34287122495996269,
                                           0.4406434525103014,   -0.48717789771310527,  0.44619099535047885,
                                           -0.21358118615898669, -0.031941717789169724, 0.092809955090575172};
  static constexpr double DURATION_FIT[] = {3.2180654597922107,   2.3017890468824116,   -0.53927521258965916,
                                            0.31935248698397806,  -0.78035053352798311, 0.15613658139612441,
                                            -0.54351851769391724, -1.0785872773598482,  3.6009899708472726,
                                            -8.3302509295424532,  9.4122222805122924,   -5.2541763291827905};
  // end of the output of docs/fit_actm.py

  template <int COUNT> static double fitted(const double (&coefficient)[COUNT], double logarithm)
  {
    const double square = logarithm * logarithm, x = square / (SCALE + square);
    double sum = coefficient[COUNT - 1];
    for (int k = COUNT - 2; k >= 0; --k) sum = coefficient[k] + x * sum;
    return sum;
  }
};

}    // namespace normal
GRANULAR_PLUS_LAWS_END

#endif
