// Finds random places for grains, in which they overlap no other grain, none of its images and no wall.

#ifndef LMP_GRANULAR_PLUS_GRAIN_PLACER_H
#define LMP_GRANULAR_PLUS_GRAIN_PLACER_H

#include "insertion_place.h"
#include "occupied_space.h"

#include "../core/grading/size_law.h"

#include <functional>
#include <vector>

namespace LAMMPS_NS {

struct PlacedGrain {
  granular_plus::FeedingOrder::Grain grain;
  bool turns = false;    // whether it has a shape
  double place[3] = {};
  double turn[3] = {};    // random numbers for its orientation
};

// For one insertion. All ranks must do the same with it: then they draw the same places.
class GrainPlacer : protected Pointers {
 public:
  // the place has begun; radius: of the largest grain to come; random: from 0 to 1
  GrainPlacer(LAMMPS *lmp, InsertionPlace &place, double largest_radius, int tries, std::function<double()> random);

  // Places a grain and takes the space. Returns whether there was room.
  bool place(PlacedGrain &one);
  // Places all of these or, if not all find room, none, and returns whether they did. Takes no space.
  bool place_without_taking(std::vector<PlacedGrain> &batch);
  void take(const PlacedGrain &one);

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
