
#ifndef GRANULAR_PLUS_HEAT_RADIATION_H
#define GRANULAR_PLUS_HEAT_RADIATION_H

#include "../contact.h"
#include "../lane.h"

GRANULAR_PLUS_LAWS_BEGIN
namespace heat {

// Radiation between two grey, diffuse bodies, each of uniform temperature. The space between the bodies is empty
// (J. P. Holman, Heat Transfer):
//
//   flow = sigma (T_j^4 - T_i^4)/((1/e - 1)(1/A_i + 1/A_j) + 1/(A F))
//
// where e is the emissivity of both bodies, A_i and A_j are their surface areas, and A F = A_i F_ij = A_j F_ji. Seen
// from the distance d, a sphere of radius R fills the fraction s(R)/4 of all directions, where
//   s(R) = 2 (1 - sqrt(1 - R^2/d^2)).
// For spheres, A F = pi d^2 s(R_i) s(R_j), which satisfies reciprocity. This expression is exact if one sphere is small
// and 5 % too small for equal spheres that touch. A plane fills half of the view of a sphere.
struct Radiation {
  // conductance divided by T_i^3 + T_i^2 T_j + T_i T_j^2 + T_j^3
  LANE double between_spheres(const GapHeatConstants &c, double radius_i, double radius_j, double distance)
  {
    const double square_i = radius_i * radius_i, square_j = radius_j * radius_j;
    const double touch = radius_i + radius_j, d = larger(distance, touch), d_square = d * d;
    const double exchange = PI * d_square * part_seen(square_i / d_square) * part_seen(square_j / d_square);
    const double inverse_areas = (1.0 / square_i + 1.0 / square_j) / (4.0 * PI);
    const double conductance = c.stefan_boltzmann / (c.not_absorbed * inverse_areas + 1.0 / exchange);
    return distance < touch + c.view * larger(radius_i, radius_j) ? conductance : 0.0;
  }
  LANE double at_plane(const GapHeatConstants &c, double radius, double distance)
  {
    const double conductance = c.stefan_boltzmann * 4.0 * PI * radius * radius / (c.not_absorbed + 2.0);
    return distance < radius + c.view * radius ? conductance : 0.0;
  }
  LANE double sum_of_cubes(double a, double b) { return (a * a + b * b) * (a + b); }

 private:
  LANE double part_seen(double ratio) { return 2.0 * ratio / (1.0 + std::sqrt(1.0 - ratio)); }
};

}    // namespace heat
GRANULAR_PLUS_LAWS_END

#endif
