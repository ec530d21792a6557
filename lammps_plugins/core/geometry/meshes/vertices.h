// Vertices of triangles, numbered in the order of the file.

#ifndef GRANULAR_PLUS_VERTICES_H
#define GRANULAR_PLUS_VERTICES_H

#include "box_tree.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace granular_plus {

// Corners closer together than this fraction of the diagonal of the bounding box differ only by rounding to single
// precision. Mesh walls and shaped grains use the same value, so that they agree on whether a surface is closed.
constexpr double SAME_CORNER = 2.0e-7;

class Vertices {
 public:
  // Corners closer than `tolerance` to an earlier vertex are replaced by that vertex.
  explicit Vertices(std::size_t corners, double tolerance = 0.0) : tolerance(tolerance)
  {
    numbers.reserve(corners / 6);
  }

  int number_of(const Vector &corner)
  {
    const Vector place = corner + Vector{0.0, 0.0, 0.0};    // turns -0 into 0
    const auto [at, is_new] = numbers.try_emplace({place.x, place.y, place.z}, static_cast<int>(list.size()));
    if (!is_new) return at->second;
    if (tolerance > 0.0) {
      const int near = vertex_near(place);
      if (near >= 0) return at->second = near;
      remember_cell(place);
    }
    list.push_back(place);
    return at->second;
  }

  std::vector<Vector> list;

 private:
  template <class T> struct Hash {
    std::size_t operator()(const std::array<T, 3> &place) const
    {
      std::uint64_t hash = 0;
      for (const T coordinate : place) hash = hash * 0x9e3779b97f4a7c15U + std::hash<T>()(coordinate);
      return hash ^ hash >> 32;
    }
  };
  using Cell = std::array<std::int64_t, 3>;

  double tolerance;
  std::unordered_map<std::array<double, 3>, int, Hash<double>> numbers;
  std::unordered_map<Cell, int, Hash<std::int64_t>> last_in_cell;
  std::vector<int> previous_in_cell;    // for each vertex, the previous vertex in the same cell, or -1

  std::int64_t cell(const Vector &place, int d, double shift) const
  {
    const double from = list.empty() ? component(place, d) : component(list[0], d);
    const double number = std::floor((component(place, d) - from + shift) / (4.0 * tolerance));
    return std::fabs(number) < 1.0e18 ? static_cast<std::int64_t>(number) : 0;
  }

  int vertex_near(const Vector &place) const
  {
    Cell low, high, at;
    for (int d = 0; d < 3; ++d) {
      low[d] = cell(place, d, -tolerance);
      high[d] = cell(place, d, tolerance);
    }
    for (at[0] = low[0]; at[0] <= high[0]; ++at[0])
      for (at[1] = low[1]; at[1] <= high[1]; ++at[1])
        for (at[2] = low[2]; at[2] <= high[2]; ++at[2]) {
          const auto found = last_in_cell.find(at);
          if (found == last_in_cell.end()) continue;
          for (int k = found->second; k >= 0; k = previous_in_cell[k])
            if (length(list[k] - place) <= tolerance) return k;
        }
    return -1;
  }

  void remember_cell(const Vector &place)
  {
    const int number = static_cast<int>(list.size());
    const auto [at, is_first] =
        last_in_cell.try_emplace({cell(place, 0, 0.0), cell(place, 1, 0.0), cell(place, 2, 0.0)}, number);
    previous_in_cell.push_back(is_first ? -1 : at->second);
    at->second = number;
  }
};

struct JoinedCorners {
  std::vector<Vector> vertices;
  std::vector<int> number;
};

template <class Corner>
JoinedCorners joined_corners(std::size_t count, const Corner &corner, double same_corner = SAME_CORNER)
{
  Vector low{INFINITY, INFINITY, INFINITY}, high{-INFINITY, -INFINITY, -INFINITY};
  for (std::size_t k = 0; k < count; ++k) widen(low, high, corner(k));
  Vertices vertices(count, same_corner * length(high - low));
  JoinedCorners joined;
  joined.number.reserve(count);
  for (std::size_t k = 0; k < count; ++k) joined.number.push_back(vertices.number_of(corner(k)));
  joined.vertices = std::move(vertices.list);
  return joined;
}

}    // namespace granular_plus

#endif
