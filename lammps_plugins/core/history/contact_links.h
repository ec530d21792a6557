// What contacts remember: each particle has a chain of links, one per contact, which travels with it. Knows neither LAMMPS
// nor physics.
//
// Contacts between grains are links only between two neighbour lists. Such a link refers to a pair of the contact list, as seen
// from this atom, or owns a row. Contacts with walls are in no list; their rows are always here.

#ifndef GRANULAR_PLUS_CONTACT_LINKS_H
#define GRANULAR_PLUS_CONTACT_LINKS_H

#include "../kernels/buffer.h"
#include "contact_list.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace granular_plus {

class ContactLinks {
 public:
  using Name = std::int64_t;    // ID of an atom, or which part of a wall

  // values per row; the contact list that links may refer to
  explicit ContactLinks(int values, const ContactList *listed = nullptr) : values(values), listed(listed) {}

  std::vector<std::vector<double>> signs;    // by group and value: -1 where the order of the pair changes the sign

  int row_size() const { return values; }
  // Extra numbers per link: for pairs in a thin box the separation, which tells images apart; for walls the last normal and
  // distance.
  int numbers_beside() const { return beside; }
  void keep_beside(int numbers);

  // Links of pairs exist only between two lists. While the contact list holds all history, there are none.
  bool exist() const { return are_there; }
  void begin(int owned_and_ghosts, int room);
  void reserve(std::size_t links_to_come, bool with_own_rows);
  void end();

  // arrays that go with the atoms; the name by which links call the atom, 0 for an atom that is new
  void grow(int atoms);
  void copy(int from, int to);
  void forget(int atom);
  void forget_all() { std::fill_n(head.data(), room, -1); }
  Name name(int atom) const { return are_there ? names[atom] : 0; }
  void set_name(int atom, Name name) { names[atom] = name; }

  int first(int atom) const { return are_there ? head[atom] : -1; }
  int next(int link) const { return links[link].next; }    // -1: that was the last one
  bool has(int atom) const { return first(atom) >= 0; }
  Name partner(int link) const { return links[link].partner; }
  // whether any contact of the first atoms remembers values
  bool remember(int atoms) const
  {
    int atom = 0;
    while (atom < atoms && !has(atom)) ++atom;
    return atom < atoms && values > 0;
  }
  std::size_t count() const { return links.size(); }
  int count(int atom) const;

  // of a pair of the contact list; reversed: the atom is its second
  void add(int atom, Name partner, int pair, bool reversed);
  // with an empty row of its own, at the head of the chain
  int add(int atom, Name partner);
  // Gives the link added last, which refers to a pair, a row of its own.
  int own_last();

  // Empties a chain. Its links, and those from make(), are in no chain until put_back() appends or drop() frees them.
  void take_out(int atom, std::vector<int> &taken)
  {
    taken.clear();
    for (int link = head[atom]; link >= 0; link = links[link].next) taken.push_back(link);
    head[atom] = -1;
  }
  int make(Name partner);
  int put_back(int atom, int link)    // returns how many there are in the chain
  {
    int count = 1, *end = &head[atom];
    for (; *end >= 0; end = &links[*end].next) ++count;
    *end = link;
    links[link].next = -1;
    return count;
  }
  void drop(int link) { dropped.push_back(link); }
  int find(const std::vector<int> &taken, Name partner) const    // -1: none
  {
    for (const int link : taken)
      if (links[link].partner == partner) return link;
    return -1;
  }
  bool holds(int atom, int sought) const    // the atom's chain
  {
    int link = head[atom];
    while (link >= 0 && link != sought) link = links[link].next;
    return link >= 0;
  }
  // Only the chains of the first atoms stay, and the links lie in their order. All links must own their rows.
  void tidy(int atoms);

  bool owns_row(int link) const { return links[link].place >= 0; }
  double *own_row(int link) { return row_at(links[link].place); }
  const double *own_row(int link) const { return const_cast<ContactLinks *>(this)->own_row(link); }
  double *own_beside(int link) { return at_side.data() + static_cast<std::size_t>(links[link].place) * beside; }
  const double *own_beside(int link) const { return const_cast<ContactLinks *>(this)->own_beside(link); }
  // For the kernels, until a link is made. Slots are link numbers if all links own their rows.
  History history() { return {nullptr, own.data(), values, nullptr}; }
  static constexpr int ALIVE = 1;    // the stamp behind a row of a contact that goes on
  // as they stand in the contact list, from either side
  const double *row(int link) const
  {
    return owns_row(link) ? own_row(link) : listed->row_before(~links[link].place / 2);
  }
  void copy_row(int link, double *to) const;

  // Rows get room for what a ledger remembers, or lose it: the first values stay, others move from where they began to
  // where they begin.
  using Beginnings = std::array<int, REMEMBERED_PARTS>;
  void resize_rows(int new_values, int staying, const Beginnings &from, const Beginnings &to);

  // An atom's links as numbers: how many they are, and of each the partner, the row and what is beside it. Unpacking adds to
  // those that the atom has, from rows of any size, of which the first values are taken; both return how many numbers.
  int packed_size(int links_of_atom) const { return 1 + links_of_atom * (1 + values + beside); }
  int pack(int atom, double *buffer) const;
  int unpack(int atom, const double *buffer, int row_size, int taken, int beside_there);
  int unpack(int atom, const double *buffer) { return unpack(atom, buffer, values, values, beside); }

  double memory_usage() const;

 private:
  struct Link {
    Name partner;
    int next;
    int place;    // of its own row, or below 0: of a pair
  };
  int values, beside = 0;
  const ContactList *listed;
  bool are_there = true;
  int room = 0;        // atoms for which there are these
  Buffer<int> head;    // of each atom, its first link
  Buffer<Name> names;
  std::vector<Link> links;
  std::vector<int> dropped;
  std::vector<double> own, at_side;    // own: rows of History, with READ_AHEAD behind them
  int own_count = 0;

  int stride() const { return values + 1; }
  double *row_at(int place) { return own.data() + static_cast<std::size_t>(place) * stride(); }
  int new_place();
  void empty(int place);
};

}    // namespace granular_plus

#endif
