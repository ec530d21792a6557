// The batch: up to LANES contacts as a structure of arrays, to which laws are applied one after another.
//
// Pair styles, walls and the Python binding fill the same batch and call the same stages.

#ifndef GRANULAR_PLUS_CONTACT_H
#define GRANULAR_PLUS_CONTACT_H

// Types whose size depends on the number of lanes are in an inline namespace for that number, because a program may
// contain code for the CPU and for a GPU.
#ifdef GRANULAR_PLUS_LANES    // 1 on a GPU, where each contact has its own thread
#define GRANULAR_PLUS_BATCH_BEGIN inline namespace device_batch {
#else
#define GRANULAR_PLUS_BATCH_BEGIN inline namespace processor_batch {
#endif
#define GRANULAR_PLUS_BATCH_END }

namespace granular_plus {

GRANULAR_PLUS_BATCH_BEGIN
#ifdef GRANULAR_PLUS_LANES
constexpr int LANES = GRANULAR_PLUS_LANES;
constexpr int STRIDE = LANES;
#else
constexpr int LANES = 16;
// Rows whose addresses differ by a power of two would compete for the same cache sets.
constexpr int STRIDE = LANES + 8;
#endif
using Row = double[STRIDE];
GRANULAR_PLUS_BATCH_END

constexpr int MAX_HISTORY = 80;    // largest number of values that a contact stores for its laws and the ledger

// surface radius of a plane: so large that R FLAT/(R + FLAT) equals R exactly
constexpr double FLAT = 0x1p500;

// Values of each contact for the ledger and for output. Energies and losses are those of this step. Stages fill the
// first ModelConstants::observables values, so the values that few models need come last.
enum Observed {
  NORMAL_ELASTIC_FORCE,
  NORMAL_ENERGY,
  NORMAL_LOSS,
  TANGENTIAL_ENERGY,
  TANGENTIAL_DASHPOT_LOSS,
  SLIP_LOSS,
  CREATED,
  NUMERICAL_LOSS,    // work that springs, dashpots and sliders do not account for
  SLIDING,           // 1 while the tangential contact slips
  TOUCHING,          // 1 if the normal law acts, even across a gap
  LEVER_LOSS,        // nonzero if torques and slip velocities refer to different points (Slider::lammps_geometry)
  PLASTIC_LOSS,
  ROLLING_ENERGY,
  ROLLING_LOSS,
  TWISTING_ENERGY,
  TWISTING_LOSS,
  CAPILLARY_FORCE,
  CAPILLARY_ENERGY,
  BRIDGE_LOSS,
  BRIDGES,
  RUPTURES,    // 1 in the step in which the bridge ruptures
  BRIDGE_VOLUME,
  VISCOUS_FORCE,    // positive when it resists separation
  VISCOUS_LOSS,
  VOLUME_CHANGE_LOSS,
  ATTRACTION_FORCE,
  ATTRACTION_ENERGY,
  BOND_ENERGY,
  BOND_DAMPING_LOSS,
  FRACTURE_LOSS,    // energy of a bond that breaks in this step
  BONDS,
  BROKEN_BONDS,    // 1 in the step in which the bond breaks
  OBSERVABLES
};

// Values of a contact that the ledger keeps from step to step, grouped in parts. The part for collisions comes last in
// a row, so that it can be added between two runs. Bonds have their own rows.
enum RememberedPart {
  OF_CONTACT,
  OF_ROLLING,
  OF_TWISTING,
  OF_BRIDGE,
  OF_SHAPES,
  OF_COLLISION,
  OF_BOND,
  REMEMBERED_PARTS
};
enum RememberedOfContact {
  TANGENTIAL_FORCE_BEFORE = 0,
  TANGENTIAL_ENERGY_BEFORE = 3,
  DASHPOT_FORCE_BEFORE,
  ELASTIC_FORCE_BEFORE,
  NORMAL_ENERGY_BEFORE,    // for a new contact, this energy and the elastic force are 0
  VALUES_OF_CONTACT
};
enum RememberedOfRolling { ROLLING_FORCE_BEFORE = 0, ROLLING_ENERGY_BEFORE = 3, VALUES_OF_ROLLING };
enum RememberedOfTwisting { TWISTING_MOMENT_BEFORE, TWISTING_ENERGY_BEFORE, VALUES_OF_TWISTING };
enum RememberedOfBridge { BRIDGE_FORCE_BEFORE, BRIDGE_ENERGY_BEFORE, VISCOUS_FORCE_BEFORE, VALUES_OF_BRIDGE };
// State of a contact of shaped grains in the previous step. TURNING_DIFFERENCE: derivative of the overlap with respect
// to rotations of i minus derivative with respect to rotations of j. POINT: contact point relative to the midpoint
// between the centres. GRADIENT: derivative of the overlap with respect to distance.
enum RememberedOfShapes { TURNING_DIFFERENCE_BEFORE = 0, POINT_BEFORE = 3, GRADIENT_BEFORE = 6, VALUES_OF_SHAPES = 7 };
enum RememberedOfCollision {
  APPROACH_SPEED,       // speed of approach along the normal when the surfaces first touched
  CONTACT_TIME,         // time since the surfaces first touched
  COLLISION_OVERLAP,    // largest overlap since the surfaces first touched
  VALUES_OF_COLLISION
};
enum RememberedOfBond { BOND_DASHPOT_BEFORE = 0, BOND_MOMENT_BEFORE = 3, BOND_ENERGY_BEFORE = 6, VALUES_OF_BOND };
constexpr int REMEMBERED_VALUES[REMEMBERED_PARTS] = {VALUES_OF_CONTACT, VALUES_OF_ROLLING, VALUES_OF_TWISTING,
                                                     VALUES_OF_BRIDGE,  VALUES_OF_SHAPES,  VALUES_OF_COLLISION,
                                                     VALUES_OF_BOND};
// without OF_BOND
constexpr int REMEMBERED = VALUES_OF_CONTACT + VALUES_OF_ROLLING + VALUES_OF_TWISTING + VALUES_OF_BRIDGE +
    VALUES_OF_SHAPES + VALUES_OF_COLLISION;
// For each part, the number of leading vectors that change sign when the pair is swapped.
constexpr int REMEMBERED_VECTORS[REMEMBERED_PARTS] = {1, 0, 0, 0, 1, 0, 2};

// Stresses in the cross-section of a bond. The axial stress (positive in tension) and the shear stress are means over
// the section. The bending and torsion stresses are the largest values in the section.
enum BondStress { AXIAL_STRESS, BENDING_STRESS, SHEAR_STRESS, TORSION_STRESS, BOND_STRESSES };
constexpr double BREAKS_IN_TENSION = 1.0, BREAKS_IN_SHEAR = 2.0;

GRANULAR_PLUS_BATCH_BEGIN
struct alignas(64) Batch {
  int count = 0;
  double timestep = 0.0;

