// Contacts whose force displaces the surfaces of their grains at other contacts. The laws of such contacts set
// `couples`, see core/laws/normal/nonlocal_law.h. All ranks together compute the forces by iteration.

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
  // `pair` communicates for this object; `message_prefix` begins every message.
  CoupledContacts(LAMMPS *lmp, class Pair *pair, const std::string &message_prefix)
      : Pointers(lmp), pair(pair), message_prefix(message_prefix)
  {
  }

  struct Contact {
    int i, j;    // grains: i is owned; j may be owned or a ghost, and is -1 for a wall
    const granular_plus::NonlocalLaw *law;
    granular_plus::NonlocalContact seen;    // the normal points from j to i
    // displacement of both surfaces towards each other; `solve` replaces the start value by the result
    double displacement;
    double force;
  };
  std::vector<Contact> contacts;
  const char *law_name = "";

  // Called on all ranks. If is_step is false, displacements are kept unless an overlap has changed.
  void solve(bool is_step);
  const Contact *find_at_wall(int grain, const double *normal) const;

  bool communicates() const { return sent != nullptr; }
  int pack_forward(int n, const int *atoms, double *buf) const;
  void unpack_forward(int n, int start, const double *buf);
  static constexpr int MOST_SENT = 8;    // largest number of values sent per grain

 private:
  class Pair *pair;
  const std::string &message_prefix;

  // A contact as seen from one of its grains. The sides of a ghost are in the order of the rank that owns the grain.
  struct Side {
    int contact;
    double to[3];    // from the centre to the contact
  };
  std::vector<int> first;
  std::vector<Side> sides;
  std::vector<std::size_t> first_influence;    // start of each owned grain's matrix
  std::vector<double> influences;
  // index of each contact among the sides of its ghost; -1 if the contact has no ghost
  std::vector<int> place_in_ghost;
  int width = 0;                    // largest number of sides of a grain on any rank; 0 without ghosts
  std::vector<double> to_ghosts;    // rows of `width` or 3 * `width` values

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
