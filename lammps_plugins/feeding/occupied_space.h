// The spheres in and around a box, sorted into cells. The cells serve to test whether another sphere overlaps any of
// these spheres.

#ifndef LMP_GRANULAR_PLUS_OCCUPIED_SPACE_H
#define LMP_GRANULAR_PLUS_OCCUPIED_SPACE_H

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace LAMMPS_NS {

class OccupiedSpace {
 public:
  struct Sphere {
    double centre[3], radius;
  };

  // Cells are at least as wide as `widest`, the diameter of the largest sphere to be tested.
  OccupiedSpace(const double *low, const double *high, double widest)
  {
    constexpr double MOST_CELLS = 1.0e6;
    double volume = 1.0;
    for (int d = 0; d < 3; ++d) volume *= std::max(high[d] - low[d], widest);
    edge = std::max(widest, std::cbrt(volume / MOST_CELLS));
    std::size_t all = 1;
    for (int d = 0; d < 3; ++d) {
      origin[d] = low[d];
      count[d] = std::max(1, static_cast<int>((high[d] - low[d]) / edge) + 1);
      all *= count[d];
    }
    cells.resize(all);
  }

  void add(const Sphere &sphere)
  {
    largest = std::max(largest, sphere.radius);
    cells[cell_of(sphere)].push_back(sphere);
  }

  void remove(const Sphere &sphere)
  {
    auto &all = cells[cell_of(sphere)];
    all.erase(std::remove_if(all.begin(), all.end(),
                             [&](const Sphere &one) { return std::equal(one.centre, one.centre + 3, sphere.centre); }),
              all.end());
  }

  bool overlaps(const Sphere &one) const
  {
    std::array<int, 3> from, to;
    for (int d = 0; d < 3; ++d) {
      from[d] = place(one.centre[d] - one.radius - largest, d);
      to[d] = place(one.centre[d] + one.radius + largest, d);
    }
    for (int k = from[2]; k <= to[2]; ++k)
      for (int j = from[1]; j <= to[1]; ++j)
        for (int i = from[0]; i <= to[0]; ++i)
          for (const Sphere &other : cells[cell(i, j, k)])
            if (are_closer(one, other)) return true;
    return false;
  }

 private:
  double origin[3], edge, largest = 0.0;
  std::array<int, 3> count;
  std::vector<std::vector<Sphere>> cells;    // spheres beyond the box are in the cells at its sides

  int place(double x, int d) const
  {
    return static_cast<int>(std::clamp((x - origin[d]) / edge, 0.0, static_cast<double>(count[d] - 1)));
  }
  std::size_t cell(int i, int j, int k) const
  {
    return (static_cast<std::size_t>(k) * count[1] + j) * static_cast<std::size_t>(count[0]) + i;
  }
  std::size_t cell_of(const Sphere &sphere) const
  {
    return cell(place(sphere.centre[0], 0), place(sphere.centre[1], 1), place(sphere.centre[2], 2));
  }
  static bool are_closer(const Sphere &a, const Sphere &b)
  {
    double square = 0.0;
    for (int d = 0; d < 3; ++d) square += (a.centre[d] - b.centre[d]) * (a.centre[d] - b.centre[d]);
    const double touch = a.radius + b.radius;
    return square < touch * touch;
  }
};

}    // namespace LAMMPS_NS

#endif
