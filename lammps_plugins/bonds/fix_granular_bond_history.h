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

// A bond that broke in the last evaluation: a line of the table that fix granular/bond writes with `events`, from which
// the suite draws cracks.
struct BrokenBond {
  bigint step;
  double time;
  tagint first, second;    // the lower ID comes first
  double place[3];         // its midpoint
  double stress[granular_plus::BOND_STRESSES];
  double energy;
  bool in_tension;    // else in shear
};

// The bonds of pair granular/plus: contacts that exist until they break. They are stored in their own rows, separate from the
// contacts of the same pairs, and migrate with their grains in the same way. Each bond is evaluated by one rank, with newton on and off.
class FixGranularBondHistory : public GrainHistory {
 public:
  static constexpr int REVERSE = 6;    // values of a ghost: force and torque
  FixGranularBondHistory(class LAMMPS *, int, char **);
  int pack_reverse_comm(int, int, double *) override;
  void unpack_reverse_comm(int, int *, double *) override;

  struct Bond {
    int group, i, j;    // the second grain may be a ghost
    std::vector<double> row;
  };
  bool joins(int i, int j) const
  {
    const int pair = contacts.find(i, j);
    return pair >= 0 && contacts.alive(pair) && !is_gone(contacts.row(pair));
  }
  bool is_broken(int pair) const { return broken(contacts.row(pair)); }
  // Between two evaluations, on any rank; across: the largest gap, the same on all ranks.
  void add(const std::vector<Bond> &, double across);
  // drops the bonds for which gone returns true; returns their energy
  template <class Predicate> double remove(Predicate gone, int energy_at);

  // all live bonds of a group; those that broke in the last step count in setup only
  const std::vector<int> &living(int group, bool without_broken);
  std::vector<BrokenBond> broken_now;               // in this step, on this rank; see GrainBonds::note_broken
  bigint count() const;                             // on this rank, without those that broke in the last step
  std::vector<granular_plus::PairIndex> numbers;    // of all pairs in order

  double widest_gap() const { return widest; }
  int most_of_grain();    // largest number of bonds of one grain; on all ranks

  // with newton off: sends forces on ghosts to their owners
  void return_forces(std::vector<double> &force, std::vector<double> &torque);

 private:
  std::vector<std::vector<int>> alive;    // by group; empty if they must be searched
  std::vector<double> *ghost_force = nullptr, *ghost_torque = nullptr;
  int most_linked = 0;

  void list(const tagint *name) override;
  void list(const std::vector<Bond> &bonds);
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
    if (!contacts.alive(p) || !gone(contacts.i(p), contacts.j(p))) continue;
    double *row = contacts.row(p);
    if (energy_at >= 0) energy += row[energy_at];
    row[contacts.row_size()] = 0.0;    // no evaluation
  }
  alive.clear();
  return energy;
}

}    // namespace LAMMPS_NS

#endif
#endif
