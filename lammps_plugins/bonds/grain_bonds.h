// The bonds among the grains of a pair style: they act beside the contacts of their pairs, with rows of their own
// (FixGranularBondHistory), each on one rank.

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
  // the pair style begins every message; the number is that of its history
  GrainBonds(LAMMPS *lmp, GrainNeighbors &neighbors, const std::string &style, const granular_plus::ModelTable &models,
             int number);

  // as soon as a model has bonds: they have to lie with their atoms before fixes to come move these
  void hold_place() { place.hold(); }
  // in init, on all ranks
  void init(bool keeps_ledger, bool any_shapes);
  bool any() const { return history != nullptr; }
  bool may_join(int itype, int jtype) const { return models.has(itype, jtype) && models.of(itype, jtype).bonds(); }
  // once all pairs of types are known, and when the time step changes
  void serve();
  void reset_timestep();
  // up to which distance they may act, of grains whose radii have this sum at most
  double reach(double radii) const;

  // Forces on the particles of the view; the receiver gets the finished batches, and calls note_broken.
  using Report = void (*)(void *receiver, const granular_plus::LoopWork &, granular_plus::Mode);
  void evaluate(granular_plus::Particles view, const granular_plus::Kernels &reader, Report report, void *receiver,
                granular_plus::LoopWork &work);
  // Of a finished batch: bonds that break in this step go to FixGranularBondHistory::broken_now. Called by
  // PairGranularPlus::receive_bonds; whether a bond breaks is decided in core/laws/stages/bond.h.
  void note_broken(const granular_plus::LoopWork &work);
  // the bond of the two, if there is one; returns its central force over the distance
  double look_at(int i, int j, granular_plus::Particles view, double *values, granular_plus::LoopWork &work) const;

  // Bonds form between these grains where their surfaces are closer than the gap, models let them, and there are none.
  // Returns how many, on all ranks.
  bigint form(double gap, const std::function<bool(int i, int j)> &between);
  // drops bonds, with the energy that is in them; returns how many, on all ranks
  bigint remove(const std::function<bool(int i, int j)> &between, granular_plus::EnergyLedger &ledger);
  bigint count() const;                                // on all ranks
  void add_energy(bool in_step, double &sum) const;    // on this rank, as the ledger knows it

  FixGranularBondHistory *history = nullptr;    // null without bonds

 private:
  GrainNeighbors &neighbors;
  const std::string &style;
  const granular_plus::ModelTable &models;
  HistoryPlace place;
  granular_plus::HistoryLayout layout;
  std::vector<granular_plus::PairGroup> groups;       // one per model
  std::vector<double> force_on_all, torque_on_all;    // with newton off
  StepCheck step_check;

  int energy_at() const;    // in a row
  granular_plus::Pairs listed() const;
  void compile(std::size_t group);
  void check_step();
  void warn_if_none_form() const;
  void check_that_grains_turn() const;
};

}    // namespace LAMMPS_NS

#endif
