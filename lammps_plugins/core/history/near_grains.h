// A list of the grains that may touch a wall soon, i.e. before grains or wall have moved far. Owned by WallContacts.
//
// The clearance of each grain from the wall is stored, together with the position of the grain at the time of the
// measurement. The clearance is measured again only when the grain and the wall together have moved as far as the
// stored clearance.

#ifndef GRANULAR_PLUS_NEAR_GRAINS_H
#define GRANULAR_PLUS_NEAR_GRAINS_H

#include <cmath>
#include <vector>

namespace granular_plus {

struct Extent {
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  bool is_empty() const { return !(low[0] <= high[0]); }
};

class NearGrains {
 public:
  struct Grains {
    const double *const *position;
    const double *radius;
    int count;
    int epoch;              // increases when grains are renumbered or a grain has used up its motion budget
    double motion_bound;    // largest approach of a grain to a surface at rest before `epoch` increases
    double rounding;
  };

  void grow(int grains) { measured.resize(grains, {{0.0, 0.0, 0.0}, -INFINITY}); }
  void copy(int from, int to) { measured[to] = measured[from]; }
  void forget(int grain) { measured[grain].path_at_touch = -INFINITY; }
  // Must be called when stored positions of grains or of the wall are no longer valid.
  void forget_all()
  {
    for (Measured &grain : measured) grain.path_at_touch = -INFINITY;
    list.clear();
    epoch = -1;
    wall_path = wall_path_at_list = path_allowance = 0.0;
  }

  // Rebuilds the list if it is no longer valid. Returns whether the list was rebuilt. `wall_path_now` is the largest
  // total distance by which the wall may have approached a grain at rest. If the wall has moved since the last rebuild,
  // the new list stays valid until `wall_path_now` has grown by `moving_wall_allowance`. `clearance` returns a lower
  // bound of the distance of a grain from the wall. Grains for which `has_contact` returns true are always listed.
  template <class Clearance, class HasContact>
  bool update(const Grains &grains, double wall_path_now, double moving_wall_allowance, const Clearance &clearance,
              const HasContact &has_contact)
  {
    const double since_list = wall_path_now - wall_path_at_list;
    wall_path = wall_path_now;
    rounding = grains.rounding;
    if (epoch == grains.epoch && since_list <= path_allowance) return false;
    path_allowance = since_list > 0.0 ? moving_wall_allowance : 0.0;
    epoch = grains.epoch;
    wall_path_at_list = wall_path;
    list.clear();
    for (int i = 0; i < grains.count; ++i) {
      const double *x = grains.position[i], reach = grains.radius[i] + grains.motion_bound + path_allowance;
      Measured &grain = measured[i];
      const bool may_be_near = may_be_within(reach, grain, x);
      if (may_be_near) grain = {{x[0], x[1], x[2]}, clearance(i) + wall_path};
      const bool stays = has_contact(i);
      if (!stays && !(may_be_near && may_be_within(reach, grain, x))) continue;
      list.push_back({grain, i, stays});
    }
    return true;
  }

  int size() const { return static_cast<int>(list.size()); }
  int grain(int k) const { return list[k].grain; }
  bool must_inspect(int k, const double *const *position, const double *radius) const
  {
    if (k + AHEAD < size()) __builtin_prefetch(position[list[k + AHEAD].grain]);
    const int i = list[k].grain;
    return list[k].has_contact || may_be_within(radius[i], list[k], position[i]);
  }
  // stays: true if the next evaluation must inspect the grain even if the grain is far from the wall
  void set_has_contact(int k, bool stays) { list[k].has_contact = stays; }

  double memory_usage() const
  {
    return static_cast<double>(sizeof(Measured)) * measured.capacity() +
        static_cast<double>(sizeof(Near)) * list.capacity();
  }

 private:
  // `path_at_touch` is the clearance plus the path of the wall at the time of the measurement.
  struct Measured {
    double place[3], path_at_touch;
  };
  struct Near : Measured {
    int grain;
    bool has_contact;
  };
  std::vector<Measured> measured;
  std::vector<Near> list;
  int epoch = -1;
  double wall_path = 0.0, wall_path_at_list = 0.0;    // path of the wall up to now, and when the list was built
  double path_allowance = 0.0;                        // further path for which the list is valid
  double rounding = 0.0;
  static constexpr int AHEAD = 8;

  // also true if a position is NaN
  bool may_be_within(double reach, const Measured &then, const double *x) const
  {
    const double dx = x[0] - then.place[0], dy = x[1] - then.place[1], dz = x[2] - then.place[2];
    const double left = then.path_at_touch - wall_path - reach - rounding;
    return !(left >= 0.0 && dx * dx + dy * dy + dz * dz <= left * left);
  }
};

}    // namespace granular_plus

#endif
