// Detects two errors of LAMMPS's region cone: LAMMPS divides 0 by 0 at an end of radius 0, and treats the ends of a
// cone along y as planes perpendicular to z. LAMMPS does not expose the parameters of a cone. The parameters are
// deduced from the distances of several points from the surface of the cone.

#ifndef LMP_GRANULAR_PLUS_CONE_REGION_H
#define LMP_GRANULAR_PLUS_CONE_REGION_H

#include "region.h"

#include <array>

namespace LAMMPS_NS {

struct ConeEnds {
  // value of Region::open_faces for the closed cone; an end of radius 0 is marked as open
  std::array<int, 6> closed{};
  bool across_y = false;    // the ends are planes perpendicular to y
};

// centre and size describe the space in which grains may touch the cone
ConeEnds find_cone_ends(Region &cone, const double *centre, double size);

}    // namespace LAMMPS_NS

#endif
