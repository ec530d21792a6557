#ifndef LMP_GRANULAR_PLUS_GRAIN_HISTORY_H
#define LMP_GRANULAR_PLUS_GRAIN_HISTORY_H

#include "fix.h"

#include "../core/history/contact_links.h"
#include "../core/history/contact_list.h"
#include "../core/ledger/energy_ledger.h"
#include "../glue/restart_header.h"

#include <functional>
#include <string>
#include <vector>

namespace LAMMPS_NS {

// What pairs of grains remember. Between two neighbour lists it lies in a contact list; across a new list it goes with both
// atoms of a pair, as a chain of links per atom, and travels with those that another rank takes over. Which pairs are listed
// is for the contacts (FixContactHistory) and for the bonds (FixGranularBondHistory) to say.
class GrainHistory : public Fix {
 public:
  granular_plus::EnergyLedger ledger;    // of this rank's pairs

  // pairs_seen_once: else those that cross a rank's border are evaluated from both sides; kept and not_in_data: for messages
  GrainHistory(class LAMMPS *, int, char **, bool pairs_seen_once, const char *kept, const char *not_in_data);
  ~GrainHistory() override;
  int setmask() override;
  void init() override;
  void setup_pre_exchange() override;
  void setup_post_neighbor() override;
  void post_integrate() override;
  void pre_exchange() override;
  void min_pre_exchange() override;
  void post_neighbor() override;
  void min_post_neighbor() override;
  void end_of_step() override;
  void post_run() override;

  void grow_arrays(int) override;
  void copy_arrays(int, int, int) override;
  void set_arrays(int) override;
  int pack_forward_comm(int, int *, double *, int, int *) override;
  void unpack_forward_comm(int, int, double *) override;
  int pack_reverse_comm_size(int, int) override;
  int pack_reverse_comm(int, int, double *) override;
  void unpack_reverse_comm(int, int *, double *) override;
  int pack_exchange(int, double *) override;
  int unpack_exchange(int, double *) override;
  void write_restart(FILE *) override;
  void restart(char *) override;
  int pack_restart(int, double *) override;
  void unpack_restart(int, int) override;
  int size_restart(int) override;
  int maxsize_restart() override;
  void write_data_header(FILE *, int) override;
  double memory_usage() override;

  // of the types and groups of pairs: groups share their contact model
  struct Groups {
    std::vector<std::vector<int>> of_types;    // group of pairs for types i, j; -1: the style has no part in them
    bool has_all = true;                       // there is a group for all types
    std::vector<std::vector<double>> signs;    // per group and value: -1 where the order of the pair changes the sign
    std::vector<bool> acts_across_gap;         // per group: contacts live on across a gap, after touch only
    std::vector<bool> from_films;              // per group: bridges hold liquid of the grains
    int volume = -1;                           // the value that is the liquid of a bridge, if it belongs to the grains
    // pairs of which one at least is in these groups of atoms, grains with a shape, are a group of their own
    int shaped = 0;             // bits
    int first_of_shapes = 0;    // added to the group of the types
    int of(int itype, int jtype, int masks) const
    {
      const int group = of_types[itype][jtype];
      return group < 0 || !(masks & shaped) ? group : group + first_of_shapes;
    }
  };

  // to be called by the pair style, on all ranks, whether they have pairs or not: before a run, once groups are
  // known, and when an evaluation changes what contacts remember
  void settle();
  void serve(class GrainNeighbors *neighbors, Groups groups);

  void mark_ahead();

  // called when atoms may be about to come and go, in a step or between runs, and when they have
  std::function<void(bool in_step)> before_exchange;
  std::function<void()> after_exchange;
  // Called at the end of each step; null where nobody asks. To be given before LAMMPS lists, as a run begins, who does what in a
  // step: a call that does nothing, and its timer, would take several per cent of a step of two grains.
  void call_after_step(std::function<void()> function);
  // Likewise: in each step, request a new list if a grain has exceeded its motion budget.
  void watch_budgets(bool watch);
  // called with a new neighbour list, before other fixes of the step act on the particles
  std::function<void()> after_listing;
  // called with each grain that is made
  std::function<void(int grain)> for_new_grain;

  granular_plus::ContactList contacts;

  virtual bool holds_liquid() const { return false; }    // of the grains
  // whether contacts remember anything; on all ranks, between runs, after settle
  bool has_history() const;

  const std::string contents;    // names of the laws that keep values
  // between runs, after settle: rows get room for what a ledger remembers, or lose it; springs stay
  void resize_rows(int values, unsigned new_parts);

 protected:
  std::function<void()> after_step;
  bool watches_budgets = false;
  bool pairs_seen_once;    // of the contact list in hand
  const char *const kept, *const not_in_data;
  class GrainNeighbors *neighbors = nullptr;    // of the pair style
  bool sends_budgets = false;
  Groups groups;
  bool warned_of_data = false;
  bool ahead = false;     // the contact list holds history that the atoms do not have yet
  int spring_values;      // leading ones, those of the laws; what the ledger remembers follows
  unsigned parts;         // of that, see HistoryLayout
  double widest = 0.0;    // gap across which a bond was ever formed

  granular_plus::ContactLinks links;
  std::vector<tagint> names;    // by which links call atoms and ghosts, where some have other IDs now
  int atoms_listed = 0;         // owned and ghost atoms when the contact list was made
  int owned_listed = 0;
  bool disturbed = false;    // atoms were added or deleted while the contact list held history

  // of the rows in the restart file
  RestartHeader in_restart;
  int taken = -1;    // values of a contact that suit; -1: none

  // numbers beside a link: the separation of the pair, by which images of the partner are told apart in a thin box
  static constexpr int SEPARATION = 3;
  bool tell_images() const { return links.extra_values() > 0; }
  // Links need rows of their own where liquid may return to both grains, or where separations tell images apart.
  bool stay_in_list() const { return !tell_images() && !holds_liquid(); }
  void bring_to_atoms();
  void move_to_atoms();
  void forget_all();
  void find_max_links();
  int most_links() const;
  const tagint *names_of_atoms();
  int group_of(int a, int b) const;
  void forget(int atom_index);
  // with a new neighbour list: the contact list, of links that know atoms by these names
  void rebuild_neighbors();
  virtual void list(const tagint *name) = 0;
  virtual void use(const Groups & /*groups*/) {}
  // of an atom whose rows in a restart file are those of other laws
  virtual void drop(int /*atom_index*/, const double * /*packed*/) {}
  int find_link(int a, int b, tagint partner) const;
  void add_contact(int atom, int partner, int pair, bool reversed);
};

}    // namespace LAMMPS_NS

#endif
