// Decides which contact of a particle each patch of a mesh continues: PatchNumbering for points and links.

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
  // the points of a particle: the last ones of a list
  struct Points {
    WallPoint *first, *past_last;
    WallPoint *begin() const { return first; }
    WallPoint *end() const { return past_last; }
  };
  // where two contacts have become one, or one has become two: the energy of the continued contact may jump
  struct Jump {
    int remembered;            // link of the earlier contact
    const WallPoint *point;    // where it continues
    bool merged;
  };
  // Numbers the points of a particle; none may have a number yet. A patch deeper than `depth`, the largest distance that
  // the particle can have entered in this step, was part of another contact. The jumps are valid until the next call.
  const std::vector<Jump> &number(Points points, const granular_plus::ContactLinks &links,
                                  const std::vector<int> &before, double radius,
                                  const std::function<double(const WallPoint &)> &depth);
  // whether a patch faces the same way as a contact did, which it must to continue it
  static bool looks_alike(const WallPoint &point, const granular_plus::ContactLinks &links, int contact);

 private:
  std::vector<Jump> jumps;
};

}    // namespace LAMMPS_NS

#endif
