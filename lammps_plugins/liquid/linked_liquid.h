// Liquid of the grains in bridges that are links, while a neighbour list is replaced. If a bridge does not continue,
// because its partner or its model is gone, the film of each of its grains gets half of it back.

#ifndef LMP_GRANULAR_PLUS_LINKED_LIQUID_H
#define LMP_GRANULAR_PLUS_LINKED_LIQUID_H

#include "pointers.h"

#include "../core/history/contact_links.h"

namespace LAMMPS_NS {

class LinkedLiquid : protected Pointers {
 public:
  LinkedLiquid(LAMMPS *lmp, granular_plus::ContactLinks &links) : Pointers(lmp), links(links) {}

  int value = -1;    // index of the volume of a bridge in a row; -1: bridges hold no liquid of the grains
  bool any() const { return value >= 0; }

  // Returns this atom's half to its film: of one of its links, of all links of all atoms, of links packed in a restart
  // file. The return value is what the films received: the other half belongs to the partner.
  double give_back(int atom, int link);
  double give_back_all();
  double give_back(int atom, const double *packed, int row_size, int beside, int value_there);
  // LAMMPS leaves a new atom the film of an earlier one
  void begin_dry(int atom);
  // so that atoms created now do not inherit the values of ghosts
  void forget_ghosts();

 private:
  granular_plus::ContactLinks &links;
};

}    // namespace LAMMPS_NS

#endif
