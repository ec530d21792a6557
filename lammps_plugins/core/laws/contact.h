// The batch: up to LANES contacts as a structure of arrays, to which laws are applied one after another.
//
// Pairs, walls and the Python binding fill the same batch and call the same stages; laws do not depend on who filled it.

#ifndef GRANULAR_PLUS_CONTACT_H
#define GRANULAR_PLUS_CONTACT_H

// Types whose size depends on the number of lanes are in an inline namespace for each number: a program may contain
// code for a device and for the processor, and a name must mean one type throughout a program.
#ifdef GRANULAR_PLUS_LANES    // 1 on a device, where each contact has a thread
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
constexpr int STRIDE = LANES + 8;    // rows at distances of a power of two would compete for the same cache lines
#endif
using Row = double[STRIDE];
GRANULAR_PLUS_BATCH_END

constexpr int MAX_HISTORY = 80;    // most values that all laws of a contact model together may store per contact

// surface radius of a plane: a power of two so large that R FLAT/(R + FLAT) equals R to the last bit
constexpr double FLAT = 0x1p500;

// Values that observing stages store for each contact, for the ledger and for output. Energies and losses of this step;
// losses and created energy are positive; created energy is what a slider or a growing stiffness adds. Values that few
// models have come last: stages fill the first ModelConstants::observables.
enum Observed {
  NORMAL_ELASTIC_FORCE,
  NORMAL_ENERGY,
  NORMAL_LOSS,
  TANGENTIAL_ENERGY,
  TANGENTIAL_DASHPOT_LOSS,
  SLIP_LOSS,
  CREATED,
  NUMERICAL_LOSS,    // work not accounted for by springs, dashpots and sliders, due to the finite step
  SLIDING,           // 1 while the tangential contact slips
  TOUCHING,          // 1 unless only a bridge connects the two
  LEVER_LOSS,        // torques act at the middle of the overlap but velocities are taken at the full radius
  PLASTIC_LOSS,      // in contacts that yield
  ROLLING_ENERGY,
  ROLLING_LOSS,
  TWISTING_ENERGY,
  TWISTING_LOSS,
  CAPILLARY_FORCE,    // pull of the liquid bridge
  CAPILLARY_ENERGY,
  BRIDGE_LOSS,
  BRIDGES,     // 1 where there is a bridge
  RUPTURES,    // 1 in the step in which it ruptures; the ledger adds those that dry out
  BRIDGE_VOLUME,
  VISCOUS_FORCE,    // of the liquid bridge, positive when it resists separation
  VISCOUS_LOSS,
  VOLUME_CHANGE_LOSS,    // energy that a bridge releases when its volume changes
  ATTRACTION_FORCE,      // pull that needs no contact
  ATTRACTION_ENERGY,
  BOND_ENERGY,
  BOND_DAMPING_LOSS,
  FRACTURE_LOSS,    // energy of a bond that breaks in this step
  BONDS,            // 1 where there is a bond
  BROKEN_BONDS,     // 1 in the step in which it breaks
  OBSERVABLES
};

// Values of a contact that the ledger keeps from step to step, in parts. A contact stores the parts that its laws need,
// starting at ModelConstants::remembered; the part for collisions, which a user may request between two runs, comes last.
// Bonds have rows of their own.
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
  NORMAL_ENERGY_BEFORE,    // like the elastic force, 0 for a contact that has just formed
  VALUES_OF_CONTACT
};
enum RememberedOfRolling { ROLLING_FORCE_BEFORE = 0, ROLLING_ENERGY_BEFORE = 3, VALUES_OF_ROLLING };
enum RememberedOfTwisting { TWISTING_MOMENT_BEFORE, TWISTING_ENERGY_BEFORE, VALUES_OF_TWISTING };
// kept after the contact ends, as long as the bridge
enum RememberedOfBridge { BRIDGE_FORCE_BEFORE, BRIDGE_ENERGY_BEFORE, VISCOUS_FORCE_BEFORE, VALUES_OF_BRIDGE };
// Contact of shaped grains as it was, for the step in which they separate: the derivatives of the overlap with respect to
// rotations, that of i minus that of j, and to distance; the contact point relative to the middle between their centres.
enum RememberedOfShapes { TURNING_DIFFERENCE_BEFORE = 0, POINT_BEFORE = 3, GRADIENT_BEFORE = 6, VALUES_OF_SHAPES = 7 };
enum RememberedOfCollision {
  APPROACH_SPEED,       // along the normal, at touch
  CONTACT_TIME,         // since touch
  COLLISION_OVERLAP,    // the largest since touch
  VALUES_OF_COLLISION
};
enum RememberedOfBond { BOND_DASHPOT_BEFORE = 0, BOND_MOMENT_BEFORE = 3, BOND_ENERGY_BEFORE = 6, VALUES_OF_BOND };
constexpr int REMEMBERED_VALUES[REMEMBERED_PARTS] = {VALUES_OF_CONTACT, VALUES_OF_ROLLING, VALUES_OF_TWISTING,
                                                     VALUES_OF_BRIDGE,  VALUES_OF_SHAPES,  VALUES_OF_COLLISION,
                                                     VALUES_OF_BOND};
constexpr int REMEMBERED = VALUES_OF_CONTACT + VALUES_OF_ROLLING + VALUES_OF_TWISTING + VALUES_OF_BRIDGE +
    VALUES_OF_SHAPES + VALUES_OF_COLLISION;
// number of vectors at the start of a part that change sign when the pair is swapped: the tangential force, the
// turning, and force and moment of the dashpots of a bond
constexpr int REMEMBERED_VECTORS[REMEMBERED_PARTS] = {1, 0, 0, 0, 1, 0, 2};

