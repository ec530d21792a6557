// Cell-list search for pairs of grains whose distance is at most the sum of their reaches.
//
// Grains are binned by reach into levels. The limits of successive levels differ by a factor of two. Within a level,
// grains are binned by position into cells. The rounding error of single precision is added to each reach. The search
// therefore finds every pair within reach exactly once. It also finds a few pairs slightly out of reach.

#ifndef GRANULAR_PLUS_PAIR_SEARCH_H
#define GRANULAR_PLUS_PAIR_SEARCH_H

#include "../kernels/kernels.h"

#include <cstddef>
#include <vector>

namespace granular_plus {

class PairSearch {
 public:
  struct Grains {
    const double *position;    // rows of three; owned grains come first, then ghosts
    const double *reach;
    int owned, all;
  };

  // Calls callback(grain, partners, count) for each owned grain. A pair of owned grains is reported once; ghosts appear
  // only as partners.
  template <class See> void find(const Kernels &kernels, const Grains &grains, const See &callback)
  {
    sort(grains);
    for (std::size_t level = 0; level < levels.size(); ++level)
      for (int k = 0; k < levels[level].owned.count(); ++k) {
        const int count = find_partners(kernels, level, k);
        callback(levels[level].owned.number[k], found.data(), count);
      }
  }

 private:
  static constexpr int FINE = 2;    // cells are shorter along x than along y and z by this factor

  struct Sorted {
    std::vector<float> x, y, z, reach;
    // start: index of the first grain in each cell, then the total number of grains
    std::vector<int> number, cell, start;
    int count() const { return start.empty() ? 0 : start.back(); }
    CellArrays arrays() const { return {x.data(), y.data(), z.data(), reach.data(), number.data()}; }
  };
  struct Level {
    float largest = 0.0F;
    float per_x = 0.0F, per = 0.0F;    // cells per unit of length: `per_x` along x, `per` along y and z
    int nx = 0, ny = 0, nz = 0;        // number of cells, including a border of empty cells
    Sorted owned, ghosts;
    std::vector<unsigned char> near_ghosts;    // whether the cells around each cell contain ghosts
    int cell(float x, float y, float z) const;
  };

  std::vector<Level> levels;
  std::vector<float> place[3], reach;
  std::vector<unsigned char> level_of;
  std::vector<int> found;
  std::vector<CellRange> ranges;
  float extent[3] = {};

  void sort(const Grains &);
  void find_levels(const Grains &);
  void make_cells(Level &level, int members) const;
  void fill(int level, int begin, int end, Sorted &sorted);
  void mark_ghosts(Level &level) const;
  int find_partners(const Kernels &kernels, std::size_t level, int k);
  void add_ranges_around(const CellGrain &one, const Level &level, const Sorted &among);
  int search_ranges(const Kernels &kernels, const CellGrain &one, const Sorted &among, int count);
};

}    // namespace granular_plus

#endif
