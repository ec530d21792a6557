// Liquid in bridges that are stored as links while a neighbour list is replaced. If a bridge does not continue, half of
// its liquid returns to the film of each of its grains.

#ifndef LMP_GRANULAR_PLUS_LINKED_LIQUID_H
#define LMP_GRANULAR_PLUS_LINKED_LIQUID_H

#include "pointers.h"

#include "../core/history/contact_links.h"

namespace LAMMPS_NS {

class LinkedLiquid : protected Pointers {
 public:
  LinkedLiquid(LAMMPS *lmp, granular_plus::ContactLinks &links) : Pointers(lmp), links(links) {}

  int value = -1;    // index of the volume of a bridge in a row; -1 without films
  bool any() const { return value >= 0; }

  // These functions give half of the liquid of a bridge back to the film of an atom. They do so for one link, for all
  // links of all atoms, or for the links in a restart file. They return the volume that the films have received.
  double give_back(int atom, granular_plus::Link link);
  double give_back_all();
  double give_back(int atom, const double *packed, int row_size, int extra, int value_there);
  // Sets the film of a new atom to 0. The array may still contain the film of an earlier atom.
  void begin_dry(int atom);
  // clears the films of ghosts, because new atoms take over their places in the array
  void forget_ghosts();

 private:
  granular_plus::ContactLinks &links;
};

}    // namespace LAMMPS_NS

#endif
