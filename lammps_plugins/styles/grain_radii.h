// Radii of the grains of each type: how far contacts reach, and what to do when grains grow.

#ifndef LMP_GRANULAR_PLUS_GRAIN_RADII_H
#define LMP_GRANULAR_PLUS_GRAIN_RADII_H

#include "pointers.h"

#include "../model/contact_model.h"

#include <utility>
#include <vector>

namespace LAMMPS_NS {

class GrainRadii : protected Pointers {
 public:
  using Pointers::Pointers;

  // on all processors; grains of a frozen group meet no others of theirs, those yet to be poured count
  void find(int frozen_groupbit);
  double largest() const;
  double largest(int type) const;
  double smallest(int type) const { return least[type]; }    // 0: no grains of this type
  // up to which distance grains of these types may act on each other; 0 where there are none
  double cutoff(int itype, int jtype, const granular_plus::ContactModel &model,
                const granular_plus::Kernels &kernels) const;
  // Grains that grow come closer without moving, and LAMMPS watches moves alone: has the neighbour list become too short?
  // Called on all processors; remember_list when the list is new.
  void remember_list();
  bool list_is_short() const;
  // of the largest grain of two types, its ID and radius; on all processors
  std::pair<tagint, double> largest_grain(int itype, int jtype) const;

 private:
  std::vector<double> moving, frozen, least;
  std::vector<double> listed;    // positions and radii when the neighbour list was made
};

}    // namespace LAMMPS_NS

#endif
