// Energy and liquid of a wall, for a ledger: sums over evaluations, energy of contacts whose grains are added or
// removed, and the work of the wall. Owned by the fix.

#ifndef LMP_GRANULAR_PLUS_WALL_BOOKS_H
#define LMP_GRANULAR_PLUS_WALL_BOOKS_H

#include "pointers.h"

#include "wall_contacts.h"
#include "wall_load.h"

#include <string>
#include <vector>

namespace LAMMPS_NS {

class WallLedger : protected Pointers {
 public:
  WallLedger(LAMMPS *lmp, WallContacts &contacts, const WallSurface &surface, const WallLoad &load,
             granular_plus::EnergyLedger &ledger)
      : Pointers(lmp), contacts(contacts), surface(surface), load(load), ledger(ledger)
  {
  }

  // Called in init. Stops with an error that begins with `who` if the wall has films but the pairs have none, because a
  // ledger would then not count the liquid of grains.
  void check_liquid(const std::string &who) const;
  // Called before a run. If the pair style keeps a ledger, the wall keeps one too, and its contacts store the values
  // that the ledger needs.
  void open();
  // Called when the wall is removed: its sums are added to the ledger of the pairs.
  void close();

  // evaluate: computes all contacts, called on all ranks; tally: adds an evaluated batch to the ledger
  void evaluate();
  void tally(const granular_plus::LoopWork &work, granular_plus::Mode mode);

  // for fix granular/film: dries bridges, see WallLiquid::dry
  double dry_bridges(double depth, int groupbit);

 private:
  WallContacts &contacts;
  const WallSurface &surface;
  const WallLoad &load;
  granular_plus::EnergyLedger &ledger;
  bool keeps = false;                                      // true if there is a ledger
  std::vector<class DissipationReceiver *> dissipation;    // receivers that are active in this step
  std::vector<class GrowthReceiver *> growing;             // fixes that make grains grow
};

}    // namespace LAMMPS_NS

#endif
