// The contacts among grains: found in the list of pairs and evaluated group by group. Each finished batch goes to a receiver.

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
  // messages begin with `who`; `pair` communicates for us
  GrainContacts(LAMMPS *lmp, class Pair *pair, const std::string &who, const granular_plus::ModelTable &models,
                const GrainNeighbors &neighbors);

  // In init, on all ranks, in this order: finds out what there is to be computed; is given the list whose rows suit the
  // layout; once the models of all pairs of types are known, makes their groups.
  void init(granular_plus::Ledger ledger_kept);
  void serve(granular_plus::ContactList &new_list, granular_plus::EnergyLedger &new_ledger);
  void make_groups();
  void reset_timestep();

  // In each evaluation, on all ranks, in this order: update masses and settings, compute the contacts, issue warnings.
  void prepare()
  {
    if (neighbor->ago == 0 || masses_differ() || step_check.due) look_anew();
  }
  using Report = void (*)(void *receiver, const granular_plus::LoopWork &work, granular_plus::Mode mode);
  void evaluate(Report report, void *receiver);
  // Where a new list does not come with a step of LAMMPS: takes the kernels that suit its size. Else prepare does.
  void choose_kernels();
  void warn()
  {
    if (update->setupflag || softens || shaped_pairs) look_at_end();
  }

  bool have_heat() const { return passes_heat; }    // they conduct it or make it; after init

  // Whether these two atoms are that far apart in the run, as LAMMPS may ask for pairs that it makes up.
  bool knows(int i, int j, double squared_distance) const;
  // Of this pair alone: fills values[pair_output::COUNT]; returns the central force over the distance.
  // Both are 0 where i and j do not act on each other.
  double look_at(int i, int j, const granular_plus::ContactModel &model, double *values);

  // grains as the kernels see them, and the kernels that may read them
  granular_plus::Particles particles() const;
  const granular_plus::Kernels &reader() const;
  const granular_plus::Kernels &kernels() const { return *suited; }

  // On all ranks: ghosts get radius and mass of their owners.
  void send_sizes();

  // for the pair style, which sends to ghosts for us: sizes, masses, or what liquid needs
  int pack_forward(int n, const int *atoms, double *buf) const;
  void unpack_forward(int n, int start, const double *buf);

  double memory_usage() const;

  // whether an evaluation has more to do than forces, history and the ledger: liquid, heat, shapes, rigid bodies, warnings of softness
  std::string beyond_forces() const;

  granular_plus::HistoryLayout layout;
  std::vector<granular_plus::PairGroup> groups;    // one per model; with shapes as many again, for pairs that have one
  GrainLiquid liquid;
  // Contacts that need all others of a grain are known on each rank that has one of their grains.
  bool see_pairs_once() const { return force->newton_pair && !nonlocal.any(); }
  NonlocalForces nonlocal;
  ShapedGrains shapes;
  std::unique_ptr<granular_plus::LoopWork> work;
  int frozen = 0;                // group bit of fix freeze
  bool sizes_changed = false;    // those of grains here, since the evaluation before

 private:
  class Pair *pair;
  const std::string &who;
  const granular_plus::ModelTable &models;
  const GrainNeighbors &neighbors;
  granular_plus::ContactList *list = nullptr;
  granular_plus::EnergyLedger *ledger = nullptr;    // that of these contacts
  bool keeps_ledger = false;
  const granular_plus::Kernels *suited = nullptr, *for_many = nullptr, *for_few = nullptr;
  bool has_few = false;    // pairs, whose contacts are found without the search
  bool passes_heat = false;
  bool softens = false;    // some contacts are softer than their material, and may overlap too much

  RigidBodies rigid_bodies;
  StepCheck step_check;
  StartCheck start_check;
  std::vector<double> masses;        // packed for Particles, of all atoms; empty where they are those of LAMMPS
  std::vector<double> own_masses;    // from which those were made
  bool sends_sizes = false;

  std::unique_ptr<granular_plus::ShapedPairs> shaped_pairs;    // null where no grain has a shape

  bool masses_differ() const { return frozen != 0 || !rigid_bodies.empty(); }
  void look_anew();
  void look_at_end();
  void update_masses();
  bool own_masses_changed() const;
  void check_step();
  void compile_all();
  bool is_shaped(std::size_t group) const { return group >= models.list().size(); }
  granular_plus::LoopOptions begin(bool is_step, Report report, void *receiver);
  void evaluate_few(Report report, void *receiver);
  void evaluate_groups(bool is_step, Report report, void *receiver);
  void press(const granular_plus::Pairs &pairs, const double *packed_mass, int stamp, bool is_step);
  void pass_heat(const granular_plus::Kernels &reader, const granular_plus::Particles &view,
                 const granular_plus::Pairs &pairs, const granular_plus::PairGroup &group);
  void evaluate_shaped(int group, const granular_plus::Particles &view, const granular_plus::Pairs &pairs,
                       const granular_plus::LoopOptions &options, const granular_plus::LoopOptions &of_ended);
  void evaluate_alone(int i, int j, const granular_plus::ContactModel &model, const double *remembered,
                      granular_plus::PairGroup &pair_group);
  bool pairs_shape(int i, int j) const;    // has one of them a shape?
  double report(int i, int j, const granular_plus::ContactModel &model, double sign,
                const granular_plus::PairGroup &pair_group, double *values) const;
  void look_at_start(const granular_plus::Pairs &pairs, const granular_plus::PairGroup &group);
};

}    // namespace LAMMPS_NS

#endif
