// The complete law of Mindlin & Deresiewicz for spheres under varying oblique forces. The law covers first loading,
// unloading and reloading after any number of turning points, and a varying normal force.
//
// Formulation. The solution is represented by a bed of tangential springs (Jaeger's superposition of Cattaneo-Mindlin
// distributions). Springs of stiffness 8 G* per length stand at the distances x from the middle of the contact, where
// 0 <= x <= a. Each spring is stretched by the displacement of the surfaces since the spring came into contact. The
// stretch u is limited by the spring's share of friction,
//   |u(x)| <= 3/2 mu N/(8 G* a) (1 - x^2/a^2),     T = 8 G* int_0^a u dx,
// where T is the tangential force. Therefore |T| <= mu N for any history. For shear in one direction and Hertz's N(a),
// T equals the solution of Mindlin & Deresiewicz exactly. Let T* and w* be the force and the displacement at the last
// turning point. At constant N, the force is
//   T - T* = c mu N (1 - (1 - 2 K |w - w*|/(3 c mu N))^(3/2)),  K = 8 G* a,  c = 1 from the virgin state, else 2.
// For shear in two directions, a spring that slips keeps the direction of its stretch (radial return).
//
// Memory. The stretch u is stored as a piecewise linear function of x^2 with KNOTS knots. It is constant inside the
// first knot and zero at the edge. Each reversal of the shear at constant N needs one knot. Closed loops free their
// knots. If more knots are needed, the two neighbours for which merging has the least effect are merged. The merged
// knot has the same force, or less force if merging would create energy.
//
// The dashpot acts in parallel with the springs, within the remainder of the Coulomb limit.

#ifndef GRANULAR_PLUS_TANGENTIAL_MINDLIN_DERESIEWICZ_H
#define GRANULAR_PLUS_TANGENTIAL_MINDLIN_DERESIEWICZ_H

#include "../contact.h"
#include "tangential_law.h"

GRANULAR_PLUS_LAWS_BEGIN
namespace tangential {

struct MindlinDeresiewicz : TangentialLaw {
  static constexpr const char *name = "mindlin_deresiewicz";
  static constexpr const char *source = "[mindlin1953]; [jaeger1995]; [popov2015]; [aleshin2015]";
  static constexpr int KNOTS = 3;
  // The stretches of the knots come first, then their radii, then the contact radius.
  static constexpr int RADII = 3 * KNOTS;
  static constexpr int EDGE = RADII + KNOTS;
  static constexpr int history = EDGE + 1;
  static constexpr int history_vectors = KNOTS;
  static constexpr bool complete = true;    // no slider moves its springs
  static constexpr bool needs_material = true;
  static constexpr bool grows_with_radius = true;
  static constexpr Parameter parameters[] = {TANGENTIAL_DAMPING, FRICTION};

  struct Arguments {
    double damping_ratio, friction;
  };
  // constants.stiffness is the stiffness of the springs per length, 8 G*.
  static Constants prepare(const Arguments &given, const Material &material)
  {
    return {8.0 * material.shear_modulus, given.damping_ratio, given.friction};
  }
  LANE double stiffness(const Constants &c, double contact_radius) { return c.stiffness * contact_radius; }

  // If the time step is 0, returns the present force.
  LANE Vector advance(const Constants &c, Row *rows, int lane, const Vector &velocity, double normal_force,
                      double contact_radius, double damping, double timestep)
  {
    const Vector shear = timestep * velocity;
    const Cap cap = capped(c, normal_force, contact_radius);
    Knot before[KNOTS + 1], old[KNOTS + 1];
    stored(rows, lane, before);
    // springs beyond the old edge came into contact during the step
    UNROLL
    for (int k = 0; k <= KNOTS; ++k) old[k] = {before[k].radius, before[k].square, before[k].stretch + shear};
    old[KNOTS].square = at_edge(cap, old[KNOTS].square) ? larger(old[KNOTS].square, cap.edge) : old[KNOTS].square;

    Knot now[KNOTS + 2];
    slip(cap, old, now);
    const Knot edge = {contact_radius, cap.edge, {0.0, 0.0, 0.0}};
    merge<KNOTS + 2>(cap, now, edge);
    merge<KNOTS + 1>(cap, now, edge);

    // The energy must not exceed energy_before plus the work on the springs. In units of 4 G*, the energies are
    // integrals of u^2, and the work on the springs is 2 * work.
    const double energy_before = squares<KNOTS>(before, before[KNOTS]), energy = squares<KNOTS>(now, edge);
    const double work = dot(total<KNOTS>(now, edge), shear);
    const double root = std::sqrt(work * work + energy * energy_before);
    const double keep = energy - energy_before > 2.0 * work + 1.0e-13 * energy ? (work + root) / energy : 1.0;
    UNROLL
    for (int k = 0; k < KNOTS; ++k) now[k].stretch = keep * now[k].stretch;

    const bool moves = timestep > 0.0;
    UNROLL
    for (int k = 0; k < KNOTS; ++k) {
      const Vector stretch = select(moves, now[k].stretch, before[k].stretch);
      rows[3 * k][lane] = stretch.x;
      rows[3 * k + 1][lane] = stretch.y;
      rows[3 * k + 2][lane] = stretch.z;
      rows[RADII + k][lane] = moves ? now[k].radius : before[k].radius;
    }
    rows[EDGE][lane] = moves ? contact_radius : before[KNOTS].radius;

    const Vector elastic = -c.stiffness * total<KNOTS>(now, edge);
    return with_dashpot(elastic, -damping * velocity, c.friction * normal_force);
  }

