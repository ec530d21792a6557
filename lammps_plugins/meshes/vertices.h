// Corners with equal coordinates become one vertex. Vertices are numbered as they come.

#ifndef GRANULAR_PLUS_VERTICES_H
#define GRANULAR_PLUS_VERTICES_H

#include "../laws/lane.h"

#include <array>
#include <functional>
#include <unordered_map>
#include <vector>

namespace granular_plus {

class Vertices {
 public:
  explicit Vertices(std::size_t corners) { numbers.reserve(corners / 6); }    // as many as a closed surface has

  int number_of(const Vector &corner)
  {
    const Vector place = corner + Vector{0.0, 0.0, 0.0};    // -0 is 0
    const auto [at, is_new] = numbers.try_emplace({place.x, place.y, place.z}, static_cast<int>(list.size()));
    if (is_new) list.push_back(place);
    return at->second;
  }

  std::vector<Vector> list;

 private:
  struct Hash {
    std::size_t operator()(const std::array<double, 3> &place) const
    {
      std::size_t hash = 0;
      for (const double coordinate : place) hash = 31 * hash + std::hash<double>()(coordinate);
      return hash;
    }
  };
  std::unordered_map<std::array<double, 3>, int, Hash> numbers;
};

}    // namespace granular_plus

#endif
