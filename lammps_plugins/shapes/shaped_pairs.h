// The contact loop for pairs of which at least one has a shape: lanes are filled by contact_of_shapes, then go through the
// stages of all contacts. One pair at a time: most of the work is that of nodes.

#ifndef GRANULAR_PLUS_SHAPED_PAIRS_H
#define GRANULAR_PLUS_SHAPED_PAIRS_H

#include "shape_lane.h"
#include "../kernels/kernels.h"

#include <vector>

namespace granular_plus {

class ShapedPairs {
 public:
  // of all particles, filled by the owner before each evaluation
  std::vector<Body> bodies;
  std::vector<TurnedInertia> inertias;    // of those with a shape

  // a new list: what was known of pairs is forgotten
  void begin_list(int pairs);
  int listed() const { return static_cast<int>(caches.size()); }
  // normal_history: where the values of a contact hold its normal
  void loop(const Particles &, const Pairs &, const History &, const PairGroup &, const LoopOptions &,
            int normal_history, LoopWork &);
  // as Kernels::end
  void end(const Particles &, const Pairs &, int count, const History &, const PairGroup &, const LoopOptions &,
           int normal_history, LoopWork &);

  // nodes in contacts, weighted with the energy of contacts, since this was set to 0
  double weighted_nodes = 0.0, weight = 0.0;

  // a pair, left out, whose overlap is not less than the sum of its radii of equal volume: its centres have met
  struct TooDeep {
    int i = -1, j = -1;
    double overlap = 0.0;
  } too_deep;

  double memory_usage() const;

 private:
  // of each pair of the long list
  std::vector<ContactCache> caches;
  struct Last {
    ShapeContact contact;
    bool known;
  };
  std::vector<Last> last;
  ShapeContact found[LANES];
  ContactCache scratch;    // for a look

  Partner partner(const Particles &, int particle) const;
  void evaluate(const Particles &, const Pairs &, const History &, const PairGroup &, const LoopOptions &,
                int normal_history, LoopWork &, const int *pair, int count);
};

}    // namespace granular_plus

#endif
