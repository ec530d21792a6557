// Liquid that belongs to grains. Films are the custom property d_film of LAMMPS's fix property/atom. The volume of a
// bridge is part of its contact's history, and only this class changes the volume. The volume of a new bridge depends
// only on the state before the step, so all ranks that compute a pair obtain the same volume. Owned by GrainContacts.

#ifndef LMP_GRANULAR_PLUS_GRAIN_LIQUID_H
#define LMP_GRANULAR_PLUS_GRAIN_LIQUID_H

#include "pointers.h"

#include "../core/history/contact_list.h"
#include "../core/ledger/energy_ledger.h"
#include "linked_liquid.h"

#include <functional>
#include <string>
#include <vector>

namespace LAMMPS_NS {

class GrainLiquid : protected Pointers {
 public:
  GrainLiquid(LAMMPS *lmp, class Pair *pair, const std::vector<granular_plus::PairGroup> &pair_groups)
      : Pointers(lmp), pair(pair), pair_groups(pair_groups)
  {
  }

  // Called in init. Stops with an error if bridges take their liquid from films but grains have no films.
  void init(const std::string &message_prefix, bool from_films);
  void set_contacts(granular_plus::ContactList &list) { contacts = &list; }
  bool any() const { return from_films; }

  // Called on all ranks. Finds the pairs of all groups with films, and sets the volumes of bridges. In a setup, no
  // bridge ruptures.
  void find_and_move(const granular_plus::Kernels &kernels, const granular_plus::Particles &particles,
                     granular_plus::Pairs &pairs, const granular_plus::LoopOptions &options,
                     granular_plus::LoopWork &work);
  // called instead of find_and_move on a rank without pairs
  void move_without_pairs(bool is_step);
  // `evaluate` first computes the pairs that touch and then the pairs that are connected only by a bridge.
  const granular_plus::Found &found(std::size_t group) const { return groups[group].found; }
  void evaluate(std::size_t group, const granular_plus::Kernels &kernels, const granular_plus::Particles &particles,
                const granular_plus::Pairs &pairs, const granular_plus::LoopOptions &options,
                granular_plus::LoopWork &work) const;

  // Returns the volume of those bridges of this rank that will rupture in the next step. These bridges are already too
  // long, but no bridge ruptures in a setup.
  double volume_to_rupture(const granular_plus::Pairs &pairs) const;

  // Called at the end of a step. For each of its grains that is in the group, a bridge loses half of `depth` times its
  // surface area. Returns the volume lost by this rank's pairs. `ledger` may be null. `lose` is called with the energy
  // that each pair loses.
  double dry_bridges(double depth, int groupbit, granular_plus::Particles particles, granular_plus::LoopWork &work,
                     granular_plus::EnergyLedger *ledger,
                     const std::function<void(int i, int j, double energy)> &lose) const;

  // Called after an engine has computed steps, with the largest result of Films::outside_fit.
  void add_engine_results(double outside_fit);

  void for_each_bridge(const std::function<void(int i, int j, double volume)> &see) const;
  // liquid in the films of this rank's grains; in_films_and_bridges also includes the bridges of this rank
  double in_films() const;
  double in_films_and_bridges() const;

  // called by the pair style, which communicates for this object; pack functions return the number of values
  bool communicates() const { return sent != NOTHING; }
  int pack_forward(int n, const int *atoms, double *buf) const;
  void unpack_forward(int n, int start, const double *buf);
  int pack_reverse(int n, int start, double *buf) const;
  void unpack_reverse(int n, const int *atoms, const double *buf);

  double memory_usage() const;

 private:
  enum Event { BRIDGE_FORMS = 1, BRIDGE_RUPTURES = 2, OUTSIDE = 4, DOUBTFUL = 8 };
  class Pair *pair;
  const std::vector<granular_plus::PairGroup> &pair_groups;
  granular_plus::ContactList *contacts = nullptr;
  bool from_films = false;
  // `found` is empty if bridges of the group take no liquid from films.
  struct Group {
    const granular_plus::PairGroup *pairs = nullptr;
    granular_plus::Found found;
    std::vector<int> memory;
    void make_room();
  };
  std::vector<Group> groups;
  double *film = nullptr;
  std::vector<double> forming;    // number of bridges that each atom forms in this step
  std::vector<double> change;
  std::vector<double> owner_positions;    // position of each atom; for a ghost, the position of the owned atom
  std::vector<double> *sent_home = nullptr;
  enum { NOTHING, FILMS, HOMES } sent = NOTHING;
  int here = 0, anywhere = 0;    // Event bits of this rank, and of all ranks together
  std::string message_prefix;
  bool warned_of_fit = false;
  double largest_outside_fit = 0.0;    // largest result of Films::outside_fit

  void move(granular_plus::Pairs &pairs, int stamp, bool is_step);
  bool is_ours(int atom) const;
  void find_doubtful(const granular_plus::Pairs &pairs);
  void resolve_doubtful(const granular_plus::Pairs &pairs);
  double squared_distance_at_home(int i, int ghost) const;
  void rupture_slow(granular_plus::Pairs &pairs, Group &group);
  void form(granular_plus::Pairs &pairs, const Group &group, int stamp);
  void rupture(granular_plus::Pairs &pairs, const Group &group);
  double dry_bridge(const Group &group, granular_plus::Pairs &pairs, int near, double depth, int groupbit,
                    double &dried_out) const;
  void send_to_owners(std::vector<double> &values);
  void warn_of_fit();
};

}    // namespace LAMMPS_NS

#endif
