#ifndef GRANULAR_PLUS_BOND_BEAM_H
#define GRANULAR_PLUS_BOND_BEAM_H

#include "../quaternion.h"
#include "../parameters.h"
#include "../random.h"

GRANULAR_PLUS_LAWS_BEGIN
namespace bond {

// While a bond holds, `kept` is the factor that multiplies its strengths. After the bond has broken, `kept` is
// negative.
struct Condition {
  double kept;
};
LANE Condition holding(double strength) { return {strength}; }
LANE Condition broken() { return {-1.0}; }
LANE bool is_broken(const Condition &bond) { return bond.kept < 0.0; }
LANE bool breaks_under(double load, const Condition &holding) { return load > holding.kept; }
LANE Condition select(bool condition, const Condition &a, const Condition &b) { return {condition ? a.kept : b.kept}; }

// An elastic Timoshenko beam of circular cross-section between the centres of two grains, with Cowper's shear
// coefficient. Each grain carries a frame {a, b, c}. When the bond formed, both frames were equal and the vector a
// pointed from i to j. Let d = x_j - x_i, r = |d| and e = d/r, let L be the initial length, and let k_A, S, K and k_T
// be the stiffnesses of struct Stiffness. Then the energy is
//   U = k_A (r - L)^2/2 + S/4 (|a_i - e|^2 + |a_j - e|^2) - K/2 |a_i - a_j|^2 + k_T/4 (|b_i - b_j|^2 + |c_i - c_j|^2)
// Force and torques are derivatives of U at the present positions and orientations.
struct Beam {
  static constexpr const char *name = "beam";
  static constexpr const char *source = "[potyondy2004] strength of a bond in parallel with a contact; stiffness of a "
                                        "Timoshenko beam with the shear coefficient of [cowper1966]";
  static constexpr bool joins = true;

  // The frame of a grain is the product of its orientation and a stored quaternion. The history stores half the sum and
  // half the difference of the stored quaternions of the two grains. Swapping the pair changes the signs of the
  // difference, the length and the radius.
  static constexpr int DIFFERENCE = 0, LENGTH = 4, RADIUS = 5, SUM = 6, CONDITION = 10;
  static constexpr int history = 11, history_vectors = 2;

  static constexpr Parameter parameters[] = {
      {"E", "pressure", "Young's modulus of the bond", POSITIVE},
      {"nu", "-", "Poisson's ratio of the bond", POISSON},
      {"ratio", "-", "ratio of the bond radius to the radius of the smaller grain", POSITIVE},
      {"sigma", "pressure", "tensile strength", NON_NEGATIVE, true, Quantity::other, "tension"},
      {"tau", "pressure", "shear strength", NON_NEGATIVE, true, Quantity::other, "shear"},
      optional("scatter", {"M", "-", "Weibull modulus of the strengths", POSITIVE}, NULL_PARAMETER),
      optional(nullptr, {"seed", "-", "integer seed of the random strengths", SEED}, NULL_PARAMETER),
      optional("damping", {"beta", "-", "damping of the bond as a fraction of critical damping", NON_NEGATIVE})};

  struct Arguments {
    double modulus, ratio_of_poisson, radius_ratio, tension, shear, weibull_modulus, seed, damping;
  };
  struct Constants {
    double modulus, poisson_ratio, radius_ratio;
    double per_tension, per_shear;    // reciprocal strengths
    double damping;                   // twice the fraction of critical damping
  };
  static Constants prepare(const Arguments &given)
  {
    constexpr double LARGEST = std::numeric_limits<double>::max();
    const auto inverse = [](double strength) {
      return strength == NULL_PARAMETER ? 0.0 : strength > 0.0 ? 1.0 / strength : LARGEST;
    };
    return {given.modulus,          given.ratio_of_poisson, given.radius_ratio,
            inverse(given.tension), inverse(given.shear),   2.0 * given.damping};
  }

  // Draws the factor that multiplies the strengths of a bond. The factor has a Weibull distribution of scale 1 and
  // depends only on the modulus, the seed and the two atom IDs.
  static double strength_factor(const Arguments &given, std::uint64_t id, std::uint64_t other)
  {
    if (!(given.weibull_modulus > 0.0)) return 1.0;
    const std::uint64_t low = id < other ? id : other, high = id < other ? other : id;
    const std::uint64_t drawn = mixed(mixed(mixed(static_cast<std::uint64_t>(given.seed)) ^ low) ^ high);
    return std::pow(-std::log(inner_uniform(drawn)), 1.0 / given.weibull_modulus);
  }