  LANE Vector elastic_force(const Constants &c, const Row *rows, int lane)
  {
    Knot knot[KNOTS + 1];
    stored(rows, lane, knot);
    return -c.stiffness * total<KNOTS>(knot, knot[KNOTS]);
  }
  LANE double elastic_energy(const Constants &c, const Row *rows, int lane)
  {
    Knot knot[KNOTS + 1];
    stored(rows, lane, knot);
    return 0.5 * c.stiffness * squares<KNOTS>(knot, knot[KNOTS]);
  }

 private:
  struct Knot {
    double radius, square;
    Vector stretch;
  };

  // bound on the stretch, slope * (edge - x^2)
  struct Cap {
    double slope, radius, edge;
    STAGE double at(double square) const { return slope * (edge - square); }
  };

  LANE void stored(const Row *rows, int lane, Knot (&knot)[KNOTS + 1])
  {
    const double edge = rows[EDGE][lane];
    double inner = 0.0;
    UNROLL
    for (int k = 0; k < KNOTS; ++k) {
      inner = smaller(larger(rows[RADII + k][lane], inner), edge);
      knot[k] = {inner, inner * inner, {rows[3 * k][lane], rows[3 * k + 1][lane], rows[3 * k + 2][lane]}};
    }
    knot[KNOTS] = {edge, edge * edge, {0.0, 0.0, 0.0}};
  }

  // tolerance for rounding
  LANE bool at_edge(const Cap &cap, double square) { return square > (1.0 - 1.0e-10) * cap.edge; }

  LANE Cap capped(const Constants &c, double normal_force, double contact_radius)
  {
    const double edge = contact_radius * contact_radius;
    const double unit = c.stiffness * contact_radius * edge;
    // the bound keeps the slope finite for contacts of any size
    return {unit > 0.0 ? smaller(1.5 * c.friction * normal_force / unit, 1.0e200) : 0.0, contact_radius, edge};
  }

  LANE Knot within(const Cap &cap, const Knot &knot)
  {
    const double size = length(knot.stretch), most = larger(cap.at(knot.square), 0.0);
    return {smaller(knot.radius, cap.radius), smaller(knot.square, cap.edge),
            (size > most ? most / size : 1.0) * knot.stretch};
  }

  // mean of x between two knots, if all values of x^2 have the same weight
  LANE double mean_radius(const Knot &a, const Knot &b)
  {
    const double sum = a.radius + b.radius;
    return sum > 0.0 ? 2.0 / 3.0 * (sum - a.radius * b.radius / sum) : 0.0;
  }

  // mean_radius(b, c) - mean_radius(a, b)
  LANE double growth_of_mean(const Knot &a, const Knot &b, const Knot &c)
  {
    const double product = (a.radius + b.radius) * (b.radius + c.radius);
    const double pairs = a.radius * b.radius + b.radius * c.radius + c.radius * a.radius;
    return 2.0 / 3.0 * (product > 0.0 ? (c.radius - a.radius) * pairs / product : c.radius);
  }

  // int_0^a u dx
  template <int COUNT> LANE Vector total(const Knot *knot, const Knot &edge)
  {
    Vector sum = {0.0, 0.0, 0.0};
    UNROLL
    for (int k = 0; k < COUNT; ++k) {
      const Knot &next = k + 1 < COUNT ? knot[k + 1] : edge;
      sum = sum + mean_radius(knot[k], next) * (knot[k].stretch - next.stretch);
    }
    return sum;
  }

