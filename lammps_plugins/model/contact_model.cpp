#include "contact_model.h"

#include "../laws/registry.h"
#include "guess.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>

namespace granular_plus {

namespace {

template <class Law, class = void> struct ParametersOf {
  static std::vector<Parameter> list() { return {}; }
};

template <class Law> struct ParametersOf<Law, std::void_t<decltype(Law::parameters)>> {
  static std::vector<Parameter> list() { return {std::begin(Law::parameters), std::end(Law::parameters)}; }
};

template <class Law> LawEntry entry_of()
{
  LawEntry entry;
  entry.name = Law::name;
  entry.source = Law::source;
  entry.parameters = ParametersOf<Law>::list();
  return entry;
}

template <class Law> LawEntry entry_with_history()
{
  LawEntry entry = entry_of<Law>();
  entry.history = Law::history;
  entry.history_vectors = Law::history_vectors;
  return entry;
}

std::array<std::vector<LawEntry>, ROLES> all_laws()
{
  std::array<std::vector<LawEntry>, ROLES> table;
  for_each_law(NormalLaws{}, [&](int, auto type) {
    using Law = typename decltype(type)::type;
    LawEntry entry = entry_with_history<Law>();
    entry.cohesive = Law::cohesive;
    entry.acts_across_gap = Law::acts_across_gap;
    entry.per_collision = Law::per_collision;
    table[NORMAL].push_back(entry);
  });
  for_each_law(DampingLaws{}, [&](int, auto type) {
    using Law = typename decltype(type)::type;
    LawEntry entry = entry_of<Law>();
    entry.damping_parameter = Law::coefficient_parameter;
    entry.allows_cohesion = Law::allows_cohesion;
    table[DAMPING].push_back(entry);
  });
  for_each_law(TangentialLaws{}, [&](int, auto type) {
    using Law = typename decltype(type)::type;
    LawEntry entry = entry_with_history<Law>();
    entry.needs_material = Law::needs_material;
    entry.synchronizes = Law::history > 0 && !Law::complete;
    if (Law::in_lammps) entry.in_lammps = Law::in_lammps;
    table[TANGENTIAL].push_back(entry);
  });
  for_each_law(RollingLaws{},
               [&](int, auto type) { table[ROLLING].push_back(entry_with_history<typename decltype(type)::type>()); });
  for_each_law(TwistingLaws{},
               [&](int, auto type) { table[TWISTING].push_back(entry_with_history<typename decltype(type)::type>()); });
  for_each_law(Sliders{}, [&](int, auto type) {
    using Law = typename decltype(type)::type;
    LawEntry entry = entry_of<Law>();
    entry.lammps_geometry = Law::lammps_geometry;
    table[SLIDER].push_back(entry);
  });
  for_each_law(CapillaryLaws{}, [&](int, auto type) {
    using Law = typename decltype(type)::type;
    LawEntry entry = entry_of<Law>();
    entry.acts_across_gap = Law::pulls;
    table[BRIDGE].push_back(entry);
  });
  for_each_law(HeatLaws{}, [&](int, auto type) {
    using Law = typename decltype(type)::type;
    LawEntry entry = entry_of<Law>();
    entry.conducts = Law::conducts;
    table[HEAT].push_back(entry);
  });
  return table;
}

// values of the law of a role that keeps most
template <class... Law> constexpr int most_history(Laws<Law...>) { return std::max({Law::history...}); }

static_assert(most_history(NormalLaws{}) + most_history(TangentialLaws{}) + most_history(RollingLaws{}) +
                      most_history(TwistingLaws{}) + REMEMBERED <=
                  MAX_HISTORY,
              "the largest stack of laws keeps more values than a batch has room for: raise MAX_HISTORY");

template <class Constants, std::size_t SIZE> void put(double (&slot)[SIZE], const Constants &constants)
{
  static_assert(sizeof constants <= sizeof slot, "law constants outgrow their slot");
  std::memcpy(slot, &constants, sizeof constants);
}

std::vector<std::string> names(Role role)
{
  std::vector<std::string> names;
  for (const auto &law : laws(role)) names.push_back(law.name);
  return names;
}

std::string known(Role role)
{
  std::string list;
  for (const auto &name : names(role)) list += (list.empty() ? "" : ", ") + name;
  return list;
}

// no more digits than are read back as the same number, so 0.3 stays 0.3
std::string number(double value)
{
  char text[32];
  for (int digits = 15; digits <= 17; ++digits) {    // 15 always survive, 17 always suffice
    std::snprintf(text, sizeof text, "%.*g", digits, value);
    if (std::strtod(text, nullptr) == value) break;
  }
  return text;
}

std::string short_number(double value)
{
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

std::string described(const Bounds &b)
{
  std::string text;
  if (b.low != -UNBOUNDED) text += std::string(b.low_allowed ? ">= " : "> ") + short_number(b.low);
  if (b.high != UNBOUNDED)
    text += (text.empty() ? "" : " and ") + std::string(b.high_allowed ? "<= " : "< ") + short_number(b.high);
  return text;
}

bool within(const Bounds &b, double value)
{
  return (b.low_allowed ? value >= b.low : value > b.low) && (b.high_allowed ? value <= b.high : value < b.high);
}

double parse_number(const std::string &where, const Parameter &parameter, const std::string &word)
{
  if (word == "NULL") {
    if (parameter.may_be_null) return NULL_PARAMETER;
    throw InputError(where + ": " + parameter.meaning + " " + parameter.symbol + " may not be NULL");
  }
  char *rest = nullptr;
  const double value = std::strtod(word.c_str(), &rest);
  if (word.empty() || *rest || word.find_first_of("xX") != std::string::npos)    // strtod would take hexadecimal
    throw InputError(where + ": " + parameter.meaning + " " + parameter.symbol + " = " + word + " is not a number");
  if (!std::isfinite(value))
    throw InputError(where + ": " + parameter.meaning + " " + parameter.symbol + " = " + word + " must be finite");
  return value;
}

void check_bounds(const std::string &where, const Parameter &parameter, double value)
{
  if (parameter.may_be_null && value == NULL_PARAMETER) return;
  if (!within(parameter.bounds, value))
    throw InputError(where + ": " + parameter.meaning + " " + parameter.symbol + " = " + short_number(value) +
                     " must be " + described(parameter.bounds));
}

const std::vector<std::string> KEYWORDS = {"damping",      "tangential", "rolling",       "twisting",
                                           "slider",       "bridge",     "heat",          "mixing",
                                           "wallmaterial", "cutoff",     "limit_damping", "synchronized_verlet"};

constexpr Role OPTIONAL_ROLES[] = {DAMPING, TANGENTIAL, ROLLING, TWISTING, SLIDER, BRIDGE, HEAT};

// models of pair granular that are left out, and why
std::string left_out(Role role, const std::string &name)
{
  if (name == "mdr" && (role == NORMAL || role == DAMPING))
    return ": its force depends on all contacts of a grain at once, by way of the volumes and free areas that fix "
           "granular/mdr keeps, and contacts here know nothing of each other; use pair_style granular";
  if (name == "none" && (role == NORMAL || role == DAMPING || role == TANGENTIAL))
    return ": as in pair granular a contact needs one; arguments of 0 make it do nothing";
  return "";
}

bool contains(const std::vector<std::string> &list, const std::string &word)
{
  return std::find(list.begin(), list.end(), word) != list.end();
}

int find_law(Role role, const std::string &name)
{
  const auto &list = laws(role);
  for (std::size_t k = 0; k < list.size(); ++k)
    if (list[k].name == name) return static_cast<int>(k);
  const std::string reason = left_out(role, name);
  if (!reason.empty()) throw InputError(std::string(role_name(role)) + " model " + name + " is not there" + reason);
  throw InputError(std::string("unknown ") + role_name(role) + " model " + name + "; known are " + known(role) +
                   did_you_mean(name, names(role)));
}

}    // namespace

const std::vector<LawEntry> &laws(Role role)
{
  static const auto table = all_laws();
  return table[role];
}

const char *role_name(Role role)
{
  static const char *const names[ROLES] = {"normal",   "damping", "tangential", "rolling",
                                           "twisting", "slider",  "bridge",     "heat"};
  return names[role];
}

const LawEntry &ContactModel::law(Role role) const
{
  static const LawEntry absent = [] {
    LawEntry entry;
    entry.name = "none";
    return entry;
  }();
  return has(role) ? laws(role)[choice[role].law] : absent;
}

ContactModel::ContactModel(const std::vector<std::string> &words, bool wall, const std::vector<std::string> &following)
    : is_against_wall(wall)
{
  std::size_t next = 0;
  std::vector<std::string> may_follow = KEYWORDS;
  may_follow.insert(may_follow.end(), following.begin(), following.end());
  // a model name and all words up to the next keyword
  const auto read = [&](Role role) {
    const std::string keyword = role_name(role);
    if (choice[role].law >= 0) throw InputError("keyword " + keyword + " given twice");
    if (next >= words.size()) throw InputError("keyword " + keyword + " needs a model; known are " + known(role));
    choice[role].law = find_law(role, words[next]);
    const auto &entry = law(role);
    const std::string where = keyword + " " + words[next++];
    const bool may_be_steps = !entry.parameters.empty() && entry.parameters.front().may_be_steps;
    if (may_be_steps && next < words.size() && words[next] == "steps") {
      choice[role].in_steps = true;
      ++next;
    }
    const std::size_t first = next;
    while (next < words.size() && !contains(KEYWORDS, words[next])) ++next;
    const std::size_t given = next - first;
    std::size_t expected = 0, required = 0;
    std::string symbols;
    for (const auto &parameter : entry.parameters) {
      const std::string argument = (parameter.label ? std::string(parameter.label) + " " : "") + parameter.symbol;
      symbols += " " + (parameter.may_be_missing ? "[" + argument + "]" : argument);
      expected += parameter.label ? 2 : 1;
      if (!parameter.may_be_missing) required = expected;
    }
    if (given != required && given != expected) {
      const std::string takes = required == expected ? "" : std::to_string(required) + " or ";
      std::string hint;
      if (given > expected) {
        const std::string &surplus = words[first + expected];
        hint = ", the first unexpected word is " + surplus + did_you_mean(surplus, may_follow);
      } else if (choice[role].in_steps && given + 1 == required) {
        hint = "; the number of steps is missing after the word steps, as in steps 50";
      }
      throw InputError(where + " takes " + takes + std::to_string(expected) + " arguments" +
                       (symbols.empty() ? "" : " (" + symbols.substr(1) + ")") + ", got " + std::to_string(given) +
                       hint);
    }
    std::size_t at = first;
    for (const auto &parameter : entry.parameters) {
      if (parameter.may_be_missing && at == next) break;
      if (parameter.label && words[at++] != parameter.label)
        throw InputError(where + ": " + words[at - 1] + " was found instead of the word " + parameter.label +
                         did_you_mean(words[at - 1], may_follow));
      choice[role].parameters.push_back(parse_number(where, parameter, words[at++]));
    }
  };

  std::vector<double> wall_material;
  // bridges alone begin with their keyword
  const bool bridges_alone = !words.empty() && words[0] == role_name(BRIDGE);
  if (!bridges_alone) read(NORMAL);
  while (next < words.size()) {
    const std::string keyword = words[next++];
    const auto role = std::find_if(std::begin(OPTIONAL_ROLES), std::end(OPTIONAL_ROLES),
                                   [&](Role r) { return keyword == role_name(r); });
    if (role != std::end(OPTIONAL_ROLES)) {
      read(*role);
    } else if (keyword == "limit_damping") {
      if (limit_damping) throw InputError("keyword limit_damping given twice");
      limit_damping = true;
    } else if (keyword == "cutoff" && !wall) {
      const Parameter parameter{"cutoff", "distance", "neighbour cutoff", POSITIVE};
      if (explicit_cutoff > 0.0) throw InputError("keyword cutoff given twice");
      if (next >= words.size()) throw InputError("keyword cutoff needs a number");
      explicit_cutoff = parse_number("keyword cutoff", parameter, words[next++]);
      check_bounds("keyword cutoff", parameter, explicit_cutoff);
    } else if (keyword == "wallmaterial" && wall) {
      const Parameter parameters[] = {{"E", "pressure", "Young's modulus", POSITIVE},
                                      {"nu", "-", "Poisson's ratio", POISSON}};
      if (!wall_material.empty()) throw InputError("keyword wallmaterial given twice");
      if (next + 2 > words.size()) throw InputError("keyword wallmaterial needs E and nu");
      for (const auto &parameter : parameters) {
        wall_material.push_back(parse_number("keyword wallmaterial", parameter, words[next++]));
        check_bounds("keyword wallmaterial", parameter, wall_material.back());
      }
    } else if (keyword == "synchronized_verlet") {
      if (wall) throw InputError("keyword synchronized_verlet is for pairs, not for walls, as in LAMMPS");
      if (synchronized) throw InputError("keyword synchronized_verlet given twice");
      synchronized = true;
    } else if (keyword == "mixing") {
      if (wall) throw InputError("keyword mixing is for pairs; the material of a wall is given by wallmaterial");
      if (mixes_materials) throw InputError("keyword mixing given twice");
      if (next >= words.size() || words[next] != "materials")
        throw InputError("keyword mixing " + (next < words.size() ? words[next] : "") + ": known is mixing materials");
      mixes_materials = true;
      ++next;
    } else {
      throw InputError("unknown keyword " + keyword + did_you_mean(keyword, may_follow));
    }
  }
  if (bridges_alone) {
    for (int r = 0; r < ROLES; ++r)
      if (r != BRIDGE && has(static_cast<Role>(r)))
        throw InputError(std::string("keyword ") + role_name(static_cast<Role>(r)) + " needs a normal model before it");
    if (!law(BRIDGE).acts_across_gap) throw InputError("bridge none without a normal model defines no force");
  } else {
    if (!has(TANGENTIAL)) throw InputError("keyword tangential is required; known models are " + known(TANGENTIAL));
    if (law(NORMAL).per_collision && has(DAMPING))
      throw InputError("damping " + law(DAMPING).name + " cannot be combined with normal " + law(NORMAL).name +
                       ", whose damping follows from its arguments");
    for (const Role role : OPTIONAL_ROLES)    // the registry lists the default first
      if (!has(role)) choice[role].law = 0;
    for (int r = 0; r < ROLES; ++r)
      for (const auto &parameter : law(static_cast<Role>(r)).parameters)
        if (parameter.may_be_missing && choice[r].parameters.size() < law(static_cast<Role>(r)).parameters.size())
          choice[r].parameters.push_back(0.0);
  }
  check();
  if (!wall_material.empty()) mix_with_wall(wall_material[0], wall_material[1]);
}

// E and nu of the normal law become those of a material that meets itself as grains meet the wall
void ContactModel::mix_with_wall(double modulus, double poisson_ratio)
{
  double *own_modulus = nullptr, *own_ratio = nullptr;
  for (std::size_t k = 0; k < law(NORMAL).parameters.size(); ++k) {
    const std::string symbol = law(NORMAL).parameters[k].symbol;
    if (symbol == "E") own_modulus = &choice[NORMAL].parameters[k];
    if (symbol == "nu") own_ratio = &choice[NORMAL].parameters[k];
  }
  if (!own_modulus || !own_ratio || *own_modulus == NULL_PARAMETER)
    throw InputError("keyword wallmaterial needs a normal model with E and nu, not " + law(NORMAL).name);
  if (!(*own_modulus > 0.0)) throw InputError("keyword wallmaterial needs a normal model with E > 0");
  mix_materials(*own_modulus, *own_ratio, modulus, poisson_ratio);
}

void ContactModel::check() const
{
  for (int r = 0; r < ROLES; ++r) {
    const Role role = static_cast<Role>(r);
    if (!has(role)) continue;
    const auto &entry = law(role);
    const std::string where = std::string(role_name(role)) + " " + entry.name;
    for (std::size_t k = 0; k < entry.parameters.size(); ++k) {
      const bool read_by_damping = role == NORMAL && std::strcmp(entry.parameters[k].symbol, "eta") == 0;
      const Parameter &parameter = read_by_damping ? law(DAMPING).damping_parameter : entry.parameters[k];
      check_bounds(where + (read_by_damping ? " with damping " + law(DAMPING).name : ""), parameter,
                   choice[role].parameters[k]);
    }
  }
  if (!has(NORMAL)) return;
  bool material_known = false;
  for_each_law(NormalLaws{}, [&](int index, auto type) {
    if (index == choice[NORMAL].law)
      material_known = decltype(type)::type::material(choice[NORMAL].parameters.data()).known;
  });
  if (law(TANGENTIAL).needs_material && !material_known)
    throw InputError("tangential " + law(TANGENTIAL).name + " needs a normal model with E and nu, not " +
                     law(NORMAL).name);
  if (tangential_from_material() && !material_known)
    throw InputError("tangential " + law(TANGENTIAL).name + ": kt = NULL needs a normal model with E and nu, not " +
                     law(NORMAL).name);
  if (law(NORMAL).cohesive && !law(DAMPING).allows_cohesion)
    throw InputError("damping " + law(DAMPING).name + " cannot be combined with the cohesive normal model " +
                     law(NORMAL).name);
  if (law(NORMAL).acts_across_gap && law(BRIDGE).acts_across_gap)
    throw InputError("bridge " + law(BRIDGE).name + " cannot be combined with the normal model " + law(NORMAL).name +
                     ", which acts across a gap itself");
  if (synchronized && !law(TANGENTIAL).synchronizes)
    throw InputError("synchronized_verlet cannot be combined with tangential " + law(TANGENTIAL).name);
  if (mixes_materials && !(tangential_from_material() && argument_of_normal("E")))
    throw InputError("mixing materials goes with a tangential stiffness that follows from the material (kt = NULL, or "
                     "mindlin_deresiewicz) and a normal model with E and nu");
  if (law(NORMAL).cohesive && limit_damping)
    throw InputError("limit_damping cannot be combined with the cohesive normal model " + law(NORMAL).name);
}

const double *ContactModel::argument_of_normal(const std::string &symbol) const
{
  for (std::size_t k = 0; k < law(NORMAL).parameters.size(); ++k)
    if (law(NORMAL).parameters[k].symbol == symbol && choice[NORMAL].parameters[k] != NULL_PARAMETER)
      return &choice[NORMAL].parameters[k];
  return nullptr;
}

double ContactModel::shear_modulus() const
{
  const double *modulus = argument_of_normal("E"), *ratio = argument_of_normal("nu");
  return modulus && ratio ? effective_shear_modulus(*modulus, *ratio) : 0.0;
}

bool ContactModel::warms() const { return has(HEAT) && choice[HEAT].parameters.back() > 0.0; }

bool ContactModel::tangential_from_material() const
{
  const auto &p = choice[TANGENTIAL].parameters;
  return law(TANGENTIAL).needs_material || std::find(p.begin(), p.end(), NULL_PARAMETER) != p.end();
}

std::string ContactModel::advice() const
{
  if (!law(TANGENTIAL).in_lammps.empty() && law(SLIDER).lammps_geometry)
    return "tangential " + law(TANGENTIAL).name + " with slider " + law(SLIDER).name +
        " does as LAMMPS of 22 July 2025 does: kt counts times the contact radius, and springs that slip are left too "
        "short by that factor; with the other sliders it does what its name says";
  if (!law(NORMAL).per_collision || !limit_damping) return "";
  return "with limit_damping collisions of normal " + law(NORMAL).name +
      " have a larger restitution than given: it needs the attraction at their end";
}

ContactModel ContactModel::mix(const ContactModel &a, const ContactModel &b)
{
  ContactModel model;
  model.is_mixed = true;
  model.limit_damping = a.limit_damping || b.limit_damping;
  model.explicit_cutoff = std::max(a.explicit_cutoff, b.explicit_cutoff);
  for (int r = 0; r < ROLES; ++r) {
    const Role role = static_cast<Role>(r);
    const auto &pa = a.choice[role].parameters, &pb = b.choice[role].parameters;
    if (a.choice[role].law != b.choice[role].law)
      throw InputError(std::string("cannot mix ") + role_name(role) + " models " + a.law(role).name + " and " +
                       b.law(role).name + "; set the pair with its own pair_coeff command");
    model.choice[role].law = a.choice[role].law;
    if (!a.has(role)) continue;
    const auto &entry = a.law(role);
    if (a.choice[role].in_steps != b.choice[role].in_steps)
      throw InputError(std::string("cannot mix ") + role_name(role) + " models " + entry.name + " with " +
                       entry.parameters.front().symbol +
                       " as a time and in steps; set the pair with its own pair_coeff command");
    model.choice[role].in_steps = a.choice[role].in_steps;
    const auto poisson = std::find_if(entry.parameters.begin(), entry.parameters.end(),
                                      [](const Parameter &p) { return std::strcmp(p.symbol, "nu") == 0; }) -
        entry.parameters.begin();
    for (std::size_t k = 0; k < entry.parameters.size(); ++k) {
      double value = std::sqrt(pa[k] * pb[k]);
      if (entry.parameters[k].may_be_null && (pa[k] == NULL_PARAMETER || pb[k] == NULL_PARAMETER))
        value = NULL_PARAMETER;
      else if (entry.parameters[k].mixing == Mixing::youngs_modulus)
        value = 1.0 / ((1.0 - pa[poisson] * pa[poisson]) / pa[k] + (1.0 - pb[poisson] * pb[poisson]) / pb[k]);
      model.choice[role].parameters.push_back(value);
    }
  }
  model.synchronized = (a.synchronized || b.synchronized) && !model.law(SLIDER).lammps_geometry;
  model.lost_synchronization = (a.synchronized || b.synchronized) && !model.synchronized;
  model.check();
  if (a.mixes_materials || b.mixes_materials) {
    model.mixes_materials = true;
    model.mixed_shear_modulus = 1.0 / (0.5 / a.shear_modulus() + 0.5 / b.shear_modulus());
    // laws that adapt take it in units of their stiffness 4/3 E*
    if (model.law(NORMAL).per_collision) model.mixed_shear_modulus /= 4.0 / 3.0 * *model.argument_of_normal("E");
  }
  return model;
}

std::string ContactModel::advice_on_mixing() const
{
  if (!mixes_materials && !law(NORMAL).per_collision && tangential_from_material())
    return "kt NULL is computed from the mixed modulus, as in pair granular, and is too soft by a factor of about "
           "two; mixing materials after the tangential models mends it";
  if (lost_synchronization) return "mixed types go without synchronized_verlet, as in pair granular";
  return "";
}

std::string ContactModel::text() const
{
  std::string text;
  for (int r = 0; r < ROLES; ++r) {
    const Role role = static_cast<Role>(r);
    if (!has(role) || (role == DAMPING && law(NORMAL).per_collision)) continue;
    if (role == HEAT && !conducts() && !warms()) continue;    // temperatures are nobody's concern
    if (!text.empty()) text += " ";
    if (role != NORMAL) text += std::string(role_name(role)) + " ";
    text += law(role).name;
    if (choice[role].in_steps) text += " steps";
    for (std::size_t k = 0; k < choice[role].parameters.size(); ++k) {
      const Parameter &parameter = law(role).parameters[k];
      const double value = choice[role].parameters[k];
      if (parameter.may_be_missing && value == 0.0) continue;
      const bool null = parameter.may_be_null && value == NULL_PARAMETER;
      if (parameter.label) text += std::string(" ") + parameter.label;
      text += " " + (null ? "NULL" : number(value));
    }
  }
  if (explicit_cutoff > 0.0) text += " cutoff " + number(explicit_cutoff);
  if (limit_damping) text += " limit_damping";
  if (synchronized) text += " synchronized_verlet";
  if (mixes_materials) text += " mixing materials";
  return text;
}

void ContactModel::compile(PairGroup &pair_group, const HistoryLayout &layout, const Kernels &kernels, double timestep,
                           bool any_shape) const
{
  pair_group = PairGroup{};
  ModelConstants &constants = pair_group.constants;
  Material material{};
  for_each_law(NormalLaws{}, [&](int index, auto type) {
    using Law = typename decltype(type)::type;
    if (index != choice[NORMAL].law) return;
    auto parameters = choice[NORMAL].parameters;
    if (choice[NORMAL].in_steps) parameters.front() *= timestep;
    put(constants.normal, Law::prepare(parameters.data(), is_mixed));
    material = Law::material(choice[NORMAL].parameters.data());
    if (mixed_shear_modulus > 0.0) material.shear_modulus = mixed_shear_modulus;    // mixing materials
  });
  for_each_law(DampingLaws{}, [&](int index, auto type) {
    if (index == choice[DAMPING].law) put(constants.damping, decltype(type)::type::prepare(material));
  });
  TangentialLaw::Constants tangential{};
  for_each_law(TangentialLaws{}, [&](int index, auto type) {
    if (index == choice[TANGENTIAL].law)
      tangential = decltype(type)::type::prepare(choice[TANGENTIAL].parameters.data(), material);
  });
  put(constants.tangential, tangential);
  for_each_law(RollingLaws{}, [&](int index, auto type) {
    using Law = typename decltype(type)::type;
    if constexpr (Law::history > 0)
      if (index == choice[ROLLING].law) put(constants.rolling, Law::prepare(choice[ROLLING].parameters.data()));
  });
  for_each_law(TwistingLaws{}, [&](int index, auto type) {
    using Law = typename decltype(type)::type;
    if constexpr (Law::history > 0)
      if (index == choice[TWISTING].law)
        put(constants.twisting, Law::prepare(choice[TWISTING].parameters.data(), tangential));
  });
  constants.normal_force_floor = limit_damping ? 0.0 : -UNBOUNDED;
  constants.against_wall = is_against_wall;
  constants.lever_depth = is_against_wall && law(SLIDER).lammps_geometry ? 0.0 : 0.5;
  constants.slip_depth = law(SLIDER).lammps_geometry ? 0.0 : 0.5;
  constants.normal_history = layout.first[NORMAL];
  constants.tangential_history = layout.first[TANGENTIAL];
  constants.rolling_history = layout.first[ROLLING];
  constants.twisting_history = layout.first[TWISTING];
  constants.ledger_history = layout.ledger;
  constants.tangential_per_normal = law(NORMAL).per_collision && tangential_from_material() ? 1.0 : 0.0;

  for_each_law(CapillaryLaws{}, [&](int index, auto type) {
    using Law = typename decltype(type)::type;
    if constexpr (Law::pulls)
      if (index == choice[BRIDGE].law) put(constants.bridge, Law::prepare(choice[BRIDGE].parameters.data()));
  });

  for_each_law(HeatLaws{}, [&](int index, auto type) {
    if (index == choice[HEAT].law) put(constants.heat, decltype(type)::type::prepare(choice[HEAT].parameters.data()));
  });
  constants.half_step = 0.5 * timestep;

  const int slider = choice[SLIDER].law, bridge = choice[BRIDGE].law;
  const bool another = law(SLIDER).lammps_geometry && !law(TANGENTIAL).in_lammps.empty();
  const int friction = another ? find_law(TANGENTIAL, law(TANGENTIAL).in_lammps) : choice[TANGENTIAL].law;
  const bool observes = layout.has_ledger;
  const auto fill_stages = [](Stage *list, int &count, std::initializer_list<Stage> stages) {
    count = 0;
    for (const Stage stage : stages)
      if (stage) list[count++] = stage;
  };
  const Stage gap = kernels.gap(observes), pull_across = kernels.bridge(bridge, true, observes);
  const Stage rupture = kernels.rupture(bridge);
  pair_group.breaking_gap = kernels.bridge_breaking_gap(bridge);
  if (!has(NORMAL)) {
    fill_stages(pair_group.stages, pair_group.stage_count, {gap, pull_across});
    fill_stages(pair_group.ending_stages, pair_group.ending_stage_count, {kernels.gap(true), rupture});
    return;
  }
  const Stage ending = kernels.ending(choice[NORMAL].law);
  pair_group.passes_heat = conducts() || warms();
  const auto heat = [&](bool ended) {
    return pair_group.passes_heat ? kernels.heat(choice[HEAT].law, warms() && observes, ended) : nullptr;
  };
  fill_stages(pair_group.stages, pair_group.stage_count,
              {synchronized ? kernels.half_step_back : nullptr,
               any_shape ? kernels.into_depth(choice[NORMAL].law, observes) : nullptr,
               kernels.normal(choice[NORMAL].law, choice[DAMPING].law, observes),
               any_shape ? kernels.out_of_depth(observes) : nullptr,
               kernels.tangential(friction, slider, observes, synchronized),
               kernels.rolling(choice[ROLLING].law, slider, observes, synchronized),
               kernels.twisting(choice[TWISTING].law, slider, observes), kernels.bridge(bridge, false, observes),
               heat(false), synchronized ? kernels.end_of_step : nullptr});
  fill_stages(pair_group.ending_stages, pair_group.ending_stage_count,
              {kernels.gap(true), ending, rupture, heat(true)});
  if (pair_group.breaking_gap)    // the contact ends, the bridge goes on
    fill_stages(pair_group.separated_stages, pair_group.separated_stage_count,
                {gap, observes ? ending : nullptr, pull_across, heat(true)});
  else
    pair_group.breaking_gap = kernels.breaking_gap(choice[NORMAL].law);
}

double ContactModel::breaking_gap(double radius_i, double radius_j, const Kernels &kernels) const
{
  PairGroup pair_group{};
  compile(pair_group, HistoryLayout{}, kernels, 0.0);
  return pair_group.breaking_gap && radius_i > 0.0 && radius_j > 0.0
      ? pair_group.breaking_gap(pair_group.constants, radius_i, radius_j)
      : 0.0;
}

double ContactModel::collision_time(double effective_mass, double effective_radius, double speed, double timestep) const
{
  double time = UNBOUNDED;
  for_each_law(NormalLaws{}, [&](int index, auto type) {
    using Law = typename decltype(type)::type;
    if (index != choice[NORMAL].law) return;
    auto parameters = choice[NORMAL].parameters;
    if (choice[NORMAL].in_steps) parameters.front() *= timestep;
    const auto constants = Law::prepare(parameters.data(), is_mixed);
    time = Law::template collision_time<Law>(constants, effective_mass, effective_radius, speed);
  });
  return time;
}

double ContactModel::prescribed_time(double timestep) const
{
  return law(NORMAL).per_collision ? choice[NORMAL].parameters.front() * (choice[NORMAL].in_steps ? timestep : 1.0)
                                   : UNBOUNDED;
}

std::string ContactModel::outside_fit(double smallest_radius, double largest_radius) const
{
  if (!law(BRIDGE).acts_across_gap) return "";
  const auto &p = choice[BRIDGE].parameters;
  const double angle = p[1], volume = p[2];
  const auto ratio = [&](double radius) { return volume / (radius * radius * radius); };
  if (angle > 50.0)
    return "contact angle theta = " + short_number(angle) + " is beyond the 50 degrees up to which the law was fitted";
  const double smallest = ratio(largest_radius), largest = ratio(smallest_radius);
  if (smallest < 1.0e-3 || largest > 0.1)
    return "V/R^3 from " + short_number(smallest) + " to " + short_number(largest) +
        " is not within 0.001 and 0.1, for which the law was fitted";
  return "";
}

std::vector<double> ContactModel::signs(const HistoryLayout &layout) const
{
  std::vector<double> signs(layout.size, 1.0);
  for (int r = 0; r < ROLES; ++r) {
    const Role role = static_cast<Role>(r);
    if (!has(role)) continue;
    const auto &entry = law(role);
    std::fill_n(signs.begin() + layout.first[r], 3 * entry.history_vectors, -1.0);
  }
  if (layout.has_ledger) std::fill_n(signs.begin() + layout.ledger, 3 * REMEMBERED_VECTORS, -1.0);
  return signs;
}

double fingerprint(const std::string &contents)
{
  std::uint32_t hash = 2166136261u;    // FNV-1a
  for (const char letter : contents) hash = (hash ^ static_cast<unsigned char>(letter)) * 16777619u;
  return hash;
}

HistoryLayout common_layout(const std::vector<ContactModel> &models, bool ledger)
{
  HistoryLayout layout;
  for (int r = 0; r < ROLES; ++r) {
    layout.first[r] = layout.size;
    int largest = 0;
    const Role role = static_cast<Role>(r);
    std::set<std::string> names;
    for (const auto &model : models) {
      if (!model.has(role) || model.law(role).history == 0) continue;
      largest = std::max(largest, model.law(role).history);
      names.insert(std::string(role_name(role)) + ":" + model.law(role).name);
    }
    layout.size += largest;
    for (const auto &name : names) layout.contents += (layout.contents.empty() ? "" : ",") + name;
  }
  if (layout.contents.empty()) layout.contents = "none";
  layout.ledger = layout.size;
  layout.has_ledger =
      ledger || std::any_of(models.begin(), models.end(), [](const ContactModel &s) { return s.warms(); });
  if (layout.has_ledger) layout.size += REMEMBERED;
  return layout;
}

}    // namespace granular_plus
