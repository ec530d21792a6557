#ifndef LMP_GRANULAR_PLUS_WALL_CONTACT_H
#define LMP_GRANULAR_PLUS_WALL_CONTACT_H

#include "../shapes/contact_of_shapes.h"
#include "wall_surface.h"

#include <cstddef>

namespace LAMMPS_NS {

// of a particle with a wall, as it goes into the batch
struct WallContact {
  int particle;
  int remembered;    // in memory, -1 for a new one
  int place;         // among those of this evaluation, -1 for one that has ended
};

struct RoundWallContact : WallContact {
  std::size_t point;       // where, in the list of points that were found
  bool attracts = true;    // where the wall does; of a mesh, the deepest of its patches alone
};

struct ShapedWallContact : WallContact {
  WallPoint point;
  granular_plus::ShapeContact shape;
};

}    // namespace LAMMPS_NS

#endif
