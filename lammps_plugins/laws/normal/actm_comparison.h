// The two schemes that actm replaces, for comparison with the papers only: what they find is less exact, and the second
// costs as much as hundreds of steps of its contact.

#ifndef GRANULAR_PLUS_NORMAL_ACTM_COMPARISON_H
#define GRANULAR_PLUS_NORMAL_ACTM_COMPARISON_H

#include "actm.h"

GRANULAR_PLUS_LAWS_BEGIN
namespace normal {

// The formulas that Ray, Kempe & Froehlich invert: e and tau of a harmonic oscillator, with coefficients that suit the
// Hertz contact. Below e = 0.0714 they give a damping with which the spheres never part.
struct ActmDirect : AdaptiveTime<ActmDirect> {
  static constexpr const char *name = "actm/direct";
  static constexpr const char *source = "[ray2015]; for comparison only";
  static constexpr Parameter parameters[] = {AdaptiveTime::parameters[0],
                                             {"e", "-", "coefficient of restitution", {0.08, 1.0, true, true}},
                                             AdaptiveTime::parameters[2],
                                             AdaptiveTime::parameters[3]};

  static double damping(double e)
  {
    const double square = std::log(e) * std::log(e), half = 0.5 * C * square;
    return (std::sqrt(half * half + SLOPE * SLOPE * square) - half) / (SLOPE * SLOPE);
  }
  static double duration(double e)
  {
    const double lambda = damping(e);
    return DURATION / std::sqrt(1.0 - (A + B * lambda) * lambda);
  }

 private:
  static constexpr double A = 0.716, B = 0.830, C = 0.744, DURATION = 3.218, SLOPE = 1.111 * DURATION;
};

// Kempe & Froehlich: for each collision integrate it, correct k and d by Newton's method, until e and Tc are met. The
// integrations are in units of Tc and u; that the outcome is the same for all collisions of an e is not made use of,
// since what the scheme costs is to be seen.
struct ActmIterative : AdaptiveTime<ActmIterative> {
  static constexpr const char *name = "actm/iterative";
  static constexpr const char *source = "[kempe2012]; for comparison only";
  static constexpr Parameter parameters[] = {AdaptiveTime::parameters[0],
                                             {"e", "-", "coefficient of restitution", {0.08, 1.0, true, true}},
                                             AdaptiveTime::parameters[2],
                                             AdaptiveTime::parameters[3]};

  // where the iteration begins: a collision without damping, and a weak dashpot
  static double damping(double e) { return smaller(-std::log(e) / SLOPE, 0.4); }
  static double duration(double) { return UNDAMPED; }

  static void begin(const Constants &c, const NormalContact &contact, double approach_speed, Row *kept, int lane)
  {
    const double rate = UNDAMPED;    // 1/t* in units of Tc
    Coefficients found{std::pow(rate, 2.5), c.damping_ratio * rate};
    solve(found, std::log(c.restitution));
    Constants met = c;
    met.softening = found.stiffness / (c.time * c.time * std::sqrt(c.time));
    met.rate = std::pow(met.softening, 0.4);
    met.damping_ratio = found.damping / (met.rate * c.time);
    AdaptiveTime::begin(met, contact, approach_speed, kept, lane);
  }

 private:
  static constexpr double UNDAMPED = 3.2180654597190426, SLOPE = 10.0 / 9.0 * UNDAMPED;
  static constexpr double TOLERANCE = 1.0e-3;    // of ln e and ln Tc together
  static constexpr int STEPS = 200, ROUNDS = 30;

  struct Coefficients {
    double stiffness, damping;    // over the mass
  };
  struct Errors {
    double restitution, time;
  };

  static void solve(Coefficients &found, double logarithm)
  {
    for (int round = 0; round < ROUNDS; ++round) {
      const Errors error = errors(found, logarithm);
      if (std::hypot(error.restitution, error.time) <= TOLERANCE) return;
      constexpr double SMALL = 1.0e-4;
      const double nudge = SMALL * larger(found.damping, 1.0e-3);
      const Errors stiffer = errors({found.stiffness * std::exp(SMALL), found.damping}, logarithm);
      const Errors damped = errors({found.stiffness, found.damping + nudge}, logarithm);
      const double a = (stiffer.restitution - error.restitution) / SMALL;
      const double b = (damped.restitution - error.restitution) / nudge;
      const double c = (stiffer.time - error.time) / SMALL, d = (damped.time - error.time) / nudge;
      const double determinant = a * d - b * c;
      if (determinant == 0.0) return;
      const double change = (b * error.time - d * error.restitution) / determinant;
      const double more = (c * error.restitution - a * error.time) / determinant;
      found.stiffness *= std::exp(smaller(larger(change, -1.0), 1.0));
      found.damping += smaller(larger(more, -0.5 * found.damping), found.damping + 1.0);
    }
  }

  static double acceleration(const Coefficients &c, double x, double v)
  {
    const double overlap = larger(x, 0.0);
    return -c.damping * v - c.stiffness * overlap * std::sqrt(overlap);
  }

  // ln of e and Tc over what they should be, by the classical Runge-Kutta scheme
  static Errors errors(const Coefficients &c, double logarithm)
  {
    constexpr double STEP = 1.0 / STEPS;
    double x = 0.0, v = 1.0;
    for (int n = 0; n < 50 * STEPS; ++n) {
      const double a1 = acceleration(c, x, v), v2 = v + 0.5 * STEP * a1;
      const double a2 = acceleration(c, x + 0.5 * STEP * v, v2), v3 = v + 0.5 * STEP * a2;
      const double a3 = acceleration(c, x + 0.5 * STEP * v2, v3), v4 = v + STEP * a3;
      const double a4 = acceleration(c, x + STEP * v3, v4);
      const double next_x = x + STEP / 6.0 * (v + 2.0 * (v2 + v3) + v4);
      const double next_v = v + STEP / 6.0 * (a1 + 2.0 * (a2 + a3) + a4);
      if (next_x <= 0.0) {
        const double part = x / (x - next_x);
        return {std::log(larger(-v - part * (next_v - v), 1.0e-12)) - logarithm, std::log((n + part) * STEP)};
      }
      x = next_x;
      v = next_v;
    }
    return {std::log(1.0e-12) - logarithm, std::log(50.0)};    // they stick together
  }
};

}    // namespace normal
GRANULAR_PLUS_LAWS_END

#endif
