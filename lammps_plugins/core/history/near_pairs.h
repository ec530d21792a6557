// The pairs that may touch before any particle has moved far: a short list, rebuilt occasionally from the long list of
// a neighbour list build. Most pairs within LAMMPS's skin never touch; this keeps them out of the loop. Owned by
// ContactList. Pairs keep their order, so forces agree bit by bit with those of the long list.

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
  // the long list is new
  void renew() { valid = false; }
  // the same for an unchanged long list: does not count as evidence whether the short list pays off
  void discard() { valid = selective = false; }
  // the same, and frees all memory
  void release();

  // Brings the short list up to date; its group g is [first[g], first[g + 1]), the near pairs of group g of the long
  // list. Contacts are alive if they carry this stamp; lists_ended: contacts that end will be listed. With skin 0 all
  // pairs are near. Returns whether the list is new.
  bool update(const Kernels &kernels, const Particles &particles, int particle_count,
              const std::vector<PairGroup> &pair_groups, const std::vector<int> &first, const Pairs &all,
              const History &history, int stamp, double skin, bool lists_ended, LoopWork &work);

  std::vector<int> first;    // by group

  // the arrays of the short list
  void fill(Pairs &pairs);

  double memory_usage() const;

 private:
  bool valid = false;
  bool selective = false;      // pairs that are not near are left out
  int renewals_to_wait = 0;    // before the next attempt, after leaving pairs out did not pay off
  std::size_t pairs_then = 0;
  double margin = 0.0;    // pairs closer than this are listed
  int age = 0;            // steps since the list was built
  DisplacementTracker moves;

  double near_squared[LoopWork::SEARCHED];    // for the part of the long list being searched

  int count = 0;    // length of the short list
  bool lists_ends = false;
  Buffer<int> separated, ended;
  Buffer<PairIndex> number;
  Buffer<float> touching_rounded;
  Buffer<double> cutoff_squared, touching_squared;
  Buffer<unsigned char> living, wet;
  double bytes_per_pair = 0.0;    // of the arrays above

  void judge(int particle_count, std::size_t pairs_now, double skin);
  void provide_room(const std::vector<PairGroup> &pair_groups);
  void list(const Kernels &kernels, const Particles &particles, const std::vector<PairGroup> &pair_groups,
            const std::vector<int> &first_long, const Pairs &all, const History &history, int stamp, LoopWork &work);
};

}    // namespace granular_plus

#endif
