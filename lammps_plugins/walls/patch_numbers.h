// Decides which contact of a particle each patch of a mesh continues: applies PatchNumbering to points and links.

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
  // the points of a particle, which are the last points of a list
  struct Points {
    WallPoint *first, *past_last;
    WallPoint *begin() const { return first; }
    WallPoint *end() const { return past_last; }
  };
  // Two contacts have merged into one, or one has split into two: the energy of the continued contact may jump.
  struct Jump {
    granular_plus::Link remembered;    // link of the earlier contact
    const WallPoint *point;            // point at which the contact continues
    bool merged;
  };
  // Numbers the points of a particle, none of which may have a number yet. An unmatched patch counts as split from
  // another contact if it is deeper than `depth`, the largest depth that a new contact can have reached in this step.
  // The returned jumps are valid until the next call.
  const std::vector<Jump> &number(Points points, const granular_plus::ContactLinks &links,
                                  const std::vector<granular_plus::Link> &before, double radius,
                                  const std::function<double(const WallPoint &)> &depth);
  // whether a patch faces in the same direction as an earlier contact, as it must in order to continue that contact
  static bool looks_alike(const WallPoint &point, const granular_plus::ContactLinks &links,
                          granular_plus::Link contact);

 private:
  std::vector<Jump> jumps;
};

}    // namespace LAMMPS_NS

#endif
