// Source of the contacts of pairs of which at least one has a shape: contact_of_shapes finds them, one pair at a time, and
// the loop of all contacts does the rest.

#ifndef GRANULAR_PLUS_SHAPED_PAIRS_H
#define GRANULAR_PLUS_SHAPED_PAIRS_H

#include "shape_lane.h"
#include "../../kernels/kernels.h"

#include <vector>

namespace granular_plus {

class ShapedPairs : private ContactSource {
 public:
  // of all particles, filled by the owner before each evaluation
  std::vector<Body> bodies;
  std::vector<TurnedInertia> inertias;    // of those with a shape

  // a new list: what was known of pairs is forgotten
  void begin_list(int pairs);
  int listed() const { return static_cast<int>(caches.size()); }
  void loop(const Kernels &, const Particles &, const Pairs &, const History &, const PairGroup &, const LoopOptions &,
            LoopWork &);
  // contacts that have ended: pairs of the list
  void evaluate_ended(const Kernels &, const Particles &, const Pairs &, const std::vector<PairIndex> &ended,
                      const History &, const PairGroup &, const LoopOptions &, LoopWork &);

  // nodes in contacts, weighted with the energy of contacts, since this was set to 0
  double weighted_nodes = 0.0, weight = 0.0;

  // a pair, left out, whose overlap is not less than the sum of its radii of equal volume: its centres have met
  struct TooDeep {
    int i = -1, j = -1;
    double overlap = 0.0;
  } too_deep;

  // the largest overlap that an evaluation of Mode::SETUP has found, in smaller radii of equal volume
  struct Deepest {
    int i = -1, j = -1;
    double overlap = 0.0;
  } deepest;

  // contact point of the pair that was last looked at (Mode::LOOK)
  Vector inspected_point{};

  double memory_usage() const;

 private:
  std::vector<ContactCache> caches;    // of each pair of the long list
  ContactCache scratch;                // for a look

  // of the evaluation in hand
  const Particles *particles;
  const ModelConstants *model;
  Mode mode;
  std::vector<FoundContact> found;
  std::vector<ShapeContact> contacts;    // as many

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
