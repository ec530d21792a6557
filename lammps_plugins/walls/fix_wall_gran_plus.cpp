#include "fix_wall_gran_plus.h"

#include "fix_wall_granular_plus.h"
#include "../grains/stand_in.h"

#include "error.h"
#include "modify.h"

#include <algorithm>

using namespace LAMMPS_NS;

FixWallGranPlus::FixWallGranPlus(LAMMPS *lmp, int narg, char **arg, const char *slider) : Fix(lmp, narg, arg)
{
  const std::string named = arg[2];
  const bool by_suffix = named == "wall/gran" || named == "wall/gran/region";
  const std::string command = fmt::format("fix {} {}", id, named);
  std::vector<std::string> words;
  std::string creates_energy;
  try {
    words = words_of_wall({arg + 3, arg + narg}, slider);
    const auto surface = std::find_if(words.begin(), words.end(), WallSurface::is_style);
    creates_energy = granular_plus::ContactModel::against_wall({words.begin(), surface}, WallSurface::styles())
                         .energy_creating_law();
  } catch (granular_plus::InputError &e) {
    const auto lammps_style = modify->fix_map->find(named);
    if (!by_suffix || lammps_style == modify->fix_map->end())
      error->all(FLERR, "granular/plus: fix {}: {}", id, e.what());
    log_left_to_lammps(lmp, command, e.what());
    wall.reset(lammps_style->second(lmp, narg, arg));
    return;
  }
  if (by_suffix) log_replacement(lmp, command, slider, creates_energy);
  wall = std::make_unique<FixWallGranularPlus>(lmp, narg, arg, words);
}

FixWallGranPlusDsds::~FixWallGranPlusDsds() = default;

int FixWallGranPlus::setmask() { return 0; }

void FixWallGranPlus::post_constructor()
{
  Fix *made = wall.release();
  // a wall of LAMMPS keeps its own style name
  if (dynamic_cast<FixWallGranularPlus *>(made)) std::swap(made->style, style);
  modify->fix[modify->find_fix(id)] = made;
  delete this;
  made->post_constructor();
}
