// Finds the contacts of pairs with at least one shaped grain (contact_of_shapes.h), and passes these contacts to the
// contact loop. Owned by GrainContacts.

#ifndef GRANULAR_PLUS_SHAPED_PAIRS_H
#define GRANULAR_PLUS_SHAPED_PAIRS_H

#include "shape_lane.h"
#include "../../kernels/kernels.h"

#include <vector>

namespace granular_plus {

class ShapedPairs : private ContactSource {
 public:
  // one body for each particle, set by the owner before each evaluation
  std::vector<Body> bodies;
  std::vector<TurnedInertia> inertias;

  // Must be called for a new neighbour list; discards the stored candidates of all pairs.
  void begin_list(int pairs);
  int listed() const { return static_cast<int>(caches.size()); }
  void loop(const Kernels &, const Particles &, const Pairs &, const History &, const PairGroup &, const LoopOptions &,
            LoopWork &);
  void evaluate_ended(const Kernels &, const Particles &, const Pairs &, const std::vector<PairIndex> &ended,
                      const History &, const PairGroup &, const LoopOptions &, LoopWork &);

  // Sums over all contacts. weight: sum of weight_of_nodes(); weighted_nodes: sum of the product of weight_of_nodes()
  // and the number of nodes. The caller resets these sums to 0.
  double weighted_nodes = 0.0, weight = 0.0;

  // a pair that was not evaluated because its overlap is at least the sum of the volume radii
  struct TooDeep {
    int i = -1, j = -1;
    double overlap = 0.0;
  } too_deep;

  // largest overlap found in evaluations with Mode::SETUP, divided by the smaller volume radius
  struct Deepest {
    int i = -1, j = -1;
    double overlap = 0.0;
  } deepest;

  // contact point of the last evaluation with Mode::READ_ONLY
  Vector inspected_point{};

  double memory_usage() const;

 private:
  std::vector<ContactCache> caches;    // one for each pair of the long list
  ContactCache scratch;

  const Particles *particles;
  const ModelConstants *model;
  Mode mode;
  std::vector<FoundContact> found;
  std::vector<ShapeContact> contacts;

  Partner partner(int particle) const;
  void remember(Batch &, int lane, const ShapeContact &, const Vector &middle) const;
  static ShapeContact remembered(const double *row, const ModelConstants &, const Partner &i, const Partner &j);
  void fill(LoopWork &, int first) override;
  void finish(LoopWork &, int first) override;
  void evaluate(const Kernels &, const Pairs &, const History &, const PairGroup &, const StageList &,
                const LoopOptions &, LoopWork &);
};

}    // namespace granular_plus

#endif
