// Contacts that displace the surface of their grains at other contacts (laws that couple contacts, see
// core/laws/normal/nonlocal_law.h). Their forces are found by iteration, on all ranks together.

#ifndef LMP_GRANULAR_PLUS_COUPLED_CONTACTS_H
#define LMP_GRANULAR_PLUS_COUPLED_CONTACTS_H

#include "pointers.h"

#include "../core/laws/normal/nonlocal_law.h"

#include <cstddef>
#include <string>
#include <vector>

namespace LAMMPS_NS {

class CoupledContacts : protected Pointers {
 public:
  // pair communicates for this object; who begins every message
  CoupledContacts(LAMMPS *lmp, class Pair *pair, const std::string &who) : Pointers(lmp), pair(pair), who(who) {}

  struct Contact {
    int i, j;    // grains; i is owned, j may be a ghost; at a wall -1
    const granular_plus::NonlocalLaw *law;
    granular_plus::NonlocalContact seen;    // normal: from j to i
    double displacement;                    // of both surfaces towards each other: the start value, then the result
    double force;
  };
  std::vector<Contact> contacts;
  const char *law_name = "";

  // To be called on all ranks. Outside a step, displacements are kept if no overlap has changed since they were found.
  void solve(bool is_step);
  // the contact of an owned grain with a wall that has this normal, after solve
  const Contact *find_at_wall(int grain, const double *normal) const;

  bool communicates() const { return sent != nullptr; }
  int pack_forward(int n, const int *atoms, double *buf) const;
  void unpack_forward(int n, int start, const double *buf);
  static constexpr int MOST_SENT = 8;    // values of a grain at a time

 private:
  class Pair *pair;
  const std::string &who;

  // A contact from the side of one of its grains. Those of owned grain n start at first[n]; a ghost has them in the same order.
  struct Side {
    int contact;
    double to[3];    // from the centre towards the contact
  };
  std::vector<int> first;
  std::vector<Side> sides;
  std::vector<std::size_t> first_influence;    // by owned grain: start of its matrix of displacements per force
  std::vector<double> influences;
  std::vector<int> place_in_ghost;    // by contact: its index among the sides of its ghost, -1: it has none
  int width = 0;                      // the largest number of sides of a grain, on any rank; 0 if there are no ghosts
  std::vector<double> to_ghosts;      // rows of that width, or three times that, for owned grains and ghosts

  std::vector<double> *sent = nullptr;
  int sent_width = 0, sent_first = 0, sent_count = 0;

  static void away_from(const Contact &contact, bool from_j, double *to);
  void list_sides();
  void find_influences();
  void find_places_in_ghosts();
  void find_displacements();
  void send(std::vector<double> &rows, int row_width);
  void fail() const;
};

}    // namespace LAMMPS_NS

#endif
