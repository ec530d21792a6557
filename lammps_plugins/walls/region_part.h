// A simple region (no union or intersection) that is a wall or a part of a wall. Owned by the wall.

#ifndef LMP_GRANULAR_PLUS_REGION_PART_H
#define LMP_GRANULAR_PLUS_REGION_PART_H

#include "cone_region.h"
#include "wall_surface.h"

#include "region.h"
#include "update.h"

#include <array>
#include <cstring>

namespace LAMMPS_NS {

class RegionPart {
 public:
  explicit RegionPart(Region *region);

  Region *region;
  bool has_distance;
  bool is_curved = false;    // if false, contacts treat the part as flat
  bool is_cone = std::strcmp(region->style, "cone") == 0;
  bool is_ellipsoid = std::strcmp(region->style, "ellipsoid") == 0;
  ConeEnds ends;

  // Returns false if a new region has the address of this region, which was deleted. A mark in prev[4] identifies this
  // region: LAMMPS sets prev[4] to 0 in a new region and uses prev[4] only for regions that change their shape.
  bool is_known() const { return !is_marked || region->prev[RADIUS] != 0.0; }

  void follow(const Update &update, WallBody &body);
  double clearance(const double *x, double radius) const;
  // These functions transform points between the present position of the region and the position that the region
  // command defines.
  void to_rest(double *x) const;
  void from_rest(double *x) const;

  static constexpr std::size_t NUMBERS = 10;
  void write_motion(double *numbers) const { std::memcpy(numbers, &motion, sizeof(Motion)); }
  void read_motion(const double *numbers) { std::memcpy(static_cast<void *>(&motion), numbers, sizeof(Motion)); }

 private:
  static constexpr int RADIUS = 4;    // index in Region::prev
  struct Motion {
    double known = 0.0;               // 1 if `place` is known, otherwise 0
    std::array<double, 4> place{};    // displacement and angle
    std::array<double, 4> rate{};     // rate of change of `place`
    double radius_before = 0.0;
  };
  static_assert(sizeof(Motion) == NUMBERS * sizeof(double), "a change of this size changes the restart format");
  Motion motion;
  double sine = 0.0, cosine = 1.0;
  bool is_marked = false;

  void mark();
  void turn(double *x, double signed_sine) const;
};

}    // namespace LAMMPS_NS

#endif
