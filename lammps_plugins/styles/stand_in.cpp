#include "stand_in.h"

#include "../model/classic.h"
#include "../model/contact_model.h"
#include "../sources/wall_surface.h"

#include "comm.h"
#include "lammps.h"
#include "utils.h"

#include <algorithm>

using namespace LAMMPS_NS;

const char *LAMMPS_NS::slider_of_style(const std::string &style)
{
  return utils::strmatch(style, "/dsds$") ? "dsds" : nullptr;
}

void LAMMPS_NS::add_slider(std::vector<std::string> &words, const char *slider)
{
  if (!slider || std::find(words.begin(), words.end(), "slider") != words.end()) return;
  words.push_back("slider");
  words.push_back(slider);
}

std::string LAMMPS_NS::style_of_lammps(const std::string &style)
{
  if (!utils::strmatch(style, "^gran")) return "";
  return style.substr(0, style.find("/plus"));
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
