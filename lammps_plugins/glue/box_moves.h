// Displacement of periodic images in a deforming box since the last neighbour list. Member of GrainRadii.

#ifndef LMP_GRANULAR_PLUS_BOX_MOVES_H
#define LMP_GRANULAR_PLUS_BOX_MOVES_H

#include "domain.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace LAMMPS_NS {

class BoxMoves {
 public:
  void remember(Domain &domain) { corners_then = corners(domain); }
  // Returns the sum of the two largest displacements of box corners, as in LAMMPS's own check.
  double of_images(Domain &domain) const
  {
    const std::vector<double> now = corners(domain);
    std::vector<double> moves;
    for (std::size_t k = 0; k < std::min(now.size(), corners_then.size()); k += 3)
      moves.push_back(
          std::hypot(now[k] - corners_then[k], now[k + 1] - corners_then[k + 1], now[k + 2] - corners_then[k + 2]));
    std::sort(moves.begin(), moves.end(), std::greater<>());
    return moves.size() < 2 ? 0.0 : moves[0] + moves[1];
  }

 private:
  std::vector<double> corners_then;

  static std::vector<double> corners(Domain &domain)
  {
    if (domain.triclinic) {
      domain.box_corners();
      return {&domain.corners[0][0], &domain.corners[0][0] + 24};
    }
    std::vector<double> both(domain.boxlo, domain.boxlo + 3);
    both.insert(both.end(), domain.boxhi, domain.boxhi + 3);
    return both;
  }
};

}    // namespace LAMMPS_NS

#endif
