// The candidate pairs that can touch before any particle has moved far: a short list, rebuilt from time to time from the long
// one that a neighbour list build gives. Most pairs within LAMMPS's skin never touch; this keeps them out of the loop.
// Pairs keep their order, so forces are bit by bit those of the long list.

#ifndef GRANULAR_PLUS_NEAR_PAIRS_H
#define GRANULAR_PLUS_NEAR_PAIRS_H

#include "../kernels/buffer.h"
#include "../kernels/kernels.h"
#include "places_then.h"

#include <cstddef>
#include <vector>

namespace granular_plus {

class NearPairs {
 public:
  // forget everything: the long list is new
  void renew() { valid = false; }
  // likewise, though the long list is the same: says nothing about whether the short one was worth its price
  void discard() { valid = selective = false; }
  // likewise; gives all memory back
  void release();

  // Bring the short list up to date; its group g is [first[g], first[g + 1]), those of group g of all pairs that are near.
  // Contacts are alive when they carry this stamp; where lists_ended, those that end will be asked for. All pairs are near
  // where skin is 0. Returns whether it is a new one.
  bool update(const Kernels &kernels, const Particles &particles, int particle_count,
              const std::vector<PairGroup> &pair_groups, const std::vector<int> &first, const Pairs &all,
              const History &history, int stamp, double skin, bool lists_ended, LoopWork &work);

  std::vector<int> first;    // by group

  // the arrays of the short list
  void fill(Pairs &pairs);

  double memory_usage() const;

 private:
  bool valid = false;
  bool selective = false;      // some pairs are left out
  int renewals_to_wait = 0;    // before another try, where leaving pairs out did not pay
  std::size_t pairs_then = 0;
  double margin = 0.0;    // pairs closer than this are listed
  int age = 0;            // steps that the list has served
  PlacesThen then;

  double near_squared[LoopWork::SEARCHED];    // of the part of the long list in hand

  int count = 0;    // of the short list
  bool tells_ends = false;
  Buffer<int> separated, ended;
  Buffer<PairIndex> number;
  Buffer<float> touching_rounded;
  Buffer<double> cutoff_squared, touching_squared;
  Buffer<unsigned char> living, wet;
  double bytes_per_pair = 0.0;    // of these arrays

  void judge(int particle_count, std::size_t pairs_now, double skin);
  void provide_room(const std::vector<PairGroup> &pair_groups);
  void list(const Kernels &kernels, const Particles &particles, const std::vector<PairGroup> &pair_groups,
            const std::vector<int> &first_long, const Pairs &all, const History &history, int stamp, LoopWork &work);
};

}    // namespace granular_plus

#endif
