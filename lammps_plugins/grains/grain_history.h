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

// History of pairs of grains. Between two neighbour lists it is in a contact list; across a new list it is stored with both
// atoms of a pair, as a chain of links per atom, and migrates with them to other ranks. Derived classes decide which pairs
// are listed: those of contacts (FixContactHistory) and of bonds (FixGranularBondHistory). Created by the pair style.
class GrainHistory : public Fix {
 public:
  granular_plus::EnergyLedger ledger;    // of this rank's pairs

  // pairs_seen_once: false if pairs across a rank's border are evaluated from both sides; kept, not_in_data: for messages
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

  // groups of pairs by types; all pairs of a group share their contact model
  struct Groups {
    std::vector<std::vector<int>> of_types;    // group of pairs for types i, j; -1: not a pair of this style
    bool has_all = true;                       // there is a group for all types
    std::vector<std::vector<double>> signs;    // per group and value: -1 if swapping the pair changes the sign
    std::vector<bool> acts_across_gap;         // per group: contacts persist across a gap, after touch only
    std::vector<bool> from_films;              // per group: bridges hold liquid of the grains
    int volume = -1;    // index of the value that is the liquid of a bridge, if it belongs to the grains
    // pairs with at least one grain in these groups of atoms, grains with a shape, form groups of their own
    int shaped = 0;             // bits
    int first_of_shapes = 0;    // added to the group of the types
    int of(int itype, int jtype, int masks) const
    {
      const int group = of_types[itype][jtype];
      return group < 0 || !(masks & shaped) ? group : group + first_of_shapes;
    }
  };

  // to be called by the pair style, on all ranks, even those without pairs: before a run, once groups are known,
  // and when an evaluation changes the history
  void settle();
  void serve(class GrainNeighbors *neighbors, Groups groups);

  void mark_ahead();

  // called when atoms may be about to be added or removed, in a step or between runs, and afterwards
  std::function<void(bool in_step)> before_exchange;
  std::function<void()> after_exchange;
  // Called at the end of each step; null if not needed. To be set before LAMMPS reads setmask() at the start of a run:
  // an unused call, with its timer, would cost several per cent of a step with two grains.
  void call_after_step(std::function<void()> function);
  // The same: in each step, request a new list if a grain has exceeded its motion budget.
  void watch_budgets(bool watch);
  // called with a new neighbour list, before other fixes act on the particles in that step
  std::function<void()> after_listing;
  // called with each grain that is created
  std::function<void(int grain)> for_new_grain;

  granular_plus::ContactList contacts;
  // also list pairs that act across a gap but are too far apart to touch, because their history is kept elsewhere (on the GPU)
  bool lists_distant = false;

  virtual bool holds_liquid() const { return false; }    // that belongs to the grains
  // whether any contact has history; on all ranks, between runs, after settle
  bool has_history() const;

  const std::string contents;    // names of the laws that store values
  // between runs, after settle: adds or removes room for the values of a ledger; springs do not change
  void resize_rows(int values, unsigned new_parts);

 protected:
  std::function<void()> after_step;
  bool watches_budgets = false;
  bool pairs_seen_once;    // of the present contact list
  const char *const kept, *const not_in_data;
  class GrainNeighbors *neighbors = nullptr;    // of the pair style
  bool sends_budgets = false;
  Groups groups;
  bool warned_of_data = false;
  bool ahead = false;     // the contact list holds history that the atoms do not have yet
  int spring_values;      // number of leading values of the laws; those of the ledger follow
  unsigned parts;         // parts of the ledger, see HistoryLayout
  double widest = 0.0;    // largest gap across which a bond was ever formed

  granular_plus::ContactLinks links;
  std::vector<tagint> names;    // IDs by which links refer to atoms and ghosts, if some have other IDs now
  int atoms_listed = 0;         // owned and ghost atoms when the contact list was made
  int owned_listed = 0;
  bool disturbed = false;    // atoms were added or deleted while the contact list held history

  // of the rows in the restart file
  RestartHeader in_restart;
  int taken = -1;    // number of usable values of a contact; -1: none

  // extra values of a link: the separation of the pair, which distinguishes images of the partner in a thin box
  static constexpr int SEPARATION = 3;
  bool distinguish_images() const { return links.extra_values() > 0; }
  // Links need rows of their own if liquid may return to both grains, or if separations distinguish images.
  bool stay_in_list() const { return !distinguish_images() && !holds_liquid(); }
  void bring_to_atoms();
  void move_to_atoms();
  void forget_all();
  void find_max_links();
  int most_links() const;
  const tagint *names_of_atoms();
  int group_of(int a, int b) const;
  void forget(int atom_index);
  // with a new neighbour list: builds the contact list from links that refer to atoms by these names
  void rebuild_neighbors();
  virtual void list(const tagint *name) = 0;
  virtual void use(const Groups & /*groups*/) {}
  // discards an atom's rows in a restart file that belong to other laws
  virtual void drop(int /*atom_index*/, const double * /*packed*/) {}
  int find_link(int a, int b, tagint partner) const;
  void add_contact(int atom, int partner, int pair, bool reversed);
};

}    // namespace LAMMPS_NS

#endif
