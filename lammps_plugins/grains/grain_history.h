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

// History of pairs of grains, kept in a contact list. While the neighbour list is rebuilt, both atoms of a pair store
// its history. Each atom has a chain of links, which migrates with the atom. Derived classes decide which pairs are
// listed. Created by the pair style.
class GrainHistory : public Fix {
 public:
  granular_plus::EnergyLedger ledger;

  // pairs_seen_once: false if pairs across a rank's border are evaluated on both ranks. `kept` and `not_in_data` are
  // parts of messages; `kept` names the stored objects.
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

  // Groups of pairs by types. All pairs of a group share their contact model.
  struct Groups {
    // group of each pair of types; -1 if the pair does not belong to this style
    std::vector<std::vector<int>> of_types;
    bool has_all = true;
    // per group and value: -1 if the value changes sign when the pair is swapped
    std::vector<std::vector<double>> signs;
    std::vector<bool> acts_across_gap;    // per group: contacts that have touched persist across a gap
    std::vector<bool> from_films;         // per group: bridges hold liquid of the grains
    int volume = -1;                      // index of a bridge's volume; -1 without films
    // group bits of grains with a shape; pairs with at least one such grain form separate groups
    int shaped = 0;
    int first_of_shapes = 0;    // added to the group of the types
    int of(int itype, int jtype, int masks) const
    {
      const int group = of_types[itype][jtype];
      return group < 0 || !(masks & shaped) ? group : group + first_of_shapes;
    }
  };

  // These functions are called by the pair style on all ranks, even on ranks without pairs. `store_contacts_with_atoms`
  // is called before a run, `set_groups` when the groups are known, and `mark_list_newer` before an evaluation.
  void store_contacts_with_atoms();
  void set_groups(class GrainNeighbors *neighbors, Groups groups);

  void mark_list_newer();

  // called before and after atoms may be added or removed
  std::function<void(bool in_step)> before_exchange;
  std::function<void()> after_exchange;
  // `function` must be null if no call is needed: a call takes several per cent of the time of a step with two grains.
  // Must be called before LAMMPS reads setmask() at the start of a run.
  void call_after_step(std::function<void()> function);
  // If `watch` is true, a new list is requested when a grain has exceeded its motion budget. Must be called before
  // LAMMPS reads setmask().
  void watch_budgets(bool watch);
  // called in post_neighbor, before other fixes act on the particles
  std::function<void()> after_listing;
  std::function<void(int grain)> for_new_grain;

  granular_plus::ContactList contacts;
  // True while StateTransfer builds the list that will receive the contacts of an engine. Until then, it is unknown
  // which pairs act across a gap, so pairs that are too far apart to touch are also listed.
  bool lists_distant = false;

  virtual bool holds_liquid() const { return false; }
  // Called on all ranks, between runs, after store_contacts_with_atoms.
  bool has_history() const;

  const std::string contents;
  // Called between runs, after store_contacts_with_atoms.
  void resize_rows(int values, unsigned new_parts);

 protected:
  std::function<void()> after_step;
  bool watches_budgets = false;
  bool pairs_seen_once;
  const char *const kept, *const not_in_data;
  class GrainNeighbors *neighbors = nullptr;
  bool sends_budgets = false;
  Groups groups;
  bool warned_of_data = false;
  bool list_is_newer = false;      // the contact list is newer than the links of the atoms
  int law_values;                  // number of leading values that belong to the laws
  unsigned parts;                  // parts of the ledger, see HistoryLayout
  double widest_bond_gap = 0.0;    // largest gap across which any bond was formed

  granular_plus::ContactLinks links;
  std::vector<tagint> names;    // IDs by which links refer to atoms
  int atoms_listed = 0;
  int owned_listed = 0;
  bool disturbed = false;    // atoms were added or deleted while the contact list held history

  RestartHeader in_restart;
  int usable_values = -1;    // number of usable values of a contact in the restart file; -1 if none

  // A link stores the separation of the pair, which distinguishes images of the partner in a thin box.
  static constexpr int SEPARATION = 3;
  bool distinguish_images() const { return links.extra_values() > 0; }
  // Returns true if links refer to rows of the contact list, and false if each link has a row of its own.
  bool stay_in_list() const { return !distinguish_images() && !holds_liquid(); }
  void store_with_atoms();
  void copy_list_to_links();
  void forget_all();
  void find_max_links();
  int most_links() const;
  const tagint *names_of_atoms();
  int group_of(int a, int b) const;
  void forget(int atom_index);
  void rebuild_neighbors();
  // Called after the neighbour list has been rebuilt. `name` contains the IDs by which links refer to atoms.
  virtual void build_list(const tagint *name) = 0;
  virtual void on_groups_set(const Groups & /*groups*/) {}
  // called before rows in a restart file are discarded because they belong to other laws
  virtual void before_row_discarded(int /*atom_index*/, const double * /*packed*/) {}
  granular_plus::Link find_link(int a, int b, tagint partner) const;
  void add_contact(int atom, int partner, int pair, bool reversed);
};

}    // namespace LAMMPS_NS

#endif
