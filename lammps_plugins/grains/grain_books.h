// The books of the pairs, for a ledger: what evaluations tally, what atoms bring that come and take along that go, what
// gravity brings in as it changes, and liquid that is supplied or evaporates.

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
  // history: that of the contacts, which may be replaced in init
  GrainBooks(LAMMPS *lmp, GrainContacts &contacts, const GrainBonds &bonds, class GrainHistory *const &history)
      : Pointers(lmp), contacts(contacts), bonds(bonds), history(history)
  {
  }

  // In init. From then on the history fix calls these books when atoms are inserted or deleted.
  void open(bool new_keeps);

  // with a ledger: around an evaluation of contacts and bonds, on all ranks
  void around(const std::function<void()> &evaluate);
  // A finished batch of it. Seen from both sides, a pair that crosses a rank's border counts as a half on each.
  void tally(const granular_plus::LoopWork &work, granular_plus::Mode mode, bool seen_from_both);
  // likewise, of contacts alone: how hard they push grains that grow
  void note_pushes(const granular_plus::LoopWork &work, granular_plus::Mode mode);

  // for fix granular/film: bridges dry, see GrainLiquid::dry_bridges; liquid comes in with grains while others may be going out
  double dry_bridges(double depth, int groupbit);
  void liquid_comes_in(double volume);
  void liquid_goes_out(double volume);

 private:
  GrainContacts &contacts;
  const GrainBonds &bonds;
  class GrainHistory *const &history;
  bool keeps = false;                                      // a ledger
  std::vector<class DissipationReceiver *> dissipation;    // that ask in this step
  std::vector<class GrowthReceiver *> growing;             // fixes that make grains grow
  ChangingGravity gravity;

  // of particles and contacts before atoms come and go
  double energy_before = 0.0, liquid_before = 0.0;
  bool knows_before = false;

  double liquid_at_hand() const;
  double energy_at_hand(bool in_step) const;
  double energy_of_contacts(bool in_step) const;
};

}    // namespace LAMMPS_NS

#endif
