// The books of a wall, for a ledger: what evaluations tally, what contacts hold of grains that come and go, and the work of
// the wall.

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

  // in init, who asks begins the message: a ledger counts the liquid of grains if the pairs have films, too
  void check_liquid(const std::string &who) const;
  // Before a run: a wall keeps a ledger, and its contacts what that remembers, if the pair style does.
  void open();
  // As the wall is removed: the ledger of the pairs goes on with these books.
  void close();

  // all contacts, on all ranks, and a batch of them that has been evaluated
  void evaluate();
  void tally(const granular_plus::LoopWork &work, granular_plus::Mode mode);

  // for fix granular/film: bridges dry, see WallLiquid::dry
  double dry_bridges(double depth, int groupbit);

 private:
  WallContacts &contacts;
  const WallSurface &surface;
  const WallLoad &load;
  granular_plus::EnergyLedger &ledger;
  bool keeps = false;                                      // a ledger
  std::vector<class DissipationReceiver *> dissipation;    // that ask in this step
  std::vector<class GrowthReceiver *> growing;             // fixes that make grains grow
};

}    // namespace LAMMPS_NS

#endif
