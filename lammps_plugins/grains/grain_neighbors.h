// Which grains may come to touch before the next neighbour list, in rows: from a search of our own, or from LAMMPS's list.
//
// In a list of our own every grain has a budget of motion. A pair is listed where its distance is not more than the sum of the
// radii, the two budgets and the gap across which the pair may act. A list serves until a grain has moved further than its
// budget, which is larger for a grain that flies than for one that lies. As ghosts are sent for moves of half the skin, no
// budget is larger than that.
//
// The rows of our own list do not depend on how LAMMPS has sorted its atoms: the pair belongs to one of its grains by their IDs,
// and partners follow one another by ID.

#ifndef LMP_GRANULAR_PLUS_GRAIN_NEIGHBORS_H
#define LMP_GRANULAR_PLUS_GRAIN_NEIGHBORS_H

#include "pointers.h"

#include "../core/history/contact_list.h"
#include "../core/history/pair_search.h"
#include "../glue/box_moves.h"

#include <string>
#include <vector>

namespace LAMMPS_NS {

class GrainNeighbors : protected Pointers {
 public:
  GrainNeighbors(LAMMPS *lmp, class Pair *pair) : Pointers(lmp), pair(pair) {}
  ~GrainNeighbors() override { give_back_skin(); }

  struct Choice {
    bool own = false;           // where nothing needs LAMMPS's list
    bool skin_given = false;    // by the script; else, with a list of our own, that which suits the run
  } choice;

  // In init_style, on all processors. Asks LAMMPS for a list where ours cannot serve.
  void init(bool acts_across_gap);
  bool are_own() const { return own; }
  // of pairs of types, as their cutoffs become known: across which gap they may act
  void set_gap(int itype, int jtype, double gap);

  // Atoms are about to be exchanged: rows of our own must be made anew with the next neighbour list.
  void expire() { out_of_date = own; }
  bool are_out_of_date() const { return out_of_date; }
  // With a new neighbour list, on all processors, in this order: how far each grain may move; send ghosts the budgets of their
  // owners, with pack and unpack; then make the rows.
  void give_budgets();
  double budget(int grain) const { return budgets[grain]; }
  void set_budget(int grain, double budget) { budgets[grain] = budget; }
  void list();

  struct Row {
    int grain, count;
    const int *partners;    // with LAMMPS's bits of special neighbours
  };
  int row_count() const;
  Row row(int k) const;

  // of pairs, as far as neigh_modify exclude asks
  struct Kind {
    int type, mask;
    tagint molecule;
  };
  bool excludes(const Kind &a, const Kind &b) const;
  double gap_of_types(int itype, int jtype) const { return acts_across_gap ? gaps[itype][jtype] : 0.0; }
  double widest_gap() const { return largest_gap; }

  // on all processors, after grains have moved: has one of them outrun its budget?
  bool outrun() const;
  // whether grains as near as these are listed, by whichever processor
  bool lists(int a, int b) const;
  // whether they may touch before the next list
  bool may_touch(int a, int b) const;

  // Where a list holds this pair, be it as its two images on the other side of a periodic boundary; -1: nowhere. i and j are
  // then as the list has them, and the result says whether they have changed places.
  struct Listed {
    int pair;
    bool swapped;
  };
  Listed find(const granular_plus::ContactList &list, int &i, int &j) const;

  // A run that goes on from a restart file written in its midst has the skin with which that began.
  double skin_in_restart() const;
  void restore_skin(double skin) { restored_skin = skin; }

  double memory_usage() const;

 private:
  class Pair *pair;
  const granular_plus::Kernels *kernels = nullptr;
  bool own = false, acts_across_gap = false, out_of_date = false;
  bool radii_change = false;    // some fix makes grains grow
  bool images_move = false;     // with a box that changes
  double skin = 0.0;            // of this run, for which LAMMPS sends ghosts
  std::vector<std::vector<double>> gaps;
  double largest_gap = 0.0;

  granular_plus::PairSearch search;
  std::vector<double> budgets, reach;            // of owned grains and ghosts
  std::vector<double> listed_at, radius_then;    // of owned grains, when the list was made
  BoxMoves box;                                  // since then
  std::vector<int> first, partners;              // rows of our own
  std::vector<int> holder, other;                // of each pair, before they are in rows

  double chosen_skin = 0.0, given_skin = 0.0;    // 0: none has been chosen; the script's then
  double restored_skin = 0.0;                    // 0: none

  void choose_skin();
  void give_back_skin();
  std::string needs_lammps() const;
  bool half_the_skin_for_all() const;
  double gap(int a, int b) const;
  Kind kind(int a) const;
  void sort_rows();
};

}    // namespace LAMMPS_NS

#endif
