// Heat flow from a wall to grains across the gap, by gas and radiation. Owned by WallContacts.

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
  WallHeat(LAMMPS *lmp, std::string message_prefix, WallSurface &surface)
      : Pointers(lmp), message_prefix(std::move(message_prefix)), surface(surface)
  {
  }

  struct Flow {
    int grain;
    double heat;    // heat per time to the grain
  };
  std::vector<Flow> flows;

  // Heat flows from each plane or part of a region. On a mesh, heat flows only from the nearest patch, so that the flow
  // is continuous where patches meet.
  void find(const granular_plus::GapHeatConstants &constants, int grain, double temperature);

 private:
  const std::string message_prefix;
  WallSurface &surface;
  std::vector<WallPoint> points;
};

}    // namespace LAMMPS_NS

#endif
