#ifdef FIX_CLASS
// clang-format off
FixStyle(wall/gran/plus,FixWallGranPlus);
FixStyle(wall/gran/plus/dsds,FixWallGranPlusDsds);
FixStyle(wall/gran/region/plus,FixWallGranPlus);
FixStyle(wall/gran/region/plus/dsds,FixWallGranPlusDsds);
// clang-format on
#else

#ifndef LMP_FIX_WALL_GRAN_PLUS_H
#define LMP_FIX_WALL_GRAN_PLUS_H

#include "fix.h"

#include <memory>

namespace LAMMPS_NS {

// Replaces LAMMPS's fix wall/gran or wall/gran/region. Creates a wall of granular/plus if possible, otherwise LAMMPS's
// own wall. The wall takes the place of this fix in the list of fixes.
class FixWallGranPlus : public Fix {
 public:
  // `slider` is the default slider of models; null means the default of granular/plus
  FixWallGranPlus(class LAMMPS *, int, char **, const char *slider = nullptr);
  int setmask() override;
  void post_constructor() override;    // this object is destroyed on return

 private:
  std::unique_ptr<Fix> wall;
};

struct FixWallGranPlusDsds : FixWallGranPlus {
  FixWallGranPlusDsds(class LAMMPS *lmp, int narg, char **arg) : FixWallGranPlus(lmp, narg, arg, "dsds") {}
  // Defined in the source file to keep the virtual table out of plugin.cpp, which must load into any LAMMPS.
  ~FixWallGranPlusDsds() override;
};

}    // namespace LAMMPS_NS

#endif
#endif
