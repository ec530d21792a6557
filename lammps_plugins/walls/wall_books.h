// Energy and liquid of a wall, for a ledger: sums of evaluations, energy of contacts whose grains are added or removed,
// and the work of the wall. Owned by the fix.

#ifndef LMP_GRANULAR_PLUS_WALL_BOOKS_H
#define LMP_GRANULAR_PLUS_WALL_BOOKS_H

#include "pointers.h"

#include "wall_contacts.h"
#include "wall_load.h"

#include <string>
#include <vector>

namespace LAMMPS_NS {

class WallBooks : protected Pointers {
 public:
  WallBooks(LAMMPS *lmp, WallContacts &contacts, const WallSurface &surface, const WallLoad &load,
            granular_plus::EnergyLedger &ledger)
      : Pointers(lmp), contacts(contacts), surface(surface), load(load), ledger(ledger)
  {
  }

  // in init; `who` begins the message: a ledger counts the liquid of grains only if the pairs have films, too
  void check_liquid(const std::string &who) const;
  // Called before a run: the wall keeps a ledger, and its contacts the values for it, if the pair style does.
  void open();
  // Called when the wall is removed: the ledger of the pairs continues with these sums.
  void close();

  // evaluates all contacts, on all ranks; tally adds an evaluated batch
  void evaluate();
  void tally(const granular_plus::LoopWork &work, granular_plus::Mode mode);

  // for fix granular/film: dries bridges, see WallLiquid::dry
  double dry_bridges(double depth, int groupbit);

 private:
  WallContacts &contacts;
  const WallSurface &surface;
  const WallLoad &load;
  granular_plus::EnergyLedger &ledger;
  bool keeps = false;                                      // whether there is a ledger
  std::vector<class DissipationReceiver *> dissipation;    // those active in this step
  std::vector<class GrowthReceiver *> growing;             // fixes that make grains grow
};

}    // namespace LAMMPS_NS

#endif
