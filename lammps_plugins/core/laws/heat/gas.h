
#ifndef GRANULAR_PLUS_HEAT_GAS_H
#define GRANULAR_PLUS_HEAT_GAS_H

#include "../contact.h"
#include "../elementary.h"

GRANULAR_PLUS_LAWS_BEGIN
namespace heat {

// Law of D. Rong and M. Horio, Proc. 2nd Int. Conf. on CFD in the Minerals and Process Industries (1999) 65. Both
// surfaces are isothermal, and heat crosses the gas parallel to the line of centres. At the distance r from this line,
// the gas layer has the thickness l(r). A thickness below smallest_gap is replaced by smallest_gap:
//
//   conductance = gas int 2 pi r/max(l(r), smallest_gap) dr
//
// The integral begins at the circle in which the surfaces intersect, or at r = 0. A lens of gas surrounds the larger
// grain. This lens is a sphere with (1 + lens) times the radius of the grain. The integral ends at the circle in which
// this sphere intersects the surface of the smaller grain, but not beyond the equator of the smaller grain.
//
// For two spheres whose centres are the distance d apart, let u = sqrt(R_i^2 - r^2), v = sqrt(R_j^2 - r^2) and
// w = u + v. The thickness is l = d - w. The difference c = u^2 - v^2 = R_i^2 - R_j^2 is constant. Therefore
// u = (w + c/w)/2, and the integral has a closed form in w.
struct Gas {
  LANE double reach(const GapHeatConstants &c, double radius_i, double radius_j)
  {
    return c.lens * larger(radius_i, radius_j);
  }

  // Squared radius of the outer circle of the integral. lens_radius must be at least the radius of the grain.
  LANE double outer_square(double lens_radius, double radius, double distance)
  {
    const double lens_square = lens_radius * lens_radius, square = radius * radius;
    const double along = (lens_square - square + distance * distance) / (2.0 * distance);
    return along < distance ? larger(0.0, lens_square - along * along) : square;
  }

  LANE double between_spheres(const GapHeatConstants &c, double radius_i, double radius_j, double distance)
  {
    // smallest ratio of w to its maximum, for very deep overlap
    constexpr double LEAST = 1.0e-6;
    const double touch = radius_i + radius_j, most = larger(radius_i, radius_j), least = smaller(radius_i, radius_j);
    const double gap = distance - touch;
    const double outer = outer_square((1.0 + c.lens) * most, least, distance);
    const double difference = (radius_i - radius_j) * touch;
    const double w_out = larger(std::sqrt(larger(0.0, radius_i * radius_i - outer)) +
                                    std::sqrt(larger(0.0, radius_j * radius_j - outer)),
                                LEAST * touch);
    const double w_in = larger(smaller(distance, touch), w_out);
    // value of w at which l = smallest_gap
    const double w_thin = larger(smaller(distance - c.smallest_gap, touch), w_out);
    const double thin = PI * disc(difference, w_in, w_thin) / c.smallest_gap;

    const double l_thin = larger(c.smallest_gap, gap), l_out = larger(l_thin, distance - w_out);
    const double per_out = 1.0 / w_out, per_thin = 1.0 / w_thin, per_distance = 1.0 / distance;
    const double log_gap = logarithm(l_out / l_thin), log_w = logarithm(w_out / w_thin);
    const double unequal = -0.5 * per_distance * (per_out * per_out - per_thin * per_thin) -
        per_distance * per_distance * (per_out - per_thin) +
        per_distance * per_distance * per_distance * (log_w - log_gap);
    const double thick = 0.5 * PI * (w_out - w_thin + distance * log_gap + difference * difference * unequal);
    return gap < reach(c, radius_i, radius_j) ? c.gas * (thin + larger(0.0, thick)) : 0.0;
  }

  LANE double at_plane(const GapHeatConstants &c, double radius, double distance)
  {
    const double gap = distance - radius, lens_radius = (1.0 + c.lens) * radius;
    const double outer = smaller(radius * radius, larger(0.0, lens_radius * lens_radius - distance * distance));
    const double u_out = std::sqrt(larger(0.0, radius * radius - outer));
    const double u_in = larger(smaller(distance, radius), u_out);
    const double u_thin = larger(smaller(distance - c.smallest_gap, radius), u_out);
    const double thin = PI * (u_in - u_thin) * (u_in + u_thin) / c.smallest_gap;
    const double l_thin = larger(c.smallest_gap, gap), l_out = larger(l_thin, distance - u_out);
    const double thick = 2.0 * PI * (u_out - u_thin + distance * logarithm(l_out / l_thin));
    return gap < c.lens * radius ? c.gas * (thin + larger(0.0, thick)) : 0.0;
  }

 private:
  // r^2 at w = w_thin minus r^2 at w = w_in, given the difference u^2 - v^2
  LANE double disc(double difference, double w_in, double w_thin)
  {
    const double u_in = 0.5 * (w_in + difference / w_in), u_thin = 0.5 * (w_thin + difference / w_thin);
    return 0.5 * (w_in - w_thin) * (1.0 - difference / (w_in * w_thin)) * (u_in + u_thin);
  }
};

}    // namespace heat
GRANULAR_PLUS_LAWS_END

#endif
