// Finds random positions for grains where they overlap no other grain, no periodic image of a grain and no wall of fix
// wall/granular/plus.

#ifndef LMP_GRANULAR_PLUS_GRAIN_PLACER_H
#define LMP_GRANULAR_PLUS_GRAIN_PLACER_H

#include "insertion_place.h"
#include "occupied_space.h"

#include "../core/grading/size_distribution.h"

#include <functional>
#include <vector>

namespace LAMMPS_NS {

struct PlacedGrain {
  granular_plus::FeedingOrder::Grain grain;
  bool has_shape = false;
  double place[3] = {};
  double turn[3] = {};    // random numbers for the orientation
};

// Used for one insertion. All ranks must make the same calls, so that they draw the same positions.
class GrainPlacer : protected Pointers {
 public:
  // place.begin must have been called. largest_radius: radius of the largest grain to insert. random: returns numbers
  // from 0 to 1.
  GrainPlacer(LAMMPS *lmp, InsertionPlace &place, double largest_radius, int tries, std::function<double()> random);

  // Finds a position for the grain and marks it as occupied. Returns whether there was room.
  bool place(PlacedGrain &one);
  // Returns whether all grains find room together. Marks nothing as occupied.
  bool place_without_taking(std::vector<PlacedGrain> &batch);
  void mark_occupied(const PlacedGrain &one);

 private:
  InsertionPlace &room;
  const double largest_radius;
  const int tries;
  const std::function<double()> random;
  OccupiedSpace space;

  bool fits(double radius, const double *point);
  void add_all_around();
  void add_images(const double *point, double radius);
  template <class See> void for_each_image(const double *point, double radius, const See &see) const;
};

}    // namespace LAMMPS_NS

#endif