  // input: filled by the owner of the contacts
  Row separation[3];    // x_i - x_j
  Row velocity[3];      // v_i - v_j
  Row spin_i[3], spin_j[3];
  Row radius_i, radius_j, mass_i, mass_j;    // the mass of a wall is set to the mass of the grain
  Row held_i, held_j;                        // 1 if the particle or wall cannot be moved, else 0
  // For a wall: reciprocal of the mean curvature, FLAT for a plane, negative if the wall is concave. For a pair with a
  // shape: radius of j. If the partner is a wall, separation and velocity are relative to the nearest point of the
  // wall, radius_j is 0, and torque_j acts on the wall about that point.
  Row surface_radius;
  // Velocity of i relative to j, perpendicular to the normal, at which the separation would rotate as fast as the
  // normal rotates. Read if ModelConstants::meets_surface is true.
  Row turning_velocity[3];
  // Magnitude of the gradient of the depth, > 0, for surfaces of any shape (stages/surface.h). The separation must be
  // parallel to this gradient, and the overlap computed from separation and radii must equal the depth.
  Row gradient;
  // factor on the attraction of a wall; 0 if another patch of the wall attracts the grain
  Row attraction_factor;
  // Contact history: values of the laws (`kept`), then values of the ledger (`remembered`), then the stamp.
  Row history[MAX_HISTORY + 4];

