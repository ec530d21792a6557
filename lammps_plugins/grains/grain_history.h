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

// History of pairs of grains. Between two neighbour lists the history is in a contact list. While the list is replaced,
// the history is stored with both atoms of a pair, as a chain of links per atom, and migrates with the atoms to other
// ranks. Derived classes decide which pairs are listed: FixContactHistory lists pairs for contacts,
// FixGranularBondHistory lists bonded pairs. Created by the pair style.
class GrainHistory : public Fix {
 public:
  granular_plus::EnergyLedger ledger;    // ledger of this rank's pairs

  // pairs_seen_once: false if pairs across a rank's border are evaluated on both ranks. `kept` and `not_in_data` are
  // parts of messages: what is stored, and what data files do not contain.
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
    // group of each pair of types i, j; -1 if the pair does not belong to this style
    std::vector<std::vector<int>> of_types;
    bool has_all = true;                       // true if every pair of types has a group
    std::vector<std::vector<double>> signs;    // per group and value: -1 if it changes sign when the pair is swapped
    std::vector<bool> acts_across_gap;         // per group: contacts persist across a gap, but only after touch
    std::vector<bool> from_films;              // per group: bridges hold liquid of the grains
    int volume = -1;    // index of the value that stores the liquid of a bridge; -1 without films
    // Pairs with at least one grain in these groups of atoms (grains with a shape) form separate groups.
    int shaped = 0;             // group bits
    int first_of_shapes = 0;    // added to the group of the types
    int of(int itype, int jtype, int masks) const
    {
      const int group = of_types[itype][jtype];
      return group < 0 || !(masks & shaped) ? group : group + first_of_shapes;
    }
  };

  // Called by the pair style, on all ranks, even ranks without pairs: settle before a run, serve once the groups are
  // known, and mark_ahead before an evaluation, which changes the history.
  void settle();
  void serve(class GrainNeighbors *neighbors, Groups groups);

  void mark_ahead();

  // called before and after atoms may be added or removed, in a step or between runs
  std::function<void(bool in_step)> before_exchange;
  std::function<void()> after_exchange;
  // Sets a function that is called at the end of each step, or null if none is needed: an unused call, with its timer,
  // would cost several per cent of a step with two grains. Must be called before LAMMPS reads setmask() at the start of
  // a run.
  void call_after_step(std::function<void()> function);
  // If true, a new list is requested in each step in which a grain has exceeded its motion budget. Must also be called
  // before LAMMPS reads setmask().
  void watch_budgets(bool watch);
  // called with a new neighbour list, before other fixes act on the particles in that step
  std::function<void()> after_listing;
  // called with each grain that is created
  std::function<void(int grain)> for_new_grain;

  granular_plus::ContactList contacts;
  // true: also lists pairs that act across a gap but are too far apart to touch, because their history is kept
  // elsewhere (on the GPU)
  bool lists_distant = false;

  virtual bool holds_liquid() const { return false; }    // true if contacts hold liquid that belongs to the grains
  // Returns whether any contact has history. Called on all ranks, between runs, after settle.
  bool has_history() const;

  const std::string contents;    // names of the laws that store values
  // Called between runs, after settle. Adds or removes room for the values of a ledger; springs do not change.
  void resize_rows(int values, unsigned new_parts);

 protected:
  std::function<void()> after_step;
  bool watches_budgets = false;
  bool pairs_seen_once;    // for the present contact list
  const char *const kept, *const not_in_data;
  class GrainNeighbors *neighbors = nullptr;    // neighbour list of the pair style
  bool sends_budgets = false;
  Groups groups;
  bool warned_of_data = false;
  bool ahead = false;     // the contact list holds history that the links of the atoms do not contain yet
  int spring_values;      // number of leading values that belong to the laws; those of the ledger follow
  unsigned parts;         // parts of the ledger, see HistoryLayout
  double widest = 0.0;    // largest gap across which any bond was formed

  granular_plus::ContactLinks links;
  std::vector<tagint> names;    // IDs by which links refer to atoms and ghosts; used if some atoms have other IDs now
  int atoms_listed = 0;         // number of owned and ghost atoms when the contact list was made
  int owned_listed = 0;
  bool disturbed = false;    // atoms were added or deleted while the contact list held history

  // header of the rows in the restart file
  RestartHeader in_restart;
  int taken = -1;    // number of usable values of a contact in the restart file; -1 if none

  // Number of extra values of a link: the separation of the pair, which distinguishes images of the partner in a
  // thin box.
  static constexpr int SEPARATION = 3;
  bool distinguish_images() const { return links.extra_values() > 0; }
  // Whether links refer to rows that stay in the contact list. Links need rows of their own if liquid may return to
  // both grains, or if separations distinguish images.
  bool stay_in_list() const { return !distinguish_images() && !holds_liquid(); }
  void bring_to_atoms();
  void move_to_atoms();
  void forget_all();
  void find_max_links();
  int most_links() const;
  const tagint *names_of_atoms();
  int group_of(int a, int b) const;
  void forget(int atom_index);
  // Called with a new neighbour list. rebuild_neighbors builds our own list, if it is used. list builds the contact
  // list from links, which refer to atoms by these names.
  void rebuild_neighbors();
  virtual void list(const tagint *name) = 0;
  virtual void use(const Groups & /*groups*/) {}
  // called before an atom's rows in a restart file are discarded because they belong to other laws
  virtual void drop(int /*atom_index*/, const double * /*packed*/) {}
  granular_plus::Link find_link(int a, int b, tagint partner) const;
  void add_contact(int atom, int partner, int pair, bool reversed);
};

}    // namespace LAMMPS_NS

#endif
