#include "stand_in.h"

#include "../model/contact_model.h"
#include "../sources/wall_surface.h"

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

void LAMMPS_NS::say_in_place_of(LAMMPS *lmp, const std::string &command, const char *slider)
{
  if (lmp->comm->me == 0)
    utils::logmesg(lmp, "granular/plus computes {}, friction: slider {}\n", command,
                   slider ? std::string(slider) + ", that of LAMMPS" : "csds, which creates no energy");
}

void LAMMPS_NS::say_left_to_lammps(LAMMPS *lmp, const std::string &command, const std::string &why)
{
  if (lmp->comm->me == 0) utils::logmesg(lmp, "granular/plus leaves {} to LAMMPS: {}\n", command, why);
}

StandIn::StandIn(LAMMPS *lmp, Pair *pair, const std::string &style)
    : Pointers(lmp), theirs(utils::strmatch(style, "^gran") ? style.substr(0, style.find("/plus")) : ""),
      slider(utils::strmatch(style, "/dsds$") ? "dsds" : nullptr), pair(pair), style(style)
{
}

// What stands in for a style of LAMMPS has been chosen by its suffix: the script has LAMMPS's name.

void StandIn::begin(int narg, char **arg)
{
  commands = {{arg, arg + narg}};
  stands_in = has_said_so = false;
  if (theirs.empty() || !input->command || strcmp(input->command, "pair_style") != 0 || input->narg < 1) return;
  char **const end = input->arg + input->narg;
  const bool in_hybrid = utils::strmatch(input->arg[0], "^hybrid") && std::find(input->arg + 1, end, theirs) != end;
  stands_in = input->arg[0] == theirs || in_hybrid;
}

void StandIn::say_once()
{
  if (stands_in && !has_said_so) say_in_place_of(lmp, "pair_style " + theirs, slider);
  has_said_so = true;
}

void StandIn::leave_to_lammps(const std::string &why)
{
  const auto lammps_style = force->pair_map->find(theirs);
  if (!stands_in || lammps_style == force->pair_map->end()) error->all(FLERR, "{}: {}", style, why);
  if (force->pair != pair)    // it is part of a hybrid
    error->all(
        FLERR,
        "{}: {}. To leave {} to LAMMPS, put `suffix off` before the pair_style command and `suffix on` behind it",
        style, why, theirs);
  say_left_to_lammps(lmp, "pair_style " + theirs, why);
  Pair *made = lammps_style->second(lmp);
  force->pair = made;
  delete[] force->pair_style;
  force->pair_style = utils::strdup(theirs);
  auto given = std::move(commands);
  delete pair;    // and this with it
  for (std::size_t k = 0; k < given.size(); ++k) {
    std::vector<char *> arg;
    for (std::string &word : given[k]) arg.push_back(&word[0]);
    const int narg = static_cast<int>(arg.size());
    k == 0 ? made->settings(narg, arg.data()) : made->coeff(narg, arg.data());
  }
}
