// Keywords for the placement of a mesh: scale FACTOR, turn ANGLE AX AY AZ, offset X Y Z.

#ifndef LMP_GRANULAR_PLUS_MESH_WORDS_H
#define LMP_GRANULAR_PLUS_MESH_WORDS_H

#include "../core/geometry/meshes/triangle_mesh.h"
#include "options.h"

namespace LAMMPS_NS {

extern const Options<granular_plus::Placement> PLACEMENT;

}    // namespace LAMMPS_NS

#endif
