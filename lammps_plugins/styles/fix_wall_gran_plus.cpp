#include "fix_wall_gran_plus.h"

#include "fix_wall_granular_plus.h"
#include "stand_in.h"

#include "modify.h"

using namespace LAMMPS_NS;

/* ----------------------------------------------------------------------
   The style that the script names tells whether a suffix has chosen this one. LAMMPS's list of fixes has a gap for the fix that is
   being made, which the wall finds as if it had been made by LAMMPS.
------------------------------------------------------------------------- */

FixWallGranPlus::FixWallGranPlus(LAMMPS *lmp, int narg, char **arg, const char *slider) : Fix(lmp, narg, arg)
{
  const std::string named = arg[2];
  const bool by_suffix = named == "wall/gran" || named == "wall/gran/region";
  const std::string command = fmt::format("fix {} {}", id, named);
  const std::string why = by_suffix ? why_wall_stays(narg, arg, slider) : "";
  if (!why.empty()) {
    say_left_to_lammps(lmp, command, why);
    wall.reset(modify->fix_map->at(named)(lmp, narg, arg));
    return;
  }
  if (by_suffix) say_in_place_of(lmp, command, slider);
  wall = std::make_unique<FixWallGranularPlus>(lmp, narg, arg, slider);
}

FixWallGranPlusDsds::~FixWallGranPlusDsds() = default;

int FixWallGranPlus::setmask() { return 0; }

void FixWallGranPlus::post_constructor()
{
  Fix *made = wall.release();
  if (dynamic_cast<FixWallGranularPlus *>(made)) std::swap(made->style, style);    // LAMMPS's keeps its name
  modify->fix[modify->find_fix(id)] = made;
  delete this;
  made->post_constructor();
}
