// The bonds among grains. If two bonded grains also touch, the bond and the contact both act. FixGranularBondHistory
// stores the history of bonds. Each bond is evaluated on one rank. Owned by the pair style.

#ifndef LMP_GRANULAR_PLUS_GRAIN_BONDS_H
#define LMP_GRANULAR_PLUS_GRAIN_BONDS_H

#include "fix_granular_bond_history.h"
#include "../grains/grain_neighbors.h"
#include "../grains/history_place.h"
#include "pointers.h"
#include "../glue/surroundings.h"

#include "../core/kernels/kernels.h"
#include "../core/model/model_table.h"

#include <functional>
#include <string>
#include <vector>

namespace LAMMPS_NS {

class GrainBonds : protected Pointers {
 public:
  // Every message begins with `style`. `number` becomes part of the ID of the fix that stores bonds (HistoryPlace).
  GrainBonds(LAMMPS *lmp, GrainNeighbors &neighbors, const std::string &style, const granular_plus::ModelTable &models,
             int number);

  // Called as soon as a model has bonds, because the fix that stores bonds must precede fixes that move atoms.
  void reserve_place() { place.reserve(); }
  void init(bool keeps_ledger, bool any_shapes);
  bool any() const { return history != nullptr; }
  bool may_join(int itype, int jtype) const { return models.has(itype, jtype) && models.of(itype, jtype).bonds(); }
  void set_groups();    // called when the models of all pairs of types are known
  void reset_timestep();
  // largest distance between centres at which bonds may act, for grains whose radii add up to at most `radii`
  double reach(double radii) const;

  // The receiver gets each finished batch and passes it to note_broken.
  using Report = void (*)(void *receiver, const granular_plus::LoopWork &, granular_plus::Mode);
  void evaluate(granular_plus::Particles view, const granular_plus::Kernels &reader, Report report, void *receiver,
                granular_plus::LoopWork &work);
  // Called by PairGranularPlus::receive_bonds for a finished batch. Adds bonds that break in this step to
  // FixGranularBondHistory::broken_now.
  void note_broken(const granular_plus::LoopWork &work);
  // Adds the bond between two grains, if any, to `values` of compute pair/local. Returns the normal force of the bond
  // divided by the distance between the centres, or 0 if there is no bond.
  double inspect_pair(int i, int j, granular_plus::Particles view, double *values, granular_plus::LoopWork &work) const;

  // Forms bonds between grains that `between` selects, if their surfaces are closer than the gap. Returns the number of
  // new bonds on all ranks.
  bigint form(double gap, const std::function<bool(int i, int j)> &between);
  // Removes the bonds that `between` selects. The ledger counts the energy of these bonds as exchanged. Returns the
  // number of removed bonds on all ranks.
  bigint remove(const std::function<bool(int i, int j)> &between, granular_plus::EnergyLedger &ledger);
  bigint count() const;                                // on all ranks
  void add_energy(bool in_step, double &sum) const;    // energy on this rank, as counted in the ledger

  FixGranularBondHistory *history = nullptr;    // null without bonds

 private:
  GrainNeighbors &neighbors;
  const std::string &style;
  const granular_plus::ModelTable &models;
  HistoryPlace place;
  granular_plus::HistoryLayout layout;
  std::vector<granular_plus::PairGroup> groups;       // one per model
  std::vector<double> force_on_all, torque_on_all;    // used with newton off
  StepCheck step_check;

  int energy_at() const;    // index of the energy in a row
  granular_plus::Pairs listed() const;
  void compile(std::size_t group);
  void check_step();
  void warn_if_none_form() const;
  void check_that_grains_turn() const;
};

}    // namespace LAMMPS_NS

#endif
