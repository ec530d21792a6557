// The candidate pairs of a neighbour list and the history of their contacts.
//
// Pairs are sorted by group. All pairs of a group share a contact model. A slot is a row of values. A pair whose
// contact continues receives a slot when the list is built. Any other pair receives a slot when the grains first touch
// or, if they attract each other by van der Waals forces, when they first come within range. The stamp after the values
// is the number of the evaluation in which the contact was last alive, or 0.

#ifndef GRANULAR_PLUS_CONTACT_LIST_H
#define GRANULAR_PLUS_CONTACT_LIST_H

#include "near_pairs.h"

#include <string>
#include <vector>

namespace granular_plus {

// Returns an error message if a rank has more particles or pairs than RowOffset and PairIndex can count, otherwise "".
std::string limit_exceeded_message(long long particles, long long pairs);

class ContactList {
 public:
  explicit ContactList(int values) : values(values) {}

  // Sets the number of values per contact and empties the list.
  void resize_rows(int new_values);
  int row_size() const { return values; }

  // These functions build a new list: begin_new_list reserves room for each group, add appends a pair, and
  // finish_new_list completes the list. Pairs must be added in ascending order of i. continues: true if the contact
  // continues; `values_of_contact` then holds its values. special: kind of special neighbour (special_bonds).
  // Rows of the previous list can be read until finish_new_list is called.
  void begin_new_list(const std::vector<int> &pairs_by_group, bool scales_forces);
  void add(int group, int i, int j, int special, bool continues, const double *values_of_contact);
  void finish_new_list();

  int size() const { return current_list.first.empty() ? 0 : current_list.first.back(); }
  int groups() const { return static_cast<int>(current_list.first.size()) - 1; }
  int begin(int group) const { return current_list.first[group]; }
  int end(int group) const { return current_list.first[group + 1]; }
  int i(int pair) const { return Pairs::particle_of(row_i[pair]); }
  int j(int pair) const { return Pairs::particle_of(row_j[pair]); }
  // Returns -1 if the pair is not listed.
  int find(int i, int j) const;

  // Returns the row in the previous list while a new list is being built, otherwise in the present list.
  const double *row_in_complete_list(int pair) const
  {
    return row_in(previous_list.rows.data() ? previous_list : current_list, pair);
  }
  int group_before(int pair) const;

  // 1 when the list is built; increases by 1 in each evaluation with Mode::STEP
  int evaluation() const { return evaluations; }
  void begin_evaluation(LoopOptions &options)
  {
    options.stamp_before = evaluations;
    options.stamp_now = options.mode == Mode::STEP ? ++evaluations : evaluations;
  }
  bool is_alive(int pair) const { return current_list.slot[pair] != Slot::NONE && row(pair)[values] == evaluations; }
  // Returns whether the contact ended in the last evaluation, i.e. was last alive in the evaluation before.
  bool has_ended(int pair) const
  {
    return current_list.slot[pair] != Slot::NONE && row(pair)[values] == evaluations - 1;
  }
  // upper bound of the number of contacts that are alive
  int rows_used() const { return slots_used; }
  const double *row(int pair) const { return row_in(current_list, pair); }
  double *row(int pair) { return history().row(current_list.slot[pair]); }

  History history() { return {current_list.slot.data(), current_list.rows.data(), values, &slots_used}; }
  // Selects the pairs whose grains may soon act on each other, and sets `begin` and `end` of each group. sizes_vary:
  // true if radii may have changed since the last call. lists_ended: true if the kernels must list contacts that end.
  Pairs select_near_pairs(const Kernels &, const Particles &, int particle_count, std::vector<PairGroup> &, double skin,
                          bool sizes_vary, bool lists_ended, LoopWork &);
  Pairs listed_pairs();
  // Writes to `found` the pairs of a group that touch, and returns the number of these pairs.
  int find_touching(int group, const double *const *position, const double *radius, int *found) const;
  // If ending contacts are listed for a ledger, this function must be called after each evaluation in setup, because
  // the evaluation clears Pairs::had_contact of contacts whose losses the next step must count.
  void discard_near_pairs() { selection.discard(); }
  void release_near_pairs() { selection.release(); }
  // Returns the row of the contact and marks the contact as alive.
  double *begin_contact(const Pairs &pairs, int near_pair, int stamp);
  // Returns the pairs of shaped grains in a group whose contacts have ended. The result is valid until the next call.
  const std::vector<PairIndex> &ended_pairs(int group);

  double memory_usage() const;

 private:
  int values;
  struct PairsAndRows {
    std::vector<int> first;    // first pair of each group, then the total number of pairs
    std::vector<Slot> slot;
    Buffer<double> rows;
  } current_list, previous_list;
  const double *row_in(const PairsAndRows &list, int pair) const
  {
    return list.rows.data() + static_cast<long>(list.slot[pair]) * (values + 1);
  }

  std::vector<int> next;
  std::vector<RowOffset> row_i, row_j;
  std::vector<unsigned char> special;    // empty if no forces are scaled
  int slots_used = 0, evaluations = 1;
  bool is_new = true;
  NearPairs selection;

  std::vector<PairIndex> ended_contacts;
};

}    // namespace granular_plus

#endif