  // int_0^a u^2 dx
  template <int COUNT> LANE double squares(const Knot *knot, const Knot &edge)
  {
    double sum = knot[0].radius * dot(knot[0].stretch, knot[0].stretch);
    UNROLL
    for (int k = 0; k < COUNT; ++k) {
      const Knot &next = k + 1 < COUNT ? knot[k + 1] : edge;
      const double a = knot[k].radius, b = next.radius, both = a + b;
      const double ab = a * b, aa = a * a, bb = b * b;
      const double inner = dot(knot[k].stretch, knot[k].stretch), outer = dot(next.stretch, next.stretch);
      const double mixed = dot(knot[k].stretch, next.stretch);
      const double part = (3.0 * aa + 9.0 * ab + 8.0 * bb) * inner + 4.0 * (aa + 3.0 * ab + bb) * mixed +
          (8.0 * aa + 9.0 * ab + 3.0 * bb) * outer;
      sum = sum + (both > 0.0 ? (b - a) / (15.0 * both) * (part / both) : 0.0);
    }
    return sum;
  }

  // As x^2 grows, the cap decreases at least as fast as a stretch can decrease. All springs outside a certain radius
  // therefore slip. A knot is placed at that radius.
  LANE void slip(const Cap &cap, const Knot (&old)[KNOTS + 1], Knot (&now)[KNOTS + 2])
  {
    bool slips[KNOTS + 1];
    double worst = 0.0, slipping_at[KNOTS + 1];
    UNROLL
    for (int k = 0; k <= KNOTS; ++k) {
      const double size = length(old[k].stretch), most = larger(cap.at(old[k].square), 0.0);
      worst = larger(size - most, worst);
      slips[k] = worst > 0.0;
      slipping_at[k] = size > most ? old[k].square : 0.0;
    }

    Knot in = {0.0, 0.0, old[0].stretch}, out = old[0];
    UNROLL
    for (int k = 1; k <= KNOTS; ++k) {
      in = select_knot(slips[k - 1], in, old[k - 1]);
      out = select_knot(slips[k - 1], out, old[k]);
    }
    const Vector rise = out.stretch - in.stretch;
    const double most = cap.at(in.square), fall = cap.slope * (in.square - out.square);
    const double square_term = dot(rise, rise) - fall * fall;
    const double linear = dot(in.stretch, rise) - most * fall;
    const double room = larger(most * most - dot(in.stretch, in.stretch), 0.0);
    const double root = std::sqrt(larger(linear * linear + square_term * room, 0.0));
    const double divisor = linear > 0.0 ? linear + root : square_term;
    const double way = divisor > 0.0 ? smaller((linear > 0.0 ? room : root - linear) / divisor, 1.0) : 0.0;
    Knot begin;
    begin.square = in.square + way * (out.square - in.square);
    begin.square = at_edge(cap, begin.square) ? cap.edge : begin.square;
    begin.radius = std::sqrt(begin.square);
    begin.stretch = in.stretch + way * rise;
    begin = within(cap, begin);

    // Knots outside the radius at which slip begins keep the direction of their stretch, which is reduced to the cap.
    // Knots that are too close to the edge are moved inwards.
    const double rim = begin.square + 0.6 * (cap.edge - begin.square);
    in = {0.0, 0.0, old[0].stretch};
    out = old[0];
    UNROLL
    for (int k = 0; k < KNOTS; ++k) {
      in = select_knot(slipping_at[k] < rim, old[k], in);
      out = select_knot(slipping_at[k] < rim, old[k + 1], out);
    }
    const double outermost = larger(in.square, begin.square);
    Knot new_knot;
    new_knot.square = smaller(outermost + 0.4 * (cap.edge - outermost), out.square);
    new_knot.radius = std::sqrt(new_knot.square);
    const double fraction = (new_knot.square - in.square) * reciprocal(out.square - in.square);
    new_knot.stretch = in.stretch + fraction * (out.stretch - in.stretch);
    new_knot = within(cap, new_knot);

    Knot returned[KNOTS + 1];
    UNROLL
    for (int k = 0; k < KNOTS; ++k)
      returned[k] = select_knot(slips[k], select_knot(slipping_at[k] < rim, within(cap, old[k]), new_knot), old[k]);
    returned[KNOTS] = select_knot(slips[KNOTS], new_knot, old[KNOTS]);
    now[0] = select_knot(slips[0], begin, returned[0]);
    UNROLL
    for (int k = 1; k <= KNOTS; ++k)
      now[k] = select_knot(slips[k - 1], returned[k - 1], select_knot(slips[k], begin, returned[k]));
    now[KNOTS + 1] = returned[KNOTS];
  }

