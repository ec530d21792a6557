// Solid bonds. A bond acts in addition to the contact law of its pair. Bonds are evaluated in separate batches.

#ifndef GRANULAR_PLUS_STAGES_BOND_H
#define GRANULAR_PLUS_STAGES_BOND_H

#include "../bond/beam.h"
#include "geometry.h"

GRANULAR_PLUS_LAWS_BEGIN

LANE Quaternion load_quaternion(const Row *rows, int lane)
{
  return {rows[0][lane], rows[1][lane], rows[2][lane], rows[3][lane]};
}

struct BondDamping {
  double axial, across, bending, twisting;
};

template <class Stiffness>
LANE BondDamping damping_of_bond(const Batch &b, const Stiffness &stiffness, double damping, double length, int l)
{
  const double mass_i = b.mass_i[l], mass_j = b.mass_j[l], radius_i = b.radius_i[l], radius_j = b.radius_j[l];
  // a held grain does not contribute to the mass
  const double free_i = b.held_i[l] > 0.0 ? 0.0 : 1.0, free_j = b.held_j[l] > 0.0 ? 0.0 : 1.0;
  const double per_mass = free_i / mass_i + free_j / mass_j;
  const double per_inertia = 2.5 * (free_i / (mass_i * radius_i * radius_i) + free_j / (mass_j * radius_j * radius_j));
  const double mass = per_mass > 0.0 ? 1.0 / per_mass : 0.0, inertia = per_inertia > 0.0 ? 1.0 / per_inertia : 0.0;
  const double per_length = 1.0 / length;
  return {damping * std::sqrt(mass * stiffness.axial), damping * std::sqrt(mass * stiffness.shear) * per_length,
          damping * std::sqrt(inertia * stiffness.bending), damping * std::sqrt(inertia * stiffness.torsion)};
}

// A bond breaks (`breaks`) if its tensile or shear stress exceeds its strength.
//
// A bond that breaks should act only in the first half of the step, but velocity Verlet applies a force equally in both
// halves. Half of the force is therefore added. The work that the added force will do in the second half (`to_give`) is
// counted as energy of the bond until the end of that half. All elastic energy of the bond is counted as fracture loss.
template <class Law, bool OBSERVES> STAGE void bond_stage(Batch &b, const ModelConstants &model)
{
  if constexpr (OBSERVES) begin_to_observe(b, model, 0);
  const auto constants = constants_of<Law>(model.bond);
  const double timestep = b.timestep;
  [[maybe_unused]] const double half_step = model.half_step;
  [[maybe_unused]] Row *remembered = remembered_of(OF_BOND, b, model);
  Row *kept = b.history;
  const int lanes = padded_to_vectors(b.count);

#pragma omp simd
  for (int l = 0; l < lanes; ++l) {
    const Quaternion sum = load_quaternion(kept + Law::SUM, l);
    const Quaternion difference = load_quaternion(kept + Law::DIFFERENCE, l);
    const Quaternion i = load_quaternion(b.orientation_i, l) * (sum + difference);
    const Quaternion j = load_quaternion(b.orientation_j, l) * (sum - difference);
    const double length_at_birth = kept[Law::LENGTH][l], radius = kept[Law::RADIUS][l];
    const bond::Condition before{kept[Law::CONDITION][l]};
    const Vector d = -1.0 * load(b.separation, l);
    const auto stiffness = Law::stiffness(constants, std::fabs(length_at_birth), radius);
    const auto state = Law::state(stiffness, d, i, j, length_at_birth, radius);

    const double distance = length(d);
    const Vector e = (distance > 0.0 ? 1.0 / distance : 0.0) * d;
    const Vector spin_i = load(b.spin_i, l), spin_j = load(b.spin_j, l);
    const Vector parting = -1.0 * load(b.velocity, l) - 0.5 * cross(spin_i + spin_j, d);
    const Vector turning = spin_j - spin_i;
    const BondDamping damping = damping_of_bond(b, stiffness, constants.damping, std::fabs(length_at_birth), l);
    const Vector dashpot = damping.across * parting + (damping.axial - damping.across) * dot(parting, e) * e;
    const Vector moment = damping.bending * turning + (damping.twisting - damping.bending) * dot(turning, e) * e;
    const Vector lever = 0.5 * cross(d, dashpot);

    const double in_tension = (state.axial + state.bending) * constants.per_tension;
    const double in_shear = (state.shear + state.torsion) * constants.per_shear;
    const bool broken = is_broken(before);
    const bool breaks = breaks_under(larger(in_tension, in_shear), before) & (timestep > 0.0) & !broken;
    const double share = breaks | broken ? 0.5 : 1.0;
    const Vector force = state.force + dashpot;
    const Vector torque_i = state.torque_i + lever + moment, torque_j = state.torque_j + lever - moment;
    store(b.force, l, share * force);
    store(b.torque_i, l, share * torque_i);
    store(b.torque_j, l, share * torque_j);
    store(b.normal, l, -1.0 * e);
    b.normal_force[l] = -share * dot(force, e);
    kept[Law::CONDITION][l] = select(breaks, bond::broken(), before).kept;
    b.breaks[l] = breaks ? (in_tension > in_shear ? BREAKS_IN_TENSION : BREAKS_IN_SHEAR) : 0.0;
    b.bond_energy[l] = state.energy;
    b.bond_stress[AXIAL_STRESS][l] = state.axial;
    b.bond_stress[BENDING_STRESS][l] = state.bending;
    b.bond_stress[SHEAR_STRESS][l] = state.shear;
    b.bond_stress[TORSION_STRESS][l] = state.torsion;

    if constexpr (OBSERVES) {
      const bool lives = !(breaks | broken);
      const double to_give =
          0.5 * half_step * (dot(force, load(b.velocity, l)) + dot(torque_i, spin_i) + dot(torque_j, spin_j));
      const Vector dashpot_before = load(remembered + BOND_DASHPOT_BEFORE, l);
      const Vector moment_before = load(remembered + BOND_MOMENT_BEFORE, l);
      const double energy = lives ? state.energy : to_give;
      b.observed[BOND_ENERGY][l] = energy;
      b.observed[BOND_DAMPING_LOSS][l] =
          0.5 * timestep * (dot(dashpot_before + dashpot, parting) + dot(moment_before + moment, turning));
      b.observed[FRACTURE_LOSS][l] = breaks ? state.energy : 0.0;
      b.observed[BONDS][l] = lives ? 1.0 : 0.0;
      b.observed[BROKEN_BONDS][l] = breaks ? 1.0 : 0.0;
      store(remembered + BOND_DASHPOT_BEFORE, l, dashpot);
      store(remembered + BOND_MOMENT_BEFORE, l, moment);
      remembered[BOND_ENERGY_BEFORE][l] = energy;
    }
  }
}

GRANULAR_PLUS_LAWS_END

#endif
