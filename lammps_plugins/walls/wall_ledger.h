// Energy and liquid of a wall, for the energy ledger. Owned by the fix.

#ifndef LMP_GRANULAR_PLUS_WALL_LEDGER_H
#define LMP_GRANULAR_PLUS_WALL_LEDGER_H

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

  // Stops with an error if the wall has films but the pairs have none, because the ledger would not count the liquid of
  // grains.
  void check_liquid(const std::string &message_prefix) const;
  // Called before a run. The wall keeps a ledger if the pair style keeps a ledger.
  void open();
  void close();

  // evaluate is called on all ranks
  void evaluate();
  void tally(const granular_plus::LoopWork &work, granular_plus::Mode mode);

  double dry_bridges(double depth, int groupbit);

 private:
  WallContacts &contacts;
  const WallSurface &surface;
  const WallLoad &load;
  granular_plus::EnergyLedger &ledger;
  bool keeps = false;
  std::vector<class DissipationReceiver *> dissipation;    // active in this step
  std::vector<class GrowthReceiver *> growing;
};

}    // namespace LAMMPS_NS

#endif
