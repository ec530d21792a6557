// Who may touch whom, and what contacts remember, between two neighbour lists. Knows neither LAMMPS nor physics.
//
// Pairs lie sorted by group, those of a group sharing their contact model. A pair takes a slot, a row of values, when it
// first touches; a stamp behind the values tells in which evaluation the contact was last alive. Pairs that part need not
// be visited to be forgotten.

#ifndef GRANULAR_PLUS_CONTACT_LIST_H
#define GRANULAR_PLUS_CONTACT_LIST_H

#include "../kernels/near_pairs.h"

#include <memory>
#include <new>
#include <string>
#include <vector>

namespace granular_plus {

// What one processor cannot hold, empty if it can: RowOffset and PairIndex are no wider.
std::string beyond_limits(long long particles, long long pairs);

class ContactList {
 public:
  explicit ContactList(int values) : values(values) {}

  // values that a contact remembers; the list is empty afterwards
  void resize_rows(int new_values);
  int row_size() const { return values; }

  // A new list: room for so many pairs of each group, then pairs in any order, then close. A contact that goes on brings
  // what it remembers, if anything; special is the kind of special neighbour, of which LAMMPS may scale the forces.
  void renew(const std::vector<int> &pairs_by_group, bool scales_forces);
  void add(int group, int i, int j, int special, bool goes_on, const double *remembered);
  void close();

  int size() const { return first.empty() ? 0 : first.back(); }
  int groups() const { return static_cast<int>(first.size()) - 1; }
  int begin(int group) const { return first[group]; }
  int end(int group) const { return first[group + 1]; }
  int i(int pair) const { return index_i[pair]; }
  int j(int pair) const { return index_j[pair]; }
  // index of a pair, -1 if it is not listed; those of a particle i follow one another
  int find(int i, int j) const;

  // Each evaluation that writes history has a number, counted from 1 since the list was made.
  int evaluation() const { return evaluations; }
  int begin_evaluation() { return ++evaluations; }
  bool alive(int pair) const { return slot[pair] >= 0 && row(pair)[values] == evaluations; }
  // alive in the evaluation before the last and no longer
  bool ended(int pair) const { return slot[pair] >= 0 && row(pair)[values] == evaluations - 1; }
  // at most as many contacts are alive
  int rows_used() const { return slots_used; }
  // of pairs that have had a contact
  const double *row(int pair) const { return rows.get() + static_cast<long>(slot[pair]) * (values + 1); }

  // for the kernels
  History history() { return {slot.data(), rows.get(), values, &slots_used}; }
  // The pairs that can touch soon; sets where each group of them begins and ends. Radii may have changed since the last
  // call where sizes_vary; the kernels list contacts that end where lists_ended.
  Pairs near_pairs(const Kernels &, const Particles &, int particle_count, std::vector<PairGroup> &, double skin,
                   bool sizes_vary, bool lists_ended, LoopWork &);
  // as they are since
  Pairs listed_pairs();
  // after an evaluation in setup, which ends no contact
  void select_anew() { selection.discard(); }
  // The row of a near pair, which is alive afterwards and holds nothing unless it was alive before.
  double *begin_contact(Pairs &pairs, int near_pair, int alive);
  // Contacts of a group that have ended, found by their stamps: of grains with a shape. Valid until the next call.
  Pairs ended_pairs(int group, int &count);

  double memory_usage() const;

 private:
  int values;
  std::vector<int> first, next, index_i, index_j;
  std::vector<PairIndex> slot;
  std::vector<unsigned char> special;    // empty where no force is scaled
  int slots_used = 0, slot_capacity = 0, evaluations = 1;
  bool is_new = true;    // since near pairs were last selected
  NearPairs selection;

  // aligned, so that the rows of three values and their stamp lie within a cache line each
  static constexpr std::align_val_t ALIGNMENT{64};
  struct AlignedDelete {
    void operator()(double *memory) const { operator delete[](memory, ALIGNMENT); }
  };
  std::unique_ptr<double[], AlignedDelete> rows;

  struct {
    std::vector<RowOffset> row_i, row_j;
    std::vector<PairIndex> slot, contact;
  } over;    // contacts that have ended
};

}    // namespace granular_plus

#endif