// largest stresses in the cross-section of a bond, by load; the first is positive in tension
enum BondStress { AXIAL_STRESS, BENDING_STRESS, SHEAR_STRESS, TORSION_STRESS, BOND_STRESSES };
constexpr double BREAKS_IN_TENSION = 1.0, BREAKS_IN_SHEAR = 2.0;

GRANULAR_PLUS_BATCH_BEGIN
struct alignas(64) Batch {
  int count = 0;    // contacts in the batch
  double timestep = 0.0;

  // input: filled by the owner of the contacts
  Row separation[3];    // x_i - x_j
  Row velocity[3];      // v_i - v_j
  Row spin_i[3], spin_j[3];
  Row radius_i, radius_j, mass_i, mass_j;    // a wall, which has no mass, is given that of its partner
  Row held_i, held_j;                        // 1 if the particle, or the wall, cannot be moved, else 0
  // If the partner is a wall: its radius of curvature, FLAT for a plane, negative if it is concave. Separation and velocity
  // are then relative to the nearest point of the wall, radius_j is 0, and torque_j acts on the wall about that point.
  Row surface_radius;
  // If the partner is a wall: velocity at which the particle would have to move past a fixed point for the normal to
  // turn as it does; 0 for a plane at rest. For two particles it is their relative velocity.
  Row turning_velocity[3];
  // Read only by the stages for surfaces of any shape: |grad depth|, > 0, 1 for spheres and planes. Separation and
  // radii are then such that the overlap equals the depth and the separation points along its gradient.
  Row gradient;
  // If the partner is a wall that attracts: factor on the pull; 0 if another of its patches acts instead.
  Row attracts;
  // Contact history, kept from step to step. First come the values of the laws, called `kept` in laws and stages (springs,
  // plastic overlap, volume of a bridge), then those of the ledger, `remembered`: see RememberedPart. The stamp follows both.
  Row history[MAX_HISTORY + 4];

  // computed by the laws
  Row normal[3];                 // from j to i
  Row inverse_distance;          // between the centres, or from the wall
  Row normal_at_end[3];          // at the end of the step, if `normal` is that of the half step (synchronized_verlet)
  Row tangential_velocity[3];    // of i relative to j at the contact point
  Row overlap, contact_radius, effective_radius;
  Row spin;                    // of the pair about the normal
  Row damping_coefficient;     // of the normal dashpot
  Row stiffness_factor;        // of the tangential stiffness: 1, or the normal stiffness if the model gives their ratio
  Row normal_force;            // elastic and dashpot part, positive when repulsive
  Row coulomb_normal_force;    // normal force in the Coulomb limit

  // output: read by the owner of the contacts
  Row force[3];    // on i; the opposite acts on j
  Row torque_i[3], torque_j[3];
  Row conductance,
      warming;                    // by heat stages only: heat per time, per temperature difference and to each grain
  Row observed[OBSERVABLES];      // by observing stages only
  int observables;                // number of these that are filled
  double excess_overlap = 0.0;    // largest so far beyond the range intended for laws that soften contacts

  // used by bonds only
  Row orientation_i[4], orientation_j[4];    // unit quaternions w, x, y, z
  Row bond_stress[BOND_STRESSES];
  Row bond_energy;    // including that of a bond that breaks
  Row breaks;         // BREAKS_IN_TENSION or BREAKS_IN_SHEAR in the step in which the bond breaks, else 0
};
GRANULAR_PLUS_BATCH_END

// Storage for the constants of any law of a kind, as large as the largest needs. constants_of and put, which know the
// type of the law, check the size.
template <int SIZE> struct LawConstants {
  double values[SIZE];
};

// For bridges whose liquid belongs to the grains: see capillary/film.h.
struct FilmConstants {
  double opened;    // 1 + theta/2
  double share, limit, least, viscosity, smallest_gap;
  double quickening, longest;    // B sqrt(mu/gamma), M
};

// Heat across the gap of two surfaces: see heat/gas.h, heat/radiation.h and heat/liquid.h.
struct GapHeatConstants {
  double gas, smallest_gap, lens;
  double stefan_boltzmann, not_absorbed, view;    // not_absorbed is 1/emissivity - 1
  double liquid, smallest_liquid,
      bridge_volume;    // liquid: beyond the gas that it displaces; volume 0: that of each bridge
};

// constants of a contact model, computed once when the coefficients are set
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
  double lever_depth, slip_depth;    // depths at which friction acts and slip is measured, over the overlap
  bool meets_surface;    // the partner is a wall or has a shape: see Batch::surface_radius, turning_velocity
  int normal_history, tangential_history, rolling_history, twisting_history;    // first value of each in a history row
  int normal_of_shapes;    // first of the three values that store the normal of a contact of shapes; -1: none
  int yielding_values;     // of the normal law, updated in setup too; 0 if contacts do not yield
  int twisting_values;     // history values of the twisting law, stored in setup too if a contact begins there
  int bridge_history;      // volume of a bridge whose liquid belongs to the grains
  int remembered[REMEMBERED_PARTS];    // first value of each part in a history row, -1 if it is not stored
  int observables;                     // how many of Observed the stages fill
  double half_step;                    // with synchronized_verlet, half the time step, in setup too
  double tangential_per_normal;        // 1 if the tangential stiffness is given as a ratio to the normal one, else 0
};

using Stage = void (*)(Batch &, const ModelConstants &);

}    // namespace granular_plus

#endif
