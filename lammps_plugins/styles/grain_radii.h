// Radii of the grains of each type: how far contacts reach, and what to do when grains grow.

#ifndef LMP_GRANULAR_PLUS_GRAIN_RADII_H
#define LMP_GRANULAR_PLUS_GRAIN_RADII_H

#include "pointers.h"

#include "../model/model_table.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace LAMMPS_NS {

class GrainRadii : protected Pointers {
 public:
  using Pointers::Pointers;

  // On all processors. Who asks begins every message; grains of a frozen group meet no others of theirs, those yet to be
  // poured count.
  void init(const std::string &who, const granular_plus::Kernels &kernels, int frozen_groupbit);

  // Up to which distance grains of these types may act on each other: as wanted, refused where that cuts off what acts,
  // or where nothing is wanted (not positive) from their radii.
  double cutoff(int itype, int jtype, const granular_plus::ContactModel &model, double wanted);
  double sum_of_largest(int itype, int jtype) const { return largest(itype) + largest(jtype); }
  // a law used where it was not fitted deserves a warning, one in all
  void warn_of_bridges(int itype, int jtype, const granular_plus::ContactModel &model);

  // Grains that grow come closer without moving, and LAMMPS watches moves alone. Called on all processors in every step;
  // returns whether the neighbour list has become too short. With a new list the radii are checked against the cutoffs.
  bool follow_growth(const granular_plus::ModelTable &models, bool lists_by_type);
  // where particles and box are, and the radii, as a neighbour list is made
  void remember_list();

 private:
  std::string who;
  const granular_plus::Kernels *kernels = nullptr;
  int frozen_groupbit = 0;
  bool warned_of_fit = false;
  // of each type: the largest radii, and minus the smallest, so that one reduction finds all as maxima
  enum { MOVING, FROZEN, MINUS_LEAST, RADII };
  std::vector<std::array<double, RADII>> of_type;
  std::vector<std::vector<double>> cutoffs;
  std::vector<double> listed;            // positions and radii when the neighbour list was made
  std::vector<double> listed_corners;    // of the box then

  void find();
  double largest() const;
  double largest(int type) const;
  double smallest(int type) const { return -of_type[type][MINUS_LEAST]; }                // 0: no grains of this type
  double reach(int itype, int jtype, const granular_plus::ContactModel &model) const;    // 0 where there are none
  bool list_is_short() const;
  std::vector<double> corners() const;    // of the box
  void check(const granular_plus::ModelTable &models, bool lists_by_type);
  // of the largest grain of two types, its ID and radius; on all processors
  std::pair<tagint, double> largest_grain(int itype, int jtype) const;
};

}    // namespace LAMMPS_NS

#endif
