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

// For scripts of LAMMPS's fix wall/gran and wall/gran/region: makes one of our walls or, where that cannot be, LAMMPS's own. What
// it makes takes its place in the list of fixes, so it only needs to be constructed.
class FixWallGranPlus : public Fix {
 public:
  // the slider of models that name none; null: that of the grammar
  FixWallGranPlus(class LAMMPS *, int, char **, const char *slider = nullptr);
  int setmask() override;
  void post_constructor() override;    // this object is gone then

 private:
  std::unique_ptr<Fix> wall;
};

struct FixWallGranPlusDsds : FixWallGranPlus {
  FixWallGranPlusDsds(class LAMMPS *lmp, int narg, char **arg) : FixWallGranPlus(lmp, narg, arg, "dsds") {}
  // Defined elsewhere, so that the virtual table is, too: the plug-in's entry point, where this class is made, has to load
  // into a LAMMPS with other integers to refuse it.
  ~FixWallGranPlusDsds() override;
};

}    // namespace LAMMPS_NS

#endif
#endif
