#ifdef PAIR_CLASS
// clang-format off
PairStyle(granular/plus,PairGranularPlus);
// clang-format on
#else

#ifndef LMP_PAIR_GRANULAR_PLUS_H
#define LMP_PAIR_GRANULAR_PLUS_H

#include "pair.h"

#include "../core/model/model_table.h"
#include "grain_contacts.h"
#include "grain_neighbors.h"
#include "../bonds/grain_bonds.h"
#include "../glue/options.h"
#include "grain_ledger.h"
#include "grain_radii.h"
#include "list_check.h"
#include "history_place.h"
#include "stand_in.h"

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
  class GrainHistory *contact_history() const { return history; }
  const granular_plus::ModelTable &contact_models() const { return models; }
  const GrainNeighbors &grain_neighbors() const { return neighbors; }
  const GrainRadii &grain_radii() const { return radii; }
  bool belongs_to(const class LAMMPS *other) const { return lmp == other; }

  const std::string style;

 private:
  HistoryPlace history_place;
  granular_plus::ModelTable models;
  GrainRadii radii;
  GrainNeighbors neighbors;

 public:
  GrainBonds bonds;
  GrainContacts contacts;
  GrainLedger grain_ledger;

 protected:
  double global_cutoff = -1.0;    // negative: computed from the radii
  StandIn stand_in;

  // `words`: the words after the types in a pair_coeff command
  void set_coefficients(const char *itypes, const char *jtypes, std::vector<std::string> words);

 private:
  granular_plus::Ledger ledger_kept = granular_plus::Ledger::NO;
  static const Options<PairGranularPlus> OPTIONS;
  class GrainHistory *history = nullptr;
  ListCheck list_check;

  void allocate();
  void give_model(int ilo, int ihi, int jlo, int jhi, const granular_plus::ContactModel &model);
  void set_history_groups();
  void set_gap(int i, int j);
  void refresh_gaps();
  bool has_films() const;
  void check_that_films_feed_one_style() const;
  void tally_virial(const granular_plus::LoopWork &work, bool seen_once);
  static void process_batch(void *pair, const granular_plus::LoopWork &work, granular_plus::Mode mode);
  static void receive_bonds(void *pair, const granular_plus::LoopWork &work, granular_plus::Mode mode);
};

// returns the pair style that computes contacts; null if there is none or more than one
PairGranularPlus *granular_pair(class LAMMPS *);

// returns the pair style whose bridges take their liquid from films, or null
PairGranularPlus *liquid_pair(class LAMMPS *);

}    // namespace LAMMPS_NS

#endif
#endif
