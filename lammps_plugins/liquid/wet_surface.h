// What has liquid bridges with grains and is none itself: walls, for those who count liquid and dry it.

#ifndef LMP_GRANULAR_PLUS_WET_SURFACE_H
#define LMP_GRANULAR_PLUS_WET_SURFACE_H

#include "fix.h"
#include "lammps.h"
#include "modify.h"

#include <functional>
#include <vector>

namespace LAMMPS_NS {

class WetSurface {
 public:
  // of all fixes those that are such a surface
  static std::vector<WetSurface *> all(const LAMMPS *lmp)
  {
    std::vector<WetSurface *> surfaces;
    for (Fix *fix : lmp->modify->get_fix_list())
      if (auto *surface = dynamic_cast<WetSurface *>(fix)) surfaces.push_back(surface);
    return surfaces;
  }

  // At the end of a step: what evaporates, of this rank's grains of the group, from a layer so deep.
  virtual double dry_bridges(double depth, int groupbit) = 0;
  // those of this rank's grains
  virtual void for_each_bridge(const std::function<void(int grain, double volume)> &see) const = 0;
  // from bridges, less what the surface gave to them, on this rank
  virtual double liquid_taken() const = 0;

 protected:
  ~WetSurface() = default;
};

}    // namespace LAMMPS_NS

#endif
