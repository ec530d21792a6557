// Turns a contact model into stages and constants.

#include "contact_model.h"

#include "chosen_law.h"

#include "../laws/heat/gap.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <memory>
#include <type_traits>

namespace granular_plus {

namespace {

template <class Constants, int SIZE> void put(LawConstants<SIZE> &slot, const Constants &constants)
{
  static_assert(sizeof constants <= sizeof slot, "constants of a law need more room: raise SIZE in ModelConstants");
  std::memcpy(&slot, &constants, sizeof constants);
}

template <int COUNT> void fill(StageList &list, const Stage (&stages)[COUNT])
{
  static_assert(COUNT <= StageList::MOST, "a contact model has too many stages");
  list.count = 0;
  for (const Stage stage : stages)
    if (stage) list.stages[list.count++] = stage;
}

}    // namespace

std::vector<double> ContactModel::normal_parameters(double timestep) const
{
  auto values = parameters(NORMAL);
  if (choices.choice[NORMAL].in_steps) values.front() *= timestep;
  return values;
}

void ContactModel::compile(PairGroup &pair_group, const HistoryLayout &layout, const Kernels &kernels, double timestep,
                           Surfaces surfaces) const
{
  pair_group = PairGroup{};
  set_constants_of_laws(pair_group.constants, timestep);
  set_constants(pair_group.constants, layout, timestep, surfaces);
  choose_stages(pair_group, layout.has_ledger, kernels, surfaces);
}

void ContactModel::set_constants_of_laws(ModelConstants &constants, double timestep) const
{
  Material material{};
  with_law(NormalLaws{}, chosen(NORMAL), [&](auto type) {
    using Law = typename decltype(type)::type;
    const auto given = arguments_of<Law>(normal_parameters(timestep).data());
    put(constants.normal, Law::prepare(given, is_mixed));
    material = Law::material(given);
    if (mixed_shear_modulus > 0.0) material.shear_modulus = mixed_shear_modulus;
  });
  const auto given_to = [this](auto type, Role role) {
    return arguments_of<typename decltype(type)::type>(parameters(role).data());
  };
  with_law(DampingLaws{}, chosen(DAMPING), [&](auto type) {
    using Law = typename decltype(type)::type;
    if constexpr (std::is_empty_v<typename Law::Arguments>)
      put(constants.damping, Law::prepare(material));
    else
      put(constants.damping, Law::prepare(material, given_to(type, DAMPING)));
  });
  TangentialLaw::Constants tangential{};
  bool grows_with_radius = false;
  with_law(TangentialLaws{}, chosen(TANGENTIAL), [&](auto type) {
    using Law = typename decltype(type)::type;
    const auto constants_of_law = Law::prepare(given_to(type, TANGENTIAL), material);
    put(constants.tangential, constants_of_law);
    tangential = constants_of_law;
    // LAMMPS derives the twisting stiffness from kt as if kt were a force/distance.
    grows_with_radius = Law::grows_with_radius && !law(SLIDER).lammps_geometry;
  });
  with_law(RollingLaws{}, chosen(ROLLING), [&](auto type) {
    using Law = typename decltype(type)::type;
    if constexpr (Law::history > 0) put(constants.rolling, Law::prepare(given_to(type, ROLLING)));
  });
  with_law(TwistingLaws{}, chosen(TWISTING), [&](auto type) {
    using Law = typename decltype(type)::type;
    if constexpr (Law::history > 0)
      put(constants.twisting, Law::prepare(given_to(type, TWISTING), tangential, grows_with_radius));
  });
  with_law(CapillaryLaws{}, chosen(BRIDGE), [&](auto type) {
    using Law = typename decltype(type)::type;
    if constexpr (Law::pulls) put(constants.bridge, Law::prepare(given_to(type, BRIDGE)));
    if constexpr (Law::from_films) constants.film = Law::films(given_to(type, BRIDGE));
  });
  with_law(HeatLaws{}, chosen(HEAT),
           [&](auto type) { put(constants.heat, decltype(type)::type::prepare(given_to(type, HEAT))); });
  // 1 replaces missing parameters, to avoid division by 0
  const HeatLaw::Shared heat = heat_arguments(choices);
  constants.gap_heat = {heat.gas,
                        heat.gas > 0.0 ? heat.smallest_gap : 1.0,
                        heat.lens,
                        radiates() ? heat.stefan_boltzmann : 0.0,
                        1.0 / (radiates() ? heat.emissivity : 1.0) - 1.0,
                        heat.view,
                        heat.liquid > 0.0 ? heat.liquid - heat.gas : 0.0,
                        heat.liquid > 0.0 ? heat.smallest_liquid : 1.0,
                        bridge_volume()};
  if (attracts())
    put(constants.attraction,
        attraction::VanDerWaals::prepare(arguments_of<attraction::VanDerWaals>(choices.attraction.data())));
}

void ContactModel::set_constants(ModelConstants &constants, const HistoryLayout &layout, double timestep,
                                 Surfaces surfaces) const
{
  constants.normal_force_floor = choices.limit_damping ? 0.0 : -UNBOUNDED;
  constants.meets_surface = is_against_wall || surfaces == Surfaces::SHAPES;
  constants.lever_depth = is_against_wall && law(SLIDER).lammps_geometry ? 0.0 : 0.5;
  constants.slip_depth = law(SLIDER).lammps_geometry ? 0.0 : 0.5;
  constants.tangential_per_normal = law(NORMAL).per_collision && tangential_from_material() ? 1.0 : 0.0;
  constants.half_step = 0.5 * timestep;
  constants.normal_history = layout.first[NORMAL];
  constants.yielding_values = law(NORMAL).yields ? law(NORMAL).history : 0;
  constants.tangential_history = layout.first[TANGENTIAL];
  constants.rolling_history = layout.first[ROLLING];
  constants.twisting_history = layout.first[TWISTING];
  constants.twisting_values = law(TWISTING).history;
  constants.bridge_history = layout.first[BRIDGE];
  constants.normal_of_shapes = surfaces == Surfaces::SHAPES ? layout.normal_of_shapes : -1;
  std::copy(layout.remembered.begin(), layout.remembered.end(), constants.remembered);
  constants.observables = layout.observables;
}

void ContactModel::choose_stages(PairGroup &pair_group, bool observes, const Kernels &kernels, Surfaces surfaces) const
{
  const StageTable &stages = kernels.stages();
  const int slider = chosen(SLIDER), bridge = chosen(BRIDGE);
  const bool another = law(SLIDER).lammps_geometry && !law(TANGENTIAL).in_lammps.empty();
  const int friction = another ? find_law(TANGENTIAL, law(TANGENTIAL).in_lammps) : chosen(TANGENTIAL);
  const Stage gap = stages.gap[observes], pull_across = stages.bridge[bridge][true][observes];
  const Stage rupture = stages.rupture[bridge];
  const Stage viscous = viscous_bridges() ? stages.viscous[observes] : nullptr;
  const bool acts_across = surfaces != Surfaces::SHAPES;
  const Stage attraction = attracts() ? stages.attraction[is_against_wall][observes] : nullptr;
  pair_group.breaking_gap = acts_across ? stages.bridge_breaking_gap[bridge] : nullptr;
  pair_group.film = acts_across && from_films();
  if (!has(NORMAL)) {
    fill(pair_group.touching, {gap, pull_across, viscous});
    fill(pair_group.ending, {stages.gap[true], rupture});
    return;
  }
  const Stage ending = stages.ending[chosen(NORMAL)];
  const Stage into_depth = surfaces != Surfaces::ROUND ? stages.into_depth[chosen(NORMAL)][observes] : nullptr;
  const Stage out_of_depth = surfaces != Surfaces::ROUND ? stages.out_of_depth[observes] : nullptr;
  pair_group.passes_heat = conducts() || dissipation_heats();
  pair_group.heat_crosses_gaps = heat_crosses_gaps();
  const auto heat = [&](bool ended) {
    return pair_group.passes_heat ? stages.heat[chosen(HEAT)][ended][dissipation_heats() && observes] : nullptr;
  };
  const Stage liquid_heat = liquid_conducts() ? stages.liquid_heat : nullptr;
  const bool synchronized = choices.synchronized;
  pair_group.laws = {chosen(NORMAL),  chosen(DAMPING),     friction,    slider,
                     chosen(ROLLING), chosen(TWISTING),    bridge,      chosen(HEAT),
                     attracts(),      dissipation_heats(), synchronized};
  fill(pair_group.touching,
       {synchronized ? stages.half_step_back : nullptr, into_depth,
        stages.normal[chosen(NORMAL)][chosen(DAMPING)][observes], out_of_depth,
        stages.tangential[friction][slider][synchronized][observes],
        stages.rolling[chosen(ROLLING)][slider][synchronized][observes],
        stages.twisting[chosen(TWISTING)][slider][observes], stages.bridge[bridge][false][observes], viscous,
        attraction, heat(false), liquid_heat, synchronized ? stages.end_of_step : nullptr});
  fill(pair_group.ending, {stages.gap[true], ending, rupture, heat(true)});
  if (pair_group.breaking_gap)    // across the gap, the contact ends but the bridge persists
    fill(pair_group.separated, {gap, observes ? ending : nullptr, pull_across, viscous, heat(true), liquid_heat});
  else if (acts_across && attracts()) {
    pair_group.attracts = true;
    pair_group.breaking_gap = stages.attraction_gap;
    fill(pair_group.separated, {gap, attraction, heat(true)});
  } else if (acts_across)
    pair_group.breaking_gap = stages.breaking_gap[chosen(NORMAL)];
}

namespace {

template <class Law> struct OfGrains {
  using Constants = typename Law::GrainConstants;
  static Constants known(const NonlocalLaw::Constants &slot)
  {
    Constants constants;
    std::memcpy(&constants, &slot, sizeof constants);
    return constants;
  }
  static double displacement(const NonlocalLaw::Constants &slot, double radius, double cosine)
  {
    return Law::displacement(known(slot), radius, cosine);
  }
  static double respond(const NonlocalLaw::Constants &slot, const NonlocalContact &contact, double displacement)
  {
    return Law::respond(known(slot), contact, displacement);
  }
  static void evaluate_sums(const NonlocalLaw::Constants &slot, const StoredGrain &grain, bool grows)
  {
    Law::evaluate_sums(known(slot), grain, grows);
  }
  static void compute_force(const NonlocalLaw::Constants &slot, const NonlocalContact &contact, bool is_step)
  {
    Law::compute_force(known(slot), contact, is_step);
  }
};

}    // namespace

NonlocalLaw ContactModel::nonlocal_law() const
{
  NonlocalLaw found;
  with_law(NormalLaws{}, chosen(NORMAL), [&](auto type) {
    using Law = typename decltype(type)::type;
    if constexpr (Law::nonlocal) {
      const auto given = arguments_of<Law>(parameters(NORMAL).data());
      put(found.constants, Law::prepare_grains(given, is_mixed, is_against_wall));
      found.name = Law::name;
      found.constants_of_grains = Law::constants_of_grains;
      found.parameters_of_grains = Law::parameters_of_grains;
      if constexpr (Law::couples) {
        found.displacement = OfGrains<Law>::displacement;
        found.respond = OfGrains<Law>::respond;
      } else {
        found.stored = Law::stored;
        found.stored_count = static_cast<int>(std::size(Law::stored));
        found.begin = Law::begin;
        found.evaluate_sums = OfGrains<Law>::evaluate_sums;
        found.evaluate_between = Law::evaluate_between;
        found.add_to_sums = Law::add_to_sums;
        found.compute_force = OfGrains<Law>::compute_force;
      }
    }
  });
  return found;
}

void ContactModel::compile_bond(PairGroup &pair_group, const HistoryLayout &layout, const Kernels &kernels,
                                double timestep) const
{
  pair_group = PairGroup{};
  ModelConstants &constants = pair_group.constants;
  with_law(BondLaws{}, chosen(BOND), [&](auto type) {
    using Law = typename decltype(type)::type;
    if constexpr (Law::joins) put(constants.bond, Law::prepare(arguments_of<Law>(parameters(BOND).data())));
  });
  std::copy(layout.remembered.begin(), layout.remembered.end(), constants.remembered);
  constants.observables = OBSERVABLES;
  constants.normal_of_shapes = -1;
  constants.half_step = 0.5 * timestep;
  if (bonds()) fill(pair_group.touching, {kernels.stages().bond[chosen(BOND)][layout.has_ledger]});
}

bool ContactModel::begin_bond(const double *separation, const double *quaternion_i, const double *quaternion_j,
                              double radius_i, double radius_j, std::uint64_t id_i, std::uint64_t id_j,
                              double *row) const
{
  bool begins = false;
  with_law(BondLaws{}, chosen(BOND), [&](auto type) {
    using Law = typename decltype(type)::type;
    if constexpr (Law::joins)
      begins = Law::begin(arguments_of<Law>(parameters(BOND).data()), separation, quaternion_i, quaternion_j, radius_i,
                          radius_j, id_i, id_j, row);
  });
  return begins;
}

// The rates in a network do not exceed those of one isolated bond between grains whose masses are the true masses
// divided by the number of bonds of each grain.
ContactModel::BondRates ContactModel::bond_rates(const double *row, double mass_i, double mass_j, double radius_i,
                                                 double radius_j, int bonds_of_grain) const
{
  BondRates rates{0.0, 0.0};
  with_law(BondLaws{}, chosen(BOND), [&](auto type) {
    using Law = typename decltype(type)::type;
    if constexpr (Law::joins) {
      const auto constants = Law::prepare(arguments_of<Law>(parameters(BOND).data()));
      const double length = std::fabs(row[Law::LENGTH]), square = 0.25 * length * length;
      const auto k = Law::stiffness(constants, length, row[Law::RADIUS]);
      const double mass = 1.0 / (1.0 / mass_i + 1.0 / mass_j);
      const double inertia = 0.4 / (1.0 / (mass_i * radius_i * radius_i) + 1.0 / (mass_j * radius_j * radius_j));
      const double across = k.shear / (length * length);
      const double per_mass = bonds_of_grain / mass, per_inertia = bonds_of_grain / inertia;
      rates.frequency = std::sqrt(std::max({k.axial * per_mass, k.torsion * per_inertia,
                                            across * (per_mass + square * per_inertia) + k.bending * per_inertia}));
      const auto dashpot = [&](double inert, double stiffness) {
        return constants.damping * std::sqrt(inert * stiffness);
      };
      rates.damping = std::max(
          {dashpot(mass, k.axial) * per_mass, dashpot(inertia, k.torsion) * per_inertia,
           dashpot(mass, across) * (per_mass + square * per_inertia) + dashpot(inertia, k.bending) * per_inertia});
    }
  });
  return rates;
}

double ContactModel::breaking_gap(double radius_i, double radius_j, const Kernels &kernels) const
{
  PairGroup pair_group{};
  compile(pair_group, HistoryLayout{}, kernels, 0.0);
  return pair_group.breaking_gap && radius_i > 0.0 && radius_j > 0.0
      ? pair_group.breaking_gap(pair_group.constants, radius_i, radius_j)
      : 0.0;
}

double ContactModel::heat_gap(double radius_i, double radius_j) const
{
  if (!heat_crosses_gaps()) return 0.0;
  ModelConstants constants{};
  set_constants_of_laws(constants, 0.0);
  return heat::Gap::reach(constants.gap_heat, radius_i, radius_j);
}

double ContactModel::acting_gap(double radius_i, double radius_j, const Kernels &kernels) const
{
  return std::max(breaking_gap(radius_i, radius_j, kernels), heat_gap(radius_i, radius_j));
}

double ContactModel::collision_time(double effective_mass, double effective_radius, double speed, double timestep) const
{
  double time = UNBOUNDED;
  with_law(NormalLaws{}, chosen(NORMAL), [&](auto type) {
    using Law = typename decltype(type)::type;
    const auto constants = Law::prepare(arguments_of<Law>(normal_parameters(timestep).data()), is_mixed);
    time = Law::template collision_time<Law>(constants, effective_mass, effective_radius, speed);
  });
  return std::min(time, attraction_time(effective_mass, effective_radius));
}

double ContactModel::attraction_time(double effective_mass, double effective_radius) const
{
  using Law = attraction::VanDerWaals;
  if (!attracts()) return UNBOUNDED;
  const double slope = Law::stiffness(Law::prepare(arguments_of<Law>(choices.attraction.data())), effective_radius);
  return slope > 0.0 ? PI * std::sqrt(effective_mass / slope) : UNBOUNDED;
}

ContactModel::Resistance ContactModel::resistance(double effective_mass, double effective_radius, double speed,
                                                  double timestep, const Kernels &kernels) const
{
  // LEAST: smallest overlap, in radii. SLOW: angle of rotation in the step.
  constexpr double LEAST = 1.0e-6, SLOW = 1.0e-12;
  const double time = collision_time(effective_mass, effective_radius, speed, timestep);
  if (!has(NORMAL) || !(time < UNBOUNDED)) return {};
  ContactModel model = *this;
  model.choices.synchronized = false;    // synchronized_verlet affects only the time of the velocity
  const HistoryLayout layout = common_layout({model}, Ledger::NO);
  PairGroup pair_group{};
  model.compile(pair_group, layout, kernels, timestep);

  const bool at_wall = pair_group.constants.meets_surface;
  const double alike = at_wall ? 1.0 : 2.0, radius = alike * effective_radius;
  const double overlap = std::clamp(speed * time / PI, LEAST * effective_radius, effective_radius);
  const double spin = SLOW / timestep, slip = spin * radius;
  enum { SLIPS, ROLLS, TWISTS, MOTIONS };
  auto batch = std::make_unique<Batch>();
  Batch &b = *batch;
  b.count = MOTIONS;
  b.timestep = timestep;
  for (int l = 0; l < MOTIONS; ++l) {
    b.separation[0][l] = alike * radius - overlap;
    b.velocity[0][l] = -std::max(speed, slip);
    b.radius_i[l] = radius;
    b.radius_j[l] = at_wall ? 0.0 : radius;
    b.mass_i[l] = alike * effective_mass;
    b.mass_j[l] = b.mass_i[l];
    b.held_i[l] = 0.0;
    b.held_j[l] = at_wall ? 1.0 : 0.0;
    b.surface_radius[l] = FLAT;
    b.gradient[l] = 1.0;
  }
  b.velocity[1][SLIPS] = slip;
  b.spin_i[2][ROLLS] = spin;
  b.spin_i[0][TWISTS] = spin;
  pair_group.touching.run(b, pair_group.constants);
  // half the difference of the torques, minus the torques of the force in the contact plane
  const double rolling =
      0.5 * (b.torque_i[2][ROLLS] - b.torque_j[2][ROLLS] + (b.radius_i[ROLLS] - b.radius_j[ROLLS]) * b.force[1][ROLLS]);
  return {-b.force[1][SLIPS] / slip, -rolling / spin, -b.torque_i[0][TWISTS] / spin};
}

double ContactModel::prescribed_time(double timestep) const
{
  return law(NORMAL).per_collision ? normal_parameters(timestep).front() : UNBOUNDED;
}

std::string ContactModel::outside_fit(double smallest_radius, double largest_radius) const
{
  std::string problem;
  with_law(CapillaryLaws{}, chosen(BRIDGE), [&](auto type) {
    using Law = typename decltype(type)::type;
    if constexpr (Law::pulls) {
      const auto given = arguments_of<Law>(parameters(BRIDGE).data());
      const auto ratio = [&](double radius) { return bridge_volume() / (radius * radius * radius); };
      const double smallest = ratio(largest_radius), largest = ratio(smallest_radius);
      if (given.contact_angle > Law::fitted.largest_angle)
        problem = "contact angle theta = " + short_number(given.contact_angle) + " is above " +
            short_number(Law::fitted.largest_angle) + " degrees, the largest angle for which the law was fitted";
      else if (Law::from_films)
        return;
      else if (smallest < Law::fitted.smallest_volume || largest > Law::fitted.largest_volume)
        problem = "V/R^3 " +
            (short_number(smallest) == short_number(largest)
                 ? "= " + short_number(smallest)
                 : "from " + short_number(smallest) + " to " + short_number(largest)) +
            " is not within the range from " + short_number(Law::fitted.smallest_volume) + " to " +
            short_number(Law::fitted.largest_volume) +
            " for which the law was fitted (V: volume of the bridge, R: Derjaguin radius)";
    }
  });
  return problem;
}

}    // namespace granular_plus
