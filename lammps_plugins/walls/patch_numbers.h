// Decides, for each patch of a mesh, which contact of a particle continues in this patch.

#ifndef LMP_GRANULAR_PLUS_PATCH_NUMBERS_H
#define LMP_GRANULAR_PLUS_PATCH_NUMBERS_H

#include "../core/geometry/meshes/patch_numbering.h"
#include "../core/history/contact_links.h"
#include "wall_surface.h"

#include <functional>
#include <vector>

namespace LAMMPS_NS {

class PatchNumbers {
 public:
  // points of one particle, at the end of a list
  struct Points {
    WallPoint *first, *past_last;
    WallPoint *begin() const { return first; }
    WallPoint *end() const { return past_last; }
  };
  // The energy of a contact may jump when two contacts merge or when a contact splits.
  struct Jump {
    granular_plus::Link previous_link;
    const WallPoint *point;
    bool merged;
  };
  // Numbers the points of a particle. `depth` returns the largest depth of a new contact. If no contact continues in a
  // patch and the patch is deeper, the patch is assumed to be split from another contact. The result is valid until the
  // next call.
  const std::vector<Jump> &number(Points points, const granular_plus::ContactLinks &links,
                                  const std::vector<granular_plus::Link> &before, double radius,
                                  const std::function<double(const WallPoint &)> &depth);
  static bool looks_alike(const WallPoint &point, const granular_plus::ContactLinks &links,
                          granular_plus::Link contact);

 private:
  std::vector<Jump> jumps;
};

}    // namespace LAMMPS_NS

#endif
