// The neighbours of each grain, in one row for each grain. The rows come from our own pair search or from LAMMPS's
// list. Owned by the pair style.
//
// In our own list, every grain has a motion budget of at most half the skin. A pair is listed if the distance between
// its centres is at most the sum of the radii, the two budgets and the gap across which the pair may act. The list is
// valid until a grain has moved further than its budget. The rows do not depend on how LAMMPS sorts atoms.

#ifndef LMP_GRANULAR_PLUS_GRAIN_NEIGHBORS_H
#define LMP_GRANULAR_PLUS_GRAIN_NEIGHBORS_H

#include "grain_radii.h"
#include "pointers.h"

#include "../core/history/contact_list.h"
#include "../core/history/motion_budget.h"
#include "../core/history/pair_search.h"

#include <optional>
#include <string>
#include <functional>
#include <vector>

namespace LAMMPS_NS {

class GrainNeighbors : protected Pointers {
 public:
  GrainNeighbors(LAMMPS *lmp, class Pair *pair, const GrainRadii &radii) : Pointers(lmp), pair(pair), radii(radii) {}
  ~GrainNeighbors() override;

  // values of the keyword list of pair_style, as stored in restart files
  enum class List { LAMMPS = 0, OWN = 1, CHOSEN = 2 };
  struct Choice {
    List list = List::CHOSEN;
    bool skin_given = false;    // if true, the skin of the script is kept
  } choice;

  // Called in init_style, on all ranks. Requests LAMMPS's list if this list is needed.
  // grains_grow: contacts make grains grow
  // pairs_seen_once: false if pairs that cross a rank's border are listed on both ranks
  // largest_radius: includes grains that will be inserted
  void init(bool acts_across_gap, bool grains_grow, bool pairs_seen_once, double largest_radius);
  bool see_pairs_once() const { return seen_once; }
  bool are_own() const { return own; }
  // called by init_one; gap is the largest gap across which grains of these types may act
  void set_gap(int itype, int jtype, double gap);
  // sets the gaps for the present radii; called before our own list is built
  std::function<void()> refresh_gaps;

  // Called before atoms are exchanged.
  void invalidate() { outdated = own; }
  bool are_outdated() const { return outdated; }
  // These functions are called on all ranks, in this order, to rebuild our own list. After set_budgets and before the
  // rows are built, the budgets are sent to the ghosts.
  void set_budgets();
  granular_plus::MotionBudget budget_rule() const;
  double budget(int grain) const { return budgets[grain]; }
  void set_budget(int grain, double budget) { budgets[grain] = budget; }
  void build();

  struct Row {
    int grain, count;
    const int *partners;    // may contain LAMMPS's special-neighbour bits
  };
  int row_count() const;
  Row row(int k) const;

  struct Kind {
    int type, mask;
    tagint molecule;
  };
  bool excludes(const Kind &a, const Kind &b) const;
  double gap_of_types(int itype, int jtype) const { return acts_across_gap ? gaps[itype][jtype] : 0.0; }
  double widest_gap() const { return largest_gap; }

  // Called on all ranks, after positions have been updated.
  bool budget_exceeded() const;
  // Switches off LAMMPS's own check of displacements if the budgets make this check unnecessary.
  void begin_run();
  void end_run();
  // true if the budgets cover all displacements
  bool watch_all_moves() const;
  // true if pairs depend only on positions and budgets, so that other code can build the list
  bool follow_from_budgets() const;
  // true if the two grains are close enough to be listed on some rank
  bool within_reach(int a, int b) const;
  // true if the two grains may touch before the next rebuild
  bool may_touch(int a, int b) const;

  // `pair` is the index in the list, or -1 if the pair is not listed. If the list holds the pair in reverse order or
  // through other images, i and j are replaced by the listed grains.
  struct Listed {
    int pair;
    bool swapped;
  };
  Listed find(const granular_plus::ContactList &list, int &i, int &j) const;

  // A restart file that is written during a run stores the skin of this run. A run that starts from the file uses this
  // skin.
  double skin_in_restart() const;
  void restore_skin(double skin) { restored_skin = skin; }

  double memory_usage() const;

 private:
  class Pair *pair;
  const GrainRadii &radii;
  const granular_plus::Kernels *kernels = nullptr;
  bool own = false, acts_across_gap = false, seen_once = true, outdated = false;
  bool radii_change = false;
  bool images_move = false;
  double skin = 0.0;    // skin at the start of this run, which determines which ghosts exist
  std::vector<std::vector<double>> gaps;
  double largest_gap = 0.0;

  std::vector<double> budgets, reach;    // for owned grains and ghosts
  std::vector<int> first, partners;      // start of each owned grain's row; all rows

  // the script's neigh_modify delay, while LAMMPS's check is off
  std::optional<int> script_delay;
  // the skin of the script, while a chosen skin (> 0) replaces it
  double chosen_skin = 0.0, script_skin = 0.0;
  double restored_skin = 0.0;    // skin from a restart file; 0 if there is none

  void choose_skin(double largest_radius);
  void restore_script_skin();
  bool acts_on_all_pairs() const;
  std::string reason_for_lammps() const;
  bool half_the_skin_for_all() const;
  bool grain_may_move_late() const;
  double gap(int a, int b) const;
  Kind kind(int a) const;
  bool is_first_image(int a, int b) const;
  void sort_rows();
};

}    // namespace LAMMPS_NS

#endif
