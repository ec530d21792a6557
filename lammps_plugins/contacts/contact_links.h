// What contacts remember, on its way from one neighbour list to the next: of each atom a chain of links, one for each of
// its contacts, that travels with the atom. Knows neither LAMMPS nor physics.
//
// Values of a link are those of a pair of the contact list, seen from this atom, or the link's own. They end with the
// separation from the partner where a box is so thin that a pair may be in contact through several images, which the
// separation tells apart.

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
  using Name = std::int64_t;    // ID of an atom

  explicit ContactLinks(const ContactList &contacts) : contacts(contacts) {}

  bool tell_images = false;                  // values end with a separation
  std::vector<std::vector<double>> signs;    // by group and value: -1 where the order of the pair changes the sign

  // Values of an atom: those of the contact list's rows, and the separation.
  int size() const { return contacts.row_size() + (tell_images ? 3 : 0); }

  // Links are there between two lists, of atoms for which there is room. While the contact list holds all history, there
  // are none.
  bool exist() const { return are_there; }
  void begin(int owned_and_ghosts, int room);
  void reserve(std::size_t links_to_come, bool with_own_values);
  void end();

  // arrays that go with the atoms; the name by which links call the atom, 0 for an atom that is new
  void grow(int atoms);
  void copy(int from, int to);
  void forget(int atom);
  Name name(int atom) const { return are_there ? names[atom] : 0; }
  void set_name(int atom, Name name) { names[atom] = name; }

  int first(int atom) const { return are_there ? head[atom] : -1; }
  int next(int link) const { return links[link].next; }    // -1: that was the last one
  Name partner(int link) const { return links[link].partner; }
  std::size_t count() const { return links.size(); }
  int count(int atom) const;

  // of a pair of the contact list; reversed: the atom is its second
  void add(int atom, Name partner, int pair, bool reversed);
  // with values of its own, to be filled in
  double *add(int atom, Name partner);
  // of the last link, which is one of a pair; returns where a separation goes
  double *make_values_its_own();

  bool owns_values(int link) const { return links[link].place >= 0; }
  double *own_values(int link) { return own.data() + static_cast<std::size_t>(links[link].place) * size(); }
  const double *own_values(int link) const { return const_cast<ContactLinks *>(this)->own_values(link); }
  const double *separation(int link) const { return own_values(link) + contacts.row_size(); }
  // as they stand in the contact list, from either side
  const double *row(int link) const
  {
    return owns_values(link) ? own_values(link) : contacts.row_before(~links[link].place / 2);
  }
  void copy_values(int link, double *to) const;

  // Rows get room for what a ledger remembers, or lose it: the first values stay, others move from where they began to
  // where they begin. The contact list is empty afterwards.
  using Beginnings = std::array<int, REMEMBERED_PARTS>;
  void resize_rows(ContactList &list, int values, int staying, const Beginnings &from, const Beginnings &to);

  // An atom's links as numbers: how many they are, and of each the partner and the values. Unpacking adds to those that the
  // atom has, from rows of any size, of which the first values are taken; both return how many numbers.
  int packed_size(int links_of_atom) const { return 1 + links_of_atom * (1 + size()); }
  int pack(int atom, double *buffer) const;
  int unpack(int atom, const double *buffer, int row_size, int taken);
  int unpack(int atom, const double *buffer) { return unpack(atom, buffer, contacts.row_size(), contacts.row_size()); }

  double memory_usage() const;

 private:
  struct Link {
    Name partner;
    int next;
    int place;    // among own values, or below 0: of a pair
  };
  const ContactList &contacts;
  bool are_there = true;
  std::vector<int> head;    // of each atom
  std::vector<Name> names;
  std::vector<Link> links;
  std::vector<double> own;
  int own_count = 0;
};

}    // namespace granular_plus

#endif
