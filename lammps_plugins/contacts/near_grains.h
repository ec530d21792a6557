// The grains that can touch a wall before they, or the wall, have moved far: a short list, made anew from time to time. The
// others are not looked at.
//
// How far each grain was from the wall when that was last found out is remembered with the place where it was. A grain deep
// in a packing is asked for again only after it, and the wall, have come as far as that. Knows neither LAMMPS nor physics.

#ifndef GRANULAR_PLUS_NEAR_GRAINS_H
#define GRANULAR_PLUS_NEAR_GRAINS_H

#include <cmath>
#include <cstddef>
#include <vector>

namespace granular_plus {

// a box that grains are in
struct Extent {
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  bool is_empty() const { return !(low[0] <= high[0]); }
};

class NearGrains {
 public:
  // Grains, and what is known of their moves.
  struct Grains {
    const double *const *position;
    const double *radius;
    int count;
    int epoch;          // counts up as grains get other numbers, or one of them has come as far as it may
    double spare;       // by no more than this a grain comes closer to a resting surface before the next epoch
    double rounding;    // of distances
  };

  // arrays that go with the grains
  void grow(int grains);
  void copy(int from, int to) { measured[to] = measured[from]; }
  void forget(int grain) { measured[grain].until = -INFINITY; }
  // all that is known: nothing holds of the grains' or of the wall's earlier places
  void forget_all();

  // Brings the list up to date and returns whether it is a new one. In all, so far, the wall may have come closer to a
  // grain at rest by `way`; the list leaves room for more of that once it has moved. `clearance` tells how far a grain is
  // from the wall at least, `has_to_stay` whether it must be listed wherever it is.
  template <class Clearance, class HasToStay>
  bool update(const Grains &grains, double way, double room_for_way, const Clearance &clearance,
              const HasToStay &has_to_stay)
  {
    if (epoch == grains.epoch && way - way_then <= room) return false;
    room = way > way_then ? room_for_way : 0.0;
    epoch = grains.epoch;
    way_then = way;
    list.clear();
    for (int i = 0; i < grains.count; ++i) {
      const double needed = grains.radius[i] + grains.spare + room + grains.rounding;
      Measured &grain = measured[i];
      if (!(grain.until - way - distance(grains.position[i], grain.place) >= needed)) {
        const double *x = grains.position[i];
        const double now = clearance(i);
        grain = {{x[0], x[1], x[2]}, now + way};
        if (!(now >= needed) || has_to_stay(i)) list.push_back(i);    // a place that is no number is near
      } else if (has_to_stay(i)) {
        list.push_back(i);
      }
    }
    return true;
  }

  std::vector<int> list;    // in the order of the grains

  double memory_usage() const;

 private:
  // The clearance of a place when the wall's way began would have been this.
  struct Measured {
    double place[3], until;
  };
  std::vector<Measured> measured;
  int epoch = -1;
  double way_then = 0.0;    // when the list was made
  double room = 0.0;        // for the way after that

  static double distance(const double *a, const double *b)
  {
    const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return std::sqrt(x * x + y * y + z * z);
  }
};

}    // namespace granular_plus

#endif
