// Names of all numbered outputs in LAMMPS. The manual, Python and the tests read these names.

#ifndef GRANULAR_PLUS_OUTPUTS_H
#define GRANULAR_PLUS_OUTPUTS_H

namespace granular_plus {

struct Output {
  const char *name, *unit, *meaning;
};

// These macros expand a list of outputs to an enumeration and to a table of units and meanings.
#define GRANULAR_PLUS_NUMBER(NAME, ...) NAME,
#define GRANULAR_PLUS_ROW(NAME, UNIT, MEANING) {#NAME, UNIT, MEANING},
#define GRANULAR_PLUS_ROW_OF_LEDGER(NAME, UNIT, MEANING, MEMBER) {#NAME, UNIT, MEANING},
#define GRANULAR_PLUS_TABLE(TABLE_NAME, LIST) \
  namespace TABLE_NAME { \
  enum { LIST(GRANULAR_PLUS_NUMBER, GRANULAR_PLUS_NUMBER) COUNT }; \
  inline constexpr Output TABLE[] = {LIST(GRANULAR_PLUS_ROW, GRANULAR_PLUS_ROW_OF_LEDGER)}; \
  }

#define GRANULAR_PLUS_VECTOR(OUTPUT, NAME, UNIT, MEANING) \
  OUTPUT(NAME##_x, UNIT, MEANING) OUTPUT(NAME##_y, UNIT, MEANING) OUTPUT(NAME##_z, UNIT, MEANING)

// compute granular/ledger. The last argument of OF_LEDGER is the member of EnergyLedger that is summed over ranks. New
// entries come last, because scripts refer to entries by number.
#define GRANULAR_PLUS_LEDGER_OUTPUTS(OUTPUT, OF_LEDGER) \
  OUTPUT(kinetic_translation, "energy", "kinetic energy of translation") \
  OUTPUT(kinetic_rotation, "energy", "kinetic energy of rotation") \
  OF_LEDGER(elastic_normal, "energy", "elastic energy of normal contact", current[NORMAL_ENERGY]) \
  OF_LEDGER(elastic_tangential, "energy", "elastic energy of tangential springs", current[TANGENTIAL_ENERGY]) \
  OF_LEDGER(elastic_rolling, "energy", "elastic energy of rolling springs", current[ROLLING_ENERGY]) \
  OF_LEDGER(elastic_twisting, "energy", "elastic energy of twisting springs", current[TWISTING_ENERGY]) \
  OF_LEDGER(capillary, "energy", "energy of liquid bridges, which is 0 at zero gap", current[CAPILLARY_ENERGY]) \
  OF_LEDGER(normal_dashpot, "energy", "energy lost in normal dashpots so far", total[NORMAL_LOSS]) \
  OF_LEDGER(tangential_dashpot, "energy", "energy lost in tangential dashpots so far", total[TANGENTIAL_DASHPOT_LOSS]) \
  OF_LEDGER(slip, "energy", "energy lost in sliding friction so far", total[SLIP_LOSS]) \
  OF_LEDGER(rolling, "energy", "energy lost in rolling resistance so far", total[ROLLING_LOSS]) \
  OF_LEDGER(twisting, "energy", "energy lost in twisting resistance so far", total[TWISTING_LOSS]) \
  OF_LEDGER(rupture, "energy", "energy lost in the rupture of liquid bridges so far", total[BRIDGE_LOSS]) \
  OF_LEDGER(numerical, "energy", "energy lost to time stepping so far; may have either sign", total[NUMERICAL_LOSS]) \
  OF_LEDGER(lever, "energy", \
            "energy lost so far because torques and slip velocities refer to different points; only with slider dsds", \
            total[LEVER_LOSS]) \
  OF_LEDGER(created, "energy", "energy created by friction so far", total[CREATED]) \
  OUTPUT(potential, "energy", "potential energy of gravity") \
  OUTPUT(wall_work, "energy", "work of walls on the particles so far") \
  OF_LEDGER(contacts, "1", "number of contacts", current[TOUCHING]) \
  OF_LEDGER(sliding_contacts, "1", "number of contacts that slide", current[SLIDING]) \
  OF_LEDGER(bridges, "1", "number of liquid bridges", current[BRIDGES]) \
  OF_LEDGER(ruptures, "1", "number of liquid bridges that ruptured or dried out so far", total[RUPTURES]) \
  OUTPUT(residual, "energy", "remainder of the energy balance") \
  OF_LEDGER(exchanged, "energy", \
            "net energy brought in so far by particles that enter or leave, changes of gravity, grains that " \
            "expand, and commands between runs", \
            exchanged) \
  OF_LEDGER(viscous, "energy", "energy lost in the viscosity of liquid bridges so far", total[VISCOUS_LOSS]) \
  OF_LEDGER(volume_change, "energy", "energy lost so far when bridges changed their volume; may have either sign", \
            total[VOLUME_CHANGE_LOSS]) \
  OUTPUT(liquid_films, "volume", "liquid in the films of grains") \
  OF_LEDGER(liquid_bridges, "volume", "liquid in bridges that formed from films", current[BRIDGE_VOLUME]) \
  OF_LEDGER(liquid_lost, "volume", \
            "liquid taken out minus liquid brought in so far, with grains or by commands between runs", liquid_lost) \
  OF_LEDGER(liquid_evaporated, "volume", "liquid that evaporated so far", liquid_evaporated) \
  OF_LEDGER(liquid_supplied, "volume", "liquid supplied by fix granular/film so far", liquid_supplied) \
  OF_LEDGER(plastic, "energy", "energy lost in the plastic deformation of contacts so far", total[PLASTIC_LOSS]) \
  OF_LEDGER(van_der_waals, "energy", "energy of van der Waals attraction, which is 0 at the cutoff", \
            current[ATTRACTION_ENERGY]) \
  OF_LEDGER(bond, "energy", "elastic energy of bonds", current[BOND_ENERGY]) \
  OF_LEDGER(bond_damping, "energy", "energy lost in the damping of bonds so far", total[BOND_DAMPING_LOSS]) \
  OF_LEDGER(fracture, "energy", "elastic energy released by bonds that broke so far", total[FRACTURE_LOSS]) \
  OF_LEDGER(bonds, "1", "number of bonds", current[BONDS]) \
  OF_LEDGER(broken_bonds, "1", "number of bonds that broke so far", total[BROKEN_BONDS]) \
  OUTPUT(liquid_walls, "volume", "net liquid that walls took from grains so far") \
  OF_LEDGER(heat_made, "energy", "heat that grains received from dissipation in contacts so far", heat_made) \
  OF_LEDGER(heat_walls, "energy", "net heat that walls gave to grains so far", heat_of_walls)
GRANULAR_PLUS_TABLE(ledger_output, GRANULAR_PLUS_LEDGER_OUTPUTS)

// compute pair/local; the first twelve values are those of pair granular
#define GRANULAR_PLUS_PAIR_OUTPUTS(OUTPUT, ...) \
  GRANULAR_PLUS_VECTOR(OUTPUT, friction, "force", "tangential force on the first particle") \
  OUTPUT(friction, "force", "magnitude of the tangential force") \
  GRANULAR_PLUS_VECTOR(OUTPUT, rolling, "force", "rolling force") \
  OUTPUT(rolling, "force", "magnitude of the rolling force") \
  OUTPUT(twisting, "torque", "twisting torque") \
  GRANULAR_PLUS_VECTOR(OUTPUT, separation, "distance", "position of the first particle minus position of the second") \
  OUTPUT(normal_elastic, "force", "elastic part of the normal force") \
  OUTPUT(normal_dashpot, "force", "dashpot part of the normal force") \
  OUTPUT(sliding, "1", "1 if the contact slides, otherwise 0") \
  OUTPUT(elastic_normal, "energy", "elastic energy of normal contact") \
  OUTPUT(elastic_tangential, "energy", "elastic energy of the tangential spring") \
  OUTPUT(elastic_rolling, "energy", "elastic energy of the rolling spring") \
  OUTPUT(elastic_twisting, "energy", "elastic energy of the twisting spring") \
  GRANULAR_PLUS_VECTOR(OUTPUT, spring, "distance or force", "stored value of the tangential spring") \
  OUTPUT(bridge, "1", "1 if there is a liquid bridge, otherwise 0") \
  OUTPUT(gap, "distance", "gap between the surfaces, negative if they overlap") \
  OUTPUT(bridge_force, "force", "attractive force of the liquid bridge") \
  OUTPUT(bridge_energy, "energy", "energy of the liquid bridge, which is 0 at zero gap") \
  OUTPUT(stiffness, "pressure", "normal stiffness of this contact; only with the normal model actm") \
  OUTPUT(damping, "force/velocity", "normal damping coefficient of this contact; only with the normal model actm") \
  OUTPUT(approach_speed, "velocity", \
         "normal speed at first touch; only with ledger collisions, or with ledger yes and bridges from films") \
  OUTPUT(contact_time, "time", \
         "duration of the contact so far; only with ledger collisions, or with ledger yes and bridges from films") \
  OUTPUT(largest_overlap, "distance", \
         "largest overlap so far; only with normal models that yield, with ledger collisions, or with ledger yes and " \
         "bridges from films") \
  OUTPUT(heat, "energy/time", "heat per time conducted to the first particle") \
  OUTPUT(bridge_volume, "volume", "volume of the liquid bridge") \
  OUTPUT(viscous_force, "force", "viscous force of the liquid bridge, positive when it holds the grains together") \
  OUTPUT(plastic_overlap, "distance", "overlap at which the force of a contact that has yielded is zero") \
  OUTPUT(van_der_waals_force, "force", "force of van der Waals attraction") \
  OUTPUT(van_der_waals_energy, "energy", "energy of van der Waals attraction, which is 0 at the cutoff") \
  OUTPUT(bond, "1", "1 if the two particles are bonded, otherwise 0") \
  OUTPUT(bond_energy, "energy", "elastic energy of the bond") \
  OUTPUT(bond_axial_stress, "pressure", "axial stress in the bond, positive in tension") \
  OUTPUT(bond_bending_stress, "pressure", "largest stress in the bond from bending") \
  OUTPUT(bond_shear_stress, "pressure", "mean stress in the bond from shear forces") \
  OUTPUT(bond_torsion_stress, "pressure", "largest stress in the bond from torsion") \
  GRANULAR_PLUS_VECTOR(OUTPUT, force, "force", "total force on the first particle, including the force of a bond") \
  GRANULAR_PLUS_VECTOR(OUTPUT, normal, "1", "unit normal of the contact, from the second particle to the first") \
  GRANULAR_PLUS_VECTOR(OUTPUT, point, "distance", "contact point minus the position of the first particle")
GRANULAR_PLUS_TABLE(pair_output, GRANULAR_PLUS_PAIR_OUTPUTS)

// fix wall/granular/plus: f_ID[1], f_ID[2], ...
#define GRANULAR_PLUS_WALL_OUTPUTS(OUTPUT, ...) \
  GRANULAR_PLUS_VECTOR(OUTPUT, force, "force", "force on the wall") \
  GRANULAR_PLUS_VECTOR(OUTPUT, torque, "torque", "torque on the wall") \
  OUTPUT(contacts, "1", "number of contacts") \
  OUTPUT(work, "energy", "work of the wall on the particles since the fix was defined") \
  GRANULAR_PLUS_VECTOR(OUTPUT, displacement, "distance", "displacement of the wall since the fix was defined") \
  GRANULAR_PLUS_VECTOR(OUTPUT, velocity, "velocity", "rate of the displacement, at the middle of the last step") \
  OUTPUT(stopped, "energy", "kinetic energy that a wall under load lost when a limit stopped the wall") \
  OUTPUT(liquid, "volume", "net liquid that the wall took from grains since the fix was defined")
GRANULAR_PLUS_TABLE(wall_output, GRANULAR_PLUS_WALL_OUTPUTS)

// fix wall/granular/plus ... contacts; the first eight columns are those of fix wall/gran
#define GRANULAR_PLUS_WALL_ATOM_OUTPUTS(OUTPUT, ...) \
  OUTPUT(contacts, "1", "number of contacts with the wall") \
  GRANULAR_PLUS_VECTOR(OUTPUT, force, "force", "force of the wall on the particle") \
  OUTPUT(x, "distance", "position of the deepest contact") \
  OUTPUT(y, "distance", "position of the deepest contact") \
  OUTPUT(z, "distance", "position of the deepest contact") \
  OUTPUT(radius, "distance", "radius of the particle") \
  OUTPUT(heat, "energy/time", "heat per time that flows from the wall to the particle; only with a heat model")
GRANULAR_PLUS_TABLE(wall_atom_output, GRANULAR_PLUS_WALL_ATOM_OUTPUTS)

// compute granular/dissipation, array per atom
#define GRANULAR_PLUS_DISSIPATION_OUTPUTS(OUTPUT, ...) \
  OUTPUT(total, "energy or energy/time", "total dissipation: sum of the next seven columns and of the column bond") \
  OUTPUT(normal, "energy or energy/time", "energy lost in normal dashpots") \
  OUTPUT(tangential, "energy or energy/time", "energy lost in tangential dashpots") \
  OUTPUT(slip, "energy or energy/time", "energy lost in sliding friction") \
  OUTPUT(rolling, "energy or energy/time", "energy lost in rolling resistance") \
  OUTPUT(twisting, "energy or energy/time", "energy lost in twisting resistance") \
  OUTPUT(bridge, "energy or energy/time", "energy lost in liquid bridges by rupture, viscosity and changes of volume") \
  OUTPUT(plastic, "energy or energy/time", "energy lost in plastic deformation") \
  OUTPUT(walls, "energy or energy/time", "part of the total that is lost at walls") \
  OUTPUT(created, "energy or energy/time", "energy created by friction, which is not part of the total") \
  OUTPUT(bond, "energy or energy/time", "energy lost in solid bonds by damping and fracture")
GRANULAR_PLUS_TABLE(dissipation_output, GRANULAR_PLUS_DISSIPATION_OUTPUTS)

// compute granular/dissipation ... pairs; the columns of dissipation_output follow
#define GRANULAR_PLUS_LOSS_OUTPUTS(OUTPUT, ...) \
  OUTPUT(first_id, "1", "ID of one grain") \
  OUTPUT(second_id, "1", "ID of the other grain") \
  OUTPUT(x, "distance", "position of the contact") \
  OUTPUT(y, "distance", "position of the contact") \
  OUTPUT(z, "distance", "position of the contact")
GRANULAR_PLUS_TABLE(loss_output, GRANULAR_PLUS_LOSS_OUTPUTS)

// fix wall/granular/plus ... local
#define GRANULAR_PLUS_WALL_LOCAL_OUTPUTS(OUTPUT, ...) \
  OUTPUT(id, "1", "ID of the particle") \
  OUTPUT(patch, "1", \
         "number of the plane or of the part of a region; for a mesh, a number that is constant during the contact") \
  OUTPUT(x, "distance", "position of the contact on the wall") \
  OUTPUT(y, "distance", "position of the contact on the wall") \
  OUTPUT(z, "distance", "position of the contact on the wall") \
  GRANULAR_PLUS_VECTOR(OUTPUT, normal, "1", "normal of the contact, from the wall to the particle") \
  GRANULAR_PLUS_VECTOR(OUTPUT, force, "force", "force of the wall on the particle") \
  GRANULAR_PLUS_VECTOR(OUTPUT, slip, "velocity", \
                       "tangential velocity of the particle relative to the wall at the contact point") \
  OUTPUT(dissipation, "energy/time", "energy lost in the contact per time; 0 without a ledger")
GRANULAR_PLUS_TABLE(wall_local_output, GRANULAR_PLUS_WALL_LOCAL_OUTPUTS)

#undef GRANULAR_PLUS_NUMBER
#undef GRANULAR_PLUS_ROW
#undef GRANULAR_PLUS_ROW_OF_LEDGER
#undef GRANULAR_PLUS_TABLE
#undef GRANULAR_PLUS_VECTOR

}    // namespace granular_plus

#endif
