// Radii of the grains of each type, and cutoffs of contacts. Owned by the pair style.

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
  GrainRadii(LAMMPS *lmp, std::function<void()> send_to_ghosts)
      : Pointers(lmp), send_to_ghosts(std::move(send_to_ghosts))
  {
  }

  // Called on all ranks. Grains of a frozen group do not act on each other. Grains that will be inserted are included.
  void init(const std::string &message_prefix, const granular_plus::Kernels &kernels, int frozen_groupbit);

  // called on all ranks
  void find();
  // Returns the distance up to which grains of these types may act on each other. If `wanted` is positive, returns
  // `wanted` instead, or stops with an error if `wanted` would cut off an interaction.
  double cutoff(int itype, int jtype, const granular_plus::ContactModel &model, double wanted);
  // The gap across which grains act is monotonic in each radius, so the extreme radii suffice.
  double widest_gap(int itype, int jtype, const granular_plus::ContactModel &model) const;
  double largest() const;
  double sum_of_largest(int itype, int jtype) const { return largest(itype) + largest(jtype); }
  // Warns if bridges are outside the range for which their law was fitted. The warning names only the first such pair
  // of types.
  void warn_of_bridges(int itype, int jtype, const granular_plus::ContactModel &model);

  // Called in each evaluation, on all ranks, because radii may change at any time, for example by fix adapt. Sends
  // radii to ghosts and records whether any radius has changed since the last evaluation or list.
  void update_sizes(const granular_plus::ModelTable &models, bool lists_by_type);
  bool have_changed() const { return changed; }
  // true if radii or masses have changed since the last evaluation
  bool sizes_have_changed() const { return radii_differ_from_last() || masses_differ_from_last(); }
  bool have_varied() const { return varying; }    // true if radii on any rank have changed since the run began
  // Returns whether the neighbour list may miss pairs because grains have grown. This check is needed because LAMMPS
  // checks only displacements. Called on all ranks, after update_sizes.
  bool may_miss_pairs();
  void remember_list();
  // position and radius of an owned grain when the list was built
  static constexpr int LISTED = 4;
  const std::vector<double> &when_listed() const { return listed; }
  const BoxMoves &box_since_list() const { return box; }

 private:
  const std::function<void()> send_to_ghosts;
  std::string message_prefix;
  const granular_plus::Kernels *kernels = nullptr;
  int frozen_groupbit = 0;
  bool warned_of_fit = false;
  // for each type: largest radius of moving grains, largest radius of frozen grains, and negative of the smallest
  // radius
  enum { MOVING, FROZEN, MINUS_LEAST, RADII };
  std::vector<std::array<double, RADII>> of_type;
  std::vector<std::vector<double>> cutoffs;
  double largest_at_start = 0.0;
  std::vector<double> last_radii, last_masses;    // of all atoms at the last evaluation
  bool changed = false;
  bool varying = false;
  bool begins_to_vary = false;
  std::vector<double> listed;     // positions and radii when the neighbour list was built
  BoxMoves box;                   // motion of the box since the list was built
  double list_margin = 0.0;       // gap up to which pairs of the largest grains are listed
  double approach = 0.0;          // largest sum of displacement and growth of a particle since the list was built
  double fastest = 0.0;           // largest increase of `approach` in one step
  double fastest_before = 0.0;    // `fastest` of the previous list
  bool warned_of_leap = false;

  double largest(int type) const;
  // 0 if there are no grains of this type
  double smallest(int type) const { return -of_type[type][MINUS_LEAST]; }
  double reach(int itype, int jtype, const granular_plus::ContactModel &model) const;
  bool radii_differ_from_last() const;
  bool masses_differ_from_last() const;
  bool differ(const std::vector<double> &then, const double *now) const;
  void remember_sizes();
  void check(const granular_plus::ModelTable &models, bool lists_by_type);
  void refuse(int itype, int jtype, double needed, double limit) const;
  // called on all ranks
  std::pair<tagint, double> largest_grain(int itype, int jtype) const;
};

}    // namespace LAMMPS_NS

#endif
