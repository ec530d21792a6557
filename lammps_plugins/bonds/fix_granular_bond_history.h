#ifdef FIX_CLASS
// clang-format off
FixStyle(GRANULAR_PLUS/BONDS,FixGranularBondHistory);
// clang-format on
#else

#ifndef LMP_FIX_GRANULAR_BOND_HISTORY_H
#define LMP_FIX_GRANULAR_BOND_HISTORY_H

#include "../grains/grain_history.h"

#include <vector>

namespace LAMMPS_NS {

// a line of the table requested by keyword `events`
struct BrokenBond {
  bigint step;
  double time;
  tagint first, second;    // the lower ID comes first
  double place[3];         // midpoint of the bond
  double stress[granular_plus::BOND_STRESSES];
  double energy;
  bool in_tension;    // false if the bond broke in shear
};

// The bonds of pair granular/plus. A bond is a contact that exists until it breaks. Bonds have their own rows and
// migrate with their grains. Each bond is evaluated by one rank, with newton on or off. Created by GrainBonds.
class FixGranularBondHistory : public GrainHistory {
 public:
  static constexpr int REVERSE = 6;    // number of values sent for a ghost: force and torque
  FixGranularBondHistory(class LAMMPS *, int, char **);
  int pack_reverse_comm(int, int, double *) override;
  void unpack_reverse_comm(int, int *, double *) override;

  struct Bond {
    int group, i, j;    // j may be a ghost
    std::vector<double> row;
  };
  bool joins(int i, int j) const
  {
    const int pair = contacts.find(i, j);
    return pair >= 0 && contacts.is_alive(pair) && !is_gone(contacts.row(pair));
  }
  bool is_broken(int pair) const { return broken(contacts.row(pair)); }
  // Adds bonds of this rank; called between two evaluations. `across` is the largest gap across which the bonds may
  // form, and must be the same on all ranks.
  void add(const std::vector<Bond> &, double across);
  // Removes the bonds for which gone(i, j) returns true. Returns the energy of these bonds, or 0 if energy_at is
  // negative. energy_at: index of the energy in a row.
  template <class Predicate> double remove(Predicate gone, int energy_at);

  // Returns the live bonds of a group. If without_broken is true, bonds that broke in the last step are left out. In
  // setup, without_broken must be false.
  const std::vector<int> &living(int group, bool without_broken);
  // bonds of this rank that break in this step; filled by GrainBonds::note_broken
  std::vector<BrokenBond> broken_now;
  // number of bonds on this rank, without those that broke in the last step
  bigint count() const;
  std::vector<granular_plus::PairIndex> numbers;    // indices of all pairs, in order

  double widest_gap() const { return widest_bond_gap; }
  int most_of_grain();    // largest number of bonds of a grain; called on all ranks

  // Sends the forces on ghosts to the owners. Called with newton off.
  void return_forces(std::vector<double> &force, std::vector<double> &torque);

 private:
  std::vector<std::vector<int>> alive;    // cached results of `living`, by group; empty if outdated
  std::vector<double> *ghost_force = nullptr, *ghost_torque = nullptr;
  int most_linked = 0;

  void build_list(const tagint *name) override;
  void build_list(const std::vector<Bond> &bonds);
  bool broken(const double *row) const;
  bool is_gone(const double *row) const;
  void check_lost(const tagint *name, bigint accounted_for, bigint without_model);
  bigint count_links();
  bigint count_without_partner(const tagint *name) const;
};

template <class Predicate> double FixGranularBondHistory::remove(Predicate gone, int energy_at)
{
  double energy = 0.0;
  for (int p = 0; p < contacts.size(); ++p) {
    if (!contacts.is_alive(p) || !gone(contacts.i(p), contacts.j(p))) continue;
    double *row = contacts.row(p);
    if (energy_at >= 0) energy += row[energy_at];
    row[contacts.row_size()] = 0.0;
  }
  alive.clear();
  return energy;
}

}    // namespace LAMMPS_NS

#endif
#endif
