#include "stand_in.h"

#include "../core/model/contact_model.h"
#include "../walls/wall_surface.h"

#include "atom.h"
#include "comm.h"
#include "error.h"
#include "force.h"
#include "input.h"
#include "pair.h"

#include <algorithm>
#include <cstring>

using namespace LAMMPS_NS;

void LAMMPS_NS::add_slider(std::vector<std::string> &words, const char *slider)
{
  if (!slider || std::find(words.begin(), words.end(), "slider") != words.end()) return;
  words.push_back("slider");
  words.push_back(slider);
}

bool LAMMPS_NS::has_words_of_wall_gran(const std::string &style)
{
  return style == "wall/gran" || utils::strmatch(style, "^wall/gran/");
}

std::vector<std::string> LAMMPS_NS::words_of_wall(std::vector<std::string> words, const char *slider)
{
  const auto style = std::find_if(words.begin(), words.end(), WallSurface::is_style);
  std::vector<std::string> ours(words.begin(), style);
  if (!ours.empty()) {
    const std::string model = ours[0];
    ours.erase(ours.begin());
    if (model != "granular") ours = granular_plus::words_of_classic(model, ours);
    add_slider(ours, slider);
  }
  ours.insert(ours.end(), style, words.end());
  return ours;
}

void LAMMPS_NS::log_replacement(LAMMPS *lmp, const std::string &command, const char *slider,
                                const std::string &tangential)
{
  if (lmp->comm->me != 0) return;
  std::string friction = "csds, which creates no energy";
  if (!tangential.empty()) friction += " except when the stiffness of tangential " + tangential + " changes";
  if (slider) friction = std::string(slider) + ", as in LAMMPS";
  utils::logmesg(lmp, "granular/plus computes {}, with friction by slider {}\n", command, friction);
}

void LAMMPS_NS::log_left_to_lammps(LAMMPS *lmp, const std::string &command, const std::string &why)
{
  if (lmp->comm->me == 0) utils::logmesg(lmp, "granular/plus leaves {} to LAMMPS: {}\n", command, why);
}

StandIn::StandIn(LAMMPS *lmp, Pair *pair, const std::string &style)
    : Pointers(lmp), theirs(utils::strmatch(style, "^gran") ? style.substr(0, style.find("/plus")) : ""),
      slider(utils::strmatch(style, "/dsds$") ? "dsds" : nullptr), pair(pair), style(style)
{
}

/* ----------------------------------------------------------------------
   Restart files name a style without suffix, so LAMMPS's own style may read our file. LAMMPS's style then reads the
   bytes that this function returns, and stops at the name of a pair style or model that does not exist. The error
   message shows this name, whose text is an instruction how to read the file.
------------------------------------------------------------------------- */

std::string StandIn::beginning_of_restart(bool last) const
{
  static constexpr char NAME[] = "of granular/plus (read this restart file with -sf plus)";
  constexpr int PAIR_STYLE_FOLLOWS = 39;    // lmprestart.h
  constexpr std::size_t COEFFICIENTS = 5 * sizeof(double) + sizeof(int), SPECIAL_BONDS = 2 * sizeof(int);
  const std::size_t pairs_of_types = atom->ntypes * (atom->ntypes + 1) / 2;
  const bool in_hybrid = force->pair != pair, is_classic = utils::strmatch(theirs, "^gran/");

  std::size_t zeros = is_classic ? COEFFICIENTS : 0;
  if (in_hybrid)
    zeros += SPECIAL_BONDS;
  else if (is_classic)
    zeros += pairs_of_types * sizeof(int);    // no coefficients are set
  std::vector<int> before_name;
  if (!in_hybrid && !is_classic)
    before_name = {1, sizeof NAME - 1};    // one model, and the length of its name
  else if (last)
    before_name = {PAIR_STYLE_FOLLOWS, sizeof NAME};
  else
    before_name = {sizeof NAME};    // next style of the hybrid
  std::string bytes(zeros, '\0');
  bytes.append(reinterpret_cast<const char *>(before_name.data()), before_name.size() * sizeof(int));
  return bytes.append(NAME, sizeof NAME);
}

bool StandIn::is_last() const
{
  const char *const not_a_hybrid = "^[^h]";    // pair_match also compares the name of the hybrid
  if (force->pair == pair) return true;
  const Pair *last = nullptr;
  for (int n = 1;; ++n) {
    const Pair *next = force->pair_match(not_a_hybrid, 0, n);
    // if only one style matches, pair_match returns this style for any number
    if (!next || next == last) return last == pair;
    last = next;
  }
}

void StandIn::begin(int narg, char **arg)
{
  commands = {{arg, arg + narg}};
  stands_in = has_logged = false;
  if (theirs.empty() || !input->command || strcmp(input->command, "pair_style") != 0 || input->narg < 1) return;
  char **const end = input->arg + input->narg;
  const bool in_hybrid = utils::strmatch(input->arg[0], "^hybrid") && std::find(input->arg + 1, end, theirs) != end;
  stands_in = input->arg[0] == theirs || in_hybrid;
}

void StandIn::log_once(const std::string &tangential)
{
  if (stands_in && !has_logged) log_replacement(lmp, "pair_style " + theirs, slider, tangential);
  has_logged = true;
}

void StandIn::leave_to_lammps(const std::string &why)
{
  const auto lammps_style = force->pair_map->find(theirs);
  if (!stands_in || lammps_style == force->pair_map->end()) error->all(FLERR, "{}: {}", style, why);
  if (force->pair != pair)
    error->all(FLERR,
               "{}: {}. To leave {} to LAMMPS, put `suffix off` before the pair_style command and `suffix on` after it",
               style, why, theirs);
  log_left_to_lammps(lmp, "pair_style " + theirs, why);
  Pair *made = lammps_style->second(lmp);
  force->pair = made;
  delete[] force->pair_style;
  force->pair_style = utils::strdup(theirs);
  auto given = std::move(commands);
  delete pair;    // also deletes `this`
  for (std::size_t k = 0; k < given.size(); ++k) {
    std::vector<char *> arg;
    for (std::string &word : given[k]) arg.push_back(&word[0]);
    const int narg = static_cast<int>(arg.size());
    k == 0 ? made->settings(narg, arg.data()) : made->coeff(narg, arg.data());
  }
}
