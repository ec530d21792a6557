// Energy and liquid of the pairs, for a ledger: sums over evaluations, energy of atoms that are added or removed,
// energy due to changing gravity, and liquid that is supplied or evaporates. Owned by the pair style.

#ifndef LMP_GRANULAR_PLUS_GRAIN_BOOKS_H
#define LMP_GRANULAR_PLUS_GRAIN_BOOKS_H

#include "pointers.h"

#include "grain_contacts.h"
#include "../bonds/grain_bonds.h"
#include "../energy/particle_energy.h"

#include <functional>
#include <vector>

namespace LAMMPS_NS {

class GrainLedger : protected Pointers {
 public:
  // `history` is that of the contacts; init may replace it.
  GrainLedger(LAMMPS *lmp, GrainContacts &contacts, const GrainBonds &bonds, class GrainHistory *const &history)
      : Pointers(lmp), contacts(contacts), bonds(bonds), history(history)
  {
  }

  // Called in init. The history fix then calls this object when atoms are inserted or deleted.
  void open(bool new_keeps);

  // Called on all ranks with a ledger: runs an evaluation of contacts and bonds and adds it to the ledger.
  void around(const std::function<void()> &evaluate);
  // Adds a finished batch. A pair that crosses a rank's border and is listed on both ranks counts half on each rank.
  void tally(const granular_plus::LoopWork &work, granular_plus::Mode mode, bool seen_from_both);
  // Passes a finished batch of contacts to fixes that need the forces on growing grains.
  void note_pushes(const granular_plus::LoopWork &work, granular_plus::Mode mode);

  // For fix granular/film: dries bridges (see GrainLiquid::dry_bridges), and counts liquid that this fix supplies
  // and liquid that evaporates.
  double dry_bridges(double depth, int groupbit);
  void liquid_comes_in(double volume);
  void liquid_goes_out(double volume);

 private:
  GrainContacts &contacts;
  const GrainBonds &bonds;
  class GrainHistory *const &history;
  bool keeps = false;                                      // true if there is a ledger
  std::vector<class DissipationReceiver *> dissipation;    // receivers that are active in this step
  std::vector<class GrowthReceiver *> growing;             // fixes that make grains grow
  ChangingGravity gravity;

  // energy and liquid of particles and contacts before atoms are added or removed
  double energy_before = 0.0, liquid_before = 0.0;
  bool knows_before = false;

  double present_liquid() const;
  double present_energy(bool in_step) const;
  double energy_of_contacts(bool in_step) const;
};

}    // namespace LAMMPS_NS

#endif
