// What the registry says of each law, in a form that can be walked at run time.

#ifndef GRANULAR_PLUS_LAW_TABLE_H
#define GRANULAR_PLUS_LAW_TABLE_H

#include "../laws/parameters.h"

#include <stdexcept>
#include <string>
#include <vector>

namespace granular_plus {

// the message names the keyword, the value and the bound
struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum Role { NORMAL, DAMPING, TANGENTIAL, ROLLING, TWISTING, SLIDER, BRIDGE, HEAT, BOND, ROLES };

struct LawEntry {
  std::string name = "none", source;
  std::vector<Parameter> parameters;
  Parameter damping_parameter{};    // damping laws: how the second parameter of the normal law is read
  bool by_restitution = false;      // damping laws: that parameter is a coefficient of restitution
  bool cohesive = false, pulls_at_touch = false, acts_across_gap = false;
  bool needs_material = false;
  std::string in_lammps;              // tangential laws: the model that LAMMPS makes of it, if it is another one
  bool synchronizes = false;          // tangential laws: synchronized_verlet has a meaning
  bool conducts = false;              // heat laws
  bool lammps_geometry = false;       // sliders: geometry of walls as well
  bool per_collision = false;         // normal laws: stiffness and damping for each contact, by the law itself
  bool yields = false;                // normal laws: contacts deform for good, which gives them their restitution
  bool nonlocal = false;              // normal laws: see laws/normal/nonlocal_law.h
  bool dashpot_by_contact = false;    // normal laws find what damping laws read: the two go with each other alone
  bool from_films = false;            // laws of bridges: the liquid belongs to the grains
  int history = 0;                    // values per contact
  int history_vectors = 0;            // leading triples that change sign with the order of the pair
};

const std::vector<LawEntry> &laws(Role role);
const LawEntry &attraction_law();    // of keyword van_der_waals, which goes with any contact law
const char *role_name(Role role);
std::vector<std::string> law_names(Role role);
std::string known_laws(Role role);    // their names in a row
// throws InputError that names those that are known, or why this one is left out
int find_law(Role role, const std::string &name);

// "; did you mean WORD?", to end the message about an unknown word, or nothing if none of the known ones is close
std::string did_you_mean(const std::string &unknown, const std::vector<std::string> &known);

}    // namespace granular_plus

#endif
