// Radii of the grains of each type: how far contacts reach, and what to do when grains grow.

#ifndef LMP_GRANULAR_PLUS_GRAIN_RADII_H
#define LMP_GRANULAR_PLUS_GRAIN_RADII_H

#include "pointers.h"

#include "../core/model/model_table.h"
#include "../glue/box_moves.h"

#include <array>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace LAMMPS_NS {

class GrainRadii : protected Pointers {
 public:
  // send_to_ghosts gives ghosts the radii and masses of their owners
  GrainRadii(LAMMPS *lmp, std::function<void()> send_to_ghosts)
      : Pointers(lmp), send_to_ghosts(std::move(send_to_ghosts))
  {
  }

  // On all ranks. Who asks begins every message; grains of a frozen group meet no others of theirs, those yet to be
  // poured count.
  void init(const std::string &who, const granular_plus::Kernels &kernels, int frozen_groupbit);

  // on all ranks: the present radii
  void find();
  // Up to which distance grains of these types may act on each other: as wanted, refused where that cuts off what acts,
  // or where nothing is wanted (not positive) from their radii.
  double cutoff(int itype, int jtype, const granular_plus::ContactModel &model, double wanted);
  // The largest gap across which grains of these types may act. Gaps are monotonic in each radius, so the extremes suffice.
  double widest_gap(int itype, int jtype, const granular_plus::ContactModel &model) const;
  double largest() const;    // of all radii
  double sum_of_largest(int itype, int jtype) const { return largest(itype) + largest(jtype); }
  // a law used where it was not fitted deserves a warning, one in all
  void warn_of_bridges(int itype, int jtype, const granular_plus::ContactModel &model);

  // Radii may change at any time: by fix adapt or fix set, or by Python between two runs. In each evaluation, on all
  // ranks: ghosts get those of their owners, which LAMMPS sends in each step only where the atom style is told to.
  // Afterwards: have any here changed since the last evaluation or list?
  void follow(const granular_plus::ModelTable &models, bool lists_by_type);
  bool have_changed() const { return changed; }
  // have radii or masses changed since then, so that the next evaluation has to see it?
  bool sizes_have_changed() const { return differ_from_seen() || masses_differ_from_seen(); }
  bool vary() const { return varying; }    // on any rank, since the run began
  // Grains that grow come closer without moving, and LAMMPS watches moves alone. On all ranks, after that: does the
  // next step need a new neighbour list?
  bool list_is_short();
  // where particles and box are, and the radii, as a neighbour list is made
  void remember_list();
  // of an owned grain then: position and radius, a row of LISTED
  static constexpr int LISTED = 4;
  const std::vector<double> &when_listed() const { return listed; }
  const BoxMoves &box_since_list() const { return box; }

 private:
  const std::function<void()> send_to_ghosts;
  std::string who;
  const granular_plus::Kernels *kernels = nullptr;
  int frozen_groupbit = 0;
  bool warned_of_fit = false;
  // of each type: the largest radii, and minus the smallest, so that one reduction finds all as maxima
  enum { MOVING, FROZEN, MINUS_LEAST, RADII };
  std::vector<std::array<double, RADII>> of_type;
  std::vector<std::vector<double>> cutoffs;
  double largest_at_start = 0.0;            // of all radii
  std::vector<double> seen, seen_masses;    // radii and masses of all atoms, ghosts included, at the last evaluation
  bool changed = false;                     // some of these since
  bool varying = false;                     // radii on any rank have changed since the run began
  bool begins_to_vary = false;              // with the evaluation in hand
  std::vector<double> listed;               // positions and radii when the neighbour list was made
  BoxMoves box;                             // since then
  double skin = 0.0;                        // by which that list reaches beyond the largest grains' touch
  double approach = 0.0;                    // of a particle since then: its move and growth, at most
  double fastest = 0.0;                     // most by which that has grown within a step
  double fastest_before = 0.0;              // with the list before
  bool warned_of_leap = false;

  double largest(int type) const;
  double smallest(int type) const { return -of_type[type][MINUS_LEAST]; }                // 0: no grains of this type
  double reach(int itype, int jtype, const granular_plus::ContactModel &model) const;    // 0 where there are none
  bool differ_from_seen() const;
  bool masses_differ_from_seen() const;
  bool differ(const std::vector<double> &then, const double *now) const;
  void remember_sizes();
  void check(const granular_plus::ModelTable &models, bool lists_by_type);
  void refuse(int itype, int jtype, double needed, double limit) const;
  // of the largest grain of two types, its ID and radius; on all ranks
  std::pair<tagint, double> largest_grain(int itype, int jtype) const;
};

}    // namespace LAMMPS_NS

#endif
