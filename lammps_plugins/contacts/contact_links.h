// What contacts remember, by particle: of each a chain of links, one for each of its contacts, that travels with it. Knows
// neither LAMMPS nor physics.
//
// Contacts of pairs have links on their way from one neighbour list to the next; the values of a link are then those of a pair
// of the contact list, seen from this atom, or a row of its own. Contacts with walls, of which there is no list, have their
// rows here all the time.

#ifndef GRANULAR_PLUS_CONTACT_LINKS_H
#define GRANULAR_PLUS_CONTACT_LINKS_H

#include "contact_list.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace granular_plus {

class ContactLinks {
 public:
  using Name = std::int64_t;    // ID of an atom, or which part of a wall

  // of so many values; of pairs that are in this list
  explicit ContactLinks(int values, const ContactList *listed = nullptr) : values(values), listed(listed) {}

  std::vector<std::vector<double>> signs;    // by group and value: -1 where the order of the pair changes the sign

  int row_size() const { return values; }
  // Numbers that go with a link beside its row: a separation where a box is so thin that a pair may be in contact through
  // several images, which it tells apart; where a wall was last seen.
  int numbers_beside() const { return beside; }
  void keep_beside(int numbers);

  // Links of pairs are there between two lists, of atoms for which there is room. While the contact list holds all history,
  // there are none.
  bool exist() const { return are_there; }
  void begin(int owned_and_ghosts, int room);
  void reserve(std::size_t links_to_come, bool with_own_rows);
  void end();

  // arrays that go with the atoms; the name by which links call the atom, 0 for an atom that is new
  void grow(int atoms);
  void copy(int from, int to);
  void forget(int atom);
  void forget_all() { head.assign(head.size(), -1); }
  Name name(int atom) const { return are_there ? names[atom] : 0; }
  void set_name(int atom, Name name) { names[atom] = name; }

  int first(int atom) const { return are_there ? head[atom] : -1; }
  int next(int link) const { return links[link].next; }    // -1: that was the last one
  bool has(int atom) const { return first(atom) >= 0; }
  Name partner(int link) const { return links[link].partner; }
  std::size_t count() const { return links.size(); }
  int count(int atom) const;

  // of a pair of the contact list; reversed: the atom is its second
  void add(int atom, Name partner, int pair, bool reversed);
  // with a row of its own, which holds nothing; comes first in its chain
  int add(int atom, Name partner);
  // a row of its own for the last link, which is one of a pair
  int own_last();

  // Takes a chain apart. Its links, and one that is made anew, belong to nobody until they are put into a chain, at its end,
  // or dropped.
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
  // Where all links have rows of their own: leaves nothing but the chains of the first atoms, in their order.
  void tidy(int atoms);

  bool owns_row(int link) const { return links[link].place >= 0; }
  double *own_row(int link) { return row_at(links[link].place); }
  const double *own_row(int link) const { return const_cast<ContactLinks *>(this)->own_row(link); }
  double *own_beside(int link) { return at_side.data() + static_cast<std::size_t>(links[link].place) * beside; }
  const double *own_beside(int link) const { return const_cast<ContactLinks *>(this)->own_beside(link); }
  // for the kernels, until the next one is made: slots are links, where none is of a pair
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
  std::vector<int> head;    // of each atom
  std::vector<Name> names;
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
