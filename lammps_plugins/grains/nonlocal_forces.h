// Normal forces that depend on all contacts of a grain (core/laws/normal/nonlocal_law.h). The force of each contact is
// written to its row of history before the loop reads it. Owned by GrainContacts.

#ifndef LMP_GRANULAR_PLUS_NONLOCAL_FORCES_H
#define LMP_GRANULAR_PLUS_NONLOCAL_FORCES_H

#include "pointers.h"

#include "../core/history/contact_list.h"
#include "../core/model/model_table.h"
#include "coupled_contacts.h"

#include <string>
#include <vector>

namespace LAMMPS_NS {

class NonlocalForces : protected Pointers {
 public:
  // `pair` communicates for this object; `message_prefix` begins every message.
  NonlocalForces(LAMMPS *lmp, class Pair *pair, const std::string &message_prefix)
      : Pointers(lmp), pair(pair), message_prefix(message_prefix), coupled(lmp, pair, message_prefix)
  {
  }
  ~NonlocalForces() override;

  // Called in init, on all ranks.
  void init(const granular_plus::ModelTable &models);
  // called once the models of all pairs of types are known
  void set_laws(const granular_plus::ModelTable &models);
  const char *name() const { return law.name; }
  bool change_radii() const { return law.evaluate_sums != nullptr; }
  bool any() const { return static_cast<bool>(law); }
  // Stops with an error that begins with `asks` if `other` differs from the law of the pairs.
  void check_same(const std::string &asks, const granular_plus::NonlocalLaw &other) const;

  // Called for a new grain, whose radius and mass need not be known yet.
  void forget(int grain);
  // Called on all ranks at the beginning of an evaluation. If is_step is true, the law may make grains grow.
  void evaluate_sums(bool is_step);
  // In find_contacts, masses may be negative, as in Particles. `values_before` is the number of values in a row that
  // precede the values of the normal law.
  void begin_contacts() { contacts.clear(); }
  void find_contacts(const granular_plus::Pairs &pairs, const granular_plus::PairGroup &group, int model,
                     const double *packed_mass, granular_plus::ContactList &list, int stamp, int values_before);
  void compute_forces(bool is_step);

  // Called by walls before forces are computed. contact.kept may be null if the contact is new.
  void add_surface_contact(int grain, const granular_plus::NonlocalLaw &of_surface,
                           const granular_plus::NonlocalContact &contact);
  void compute_surface_force(int grain, const granular_plus::NonlocalLaw &of_surface,
                             const granular_plus::NonlocalContact &contact, bool is_step);
  granular_plus::StoredGrain grain(int number) { return {columns.data(), radii(), number}; }

  bool communicates() const { return sends != granular_plus::Sent::NEVER || coupled.communicates(); }
  int pack_forward(int n, const int *atoms, double *buf) const;
  void unpack_forward(int n, int start, const double *buf);
  static constexpr int MOST_SENT = CoupledContacts::MOST_SENT;

 private:
  class Pair *pair;
  const std::string &message_prefix;
  std::vector<granular_plus::NonlocalLaw> laws;
  // The law that all models share. Only the constants that belong to contacts may differ among models.
  granular_plus::NonlocalLaw law;
  CoupledContacts coupled;
  bool provides_store = false;
  std::vector<int> indices;    // indices among LAMMPS's properties
  std::vector<double *> columns;
  std::vector<class NonlocalSurface *> surfaces;
  granular_plus::Sent sends = granular_plus::Sent::NEVER;

  struct Contact {
    int i, j, model;
    double separation[3], squared_distance;
    granular_plus::NonlocalContact seen;
  };
  std::vector<Contact> contacts;
  // the contacts of owned grain a are entries[first[a]] to entries[first[a + 1] - 1]
  std::vector<int> first, entries;
  std::vector<granular_plus::Neighbour> neighbours;

  double *radii();
  void provide_store();
  void remove_store();
  void find_properties();
  void find_columns();
  void send(granular_plus::Sent what);
  std::vector<int> sent(granular_plus::Sent what) const;
  void list_by_grain();
  void meet_neighbours();
  void couple(bool is_step);
  void fill_law_input(Contact &contact, double mass_i, double mass_j);
};

}    // namespace LAMMPS_NS

#endif