  // computed by the laws
  Row normal[3];                 // from j to i
  Row inverse_distance;          // reciprocal of the distance between the centres, or of centre and wall
  Row normal_at_end[3];          // for synchronized_verlet
  Row tangential_velocity[3];    // velocity of i relative to j at the contact point
  Row overlap, contact_radius, effective_radius;
  Row spin;    // component of the mean spin of i and j along the normal
  Row damping_coefficient;
  // the normal stiffness if the tangential stiffness is given as a ratio to the normal stiffness, otherwise 1
  Row stiffness_factor;
  Row normal_force;            // elastic and dashpot force, positive when repulsive
  Row coulomb_normal_force;    // enters the Coulomb limit

  // output: read by the owner of the contacts
  Row force[3];    // force on i; the opposite force acts on j
  Row torque_i[3], torque_j[3];
  // Set by heat stages only. conductance: heat flow divided by the temperature difference. warming: heat per time that
  // each grain receives from dissipation.
  Row conductance, warming;
  Row observed[OBSERVABLES];    // set by observing stages only
  int observables;
  // largest amount by which the overlap of a softened contact exceeds the tolerated overlap of stages/normal.h
  double excess_overlap = 0.0;

  // used for bonds only
  Row orientation_i[4], orientation_j[4];    // unit quaternions w, x, y, z
  Row bond_stress[BOND_STRESSES];
  Row bond_energy;
  Row breaks;    // BREAKS_IN_TENSION or BREAKS_IN_SHEAR in the step in which the bond breaks, else 0
};
GRANULAR_PLUS_BATCH_END

template <int SIZE> struct LawConstants {
  double values[SIZE];
};

struct FilmConstants {
  double opened;                                          // 1 + theta/2
  double share, limit, least, viscosity, smallest_gap;    // S, Vmax, Vmin, 3/2 pi mu, hmin
  double quickening, longest;                             // B sqrt(mu/gamma), M
};

struct GapHeatConstants {
  double gas, smallest_gap, lens;
  double stefan_boltzmann, not_absorbed, view;    // not_absorbed: 1/emissivity - 1
  // liquid: conductivity of the liquid minus conductivity of the gas; bridge_volume: 0 if bridges differ in volume
  double liquid, smallest_liquid, bridge_volume;
};

struct ModelConstants {
  LawConstants<8> normal;
  LawConstants<4> damping;
  LawConstants<8> tangential, rolling, twisting;
  LawConstants<18> bridge;
  FilmConstants film;
  LawConstants<2> heat;
  GapHeatConstants gap_heat;
  LawConstants<3> attraction;
  LawConstants<6> bond;
  double normal_force_floor;         // 0 with limit_damping, else -infinity
  double lever_depth, slip_depth;    // depths at which friction acts and slip is measured, divided by the overlap
  // true if the partner is a wall or one grain has a shape
  bool meets_surface;
  int normal_history, tangential_history, rolling_history, twisting_history;    // first history value of each law
  // first of three history values of the normal of a contact of shapes, or -1
  int normal_of_shapes;
  // number of history values of the normal law that setup also updates
  int yielding_values;
  // number of history values of the twisting law that setup stores for a new contact
  int twisting_values;
  // index of the history value that stores the volume of a bridge
  int bridge_history;
  int remembered[REMEMBERED_PARTS];    // first history value of each part, or -1
  int observables;
  double half_step;                // half the time step, also in setup
  double tangential_per_normal;    // 1 if the tangential stiffness is given as a ratio to the normal stiffness, else 0
};

using Stage = void (*)(Batch &, const ModelConstants &);

}    // namespace granular_plus

#endif
