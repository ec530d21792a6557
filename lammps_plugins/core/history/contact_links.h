// Contact history that travels with the particles. Each particle has a chain of links, one per contact.
//
// Contacts between grains have links only while a neighbour list is being replaced. Such a link either refers to a pair
// of the contact list and the atom's side of this pair, or owns a row of values. Links of contacts with walls always
// own their rows.

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

enum class Link : int { NONE = -1 };
constexpr int index_of(Link link) { return static_cast<int>(link); }
// slot of the link's row in ContactLinks::history(), if all links own their rows
constexpr Slot slot_of(Link link) { return static_cast<Slot>(link); }

class ContactLinks {
 public:
  using Id = std::int64_t;    // ID of an atom, or of a part of a wall

  explicit ContactLinks(int values, const ContactList *listed = nullptr) : values(values), listed(listed) {}

  // signs[group][value]: -1 if the value changes sign when the pair is swapped, otherwise 1
  std::vector<std::vector<double>> signs;

  int row_size() const { return values; }
  // Number of extra values of each link. Extra values hold the separation of a pair in a thin box, or the last normal
  // and distance of a contact with a wall.
  int extra_values() const { return extra; }
  void set_extra_values(int numbers);

  // Links of pairs exist only while a list is being replaced; at other times the contact list holds all history.
  bool are_active() const { return active; }
  void activate(int owned_and_ghosts, int room);
  void reserve(std::size_t links_to_come, bool with_own_rows);
  void deactivate();

  // Per-atom arrays. The name of an atom is its ID; a new atom has the name 0.
  void grow(int atoms);
  void copy(int from, int to);
  void forget(int atom);
  void forget_all() { std::fill_n(head.data(), room, Link::NONE); }
  Id id(int atom) const { return active ? ids[atom] : 0; }
  void set_id(int atom, Id id) { ids[atom] = id; }

  Link first(int atom) const { return active ? head[atom] : Link::NONE; }
  Link next(Link link) const { return entry(link).next; }
  bool has(int atom) const { return first(atom) != Link::NONE; }
  Id partner(Link link) const { return entry(link).partner; }
  bool any_has_history(int atoms) const
  {
    int atom = 0;
    while (atom < atoms && !has(atom)) ++atom;
    return atom < atoms && values > 0;
  }
  std::size_t count() const { return entries.size(); }
  int count(int atom) const;

  // Adds a link to a pair of the contact list. reversed: the atom is the second atom of the pair.
  void add(int atom, Id partner, int pair, bool reversed);
  Link add(int atom, Id partner);
  // Gives a row to the link that was added last. This link must refer to a pair.
  Link give_last_own_row();

  // Empties a chain and lists its links in `taken`. append() appends a link to a chain. recycle() frees a link.
  void detach_links(int atom, std::vector<Link> &taken)
  {
    taken.clear();
    for (Link link = head[atom]; link != Link::NONE; link = next(link)) taken.push_back(link);
    head[atom] = Link::NONE;
  }
  Link make(Id partner);
  int append(int atom, Link link)
  {
    int count = 1;
    Link *end = &head[atom];
    for (; *end != Link::NONE; end = &entry(*end).next) ++count;
    *end = link;
    entry(link).next = Link::NONE;
    return count;
  }
  void recycle(Link link) { dropped.push_back(link); }
  Link find(const std::vector<Link> &taken, Id partner) const
  {
    for (const Link link : taken)
      if (entry(link).partner == partner) return link;
    return Link::NONE;
  }
  bool holds(int atom, Link sought) const
  {
    Link link = head[atom];
    while (link != Link::NONE && link != sought) link = next(link);
    return link != Link::NONE;
  }
  // Keeps only the chains of the first `atoms` atoms. All links must own their rows.
  void compact(int atoms);

  bool owns_row(Link link) const { return entry(link).row_or_pair >= 0; }
  double *own_row(Link link) { return row_at(entry(link).row_or_pair); }
  const double *own_row(Link link) const { return const_cast<ContactLinks *>(this)->own_row(link); }
  double *own_extra(Link link) { return extras.data() + static_cast<std::size_t>(entry(link).row_or_pair) * extra; }
  const double *own_extra(Link link) const { return const_cast<ContactLinks *>(this)->own_extra(link); }
  // The returned History becomes invalid as soon as a link is added.
  History history() { return {nullptr, own.data(), values, nullptr}; }
  static constexpr int ALIVE = 1;    // stored behind the values of a contact that still exists
  // Returns the row as stored, without changes of sign for the atom's side of the pair.
  const double *row(Link link) const
  {
    return owns_row(link) ? own_row(link) : listed->row_in_complete_list(~entry(link).row_or_pair / 2);
  }
  void copy_row(Link link, double *to) const;

  // Resizes the rows for the values of a ledger. The first `staying` values stay in place. The values of each
  // RememberedPart move from index from[part] to index to[part]. An index of -1 means that the part is not stored.
  using PartOffsets = std::array<int, REMEMBERED_PARTS>;
  void resize_rows(int new_values, int staying, const PartOffsets &from, const PartOffsets &to);

  // The packed data of an atom are the number of its links, then the partner, the row and the extra values of each
  // link. unpack reads only the first `taken` of the row_size values of each packed row. All three functions
  // return the number of packed doubles.
  int packed_size(int links_of_atom) const { return 1 + links_of_atom * (1 + values + extra); }
  int pack(int atom, double *buffer) const;
  int unpack(int atom, const double *buffer, int row_size, int taken, int extra_there);
  int unpack(int atom, const double *buffer) { return unpack(atom, buffer, values, values, extra); }

  double memory_usage() const;

 private:
  struct Entry {
    Id partner;
    Link next;
    int row_or_pair;    // index of the link's own row; if negative, ~row_or_pair is 2 * pair + side
  };
  int values, extra = 0;
  const ContactList *listed;
  bool active = true;
  int room = 0;
  Buffer<Link> head;
  Buffer<Id> ids;
  std::vector<Entry> entries;
  std::vector<Link> dropped;
  std::vector<double> own, extras;    // `own` is followed by READ_AHEAD values
  int own_count = 0;

  Entry &entry(Link link) { return entries[index_of(link)]; }
  const Entry &entry(Link link) const { return entries[index_of(link)]; }
  Link last() const { return Link{static_cast<int>(entries.size()) - 1}; }
  int stride() const { return values + 1; }
  double *row_at(int place) { return own.data() + static_cast<std::size_t>(place) * stride(); }
  int new_row();
  void clear_row(int place);
};

}    // namespace granular_plus

#endif
