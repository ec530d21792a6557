#include "law_table.h"

#include "../laws/contact.h"
#include "../laws/registry.h"

#include <algorithm>
#include <string_view>

namespace granular_plus {

namespace {

template <class Law> constexpr bool bounds_name_parameters()
{
  for (const Parameter &parameter : Law::parameters) {
    bool known = !parameter.not_below;
    for (const Parameter &other : Law::parameters)
      known = known || std::string_view(other.symbol) == parameter.not_below;
    if (!known) return false;
  }
  return true;
}

template <class Law> auto parameters_of(int) -> decltype(std::begin(Law::parameters), std::vector<Parameter>())
{
  static_assert(bounds_name_parameters<Law>(), "not_below must name a parameter of the same law");
  return {std::begin(Law::parameters), std::end(Law::parameters)};
}

template <class Law> std::vector<Parameter> parameters_of(...) { return {}; }

// ROLE = ROLES: a law without a role
template <Role ROLE, class Law> LawEntry entry_of()
{
  LawEntry entry;
  entry.name = Law::name;
  entry.source = Law::source;
  entry.parameters = parameters_of<Law>(0);
  if constexpr (ROLE != DAMPING && ROLE != SLIDER && ROLE != HEAT && ROLE != ROLES) {
    entry.history = Law::history;
    entry.history_vectors = Law::history_vectors;
  }
  if constexpr (ROLE == NORMAL) {
    entry.cohesive = Law::cohesive;
    entry.pulls_at_touch = Law::pulls_at_touch;
    entry.acts_across_gap = Law::acts_across_gap;
    entry.per_collision = Law::per_collision;
    entry.yields = Law::yields;
    entry.nonlocal = Law::nonlocal;
    entry.dashpot_by_contact = Law::finds_dashpot;
  } else if constexpr (ROLE == DAMPING) {
    entry.damping_parameter = Law::coefficient_parameter;
    entry.by_restitution = Law::by_restitution;
    entry.dashpot_by_contact = Law::reads_dashpot;
  } else if constexpr (ROLE == TANGENTIAL) {
    entry.needs_material = Law::needs_material;
    entry.synchronizes = Law::history > 0 && !Law::complete;
    entry.creates_energy = Law::grows_with_radius && !Law::complete && !(Law::rescales && Law::carries_force);
    if (Law::in_lammps) entry.in_lammps = Law::in_lammps;
  } else if constexpr (ROLE == SLIDER) {
    entry.lammps_geometry = Law::lammps_geometry;
  } else if constexpr (ROLE == BRIDGE) {
    entry.acts_across_gap = Law::pulls;
    entry.from_films = Law::from_films;
  } else if constexpr (ROLE == HEAT) {
    entry.conducts = Law::conducts;
  }
  return entry;
}

template <Role ROLE, class... Law> std::vector<LawEntry> entries_of(Laws<Law...>) { return {entry_of<ROLE, Law>()...}; }

template <class... Law> constexpr int most_history(Laws<Law...>) { return std::max({Law::history...}); }

// includes the three values of a normal
constexpr int MOST_HISTORY = most_history(NormalLaws{}) + most_history(TangentialLaws{}) + most_history(RollingLaws{}) +
    most_history(TwistingLaws{}) + most_history(CapillaryLaws{}) + 3 + REMEMBERED;
static_assert(most_history(BondLaws{}) + VALUES_OF_BOND <= MAX_HISTORY,
              "the largest bond law stores more values than a batch has room for: raise MAX_HISTORY");
static_assert(MOST_HISTORY <= MAX_HISTORY,
              "the largest contact model stores more values than a batch has room for: raise MAX_HISTORY");

// Reason why a model of pair granular is not available; empty for other names.
std::string left_out(Role role, const std::string &name)
{
  if (name == "none" && (role == NORMAL || role == DAMPING || role == TANGENTIAL))
    return ": as in pair granular, a model is required; parameters of 0 disable its effect";
  return "";
}

}    // namespace

const std::vector<LawEntry> &laws(Role role)
{
  static const std::vector<LawEntry> table[ROLES] = {entries_of<NORMAL>(NormalLaws{}),
                                                     entries_of<DAMPING>(DampingLaws{}),
                                                     entries_of<TANGENTIAL>(TangentialLaws{}),
                                                     entries_of<ROLLING>(RollingLaws{}),
                                                     entries_of<TWISTING>(TwistingLaws{}),
                                                     entries_of<SLIDER>(Sliders{}),
                                                     entries_of<BRIDGE>(CapillaryLaws{}),
                                                     entries_of<HEAT>(HeatLaws{}),
                                                     entries_of<BOND>(BondLaws{})};
  return table[role];
}

const LawEntry &attraction_law()
{
  static const LawEntry entry = entry_of<ROLES, attraction::VanDerWaals>();
  return entry;
}

const char *role_name(Role role)
{
  static const char *const names[ROLES] = {"normal", "damping", "tangential", "rolling", "twisting",
                                           "slider", "bridge",  "heat",       "bond"};
  return names[role];
}

std::vector<std::string> law_names(Role role)
{
  std::vector<std::string> names;
  for (const auto &law : laws(role)) names.push_back(law.name);
  return names;
}

std::string known_laws(Role role)
{
  std::string list;
  for (const auto &name : law_names(role)) list += (list.empty() ? "" : ", ") + name;
  return list;
}

int find_law(Role role, const std::string &name)
{
  const auto &list = laws(role);
  for (std::size_t k = 0; k < list.size(); ++k)
    if (list[k].name == name) return static_cast<int>(k);
  const std::string reason = left_out(role, name);
  if (!reason.empty()) throw InputError(std::string(role_name(role)) + " model " + name + " is not available" + reason);
  throw InputError(std::string("unknown ") + role_name(role) + " model " + name + "; known are " + known_laws(role) +
                   did_you_mean(name, law_names(role)));
}

}    // namespace granular_plus
