// Finds the contacts among grains in the list of pairs, and evaluates the contacts group by group. Owned by the pair
// style.

#ifndef LMP_GRANULAR_PLUS_GRAIN_CONTACTS_H
#define LMP_GRANULAR_PLUS_GRAIN_CONTACTS_H

#include "grain_neighbors.h"
#include "nonlocal_forces.h"

#include "neighbor.h"
#include "force.h"
#include "pointers.h"

#include "../core/history/contact_list.h"
#include "../core/ledger/energy_ledger.h"
#include "../liquid/grain_liquid.h"
#include "../core/model/model_table.h"
#include "../shapes/shaped_grains.h"
#include "../core/geometry/shapes/shaped_pairs.h"
#include "../glue/surroundings.h"

#include <memory>
#include <string>
#include <vector>

namespace LAMMPS_NS {

class GrainContacts : protected Pointers {
 public:
  // `message_prefix` begins every message; `pair` communicates for this object.
  GrainContacts(LAMMPS *lmp, class Pair *pair, const std::string &message_prefix,
                const granular_plus::ModelTable &models, const GrainNeighbors &neighbors);

  // These functions are called at the start of a run, on all ranks, in this order. make_groups is called once for each
  // pair of types, because mixing adds models.
  void init(granular_plus::Ledger ledger_kept);
  void set_list_and_ledger(granular_plus::ContactList &new_list, granular_plus::EnergyLedger &new_ledger);
  void make_groups();
  // Called when the time step has changed.
  void reset_timestep();

  // Called in each evaluation, on all ranks, in this order: prepare, evaluate, warn.
  void prepare()
  {
    if (neighbor->ago == 0 || masses_differ() || step_check.due) refresh();
  }
  using Report = void (*)(void *receiver, const granular_plus::LoopWork &work, granular_plus::Mode mode);
  void evaluate(Report report, void *receiver);
  // Must be called after a list has been built outside LAMMPS's steps. After each other list, `prepare` calls this
  // function.
  void choose_kernels();
  void warn()
  {
    if (update->setupflag || softens || shaped_pairs) check_after_step();
  }

  bool have_heat() const { return passes_heat; }    // valid after init

  // Needed because the command pair_write queries pairs that do not exist.
  bool pair_exists(int i, int j, double squared_distance) const;
  // Fills values[pair_output::COUNT] and returns the central force divided by the distance. All results are 0 if i and
  // j do not act on each other.
  double inspect_pair(int i, int j, const granular_plus::ContactModel &model, double *values);

  // input for the kernels that `bounds_safe_kernels` returns
  granular_plus::Particles particles() const;
  const granular_plus::Kernels &bounds_safe_kernels() const;
  const granular_plus::Kernels &kernels() const { return *chosen_kernels; }

  // called on all ranks
  void send_sizes();

  // called by the pair style, which communicates for this object
  int pack_forward(int n, const int *atoms, double *buf) const;
  void unpack_forward(int n, int start, const double *buf);

  double memory_usage() const;

  // Returns the name of a feature in use, such as rigid bodies, that the GPU does not compute, or an empty string.
  std::string obstacle_on_gpu() const;

  granular_plus::HistoryLayout layout;
  // One group for each model. If grains have shapes, each model has a second group for pairs with a shaped grain.
  std::vector<granular_plus::PairGroup> groups;
  GrainLiquid liquid;
  // Returns false if each contact is evaluated on every rank that owns one of its two grains.
  bool see_pairs_once() const { return force->newton_pair && !nonlocal.any(); }
  NonlocalForces nonlocal;
  ShapedGrains shapes;
  std::unique_ptr<granular_plus::LoopWork> work;
  int frozen = 0;                // group bit of fix freeze
  bool sizes_changed = false;    // on this rank, since the previous evaluation

 private:
  class Pair *pair;
  const std::string &message_prefix;
  const granular_plus::ModelTable &models;
  const GrainNeighbors &neighbors;
  granular_plus::ContactList *list = nullptr;
  granular_plus::EnergyLedger *ledger = nullptr;
  bool keeps_ledger = false;
  const granular_plus::Kernels *chosen_kernels = nullptr, *for_many = nullptr, *for_few = nullptr;
  bool has_few = false;
  bool passes_heat = false;
  bool softens = false;    // contacts may be softer than their material and overlap too much

  RigidBodies rigid_bodies;
  StepCheck step_check;
  StartCheck start_check;
  std::vector<double> masses;    // for all atoms; empty if LAMMPS's masses are used
  std::vector<double> own_masses;
  bool sends_sizes = false;

  std::unique_ptr<granular_plus::ShapedPairs> shaped_pairs;    // null if no grain has a shape

  bool masses_differ() const { return frozen != 0 || !rigid_bodies.empty(); }
  void refresh();
  void check_after_step();
  void update_masses();
  bool own_masses_changed() const;
  void check_step();
  void compile_all();
  bool is_shaped(std::size_t group) const { return group >= models.list().size(); }
  granular_plus::LoopOptions begin(bool is_step, Report report, void *receiver);
  void evaluate_few(Report report, void *receiver);
  void evaluate_groups(bool is_step, Report report, void *receiver);
  void compute_nonlocal_forces(const granular_plus::Pairs &pairs, const double *packed_mass, int stamp, bool is_step);
  void pass_heat(const granular_plus::Kernels &bounds_safe_kernels, const granular_plus::Particles &view,
                 const granular_plus::Pairs &pairs, const granular_plus::PairGroup &group);
  void evaluate_shaped(int group, const granular_plus::Particles &view, const granular_plus::Pairs &pairs,
                       const granular_plus::LoopOptions &options, const granular_plus::LoopOptions &of_ended);
  void check_start(const granular_plus::Pairs &pairs, const granular_plus::PairGroup &group);
};

}    // namespace LAMMPS_NS

#endif