  // The separation points from i to j. The order of the quaternion components is w, x, y, z. Returns false if the
  // length or a strength of the bond is 0.
  static bool begin(const Arguments &given, const double *separation, const double *quaternion_i,
                    const double *quaternion_j, double radius_i, double radius_j, std::uint64_t id_i,
                    std::uint64_t id_j, double *row)
  {
    const Vector d{separation[0], separation[1], separation[2]};
    const double distance = length(d), strength = strength_factor(given, id_i, id_j);
    if (!(distance > 0.0 && strength > 0.0) || given.tension == 0.0 || given.shear == 0.0) return false;
    const Vector e = (1.0 / distance) * d;
    const double sign = e.x < 0.0 ? -1.0 : 1.0;
    const double w = 1.0 + sign * e.x, norm = std::sqrt(w * w + e.y * e.y + e.z * e.z);
    Quaternion frame{w / norm, 0.0, -sign * e.z / norm, sign * e.y / norm};
    if (e.x < 0.0) frame = frame * Quaternion{0.0, 0.0, 1.0, 0.0};
    const auto kept = [&frame](const double *q) { return conjugate(quaternion_of(q)) * frame; };
    const Quaternion i = kept(quaternion_i), j = kept(quaternion_j);
    const Quaternion sum = 0.5 * (i + j), difference = 0.5 * (i - j);
    const double values[history] = {difference.w,
                                    difference.x,
                                    difference.y,
                                    difference.z,
                                    distance,
                                    given.radius_ratio * smaller(radius_i, radius_j),
                                    sum.w,
                                    sum.x,
                                    sum.y,
                                    sum.z,
                                    holding(strength).kept};
    std::memcpy(row, values, sizeof values);
    return true;
  }

  struct Stiffness {
    double axial, shear, coupling, torsion, bending;    // k_A, S, K, k_T and EI/L
    double area, second_moment;
  };
  LANE Stiffness stiffness(const Constants &c, double length, double radius)
  {
    const double square = radius * radius, area = PI * square, second_moment = 0.25 * square * area;
    const double per_length = 1.0 / length, slenderness = square * per_length * per_length;
    const double shear_flexibility = (7.0 + 6.0 * c.poisson_ratio) * slenderness;    // phi
    const double bending = c.modulus * second_moment * per_length;
    const double torsion = bending / (1.0 + c.poisson_ratio);
    const double stiffened = bending / (1.0 + shear_flexibility);
    return {c.modulus * area * per_length,
            12.0 * stiffened,
            (2.0 - shear_flexibility) * stiffened + 0.5 * torsion,
            torsion,
            bending,
            area,
            second_moment};
  }

  struct State {
    Vector force, torque_i, torque_j;    // `force` is the force on i
    double energy;
    // The axial stress is positive in tension. `bending` and `torsion` are the largest stresses in the section; `shear`
    // is the mean shear stress.
    double axial, bending, shear, torsion;
  };
  // The quaternions i and j rotate the axes of space to the frames. Length and radius are negative for a swapped pair.
  LANE State state(const Stiffness &k, const Vector &d, const Quaternion &i, const Quaternion &j,
                   double length_at_birth, double radius)
  {
    const double distance = length(d), per_distance = distance > 0.0 ? 1.0 / distance : 0.0;
    const Vector e = per_distance * d;
    const double sign = length_at_birth < 0.0 ? -1.0 : 1.0;
    const Vector a_i = sign * turned_x(i), b_i = turned_y(i), c_i = turned_z(i);
    const Vector a_j = sign * turned_x(j), b_j = turned_y(j), c_j = turned_z(j);
    const double stretch = distance - std::fabs(length_at_birth);
    const Vector tilt_i = a_i - e, tilt_j = a_j - e, bend = a_i - a_j, twist_b = b_i - b_j, twist_c = c_i - c_j;
    const Vector tilts = tilt_i + tilt_j;
    State s;
    s.energy = 0.5 * k.axial * stretch * stretch + 0.25 * k.shear * (dot(tilt_i, tilt_i) + dot(tilt_j, tilt_j)) -
        0.5 * k.coupling * dot(bend, bend) + 0.25 * k.torsion * (dot(twist_b, twist_b) + dot(twist_c, twist_c));
    const Vector across = (0.5 * k.shear * per_distance) * (tilts - dot(tilts, e) * e);
    const double pull = k.axial * stretch;
    s.force = pull * e - across;
    const Vector between = k.coupling * cross(a_i, a_j) - 0.5 * k.torsion * (cross(b_i, b_j) + cross(c_i, c_j));
    s.torque_i = 0.5 * k.shear * cross(a_i, e) - between;
    s.torque_j = 0.5 * k.shear * cross(a_j, e) + between;

    const double along_i = dot(s.torque_i, e), along_j = dot(s.torque_j, e);
    const Vector moment_i = s.torque_i - along_i * e, moment_j = s.torque_j - along_j * e;
    const double moment = std::sqrt(larger(dot(moment_i, moment_i), dot(moment_j, moment_j)));
    const double per_area = 1.0 / k.area, per_section = std::fabs(radius) / k.second_moment;
    s.axial = pull * per_area;
    s.bending = moment * per_section;
    s.shear = length(across) * per_area;
    s.torsion = 0.5 * std::fabs(along_i) * per_section;
    return s;
  }
};

}    // namespace bond
GRANULAR_PLUS_LAWS_END

#endif
