#ifdef PAIR_CLASS
// clang-format off
PairStyle(granular/plus,PairGranularPlus);
// clang-format on
#else

#ifndef LMP_PAIR_GRANULAR_PLUS_H
#define LMP_PAIR_GRANULAR_PLUS_H

#include "pair.h"

#include "../kernels/kernels.h"
#include "../kernels/prefetch_choice.h"
#include "../liquid/grain_liquid.h"
#include "../model/model_table.h"
#include "../sources/shaped_pairs.h"
#include "grain_bonds.h"
#include "grain_radii.h"
#include "particle_energy.h"
#include "../sources/shaped_grains.h"
#include "stand_in.h"
#include "../sources/surroundings.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace LAMMPS_NS {

class PairGranularPlus : public Pair {
 public:
  PairGranularPlus(class LAMMPS *, const char *style = "granular/plus");
  ~PairGranularPlus() override;
  void compute(int, int) override;
  void settings(int, char **) override;
  void coeff(int, char **) override;
  void init_style() override;
  void reset_dt() override;
  double init_one(int, int) override;
  void write_restart(FILE *) override;
  void read_restart(FILE *) override;
  void write_restart_settings(FILE *) override;
  void read_restart_settings(FILE *) override;
  double single(int, int, int, int, double, double, double, double &) override;
  int pack_forward_comm(int, int *, double *, int, int *) override;
  void unpack_forward_comm(int, int, double *) override;
  int pack_reverse_comm(int, int, double *) override;
  void unpack_reverse_comm(int, int *, double *) override;
  double memory_usage() override;

  bool has_ledger() const { return ledger_kept != granular_plus::Ledger::NO; }
  bool liquid_from_films() const { return from_films; }
  double liquid_in_films() const { return from_films ? liquid.in_films() : 0.0; }
  void liquid_comes_in(double volume);
  void liquid_goes_out(double volume);
  double evaporate_bridges(double depth, int groupbit);    // returns this processor's share of what is gone
  void for_each_bridge(const std::function<void(int i, int j, double volume)> &) const;    // from films
  double liquid_at_hand() const;    // in the films and bridges that are this processor's
  class FixContactHistory *contact_history() const { return history; }
  bool belongs_to(const class LAMMPS *other) const { return lmp == other; }

  const std::string style;

 private:
  // the history fix takes the place that a dummy fix has held since the pair style was created, so that fixes keep
  // the order of the input script
  const std::string history_id, dummy_id;
  granular_plus::ModelTable models;

 public:
  GrainBonds bonds;

 protected:
  double global_cutoff = -1.0;    // negative: from the radii

  // in the place of a style of LAMMPS, which gets the commands if it has to do what they ask for
  void begin_commands(int narg, char **arg);
  void leave_to_lammps(const std::string &why);    // this object may be gone then

  // the words of a pair_coeff command after the types
  void set_coefficients(const char *itypes, const char *jtypes, std::vector<std::string> words);

 private:
  enum class StandsIn { NO, YES, IN_HYBRID } stands_in = StandsIn::NO;
  bool has_said_so = false;
  std::vector<std::vector<std::string>> commands;    // arguments of pair_style and of each pair_coeff

  granular_plus::Ledger ledger_kept = granular_plus::Ledger::NO;

  std::vector<granular_plus::PairGroup>
      pair_groups;    // one per model; with shapes as many again, for pairs that have one
  granular_plus::HistoryLayout layout;
  const granular_plus::Kernels *kernels = nullptr, *kernels_for_many = nullptr, *kernels_for_few = nullptr;
  bool has_few = false;    // pairs, whose contacts are found without the search
  granular_plus::PrefetchChoice prefetch_choice;
  std::unique_ptr<granular_plus::LoopWork> work;
  bool radii_vary = false;
  bool passes_heat = false;
  bool from_films = false;    // liquid of some bridges belongs to the grains
  GrainLiquid liquid;
  bool softens = false;    // some contacts are softer than their material, and may overlap too much

  class FixContactHistory *history = nullptr;

  RigidBodies rigid_bodies;
  StepCheck step_check;
  StartCheck start_check;
  int frozen = 0;                // group bit of fix freeze
  std::vector<double> masses;    // packed for Particles, of all atoms; empty where they are those of LAMMPS
  GrainRadii radii;

  ShapedGrains shapes;
  std::unique_ptr<granular_plus::ShapedPairs> shaped_pairs;    // null where no grain has a shape

  void allocate();
  void give_model(int ilo, int ihi, int jlo, int jhi, const granular_plus::ContactModel &model);
  void find_history();
  void watch_exchange();
  void check_step();
  void look_at_start(const granular_plus::Pairs &pairs, const granular_plus::PairGroup &group);

  std::vector<class ComputeGranularDissipation *> dissipation;    // that ask in this step

  // with a ledger: energies of particles and contacts before atoms come and go
  double energy_before = 0.0, liquid_before = 0.0;
  bool knows_energy_before = false;
  ChangingGravity gravity;
  double energy_at_hand(double ahead) const;
  double energy_of_contacts() const;
  bool masses_differ() const { return frozen != 0 || !rigid_bodies.empty(); }
  void update_masses();
  void warn_of_overlaps();
  granular_plus::Particles particles();
  void choose_kernels();
  const granular_plus::Kernels &reader() const;
  granular_plus::LoopOptions begin_loop(bool is_step);
  void evaluate_pairs();
  void evaluate_few();
  void evaluate_shaped(int group, const granular_plus::Particles &view, const granular_plus::Pairs &pairs,
                       const granular_plus::LoopOptions &options);
  void evaluate_bonds();
  void tally_virial(const granular_plus::LoopWork &work, bool newton);
  static void receive_bonds(void *pair, const granular_plus::LoopWork &work, granular_plus::Mode mode);
  bool is_shaped(std::size_t group) const { return group >= models.list().size(); }
  void compile(std::size_t group);
  void evaluate_found(const granular_plus::Kernels &reader, const granular_plus::Particles &view,
                      const granular_plus::Pairs &pairs, const granular_plus::PairGroup &group,
                      const granular_plus::Found &found, const granular_plus::LoopOptions &options);
  static void receive(void *pair, const granular_plus::LoopWork &work, granular_plus::Mode mode);
  double dry_bridges(double depth, int groupbit);
  void tally_drying(const granular_plus::LoopWork &looked_at);
};

// the pair style that computes contacts, null if there is none or if there are several
PairGranularPlus *granular_pair(class LAMMPS *);

// the pair style whose bridges take their liquid from films, null if there is none
PairGranularPlus *liquid_pair(class LAMMPS *);

}    // namespace LAMMPS_NS

#endif
#endif
