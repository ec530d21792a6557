#ifdef FIX_CLASS
// clang-format off
FixStyle(GRANULAR_PLUS/HISTORY,FixContactHistory);
// clang-format on
#else

#ifndef LMP_FIX_CONTACT_HISTORY_H
#define LMP_FIX_CONTACT_HISTORY_H

#include "fix.h"

#include "../kernels/kernels.h"

#include <memory>
#include <string>
#include <vector>

namespace LAMMPS_NS {

// Contact history of pair granular/plus. Between two neighbour list builds it lies beside a flat list of candidate
// pairs; across a build it travels with both atoms of a pair, as a chain of links per atom.
class FixContactHistory : public Fix {
 public:
  // energies in the contacts at the last evaluation and losses so far, of this processor's share
  struct Ledger {
    bool started = false;
    double reference = 0.0;    // total energy when the ledger was opened
    double now[granular_plus::OBSERVABLES] = {};
    double total[granular_plus::OBSERVABLES] = {};
  };
  Ledger ledger;

  FixContactHistory(class LAMMPS *, int, char **);
  ~FixContactHistory() override;
  int setmask() override;
  void init() override;
  void setup_pre_exchange() override;
  void setup_post_neighbor() override;
  void pre_exchange() override;
  void min_pre_exchange() override;
  void post_neighbor() override;
  void min_post_neighbor() override;
  void post_run() override;

  void grow_arrays(int) override;
  void copy_arrays(int, int, int) override;
  void set_arrays(int) override;
  int pack_forward_comm(int, int *, double *, int, int *) override;
  void unpack_forward_comm(int, int, double *) override;
  int pack_reverse_comm_size(int, int) override;
  int pack_reverse_comm(int, int, double *) override;
  void unpack_reverse_comm(int, int *, double *) override;
  int pack_exchange(int, double *) override;
  int unpack_exchange(int, double *) override;
  void write_restart(FILE *) override;
  void restart(char *) override;
  int pack_restart(int, double *) override;
  void unpack_restart(int, int) override;
  int size_restart(int) override;
  int maxsize_restart() override;
  double memory_usage() override;

  // set by the pair style
  class Pair *pair = nullptr;
  std::vector<std::vector<int>> group_of;    // group of pairs for types i, j: pairs with the same stack of laws
  std::vector<std::vector<double>> signs;    // per group and value: -1 where the order of the pair changes the sign
  std::vector<bool> acts_apart;              // per group: contacts live on across a gap
  bool in_use = false;                       // the flat list holds history that the atoms do not have yet
  bool renewed = false;                      // a new flat list, which the pair style has not seen yet

  // the flat list, sorted by group: pairs of group g are [first[g], first[g + 1])
  std::vector<int> first, i, j;
  std::vector<unsigned char> special;    // kind of special neighbour; empty where no force is scaled
  int values_per_pair;
  int spring_values;       // leading ones, those of the laws; what the ledger remembers follows
  std::string contents;    // names of the laws that keep these values
  int evaluations = 1;     // since the flat list was built

  granular_plus::History history();
  // the contact was alive at the evaluation before the last and has ended since
  bool ended(int pair) const { return slot[pair] >= 0 && row(pair)[values_per_pair] == evaluations - 1; }
  bool alive(int pair) const { return slot[pair] >= 0 && row(pair)[values_per_pair] == evaluations; }
  // its values, then its stamp; of pairs that have had a contact
  const double *row(int pair) const { return rows.get() + static_cast<bigint>(slot[pair]) * (values_per_pair + 1); }

  // index of a pair in the flat list, -1 if it is not there
  int find(int i, int j) const;

  // between runs, on all processors: let the atoms have all history
  void settle();
  // then rows may get room for what a ledger remembers, or lose it; springs stay
  void resize_rows(int values);

 private:
  std::vector<int> slot;
  int slots_used = 0;
  int slot_capacity = 0;
  // aligned, so that the rows of three values and their stamp lie within a cache line each
  static constexpr std::align_val_t ALIGNMENT{64};
  struct AlignedDelete {
    void operator()(double *memory) const { operator delete[](memory, ALIGNMENT); }
  };
  std::unique_ptr<double[], AlignedDelete> rows;

  // One contact as its atom sees it. Where a box is so thin that a pair may be in contact through several images, its
  // values end with the separation from the partner, which tells the images apart.
  struct Link {
    tagint partner;
    int next;    // -1 ends the chain
  };

  int *head = nullptr;           // first link of each atom
  tagint *known_as = nullptr;    // atom ID by which links call the atom, 0 for an atom that is new
  std::vector<Link> links;
  std::vector<double> link_values;
  bool tells_images = false;    // links hold separations
  int atoms_listed = 0;         // owned and ghost atoms when the flat list was built
  int owned_listed = 0;
  bool disturbed = false;    // atoms were added or deleted while the flat list held history

  // of the rows in the restart file: -1 where other laws have left them
  int values_in_restart = -1;

  int link_size() const { return values_per_pair + (tells_images ? 3 : 0); }
  void move_to_atoms();
  void forget_all();
  void find_most_links();
  bool has_new_names();
  bool may_touch(int a, int b) const;
  int find_link(int a, int b, tagint partner) const;
  double *add_link(int atom, tagint partner);
  void add_contact(int atom, int partner, const double *row, const double *signs);
  int count_links(int atom) const;
  int pack_links(int atom, double *buf) const;
  int unpack_links(int atom, const double *buf);
};

}    // namespace LAMMPS_NS

#endif
#endif
