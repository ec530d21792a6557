// Interface of walls that have liquid bridges with grains, for fixes and computes that count liquid or dry bridges.

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
  static std::vector<WetSurface *> all(const LAMMPS *lmp)
  {
    std::vector<WetSurface *> surfaces;
    for (Fix *fix : lmp->modify->get_fix_list())
      if (auto *surface = dynamic_cast<WetSurface *>(fix)) surfaces.push_back(surface);
    return surfaces;
  }

  // Called at the end of a step. A layer of thickness `depth` evaporates from the bridges of those grains of this rank
  // that are in the group. Returns the evaporated volume.
  virtual double dry_bridges(double depth, int groupbit) = 0;
  // calls `see` once for each bridge of this rank's grains
  virtual void for_each_bridge(const std::function<void(int grain, double volume)> &see) const = 0;
  // liquid taken from bridges minus liquid given to bridges, on this rank
  virtual double liquid_taken() const = 0;

 protected:
  ~WetSurface() = default;
};

}    // namespace LAMMPS_NS

#endif
