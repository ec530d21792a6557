// Detects the cases in which LAMMPS's region cone is wrong: an end of radius 0, where it divides 0 by 0, and the ends
// of a cone along y, which it treats as planes across z. LAMMPS does not expose the parameters of a cone, so probing
// finds them.

#ifndef LMP_GRANULAR_PLUS_CONE_REGION_H
#define LMP_GRANULAR_PLUS_CONE_REGION_H

#include "region.h"

#include <array>

namespace LAMMPS_NS {

struct ConeEnds {
  // Region::open_faces of the closed cone: an end of radius 0 is not a face but a point of the lateral surface.
  std::array<int, 6> closed{};
  bool across_y = false;    // the ends are planes across the y axis
};

// centre and size describe the space in which grains may meet the cone.
ConeEnds find_cone_ends(Region &cone, const double *centre, double size);

}    // namespace LAMMPS_NS

#endif
