#ifndef GRANULAR_PLUS_CAPILLARY_FILM_H
#define GRANULAR_PLUS_CAPILLARY_FILM_H

#include "willett.h"
#include "willett_simple.h"

GRANULAR_PLUS_LAWS_BEGIN
namespace capillary {

// A law whose liquid belongs to the grains: a bridge takes its volume from their films when it forms, keeps it in the
// history of the contact and gives it back when it ruptures. With a viscosity it also resists stretching and squeezing,
// F = 3/2 pi mu R^2 X^2 v/S, X = 1 - 1/sqrt(1 + 2V/(pi R S^2)): Reynolds's lubrication within a cylinder of volume V, which
// Pitois et al. confirmed by experiment; S is not below that of asperities. Stretched at a speed v it may last longer:
// Pitois et al. found that the rupture distance grows with the square root of v, here by a factor 1 + B sqrt(mu v/gamma)
// of at most M. B is the user's: only the root is known of them here.
template <class Law> struct Film : Law {
  static constexpr bool from_films = true;
  static constexpr int history = Law::takes_logarithm ? 2 : 1;    // volume, its logarithm
  static constexpr double LARGEST = 0.1;     // default of the largest volume, over the cube of the smaller radius
  static constexpr double LEAST = 1.0e-6;    // default of the least volume, over the cube of Derjaguin's radius
  static constexpr Parameter parameters[] = {
      CapillaryLaw::parameters[0],
      CapillaryLaw::parameters[1],
      {"S",
       "-",
       "most of a film that goes into one bridge",
       {0.0, 1.0, false, true},
       false,
       Quantity::other,
       "share",
       false,
       true,
       1.0},
      {"Vmax", "volume", "largest volume of a bridge as it forms", POSITIVE, false, Quantity::other, "limit", false,
       true, NULL_PARAMETER},
      {"Vmin", "volume", "least volume of a bridge as it forms", POSITIVE, false, Quantity::other, "least", false, true,
       NULL_PARAMETER},
      {"mu", "pressure time", "viscosity of the liquid", NON_NEGATIVE, false, Quantity::other, "viscous", false, true},
      {"hmin", "distance", "gap below which the viscous force grows no more", POSITIVE, false, Quantity::other, "gap",
       false, true, NULL_PARAMETER},
      {"B", "-", "growth of the rupture distance with the root of the capillary number", NON_NEGATIVE, false,
       Quantity::other, "rupture", false, true},
      {"M",
       "-",
       "longest rupture distance over that of slow stretching",
       {1.0, UNBOUNDED, true, false},
       false,
       Quantity::other,
       "longest",
       false,
       true,
       NULL_PARAMETER}};

  struct Arguments {
    double tension, contact_angle, share, limit, least, viscosity, smallest_gap, growth, longest;
  };
  struct Constants : Law::Constants {
    double opened;    // 1 + theta/2
    double share, limit, least, viscosity, smallest_gap;
    double quickening, longest;    // B sqrt(mu/gamma), M
  };
  static Constants prepare(const Arguments &given)
  {
    Constants c{};
    static_cast<typename Law::Constants &>(c) = Law::prepare({given.tension, given.contact_angle, 1.0});
    c.opened = 1.0 + 0.5 * CapillaryLaw::in_radians(given.contact_angle);
    c.share = given.share;
    c.limit = given.limit;
    c.least = given.least;
    c.viscosity = 1.5 * PI * given.viscosity;
    c.smallest_gap = given.smallest_gap;
    c.quickening = given.growth > 0.0 ? given.growth * std::sqrt(given.viscosity / given.tension) : 0.0;
    c.longest = given.longest;
    return c;
  }

  static double largest_volume(const Constants &c, double radius_i, double radius_j)
  {
    const double radius = smaller(radius_i, radius_j);
    return c.limit > 0.0 ? c.limit : LARGEST * radius * radius * radius;
  }
  static double least_volume(const Constants &c, double radius)
  {
    return c.least > 0.0 ? c.least : LEAST * radius * radius * radius;
  }
  static void remember(double volume, double *kept)
  {
    kept[0] = volume;
    if constexpr (Law::takes_logarithm) kept[1] = volume > 0.0 ? std::log(volume) : 0.0;
  }
  // root: cube root of the volume
  LANE double rupture_distance(const Constants &c, double root, double radius)
  {
    const auto rupture = CapillaryLaw::rupture_of(c.opened, root);
    return rupture.stretch + rupture.thinning / radius;
  }
  // of the rupture distance, by the speed at which the surfaces part
  static double lengthening(const Constants &c, double away)
  {
    return c.quickening > 0.0 ? smaller(c.longest, 1.0 + c.quickening * std::sqrt(larger(0.0, away))) : 1.0;
  }
  // that dries: the side of the cylinder of volume V between the spheres, whose edge is H = sqrt(S^2 + 2V/(pi R)) high
  static double surface(double volume, double radius, double gap)
  {
    const double height = std::sqrt(gap * gap + 2.0 * volume / (PI * radius));
    return std::sqrt(8.0 * PI * volume / (height + gap)) * height;
  }
  // over the velocity at which the surfaces part
  LANE double resistance(const Constants &c, double volume, double radius, double gap)
  {
    const double thickness = larger(gap, c.smallest_gap);
    const double filled = 1.0 - 1.0 / std::sqrt(1.0 + 2.0 * volume / (PI * radius * thickness * thickness));
    return c.viscosity * radius * radius * filled * filled / thickness;
  }
};

struct WillettFilm : Film<Willett> {
  static constexpr const char *name = "willett/film";
  static constexpr const char *source = "[willett2000] appendix; viscosity [pitois2000]";
};
struct WillettSimpleFilm : Film<WillettSimple> {
  static constexpr const char *name = "willett/simple/film";
  static constexpr const char *source = "[willett2000] closed-form approximation; viscosity [pitois2000]";
};

}    // namespace capillary
GRANULAR_PLUS_LAWS_END

#endif
