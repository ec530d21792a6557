// Contacts of a wall under nonlocal laws. Under such a law, the contacts of a grain depend on each other (see
// grains/nonlocal_forces.h). Owned by WallContacts.

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
  WallNonlocal(LAMMPS *lmp, std::string message_prefix, const granular_plus::ContactModel &model, WallSurface &surface,
               granular_plus::ContactLinks &links)
      : Pointers(lmp), any(model.nonlocal()), message_prefix(std::move(message_prefix)), model(model), surface(surface),
        links(links)
  {
  }

  const bool any;

  // first_value is the index of the first value of the normal law in a row
  void init(int first_value);
  // Called before forces are computed, because contacts with the wall affect the other contacts of a grain.
  void add_contacts(const granular_plus::NearGrains &near, int groupbit);
  void compute_force(int grain, const WallPoint &point, granular_plus::Link link, double mass, double normal_speed,
                     bool is_step);

 private:
  const std::string message_prefix;
  const granular_plus::ContactModel &model;
  WallSurface &surface;
  granular_plus::ContactLinks &links;
  granular_plus::NonlocalLaw law;
  class NonlocalForces *forces = nullptr;    // forces of the pairs
  int first_value = 0;
  std::vector<WallPoint> points;
  std::vector<granular_plus::Link> met;

  // link is NONE for a new contact
  granular_plus::NonlocalContact view(int grain, const WallPoint &point, granular_plus::Link link);
};

}    // namespace LAMMPS_NS

#endif
