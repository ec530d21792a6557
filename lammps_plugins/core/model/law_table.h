// Properties of each law in the registry.

#ifndef GRANULAR_PLUS_LAW_TABLE_H
#define GRANULAR_PLUS_LAW_TABLE_H

#include "../laws/parameters.h"

#include <stdexcept>
#include <string>
#include <vector>

namespace granular_plus {

struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum Role { NORMAL, DAMPING, TANGENTIAL, ROLLING, TWISTING, SLIDER, BRIDGE, HEAT, BOND, ROLES };

struct LawEntry {
  std::string name = "none", source;
  std::vector<Parameter> parameters;
  Parameter damping_parameter{};    // damping laws: damping parameter of the normal law
  bool by_restitution = false;      // damping laws: cannot be combined with normal laws that are cohesive or yield
  bool cohesive = false, pulls_at_touch = false, acts_across_gap = false;
  bool needs_material = false;
  std::string in_lammps;           // tangential laws: see laws/tangential/tangential_law.h
  bool synchronizes = false;       // tangential laws: synchronized_verlet has an effect
  bool creates_energy = false;     // tangential laws: changes of the stiffness create energy, with any slider
  bool conducts = false;           // heat laws: false for the placeholder `none`
  bool lammps_geometry = false;    // sliders: see laws/friction/slider.h
  bool per_collision = false;      // normal laws: stiffness and damping are set for each collision
  bool yields = false;             // normal laws: contacts deform permanently
  bool nonlocal = false;           // normal laws: see laws/normal/nonlocal_law.h
  // Normal laws: the law computes the dashpot. Damping laws: the law reads this dashpot.
  bool dashpot_by_contact = false;
  bool from_films = false;    // capillary laws: bridges take their liquid from films
  int history = 0;
  int history_vectors = 0;    // number of leading vectors that change sign when the pair is swapped
};

const std::vector<LawEntry> &laws(Role role);
const LawEntry &attraction_law();    // keyword van_der_waals, which has no role
const char *role_name(Role role);
std::vector<std::string> law_names(Role role);
std::string known_laws(Role role);
// Throws an InputError that lists the known laws.
int find_law(Role role, const std::string &name);

// Returns "; did you mean WORD?", or "" if no known word is similar.
std::string did_you_mean(const std::string &unknown, const std::vector<std::string> &known);

}    // namespace granular_plus

#endif
