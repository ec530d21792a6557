#ifndef GRANULAR_PLUS_CAPILLARY_FILM_H
#define GRANULAR_PLUS_CAPILLARY_FILM_H

#include "../contact.h"
#include "willett.h"
#include "willett_simple.h"

GRANULAR_PLUS_LAWS_BEGIN
namespace capillary {

struct Films {
  static constexpr double LARGEST = 0.1;     // default of Vmax, divided by the cube of the smaller radius
  static constexpr double LEAST = 1.0e-6;    // default of Vmin, divided by the cube of Derjaguin's radius

  // A negative radius_j is the radius of a concave wall.
  LANE double largest_volume(const FilmConstants &c, double radius_i, double radius_j)
  {
    const double radius = radius_j > 0.0 ? smaller(radius_i, radius_j) : radius_i;
    return c.limit > 0.0 ? c.limit : LARGEST * radius * radius * radius;
  }
  LANE double least_volume(const FilmConstants &c, double radius_i, double radius_j)
  {
    const double radius = CapillaryLaw::derjaguin_radius(radius_i, radius_j);
    return c.least > 0.0 ? c.least : LEAST * radius * radius * radius;
  }
  // Computes the liquid that flows from two films into a new bridge. from_i and from_j are the volumes that the films
  // offer. Both are reduced if their sum exceeds the largest volume. Returns the volume of the bridge, or 0 if the
  // offered volume is too small to form a bridge.
  LANE double share_out(const FilmConstants &c, double radius_i, double radius_j, double &from_i, double &from_j)
  {
    const double volume = from_i + from_j, largest = largest_volume(c, radius_i, radius_j);
    if (!(volume > 0.0) || volume < least_volume(c, radius_i, radius_j)) return 0.0;
    if (!(volume > largest)) return volume;
    from_i *= largest / volume;
    from_j *= largest / volume;
    return largest;
  }
  // Returns V/R^3 if it lies outside the range CapillaryLaw::fitted, otherwise 0.
  LANE double outside_fit(double radius_i, double radius_j, double volume)
  {
    const double radius = CapillaryLaw::derjaguin_radius(radius_i, radius_j),
                 ratio = volume / (radius * radius * radius);
    constexpr auto FITTED = CapillaryLaw::fitted;
    return ratio >= FITTED.smallest_volume && ratio <= FITTED.largest_volume * (1.0 + 1.0e-12) ? 0.0 : ratio;
  }
  // root: cube root of the volume; radius: Derjaguin's radius
  LANE double rupture_distance(const FilmConstants &c, double root, double radius)
  {
    const auto rupture = CapillaryLaw::rupture_of(c.opened, root);
    return rupture.stretch + rupture.thinning / radius;
  }
  LANE double rupture_gap(const FilmConstants &c, double radius_i, double radius_j, double volume, double away)
  {
    const double lengthening =
        c.quickening > 0.0 ? smaller(c.longest, 1.0 + c.quickening * std::sqrt(larger(0.0, away))) : 1.0;
    return rupture_distance(c, cube_root(volume), CapillaryLaw::derjaguin_radius(radius_i, radius_j)) * lengthening;
  }
  LANE double breaking_gap(const FilmConstants &c, double radius_i, double radius_j, double volume)
  {
    return rupture_gap(c, radius_i, radius_j, volume, UNBOUNDED);
  }
  // Returns the area from which a bridge dries. The bridge is taken as a cylinder between the spheres, and the result
  // is the lateral area of the cylinder. The height at the edge of the cylinder is sqrt(S^2 + 2V/(pi R)); S is the gap.
  LANE double surface(double radius_i, double radius_j, double volume, double gap)
  {
    const double height =
        std::sqrt(gap * gap + 2.0 * volume / (PI * CapillaryLaw::derjaguin_radius(radius_i, radius_j)));
    return std::sqrt(8.0 * PI * volume / (height + gap)) * height;
  }
  LANE double resistance(const FilmConstants &c, double volume, double radius, double gap)
  {
    const double thickness = larger(gap, c.smallest_gap);
    const double filled = 1.0 - 1.0 / std::sqrt(1.0 + 2.0 * volume / (PI * radius * thickness * thickness));
    return c.viscosity * radius * radius * filled * filled / thickness;
  }
};

struct FilmArguments {
  double tension, contact_angle, share, limit, least, viscosity, smallest_gap, growth, longest;
};

// A law of liquid bridges whose liquid comes from films. When a bridge forms, it takes its volume from the films of
// both grains. When it ruptures, it returns the volume to the films. If the liquid is viscous, a bridge also resists
// stretching and squeezing:
//   F = 3/2 pi mu R^2 X^2 v/S,  X = 1 - 1/sqrt(1 + 2V/(pi R S^2))
// This is Reynolds lubrication within a cylinder of volume V (Pitois et al.). v is the speed of stretching. S is the
// gap, but at least hmin, the height of asperities. The rupture distance is multiplied by the smaller of M and
// 1 + B sqrt(mu v/gamma). Only the dependence on the square root of v is taken from Pitois et al. The user sets B.
template <class Law> struct Film : Law {
  static constexpr bool from_films = true;
  static constexpr int history = 1;
  static constexpr Parameter parameters[] = {
      CapillaryLaw::parameters[0],
      CapillaryLaw::parameters[1],
      optional("share", {"S", "-", "largest share of a film that goes into one bridge", {0.0, 1.0, false, true}}, 1.0),
      optional("limit", {"Vmax", "volume", "largest volume of a bridge when it forms", POSITIVE}, NULL_PARAMETER),
      optional("least", {"Vmin", "volume", "smallest volume of a bridge when it forms", POSITIVE}, NULL_PARAMETER),
      optional("viscous", {"mu", "pressure time", "viscosity of the liquid", NON_NEGATIVE}),
      optional("gap", {"hmin", "distance", "gap below which the viscous force stays constant", POSITIVE},
               NULL_PARAMETER),
      optional("rupture",
               {"B", "-", "factor of the square root of the capillary number in the rupture distance", NON_NEGATIVE}),
      optional("longest",
               {"M",
                "-",
                "largest ratio of the rupture distance to its value in slow stretching",
                {1.0, UNBOUNDED, true, false}},
               NULL_PARAMETER)};

  using Arguments = FilmArguments;
  static typename Law::Constants prepare(const Arguments &given)
  {
    return Law::prepare({given.tension, given.contact_angle, 1.0});
  }
  static FilmConstants films(const Arguments &given)
  {
    return {1.0 + 0.5 * CapillaryLaw::in_radians(given.contact_angle),
            given.share,
            given.limit,
            given.least,
            1.5 * PI * given.viscosity,
            given.smallest_gap,
            given.growth > 0.0 ? given.growth * std::sqrt(given.viscosity / given.tension) : 0.0,
            given.longest};
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
