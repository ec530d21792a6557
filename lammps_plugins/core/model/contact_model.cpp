#include "contact_model.h"

#include "chosen_law.h"

#include "../laws/normal/normal_law.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>

namespace granular_plus {

namespace {

void check_order(const std::string &where, const LawEntry &law, const std::vector<double> &values)
{
  for (std::size_t k = 0; k < law.parameters.size(); ++k) {
    const Parameter &parameter = law.parameters[k];
    for (std::size_t other = 0; parameter.not_below && other < law.parameters.size(); ++other) {
      const Parameter &low = law.parameters[other];
      if (std::string(low.symbol) == parameter.not_below && !(values[k] >= values[other]))
        throw InputError(where + ": " + parameter.meaning + " " + parameter.symbol + " = " + short_number(values[k]) +
                         " must be >= " + low.symbol + " = " + short_number(values[other]));
    }
  }
}

}    // namespace

ContactModel::ContactModel(const std::vector<std::string> &words, bool wall, const std::vector<std::string> &following)
    : choices(parse(words, wall, following)), is_against_wall(wall)
{
  check();
  if (!choices.wall_material.empty()) mix_with_wall(choices.wall_material[0], choices.wall_material[1]);
}

void ContactModel::check() const
{
  const auto named = [&](Role role) { return std::string(role_name(role)) + " " + law(role).name; };
  if (law(NORMAL).yields && law(DAMPING).by_restitution)
    throw InputError(named(DAMPING) + " cannot be combined with " + named(NORMAL) +
                     ", whose restitution follows from its plastic deformation");
  check_nonlocal();
  for (int r = 0; r < ROLES; ++r) {
    const Role role = static_cast<Role>(r);
    if (!has(role)) continue;
    const auto &entry = law(role);
    const std::string where = named(role);
    for (std::size_t k = 0; k < entry.parameters.size(); ++k) {
      const bool read_by_damping = entry.parameters[k].quantity == Quantity::damping;
      const Parameter &parameter = read_by_damping ? law(DAMPING).damping_parameter : entry.parameters[k];
      check_bounds(where + (read_by_damping ? " with " + named(DAMPING) : ""), parameter, parameters(role)[k]);
    }
    check_order(where, entry, parameters(role));
  }
  const capillary::FilmArguments film = film_arguments(choices);
  if (viscous_bridges() && !(film.smallest_gap > 0.0))
    throw InputError(named(BRIDGE) + ": keyword viscous needs keyword gap with a distance hmin");
  if (film.growth > 0.0) {
    if (!viscous_bridges() || !(film.longest > 0.0))
      throw InputError(
          named(BRIDGE) +
          ": keyword rupture needs keyword viscous with a viscosity mu > 0 and keyword longest with a ratio M");
    if (!(film.tension > 0.0))
      throw InputError(named(BRIDGE) + ": with keyword rupture, surface tension gamma = " + short_number(film.tension) +
                       " must be > 0");
  }
  if (film.limit > 0.0 && film.least > film.limit)
    throw InputError(named(BRIDGE) + ": smallest volume Vmin = " + short_number(film.least) +
                     " must be <= Vmax = " + short_number(film.limit));
  const HeatLaw::Shared heat = heat_arguments(choices);
  const auto must_be_positive = [&](const Parameter &parameter, double value) {
    if (!(value > 0.0))
      throw InputError(named(HEAT) + ": " + parameter.symbol + " = " + short_number(value) + " must be > 0");
  };
  if (heat.gas > 0.0) must_be_positive(SMALLEST_GAP, heat.smallest_gap);
  if (radiates()) must_be_positive(STEFAN_BOLTZMANN, heat.stefan_boltzmann);
  if (heat.stefan_boltzmann > 0.0) must_be_positive(EMISSIVITY, heat.emissivity);
  if (heat.liquid > 0.0) must_be_positive(SMALLEST_LIQUID, heat.smallest_liquid);
  if (heat.liquid > 0.0 && !law(BRIDGE).acts_across_gap)
    throw InputError(named(HEAT) + ": liquid kl = " + short_number(heat.liquid) + " needs keyword bridge");
  if (bonds() && is_against_wall) throw InputError(named(BOND) + " is for pairs, not for walls");
  with_arguments(BondLaws{}, choices, BOND, [&](auto type, const auto &given) {
    if constexpr (decltype(type)::type::history > 0)
      if (given.seed != std::floor(given.seed))
        throw InputError(named(BOND) + ": seed = " + short_number(given.seed) + " must be an integer");
  });
  if (!has(NORMAL)) return;
  const bool material_known = argument_of_normal(Quantity::poisson_ratio) != nullptr;
  if (law(TANGENTIAL).needs_material && !material_known)
    throw InputError(named(TANGENTIAL) + " needs a normal model with E and nu, not " + law(NORMAL).name);
  if (tangential_from_material() && !material_known)
    throw InputError(named(TANGENTIAL) + ": kt = NULL needs a normal model with E and nu, not " + law(NORMAL).name);
  if (law(NORMAL).cohesive && law(DAMPING).by_restitution)
    throw InputError(named(DAMPING) + " cannot be combined with the cohesive normal model " + law(NORMAL).name);
  if (attracts()) {
    check_order("keyword " + attraction_law().name, attraction_law(), choices.attraction);
    for (const Role role : {NORMAL, BRIDGE})
      if (law(role).acts_across_gap)
        throw InputError("keyword " + attraction_law().name + " cannot be combined with " + named(role) +
                         ", because both act across a gap");
  }
  if (law(NORMAL).acts_across_gap && law(BRIDGE).acts_across_gap)
    throw InputError(named(BRIDGE) + " cannot be combined with the normal model " + law(NORMAL).name +
                     ", because both act across a gap");
  if (choices.synchronized && !law(TANGENTIAL).synchronizes)
    throw InputError("synchronized_verlet cannot be combined with tangential " + law(TANGENTIAL).name);
  if (choices.mixes_materials && !(tangential_from_material() && argument_of_normal(Quantity::youngs_modulus)))
    throw InputError("mixing materials needs a tangential stiffness derived from the material (kt = NULL, or "
                     "mindlin_deresiewicz) and a normal model with E and nu");
  if (law(NORMAL).cohesive && choices.limit_damping)
    throw InputError("limit_damping cannot be combined with the cohesive normal model " + law(NORMAL).name);
}

// Nonlocal laws do not support bridges, bonds, van der Waals attraction and heat flow across gaps.

void ContactModel::check_nonlocal() const
{
  if (!has(NORMAL)) return;
  const std::string normal = "normal model " + law(NORMAL).name, damping = "damping " + law(DAMPING).name;
  if (law(NORMAL).dashpot_by_contact != law(DAMPING).dashpot_by_contact) {
    const bool has_own = law(NORMAL).dashpot_by_contact;
    std::string others;
    for (const LawEntry &other : laws(has_own ? DAMPING : NORMAL))
      if (other.dashpot_by_contact) others += (others.empty() ? "" : " or ") + other.name;
    throw InputError(has_own ? normal + " cannot be combined with " + damping + "; it needs damping " + others
                             : damping + " cannot be combined with " + normal + "; it needs normal model " + others);
  }
  if (!law(NORMAL).nonlocal) return;
  with_arguments(DampingLaws{}, choices, DAMPING, [&](auto type, const auto &given) {
    if constexpr (std::is_same_v<typename decltype(type)::type, damping::Mdr>)
      if (given.type != std::floor(given.type))
        throw InputError(damping + ": type = " + short_number(given.type) + " must be 1 or 2");
  });
  for (const Role role : {BRIDGE, BOND})
    if (has(role) && (role == BRIDGE ? law(role).acts_across_gap : bonds()))
      throw InputError(normal + " cannot be combined with " + role_name(role) + " " + law(role).name);
  if (attracts()) throw InputError(normal + " cannot be combined with " + attraction_law().name);
  if (heat_crosses_gaps())
    throw InputError(normal + " cannot be combined with heat flow across gaps (gas or radiation)");
  if (!choices.wall_material.empty()) throw InputError("keyword wallmaterial cannot be combined with " + normal);
}

const double *ContactModel::argument_of_normal(Quantity quantity) const
{
  for (std::size_t k = 0; k < law(NORMAL).parameters.size(); ++k)
    if (law(NORMAL).parameters[k].quantity == quantity && parameters(NORMAL)[k] != NULL_PARAMETER)
      return &parameters(NORMAL)[k];
  return nullptr;
}

double ContactModel::shear_modulus() const
{
  const double *modulus = argument_of_normal(Quantity::youngs_modulus);
  const double *ratio = argument_of_normal(Quantity::poisson_ratio);
  return modulus && ratio ? effective_shear_modulus(*modulus, *ratio) : 0.0;
}

// The cosines are averaged, because the attraction of a small bridge is proportional to the cosine of the contact
// angle.
double mixed_contact_angle(double first, double second)
{
  if (first == second) return first;
  constexpr double DEGREE = PI / 180.0;
  return std::acos(0.5 * (std::cos(first * DEGREE) + std::cos(second * DEGREE))) / DEGREE;
}

// Replaces the material by an equivalent material: a contact of two grains of the new material has the same effective
// moduli as a contact of a grain with the wall.
void ContactModel::mix_with_wall(double wall_modulus, double wall_ratio)
{
  const double *modulus = argument_of_normal(Quantity::youngs_modulus);
  const double *ratio = argument_of_normal(Quantity::poisson_ratio);
  if (!modulus || !ratio)
    throw InputError("keyword wallmaterial needs a normal model with E and nu, not " + law(NORMAL).name);
  if (!(*modulus > 0.0)) throw InputError("keyword wallmaterial needs a normal model with E > 0");
  double mixed_modulus = *modulus, mixed_ratio = *ratio;
  mix_materials(mixed_modulus, mixed_ratio, wall_modulus, wall_ratio);
  for (std::size_t k = 0; k < law(NORMAL).parameters.size(); ++k) {
    double &value = choices.choice[NORMAL].parameters[k];
    const Quantity quantity = law(NORMAL).parameters[k].quantity;
    if (quantity == Quantity::youngs_modulus) value = mixed_modulus;
    if (quantity == Quantity::poisson_ratio) value = mixed_ratio;
  }
}

bool ContactModel::radiates() const { return heat_arguments(choices).emissivity > 0.0; }

bool ContactModel::heat_crosses_gaps() const { return heat_arguments(choices).gas > 0.0 || radiates(); }

bool ContactModel::liquid_conducts() const { return heat_arguments(choices).liquid > 0.0; }

bool ContactModel::dissipation_heats() const { return heat_arguments(choices).friction > 0.0; }

bool ContactModel::viscous_bridges() const { return film_arguments(choices).viscosity > 0.0; }

double ContactModel::bridge_volume() const { return volume_of_bridges(choices); }

double ContactModel::friction() const { return tangential_friction(choices); }

bool ContactModel::tangential_from_material() const
{
  const auto &p = parameters(TANGENTIAL);
  return law(TANGENTIAL).needs_material || std::find(p.begin(), p.end(), NULL_PARAMETER) != p.end();
}

std::string ContactModel::advice() const
{
  if (!law(TANGENTIAL).in_lammps.empty() && law(SLIDER).lammps_geometry)
    return "tangential " + law(TANGENTIAL).name + " with slider " + law(SLIDER).name +
        " behaves as in LAMMPS of 22 July 2025: kt is multiplied by the contact radius, and the springs of sliding "
        "contacts are too short by the same factor; other sliders have neither error";
  if (!law(NORMAL).per_collision || !choices.limit_damping) return "";
  return "with limit_damping, collisions of normal " + law(NORMAL).name +
      " have a larger restitution than specified, because limit_damping removes the attraction at the end of a "
      "collision";
}

ContactModel ContactModel::mix(const ContactModel &a, const ContactModel &b)
{
  const auto refuse = [](const std::string &what) {
    throw InputError("cannot mix " + what + "; give this pair of types its own pair_coeff command");
  };
  ContactModel model;
  model.is_mixed = true;
  model.choices.limit_damping = a.choices.limit_damping || b.choices.limit_damping;
  model.choices.cutoff = std::max(a.choices.cutoff, b.choices.cutoff);
  for (int r = 0; r < ROLES; ++r) {
    const Role role = static_cast<Role>(r);
    const Choices::Choice &of_a = a.choices.choice[role], &of_b = b.choices.choice[role];
    Choices::Choice &mixed = model.choices.choice[role];
    const std::string models = std::string(role_name(role)) + " models " + a.law(role).name;
    if (of_a.law != of_b.law) refuse(models + " and " + b.law(role).name);
    mixed.law = of_a.law;
    if (!a.has(role)) continue;
    const auto &entry = a.law(role);
    if (of_a.in_steps != of_b.in_steps)
      refuse(models + ", one with " + entry.parameters.front().symbol +
             " as a time and the other with a number of time steps");
    mixed.in_steps = of_a.in_steps;
    if (role == BOND && of_a.parameters != of_b.parameters) refuse("bonds with different parameters");
    if (entry.nonlocal && of_a.parameters != of_b.parameters) refuse(models + " with different parameters");
    const auto ratio_at = std::find_if(entry.parameters.begin(), entry.parameters.end(),
                                       [](const Parameter &p) { return p.quantity == Quantity::poisson_ratio; }) -
        entry.parameters.begin();
    const auto compliance = [ratio_at](const Choices::Choice &of, std::size_t k) {
      const double ratio = of.parameters[ratio_at];
      return (1.0 - ratio * ratio) / of.parameters[k];
    };
    for (std::size_t k = 0; k < entry.parameters.size(); ++k) {
      const double first = of_a.parameters[k], second = of_b.parameters[k];
      double value = std::copysign(std::sqrt(first * second), first);
      if (first == NULL_PARAMETER || second == NULL_PARAMETER)
        value = NULL_PARAMETER;
      else if (entry.parameters[k].quantity == Quantity::youngs_modulus)
        value = 1.0 / (compliance(of_a, k) + compliance(of_b, k));
      else if (entry.parameters[k].quantity == Quantity::contact_angle)
        value = mixed_contact_angle(first, second);
      if (entry.parameters[k].quantity == Quantity::exponent && first != second)
        refuse(models + " with exponents " + entry.parameters[k].symbol + " = " + short_number(first) + " and " +
               short_number(second));
      mixed.parameters.push_back(value);
    }
  }
  if (a.attracts() != b.attracts())
    refuse("a model with " + attraction_law().name + " and a model without this keyword");
  for (std::size_t k = 0; k < a.choices.attraction.size(); ++k)
    model.choices.attraction.push_back(std::sqrt(a.choices.attraction[k] * b.choices.attraction[k]));
  const bool synchronized = a.choices.synchronized || b.choices.synchronized;
  model.choices.synchronized = synchronized && !model.law(SLIDER).lammps_geometry;
  model.lost_synchronization = synchronized && !model.choices.synchronized;
  model.check();
  if (a.choices.mixes_materials || b.choices.mixes_materials) {
    model.choices.mixes_materials = true;
    model.mixed_shear_modulus = 1.0 / (0.5 / a.shear_modulus() + 0.5 / b.shear_modulus());
    // with per_collision, the shear modulus is in units of 4/3 E*
    if (model.law(NORMAL).per_collision)
      model.mixed_shear_modulus /= 4.0 / 3.0 * *model.argument_of_normal(Quantity::youngs_modulus);
  }
  return model;
}

std::string ContactModel::advice_on_mixing() const
{
  if (!choices.mixes_materials && !law(NORMAL).per_collision && tangential_from_material())
    return "with kt = NULL, the tangential stiffness is computed from the mixed modulus, as in pair granular, and is "
           "too small by a factor of about two; add `mixing materials` after the tangential models";
  if (lost_synchronization)
    return "as in pair granular, synchronized_verlet has no effect on pairs of types whose models are mixed; remove "
           "this keyword";
  return "";
}

namespace {

void turn_remembered(const HistoryLayout &layout, std::vector<double> &signs)
{
  for (int part = 0; layout.has_ledger && part < REMEMBERED_PARTS; ++part)
    if (layout.remembered[part] >= 0)
      std::fill_n(signs.begin() + layout.remembered[part], 3 * REMEMBERED_VECTORS[part], -1.0);
}

}    // namespace

std::vector<double> ContactModel::signs_of_bond(const HistoryLayout &layout) const
{
  std::vector<double> signs(layout.size, 1.0);
  std::fill_n(signs.begin(), 3 * law(BOND).history_vectors, -1.0);
  turn_remembered(layout, signs);
  return signs;
}

std::vector<double> ContactModel::signs(const HistoryLayout &layout) const
{
  std::vector<double> signs(layout.size, 1.0);
  for (int r = 0; r < ROLES; ++r) {
    const Role role = static_cast<Role>(r);
    if (!has(role) || role == BOND) continue;
    const auto &entry = law(role);
    std::fill_n(signs.begin() + layout.first[r], 3 * entry.history_vectors, -1.0);
  }
  if (layout.normal_of_shapes >= 0) std::fill_n(signs.begin() + layout.normal_of_shapes, 3, -1.0);
  turn_remembered(layout, signs);
  return signs;
}

double fingerprint(const std::string &contents)
{
  std::uint32_t hash = 2166136261u;    // FNV-1a
  for (const char letter : contents) hash = (hash ^ static_cast<unsigned char>(letter)) * 16777619u;
  return hash;
}

std::array<int, REMEMBERED_PARTS> part_offsets(unsigned parts, int first)
{
  std::array<int, REMEMBERED_PARTS> offsets;
  for (int part = 0; part < REMEMBERED_PARTS; ++part) {
    const bool is_kept = parts >> part & 1u;
    offsets[part] = is_kept ? first : -1;
    if (is_kept) first += REMEMBERED_VALUES[part];
  }
  return offsets;
}

namespace {

bool any(const std::vector<ContactModel> &models, bool (*has)(const ContactModel &))
{
  return std::any_of(models.begin(), models.end(), has);
}

void add_role(HistoryLayout &layout, const std::vector<ContactModel> &models, Role role)
{
  int largest = 0;
  std::set<std::string> names;
  for (const auto &model : models) {
    if (!model.has(role) || model.law(role).history == 0) continue;
    largest = std::max(largest, model.law(role).history);
    names.insert(std::string(role_name(role)) + ":" + model.law(role).name);
  }
  layout.size += largest;
  for (const auto &name : names) layout.contents += (layout.contents.empty() ? "" : ",") + name;
}

}    // namespace

HistoryLayout common_layout(const std::vector<ContactModel> &models, Ledger ledger, bool normals)
{
  HistoryLayout layout;
  for (int r = 0; r < ROLES; ++r) {
    layout.first[r] = layout.size;
    if (r != BOND) add_role(layout, models, static_cast<Role>(r));
  }
  if (normals) {
    layout.normal_of_shapes = layout.size;
    layout.size += 3;
    layout.contents += layout.contents.empty() ? "normal" : ",normal";
  }
  if (layout.contents.empty()) layout.contents = "none";
  layout.ledger_index = layout.size;
  layout.has_ledger =
      ledger != Ledger::NO || any(models, [](const ContactModel &model) { return model.dissipation_heats(); });
  const bool bridges = any(models, [](const ContactModel &model) { return model.law(BRIDGE).acts_across_gap; });
  const bool twists = any(models, [](const ContactModel &model) { return model.law(TWISTING).history > 0; });
  const bool rolls = any(models, [](const ContactModel &model) { return model.law(ROLLING).history > 0; });
  const bool levers = any(models, [](const ContactModel &model) { return model.law(SLIDER).lammps_geometry; });
  const bool yields = any(models, [](const ContactModel &model) { return model.law(NORMAL).yields; });
  const bool attracts = any(models, [](const ContactModel &model) { return model.attracts(); });
  layout.observables = attracts ? BOND_ENERGY
      : bridges                 ? ATTRACTION_FORCE
      : twists                  ? CAPILLARY_FORCE
      : rolls                   ? TWISTING_ENERGY
      : yields                  ? ROLLING_ENERGY
      : levers                  ? PLASTIC_LOSS
                                : LEVER_LOSS;
  const bool drains_films = any(models, [](const ContactModel &model) { return model.from_films(); });
  const std::array<bool, REMEMBERED_PARTS> kept = {
      true, rolls, twists, bridges, normals, ledger == Ledger::COLLISIONS || drains_films, false};
  for (int part = 0; part < REMEMBERED_PARTS; ++part) {
    if (!layout.has_ledger || !kept[part]) continue;
    layout.parts |= 1u << part;
    layout.size += REMEMBERED_VALUES[part];
  }
  if (layout.has_ledger) layout.size |= 3;    // a row with its stamp fills whole vectors of four values
  // Without a ledger, the values of the parts exist in the batch only.
  layout.remembered = part_offsets(layout.has_ledger ? layout.parts : ~0u, layout.ledger_index);
  return layout;
}

HistoryLayout bond_layout(const std::vector<ContactModel> &models, bool ledger)
{
  HistoryLayout layout;
  add_role(layout, models, BOND);
  layout.ledger_index = layout.size;
  layout.has_ledger = ledger;
  layout.parts = ledger ? 1u << OF_BOND : 0u;
  layout.remembered = part_offsets(1u << OF_BOND, layout.ledger_index);
  if (ledger) layout.size = (layout.size + VALUES_OF_BOND) | 3;
  return layout;
}

}    // namespace granular_plus
