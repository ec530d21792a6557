// Does a closed surface count space twice? It does where triangles cross, and where one of its surfaces lies inside another.

#ifndef GRANULAR_PLUS_SELF_INTERSECTION_H
#define GRANULAR_PLUS_SELF_INTERSECTION_H

#include "closed_surface.h"

namespace granular_plus {

// Throws a ShapeError that says where. The surface must have passed check_closed.
void check_simple(const ClosedSurface &mesh);

// A place where two triangles cross, if there is one. Those that only touch, to the single precision of files, do not cross.
bool find_crossing(const ClosedSurface &mesh, Vector &place);

}    // namespace granular_plus

#endif
