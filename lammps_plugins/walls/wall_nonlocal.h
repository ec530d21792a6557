// Contacts of a wall with grains that feel each other through the grain: the wall's part in what grains/nonlocal_forces.h does
// among grains.

#ifndef LMP_GRANULAR_PLUS_WALL_NONLOCAL_H
#define LMP_GRANULAR_PLUS_WALL_NONLOCAL_H

#include "pointers.h"

#include "../core/history/contact_links.h"
#include "../core/history/near_grains.h"
#include "../core/model/contact_model.h"
#include "wall_surface.h"

#include <string>
#include <utility>
#include <vector>

namespace LAMMPS_NS {

class WallNonlocal : protected Pointers {
 public:
  // who asks begins every message
  WallNonlocal(LAMMPS *lmp, std::string who, const granular_plus::ContactModel &model, WallSurface &surface,
               granular_plus::ContactLinks &links)
      : Pointers(lmp), any(model.nonlocal()), who(std::move(who)), model(model), surface(surface), links(links)
  {
  }

  const bool any;    // the model of the wall is such a one

  void init(int first_value);    // on all ranks: where in a row the values of the normal law begin
  // Before forces are found: contacts of the near grains of this group, which their other contacts are to know of.
  void meet(const granular_plus::NearGrains &near, int groupbit);
  // The force of a contact, in the row of this link.
  void press(int grain, const WallPoint &point, int link, double mass, double normal_speed, bool is_step);

 private:
  const std::string who;
  const granular_plus::ContactModel &model;
  WallSurface &surface;
  granular_plus::ContactLinks &links;
  granular_plus::NonlocalLaw law;
  class NonlocalForces *forces = nullptr;    // of the pairs
  int first_value = 0;                       // of the law, in a row
  std::vector<WallPoint> points;             // of a grain
  std::vector<int> met;                      // its links that have been found again

  granular_plus::NonlocalContact view(int grain, const WallPoint &point, int link);    // link -1: it begins
};

}    // namespace LAMMPS_NS

#endif
