// The kinds of walls that there are; each lives in a file of its own.

#ifndef LMP_WALLS_H
#define LMP_WALLS_H

#include "wall_surface.h"

namespace LAMMPS_NS {

// dimension: that of the normal; low and high: positions or NULL
std::unique_ptr<WallSurface> make_planes_wall(LAMMPS *, int dimension, const std::string &low, const std::string &high);
std::unique_ptr<WallSurface> make_cylinder_wall(LAMMPS *, const std::string &radius);
std::unique_ptr<WallSurface> make_mesh_wall(LAMMPS *, const std::string &file);
std::unique_ptr<WallSurface> make_region_wall(LAMMPS *, const std::string &id);

}    // namespace LAMMPS_NS

#endif
