#ifndef GRANULAR_PLUS_CAPILLARY_WILLETT_H
#define GRANULAR_PLUS_CAPILLARY_WILLETT_H

#include "../elementary.h"
#include "capillary_law.h"

GRANULAR_PLUS_LAWS_BEGIN
namespace capillary {

// F = 2 pi R gamma exp(f1 - f2 exp(f3 ln s + f4 ln^2 s)), where s = (S/2)/sqrt(V/R). The formula is a regression to
// solutions of the Young-Laplace equation. f1 to f4 are polynomials in ln(V/R^3), whose coefficients are polynomials in
// theta. The force at zero gap is 2 pi R gamma exp(f1).
struct Willett : CapillaryLaw {
  static constexpr const char *name = "willett";
  static constexpr const char *source = "[willett2000] appendix";

  // Outside this range of V/R^3, f1 to f4 are constant.
  static constexpr double LOWEST_LOG_VOLUME = -13.815510557964274;    // V/R^3 = 1e-6
  static constexpr double HIGHEST_LOG_VOLUME = 0.0;

  struct Constants {
    Rupture rupture;
    double tension, volume;    // tension: 2 pi gamma
    double f1[4], f2[3], f3[4], f4[3];
  };
  static Constants prepare(const Arguments &given)
  {
    constexpr double F1[4][3] = {{-0.44507, 0.050832, -1.1466},
                                 {-0.1119, -0.000411, -0.1490},
                                 {-0.012101, -0.0036456, -0.01255},
                                 {-0.0005, -0.0003505, -0.00029076}};
    constexpr double F2[3][3] = {
        {1.9222, -0.57473, -1.2918}, {-0.0668, -0.1201, -0.22574}, {-0.0013375, -0.0068988, -0.01137}};
    constexpr double F3[4][3] = {{1.268, -0.01396, -0.23566},
                                 {0.198, 0.092, -0.06418},
                                 {0.02232, 0.02238, -0.009853},
                                 {0.0008585, 0.001318, -0.00053}};
    constexpr double F4[3][3] = {
        {-0.010703, 0.073776, -0.34742}, {0.03345, 0.04543, -0.09056}, {0.0018574, 0.004456, -0.006257}};
    const double theta = in_radians(given.contact_angle);
    const auto fill = [theta](double *f, const double (*table)[3], int count) {
      for (int k = 0; k < count; ++k) f[k] = table[k][0] + theta * (table[k][1] + theta * table[k][2]);
    };
    Constants c{};
    c.rupture = CapillaryLaw::rupture(given);
    c.tension = 2.0 * PI * given.tension;
    c.volume = given.volume;
    fill(c.f1, F1, 4);
    fill(c.f2, F2, 3);
    fill(c.f3, F3, 4);
    fill(c.f4, F4, 3);
    return c;
  }

  LANE double cubic(const double *f, double l) { return f[0] + l * (f[1] + l * (f[2] + l * f[3])); }
  LANE double parabola(const double *f, double l) { return f[0] + l * (f[1] + l * f[2]); }

  struct Liquid {
    double volume;
  };
  LANE Liquid liquid(const Constants &c) { return {c.volume}; }
  LANE Liquid liquid(double volume) { return {volume}; }

  // Computed from the ratio, so that results in other units are bitwise identical.
  LANE double log_volume_over_cube(const Liquid &liquid, double radius)
  {
    const double ratio = liquid.volume / (radius * radius * radius);
    return larger(smaller(logarithm(ratio), HIGHEST_LOG_VOLUME), LOWEST_LOG_VOLUME);
  }

  LANE double force(const Constants &c, const Liquid &liquid, double radius, double gap)
  {
    constexpr double SMALLEST = 1.0e-300;    // replaces a gap of 0
    const double l = log_volume_over_cube(liquid, radius);
    const double s = 0.5 * gap * std::sqrt(radius / liquid.volume);
    const double log_s = logarithm(larger(s, SMALLEST));
    const double bend = exponential(log_s * (cubic(c.f3, l) + log_s * parabola(c.f4, l)));
    return c.tension * radius * exponential(cubic(c.f1, l) - parabola(c.f2, l) * bend);
  }
  LANE double force_at_touch(const Constants &c, const Liquid &liquid, double radius)
  {
    return c.tension * radius * exponential(cubic(c.f1, log_volume_over_cube(liquid, radius)));
  }
};

}    // namespace capillary
GRANULAR_PLUS_LAWS_END

#endif