  template <int COUNT> LANE void merge(const Cap &cap, Knot (&knot)[KNOTS + 2], const Knot &edge)
  {
    double kink[COUNT];
    Vector slope_before = {0.0, 0.0, 0.0};
    UNROLL
    for (int k = 0; k < COUNT; ++k) {
      const Knot &next = k + 1 < COUNT ? knot[k + 1] : edge;
      const double width = next.square - knot[k].square;
      const Vector slope = select(width > SMALLEST, reciprocal(width) * (next.stretch - knot[k].stretch), slope_before);
      const double turn = length(slope - slope_before);
      kink[k] = turn > NO_KINK * cap.slope ? turn : 0.0;
      slope_before = slope;
    }

    // a and b are merged; before and after are their neighbours
    Knot before = knot[0], a = knot[0], b = knot[1], after = knot[2];
    double kink_a = kink[0], kink_b = kink[1];
    double least[COUNT - 1];
    UNROLL
    for (int k = 0; k + 1 < COUNT; ++k) {
      const double sum = kink[k] + kink[k + 1];
      const double effect = (sum > 0.0 ? kink[k] * kink[k + 1] / sum : 0.0) * (knot[k + 1].square - knot[k].square) *
          (knot[k + 1].radius - knot[k].radius);
      if (k == 0) {
        least[k] = effect;
        continue;
      }
      const bool less = effect < least[k - 1];
      least[k] = less ? effect : least[k - 1];
      before = select_knot(less, knot[k - 1], before);
      a = select_knot(less, knot[k], a);
      b = select_knot(less, knot[k + 1], b);
      after = select_knot(less, k + 2 < COUNT ? knot[k + 2] : edge, after);
      kink_a = less ? kink[k] : kink_a;
      kink_b = less ? kink[k + 1] : kink_b;
    }
    const double least_of_all = least[COUNT - 2];
    const bool first = least[0] <= least_of_all;
    const double kinks = kink_a + kink_b;
    Knot one;
    one.square = a.square + (kinks > 0.0 ? kink_b / kinks : 0.0) * (b.square - a.square);
    one.radius = std::sqrt(one.square);

    // stretches relative to the chord between the neighbours, weighted by their contribution to the force
    const double width = after.square - before.square;
    const double per_width = first ? 0.0 : reciprocal(width);
    const Vector chord = per_width * (after.stretch - before.stretch);
    const auto on_chord = [&](double square) { return after.stretch + (square - after.square) * chord; };
    const auto weight = [&](const Knot &left, const Knot &middle, const Knot &right, bool innermost) {
      return innermost ? mean_radius(middle, right) : growth_of_mean(left, middle, right);
    };
    const double weight_of_one = weight(before, one, after, first);
    const double per_weight = weight_of_one > 0.0 ? 1.0 / weight_of_one : 0.0;
    one.stretch = on_chord(one.square) + (per_weight * weight(before, a, b, first)) * (a.stretch - on_chord(a.square)) +
        (per_weight * weight(a, b, after, false)) * (b.stretch - on_chord(b.square));
    one = within(cap, one);

    UNROLL
    for (int k = 0; k + 1 < COUNT; ++k) {
      const Knot moved = k == 0 ? one : select_knot(least[k - 1] > least_of_all, one, knot[k + 1]);
      knot[k] = select_knot(least[k] > least_of_all, knot[k], moved);
    }
  }

  static constexpr double NO_KINK = 1.0e-9;       // fraction of the largest slope; smaller kinks are due to rounding
  static constexpr double SMALLEST = 1.0e-250;    // smaller squares of radii count as equal
  LANE double reciprocal(double width) { return width > SMALLEST ? 1.0 / width : 0.0; }

  LANE Knot select_knot(bool condition, const Knot &a, const Knot &b)
  {
    return {condition ? a.radius : b.radius, condition ? a.square : b.square, select(condition, a.stretch, b.stretch)};
  }

  LANE Vector with_dashpot(const Vector &elastic, const Vector &dashpot, double coulomb_limit)
  {
    const double along = dot(elastic, dashpot), square = dot(dashpot, dashpot);
    const double room = larger(coulomb_limit * coulomb_limit - dot(elastic, elastic), 0.0);
    const double root = std::sqrt(along * along + square * room);
    const double divisor = along > 0.0 ? along + root : square;
    const double fraction = divisor > 0.0 ? smaller((along > 0.0 ? room : root - along) / divisor, 1.0) : 1.0;
    return elastic + fraction * dashpot;
  }
};

}    // namespace tangential
GRANULAR_PLUS_LAWS_END

#endif
