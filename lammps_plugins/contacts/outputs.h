// Everything that has a number in LAMMPS's output has a name here: styles number their entries by these tables, and the
// manual, Python and the tests read them.

#ifndef GRANULAR_PLUS_OUTPUTS_H
#define GRANULAR_PLUS_OUTPUTS_H

#include <cstddef>

namespace granular_plus {

struct Output {
  const char *name, *unit, *meaning;
};

template <std::size_t SIZE> constexpr int count_of(const Output (&)[SIZE]) { return static_cast<int>(SIZE); }

// compute granular/ledger: c_ID[1], c_ID[2], ... The order of the enumeration is that of the table.
enum LedgerOutput {
  LEDGER_KINETIC_TRANSLATION,
  LEDGER_KINETIC_ROTATION,
  LEDGER_ELASTIC_NORMAL,
  LEDGER_ELASTIC_TANGENTIAL,
  LEDGER_ELASTIC_ROLLING,
  LEDGER_ELASTIC_TWISTING,
  LEDGER_CAPILLARY,
  LEDGER_NORMAL_DASHPOT,
  LEDGER_TANGENTIAL_DASHPOT,
  LEDGER_SLIP,
  LEDGER_ROLLING,
  LEDGER_TWISTING,
  LEDGER_RUPTURE,
  LEDGER_NUMERICAL,
  LEDGER_LEVER,
  LEDGER_CREATED,
  LEDGER_POTENTIAL,
  LEDGER_WALL_WORK,
  LEDGER_CONTACTS,
  LEDGER_SLIDING_CONTACTS,
  LEDGER_BRIDGES,
  LEDGER_RUPTURES,
  LEDGER_RESIDUAL,
  LEDGER_EXCHANGED,
  LEDGER_VISCOUS,
  LEDGER_VOLUME_CHANGE,
  LEDGER_LIQUID_FILMS,
  LEDGER_LIQUID_BRIDGES,
  LEDGER_LIQUID_LOST,
  LEDGER_LIQUID_EVAPORATED,
  LEDGER_LIQUID_SUPPLIED,
  LEDGER_PLASTIC,
  LEDGER_ATTRACTION,
  LEDGER_BOND,
  LEDGER_BOND_DAMPING,
  LEDGER_FRACTURE,
  LEDGER_BONDS,
  LEDGER_BROKEN_BONDS,
  LEDGER_OUTPUTS
};
inline constexpr Output LEDGER_TABLE[] = {
    {"kinetic_translation", "energy", "kinetic energy of translation"},
    {"kinetic_rotation", "energy", "kinetic energy of rotation"},
    {"elastic_normal", "energy", "elastic energy of normal contact"},
    {"elastic_tangential", "energy", "elastic energy of tangential springs"},
    {"elastic_rolling", "energy", "elastic energy of rolling springs"},
    {"elastic_twisting", "energy", "elastic energy of twisting springs"},
    {"capillary", "energy", "energy of live liquid bridges, counted from touch"},
    {"normal_dashpot", "energy", "lost in normal dashpots so far"},
    {"tangential_dashpot", "energy", "lost in tangential dashpots so far"},
    {"slip", "energy", "lost in sliding friction so far"},
    {"rolling", "energy", "lost in rolling resistance so far"},
    {"twisting", "energy", "lost in twisting resistance so far"},
    {"rupture", "energy", "lost with liquid bridges that ruptured so far"},
    {"numerical", "energy", "lost to the finite time step so far; may have either sign"},
    {"lever", "energy", "lost to torques that act elsewhere than slip is measured, so far; slider dsds only"},
    {"created", "energy", "created by friction so far"},
    {"potential", "energy", "potential energy of gravity"},
    {"wall_work", "energy", "work of walls on the particles so far"},
    {"contacts", "1", "number of contacts"},
    {"sliding_contacts", "1", "number of contacts that slide"},
    {"bridges", "1", "number of liquid bridges"},
    {"ruptures", "1", "number of liquid bridges that ruptured so far"},
    {"residual", "energy", "what the balance leaves over"},
    {"exchanged", "energy",
     "brought in less taken out with particles, by gravity as it changes, or by commands between runs, so far"},
    {"viscous", "energy", "lost in the viscosity of liquid bridges so far"},
    {"volume_change", "energy", "lost as liquid bridges got another volume, so far; may have either sign"},
    {"liquid_films", "volume", "liquid in the films of grains"},
    {"liquid_bridges", "volume", "liquid of the grains in bridges"},
    {"liquid_lost", "volume", "liquid taken out less brought in with grains, or by commands between runs, so far"},
    {"liquid_evaporated", "volume", "liquid that evaporated so far"},
    {"liquid_supplied", "volume", "liquid that fix granular/film brought in so far"},
    {"plastic", "energy", "lost in the plastic deformation of contacts so far"},
    {"van_der_waals", "energy", "energy of van der Waals attraction, counted from its cutoff"},
    {"bond", "energy", "elastic energy of bonds"},
    {"bond_damping", "energy", "lost in the damping of bonds so far"},
    {"fracture", "energy", "held by bonds as they broke, so far"},
    {"bonds", "1", "number of bonds"},
    {"broken_bonds", "1", "number of bonds that broke so far"},
};
static_assert(count_of(LEDGER_TABLE) == LEDGER_OUTPUTS, "one name for each entry of the ledger");

// compute pair/local: p1, p2, ... of pair granular/plus; the first twelve as pair granular
enum PairOutput {
  PAIR_FRICTION = 0,
  PAIR_FRICTION_MAGNITUDE = 3,
  PAIR_ROLLING = 4,
  PAIR_ROLLING_MAGNITUDE = 7,
  PAIR_TWISTING = 8,
  PAIR_SEPARATION = 9,
  PAIR_NORMAL_ELASTIC = 12,
  PAIR_NORMAL_DASHPOT,
  PAIR_SLIDING,
  PAIR_ELASTIC_NORMAL,
  PAIR_ELASTIC_TANGENTIAL,
  PAIR_ELASTIC_ROLLING,
  PAIR_ELASTIC_TWISTING,
  PAIR_SPRING,
  PAIR_BRIDGE = PAIR_SPRING + 3,
  PAIR_GAP,
  PAIR_BRIDGE_FORCE,
  PAIR_BRIDGE_ENERGY,
  PAIR_STIFFNESS,
  PAIR_DAMPING,
  PAIR_APPROACH_SPEED,
  PAIR_CONTACT_TIME,
  PAIR_LARGEST_OVERLAP,
  PAIR_HEAT,
  PAIR_BRIDGE_VOLUME,
  PAIR_VISCOUS_FORCE,
  PAIR_PLASTIC_OVERLAP,
  PAIR_ATTRACTION_FORCE,
  PAIR_ATTRACTION_ENERGY,
  PAIR_BOND,
  PAIR_BOND_ENERGY,
  PAIR_BOND_STRESS,
  PAIR_OUTPUTS = PAIR_BOND_STRESS + 4
};
inline constexpr Output PAIR_TABLE[] = {
    {"friction_x", "force", "tangential force on the first particle"},
    {"friction_y", "force", "tangential force on the first particle"},
    {"friction_z", "force", "tangential force on the first particle"},
    {"friction", "force", "magnitude of the tangential force"},
    {"rolling_x", "force", "rolling force"},
    {"rolling_y", "force", "rolling force"},
    {"rolling_z", "force", "rolling force"},
    {"rolling", "force", "magnitude of the rolling force"},
    {"twisting", "torque", "twisting torque"},
    {"separation_x", "distance", "position of the first particle less that of the second"},
    {"separation_y", "distance", "position of the first particle less that of the second"},
    {"separation_z", "distance", "position of the first particle less that of the second"},
    {"normal_elastic", "force", "elastic part of the normal force"},
    {"normal_dashpot", "force", "dashpot's part of the normal force"},
    {"sliding", "1", "1 if the contact slides, else 0"},
    {"elastic_normal", "energy", "elastic energy of normal contact"},
    {"elastic_tangential", "energy", "elastic energy of the tangential spring"},
    {"elastic_rolling", "energy", "elastic energy of the rolling spring"},
    {"elastic_twisting", "energy", "elastic energy of the twisting spring"},
    {"spring_x", "distance or force", "tangential spring as it is stored"},
    {"spring_y", "distance or force", "tangential spring as it is stored"},
    {"spring_z", "distance or force", "tangential spring as it is stored"},
    {"bridge", "1", "1 if there is a liquid bridge, else 0"},
    {"gap", "distance", "gap between the surfaces, negative in overlap"},
    {"bridge_force", "force", "pull of the liquid bridge"},
    {"bridge_energy", "energy", "energy of the liquid bridge, counted from touch"},
    {"stiffness", "pressure", "normal stiffness of this contact, with actm"},
    {"damping", "force/velocity", "normal damping coefficient of this contact, with actm"},
    {"approach_speed", "velocity",
     "normal approach speed at touch, with ledger collisions, or ledger yes and bridges from films"},
    {"contact_time", "time", "time since touch, with ledger collisions, or ledger yes and bridges from films"},
    {"largest_overlap", "distance",
     "largest overlap so far, with normal models that yield, ledger collisions, or ledger yes and bridges from films"},
    {"heat", "energy/time", "heat per time conducted to the first particle"},
    {"bridge_volume", "volume", "volume of the liquid bridge"},
    {"viscous_force", "force", "viscous force of the liquid bridge, positive when it holds the grains together"},
    {"plastic_overlap", "distance", "overlap at which a contact that has yielded is free of force"},
    {"van_der_waals_force", "force", "pull of van der Waals attraction"},
    {"van_der_waals_energy", "energy", "its energy, counted from the cutoff"},
    {"bond", "1", "1 if the two are bonded, else 0"},
    {"bond_energy", "energy", "elastic energy of the bond"},
    {"bond_axial_stress", "pressure", "axial stress in the bond, positive in tension"},
    {"bond_bending_stress", "pressure", "largest stress in the bond from bending"},
    {"bond_shear_stress", "pressure", "mean stress in the bond from shear forces"},
    {"bond_torsion_stress", "pressure", "largest stress in the bond from torsion"},
};
static_assert(count_of(PAIR_TABLE) == PAIR_OUTPUTS, "one name for each value of a pair");

// fix wall/granular/plus: f_ID[1], f_ID[2], ...
enum WallOutput {
  WALL_FORCE = 0,
  WALL_TORQUE = 3,
  WALL_CONTACTS = 6,
  WALL_WORK,
  WALL_DISPLACEMENT,
  WALL_VELOCITY = WALL_DISPLACEMENT + 3,
  WALL_STOPPED = WALL_VELOCITY + 3,
  WALL_OUTPUTS
};
inline constexpr Output WALL_TABLE[] = {
    {"force_x", "force", "force on the wall"},
    {"force_y", "force", "force on the wall"},
    {"force_z", "force", "force on the wall"},
    {"torque_x", "torque", "torque on the wall"},
    {"torque_y", "torque", "torque on the wall"},
    {"torque_z", "torque", "torque on the wall"},
    {"contacts", "1", "number of contacts"},
    {"work", "energy", "work of the wall on the particles since the fix was defined"},
    {"displacement_x", "distance", "displacement of the wall since the fix was defined"},
    {"displacement_y", "distance", "displacement of the wall since the fix was defined"},
    {"displacement_z", "distance", "displacement of the wall since the fix was defined"},
    {"velocity_x", "velocity", "rate of the displacement, at the middle of the last step"},
    {"velocity_y", "velocity", "rate of the displacement, at the middle of the last step"},
    {"velocity_z", "velocity", "rate of the displacement, at the middle of the last step"},
    {"stopped", "energy", "kinetic energy of a wall under load that its stops took"},
};
static_assert(count_of(WALL_TABLE) == WALL_OUTPUTS, "one name for each value of a wall");

// fix wall/granular/plus ... contacts: columns of the array per atom, the first eight as fix wall/gran
enum WallAtomOutput {
  WALL_ATOM_CONTACTS = 0,
  WALL_ATOM_FORCE = 1,
  WALL_ATOM_PLACE = 4,
  WALL_ATOM_RADIUS = 7,
  WALL_ATOM_HEAT,
  WALL_ATOM_OUTPUTS
};
inline constexpr Output WALL_ATOM_TABLE[] = {
    {"contacts", "1", "number of contacts with the wall"},
    {"force_x", "force", "force of the wall on the particle"},
    {"force_y", "force", "force of the wall on the particle"},
    {"force_z", "force", "force of the wall on the particle"},
    {"x", "distance", "position of the deepest contact"},
    {"y", "distance", "position of the deepest contact"},
    {"z", "distance", "position of the deepest contact"},
    {"radius", "distance", "radius of the particle"},
    {"heat", "energy/time", "heat per time conducted from the wall, with a heat model"},
};
static_assert(count_of(WALL_ATOM_TABLE) == WALL_ATOM_OUTPUTS, "one name for each column of a wall");

// compute granular/dissipation: columns of the array per atom
enum DissipationOutput {
  DISSIPATION_TOTAL,
  DISSIPATION_NORMAL,
  DISSIPATION_TANGENTIAL,
  DISSIPATION_SLIP,
  DISSIPATION_ROLLING,
  DISSIPATION_TWISTING,
  DISSIPATION_BRIDGE,
  DISSIPATION_PLASTIC,
  DISSIPATION_WALLS,
  DISSIPATION_CREATED,
  DISSIPATION_BOND,
  DISSIPATION_OUTPUTS
};
inline constexpr Output DISSIPATION_TABLE[] = {
    {"total", "energy or energy/time", "all that is dissipated: the sum of the next seven columns and of bond"},
    {"normal", "energy or energy/time", "lost in normal dashpots"},
    {"tangential", "energy or energy/time", "lost in tangential dashpots"},
    {"slip", "energy or energy/time", "lost in sliding friction"},
    {"rolling", "energy or energy/time", "lost in rolling resistance"},
    {"twisting", "energy or energy/time", "lost in twisting resistance"},
    {"bridge", "energy or energy/time", "lost with liquid bridges: in rupture, viscosity and change of volume"},
    {"plastic", "energy or energy/time", "lost in plastic deformation"},
    {"walls", "energy or energy/time", "the part of total that is lost at walls"},
    {"created", "energy or energy/time", "created by friction; not part of total"},
    {"bond", "energy or energy/time", "lost with solid bonds: in their damping and as fracture"},
};
static_assert(count_of(DISSIPATION_TABLE) == DISSIPATION_OUTPUTS, "one name for each column");

// compute granular/dissipation ... pairs: columns of the local array, a row for each contact, before those above
enum LossOfPairOutput { LOSS_FIRST, LOSS_SECOND, LOSS_PLACE, LOSS_OUTPUTS = LOSS_PLACE + 3 };
inline constexpr Output LOSS_TABLE[] = {
    {"first_id", "1", "ID of the one grain"},  {"second_id", "1", "ID of the other grain"},
    {"x", "distance", "place of the contact"}, {"y", "distance", "place of the contact"},
    {"z", "distance", "place of the contact"},
};
static_assert(count_of(LOSS_TABLE) == LOSS_OUTPUTS, "one name for each column of a contact");

// fix wall/granular/plus ... local: columns of the local array, a row for each contact
enum WallLocalOutput {
  WALL_LOCAL_GRAIN,
  WALL_LOCAL_PATCH,
  WALL_LOCAL_PLACE,
  WALL_LOCAL_NORMAL = WALL_LOCAL_PLACE + 3,
  WALL_LOCAL_FORCE = WALL_LOCAL_NORMAL + 3,
  WALL_LOCAL_SLIP = WALL_LOCAL_FORCE + 3,
  WALL_LOCAL_DISSIPATION = WALL_LOCAL_SLIP + 3,
  WALL_LOCAL_OUTPUTS
};
inline constexpr Output WALL_LOCAL_TABLE[] = {
    {"id", "1", "ID of the particle"},
    {"patch", "1", "which plane, part of a region or patch of a mesh; see below"},
    {"x", "distance", "place on the wall"},
    {"y", "distance", "place on the wall"},
    {"z", "distance", "place on the wall"},
    {"normal_x", "1", "normal of the contact, from the wall to the particle"},
    {"normal_y", "1", "normal of the contact, from the wall to the particle"},
    {"normal_z", "1", "normal of the contact, from the wall to the particle"},
    {"force_x", "force", "force of the wall on the particle"},
    {"force_y", "force", "force of the wall on the particle"},
    {"force_z", "force", "force of the wall on the particle"},
    {"slip_x", "velocity", "tangential velocity of the particle against the wall at the contact point"},
    {"slip_y", "velocity", "tangential velocity of the particle against the wall at the contact point"},
    {"slip_z", "velocity", "tangential velocity of the particle against the wall at the contact point"},
    {"dissipation", "energy/time", "energy that the contact loses, with a ledger; 0 without"},
};
static_assert(count_of(WALL_LOCAL_TABLE) == WALL_LOCAL_OUTPUTS, "one name for each column of a contact");

}    // namespace granular_plus

#endif
