// Energy and liquid of all pairs, for the energy ledger. Owned by the pair style.

#ifndef LMP_GRANULAR_PLUS_GRAIN_LEDGER_H
#define LMP_GRANULAR_PLUS_GRAIN_LEDGER_H

#include "pointers.h"

#include "grain_contacts.h"
#include "../bonds/grain_bonds.h"
#include "../energy/particle_energy.h"

#include <functional>
#include <vector>

namespace LAMMPS_NS {

class GrainLedger : protected Pointers {
 public:
  // `history` is the history of contacts. It is a reference because the pair style may replace the history in init.
  GrainLedger(LAMMPS *lmp, GrainContacts &contacts, const GrainBonds &bonds, class GrainHistory *const &history)
      : Pointers(lmp), contacts(contacts), bonds(bonds), history(history)
  {
  }

  void open(bool new_keeps);

  // Called on all ranks if a ledger is kept. Calls `evaluate`, which computes contacts and bonds, and
  // adds the results to the ledger.
  void run_evaluation(const std::function<void()> &evaluate);
  // A pair that is listed on two ranks has the weight 1/2 on each of them.
  void tally(const granular_plus::LoopWork &work, granular_plus::Mode mode, bool seen_from_both);
  void report_to_growth(const granular_plus::LoopWork &work, granular_plus::Mode mode);

  // for fix granular/film; see GrainLiquid::dry_bridges
  double dry_bridges(double depth, int groupbit);
  void add_supplied_liquid(double volume);
  void add_evaporated_liquid(double volume);

 private:
  GrainContacts &contacts;
  const GrainBonds &bonds;
  class GrainHistory *const &history;
  bool keeps = false;
  std::vector<class DissipationReceiver *> dissipation;
  std::vector<class GrowthReceiver *> growing;
  ChangingGravity gravity;

  double energy_before = 0.0, liquid_before = 0.0;
  bool knows_before = false;

  double present_liquid() const;
  double present_energy(bool in_step) const;
  double energy_of_contacts(bool in_step) const;
};

}    // namespace LAMMPS_NS

#endif
