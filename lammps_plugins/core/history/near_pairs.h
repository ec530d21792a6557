// A short list of the pairs whose particles may act on each other before any particle has moved far. Forces are bitwise
// identical to those with the long list. Owned by ContactList.

#ifndef GRANULAR_PLUS_NEAR_PAIRS_H
#define GRANULAR_PLUS_NEAR_PAIRS_H

#include "../kernels/buffer.h"
#include "../kernels/kernels.h"
#include "displacement_tracker.h"

#include <cstddef>
#include <vector>

namespace granular_plus {

class NearPairs {
 public:
  // Must be called if the long list is new or radii have changed.
  void invalidate() { valid = false; }
  void discard() { valid = selective = false; }
  void release();

  // Rebuilds the short list if it is no longer valid. Returns whether the list was rebuilt. The pairs of group g in the
  // long list `all` begin at first[g] and end before first[g + 1]. stamp: stamp of contacts that are alive. If skin is
  // 0, all pairs are near.
  bool update(const Kernels &kernels, const Particles &particles, int particle_count,
              const std::vector<PairGroup> &pair_groups, const std::vector<int> &first, const Pairs &all,
              const History &history, int stamp, double skin, bool lists_ended, LoopWork &work);

  std::vector<int> first;

  void fill(Pairs &pairs);

  double memory_usage() const;

 private:
  bool valid = false;
  bool selective = false;
  // number of rebuilds that will include all pairs, because leaving pairs out saved no time
  int full_rebuilds_left = 0;
  std::size_t pairs_then = 0;
  double margin = 0.0;    // pairs with a gap below this value are listed
  int age = 0;
  DisplacementTracker moves;

  // squared distances up to which pairs are near
  double near_squared[LoopWork::SEARCH_BLOCK];

  int count = 0;
  bool lists_ends = false;
  Buffer<int> separated, ended;
  Buffer<PairIndex> number;
  Buffer<float> touching_rounded;
  Buffer<double> cutoff_squared, touching_squared;
  Buffer<unsigned char> living, wet;
  double bytes_per_pair = 0.0;

  void choose_margin(int particle_count, std::size_t pairs_now, double skin);
  void allocate_arrays(const std::vector<PairGroup> &pair_groups);
  void build(const Kernels &kernels, const Particles &particles, const std::vector<PairGroup> &pair_groups,
             const std::vector<int> &first_long, const Pairs &all, const History &history, int stamp, LoopWork &work);
};

}    // namespace granular_plus

#endif
