// Heat flow from a wall to grains across the gap, by gas and radiation, whether or not they touch. Owned by
// WallContacts.

#ifndef LMP_GRANULAR_PLUS_WALL_HEAT_H
#define LMP_GRANULAR_PLUS_WALL_HEAT_H

#include "pointers.h"

#include "../core/laws/contact.h"
#include "wall_surface.h"

#include <string>
#include <utility>
#include <vector>

namespace LAMMPS_NS {

class WallHeat : protected Pointers {
 public:
  // `who` begins every message.
  WallHeat(LAMMPS *lmp, std::string who, WallSurface &surface) : Pointers(lmp), who(std::move(who)), surface(surface) {}

  struct Flow {
    int grain;
    double heat;    // heat per time to the grain
  };
  std::vector<Flow> flows;    // flows in this evaluation

  // Finds the heat flow to a grain from a wall of this temperature. Each plane or part of a region acts
  // separately. For a mesh only the nearest patch acts, so that heat flow is continuous where patches meet.
  void find(const granular_plus::GapHeatConstants &constants, int grain, double temperature);

 private:
  const std::string who;
  WallSurface &surface;
  std::vector<WallPoint> points;    // points of the present grain
};

}    // namespace LAMMPS_NS

#endif
