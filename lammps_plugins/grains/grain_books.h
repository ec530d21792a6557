// Energy and liquid of the pairs, for a ledger: sums of evaluations, energy of atoms that are added or removed, of
// changing gravity, and liquid that is supplied or evaporates. Owned by the pair style.

#ifndef LMP_GRANULAR_PLUS_GRAIN_BOOKS_H
#define LMP_GRANULAR_PLUS_GRAIN_BOOKS_H

#include "pointers.h"

#include "grain_contacts.h"
#include "../bonds/grain_bonds.h"
#include "../energy/particle_energy.h"

#include <functional>
#include <vector>

namespace LAMMPS_NS {

class GrainBooks : protected Pointers {
 public:
  // history: that of the contacts; init may replace it
  GrainBooks(LAMMPS *lmp, GrainContacts &contacts, const GrainBonds &bonds, class GrainHistory *const &history)
      : Pointers(lmp), contacts(contacts), bonds(bonds), history(history)
  {
  }

  // To be called in init. The history fix then calls this object when atoms are inserted or deleted.
  void open(bool new_keeps);

  // with a ledger: runs and books an evaluation of contacts and bonds, on all ranks
  void around(const std::function<void()> &evaluate);
  // Adds a finished batch. Seen from both sides, a pair that crosses a rank's border counts as a half on each.
  void tally(const granular_plus::LoopWork &work, granular_plus::Mode mode, bool seen_from_both);
  // the same for contacts only: forces on grains that grow
  void note_pushes(const granular_plus::LoopWork &work, granular_plus::Mode mode);

  // for fix granular/film: dries bridges, see GrainLiquid::dry_bridges; books liquid that enters with grains or is removed
  double dry_bridges(double depth, int groupbit);
  void liquid_comes_in(double volume);
  void liquid_goes_out(double volume);

 private:
  GrainContacts &contacts;
  const GrainBonds &bonds;
  class GrainHistory *const &history;
  bool keeps = false;                                      // whether there is a ledger
  std::vector<class DissipationReceiver *> dissipation;    // those active in this step
  std::vector<class GrowthReceiver *> growing;             // fixes that make grains grow
  ChangingGravity gravity;

  // of particles and contacts before atoms are added or removed
  double energy_before = 0.0, liquid_before = 0.0;
  bool knows_before = false;

  double present_liquid() const;
  double present_energy(bool in_step) const;
  double energy_of_contacts(bool in_step) const;
};

}    // namespace LAMMPS_NS

#endif
