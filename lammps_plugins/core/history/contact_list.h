// Who may touch whom, and what contacts remember, between two neighbour lists. Knows neither LAMMPS nor physics.
//
// Pairs lie sorted by group, those of a group sharing their contact model. A pair takes a slot, a row of values, when it
// first touches; a stamp behind the values tells in which evaluation the contact was last alive. Pairs that part need not
// be visited to be forgotten.

#ifndef GRANULAR_PLUS_CONTACT_LIST_H
#define GRANULAR_PLUS_CONTACT_LIST_H

#include "near_pairs.h"

#include <string>
#include <vector>

namespace granular_plus {

// What one rank cannot hold, empty if it can: RowOffset and PairIndex are no wider.
std::string beyond_limits(long long particles, long long pairs);

class ContactList {
 public:
  explicit ContactList(int values) : values(values) {}

  // values that a contact remembers; the list is empty afterwards
  void resize_rows(int new_values);
  int row_size() const { return values; }

  // A new list: room for so many pairs of each group, then pairs in any order, then close. A contact that goes on brings
  // what it remembers, if anything; special is the kind of special neighbour, of which LAMMPS may scale the forces. Until
  // it is closed the rows of the list before can be read.
  void renew(const std::vector<int> &pairs_by_group, bool scales_forces);
  void add(int group, int i, int j, int special, bool goes_on, const double *remembered);
  void close();

  int size() const { return now.first.empty() ? 0 : now.first.back(); }
  int groups() const { return static_cast<int>(now.first.size()) - 1; }
  int begin(int group) const { return now.first[group]; }
  int end(int group) const { return now.first[group + 1]; }
  int i(int pair) const { return Pairs::particle_of(row_i[pair]); }
  int j(int pair) const { return Pairs::particle_of(row_j[pair]); }
  // index of a pair, -1 if it is not listed; those of a particle i follow one another
  int find(int i, int j) const;

  // of a pair in the list that is being replaced, else in this one
  const double *row_before(int pair) const { return row_in(before.rows.data() ? before : now, pair); }
  int group_before(int pair) const;

  // Each evaluation that writes history has a number, counted from 1 since the list was made.
  int evaluation() const { return evaluations; }
  void begin_evaluation(LoopOptions &options)
  {
    options.stamp_before = evaluations;
    options.stamp_now = options.mode == Mode::STEP ? ++evaluations : evaluations;
  }
  bool alive(int pair) const { return now.slot[pair] >= 0 && row(pair)[values] == evaluations; }
  // alive in the evaluation before the last and no longer
  bool ended(int pair) const { return now.slot[pair] >= 0 && row(pair)[values] == evaluations - 1; }
  // at most as many contacts are alive
  int rows_used() const { return slots_used; }
  // of pairs that have had a contact
  const double *row(int pair) const { return row_in(now, pair); }
  double *row(int pair) { return history().row(now.slot[pair]); }

  // for the kernels
  History history() { return {now.slot.data(), now.rows.data(), values, &slots_used}; }
  // The pairs that can touch soon; sets where each group of them begins and ends. Radii may have changed since the last
  // call where sizes_vary; the kernels list contacts that end where lists_ended.
  Pairs near_pairs(const Kernels &, const Particles &, int particle_count, std::vector<PairGroup> &, double skin,
                   bool sizes_vary, bool lists_ended, LoopWork &);
  // as they are since
  Pairs listed_pairs();
  // those pairs of a group that touch, as the kernels find them among the near ones; returns how many
  int find_touching(int group, const double *const *position, const double *radius, int *found) const;
  // after an evaluation in setup, which ends no contact
  void select_anew() { selection.discard(); }
  // near pairs are not asked for soon
  void release_near_pairs() { selection.release(); }
  // The row of a near pair, which is alive afterwards and holds nothing unless it was alive before.
  double *begin_contact(const Pairs &pairs, int near_pair, int stamp);
  // Contacts of a group that have ended, found by their stamps: of grains with a shape. Valid until the next call.
  const std::vector<PairIndex> &ended_pairs(int group);

  double memory_usage() const;

 private:
  int values;
  struct Remembered {
    std::vector<int> first;    // pair of each group, and the end
    std::vector<PairIndex> slot;
    Buffer<double> rows;
  } now, before;
  const double *row_in(const Remembered &list, int pair) const
  {
    return list.rows.data() + static_cast<long>(list.slot[pair]) * (values + 1);
  }

  std::vector<int> next;
  std::vector<RowOffset> row_i, row_j;
  std::vector<unsigned char> special;    // empty where no force is scaled
  int slots_used = 0, evaluations = 1;
  bool is_new = true;    // since near pairs were last selected
  NearPairs selection;

  std::vector<PairIndex> over;    // contacts that have ended
};

}    // namespace granular_plus

#endif
