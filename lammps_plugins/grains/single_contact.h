// A contact between two grains, computed again for output (pair->single, compute pair/local). The computation does not
// change the state of the run.

#ifndef LMP_GRANULAR_PLUS_SINGLE_CONTACT_H
#define LMP_GRANULAR_PLUS_SINGLE_CONTACT_H

#include "../core/geometry/shapes/shaped_pairs.h"
#include "../core/kernels/kernels.h"
#include "../core/model/contact_model.h"

namespace LAMMPS_NS {

class SingleContact {
 public:
  // i and j are in the order of the list. `shapes` is null if no grain has a shape. The batch of `work` is overwritten.
  SingleContact(const class Atom &atom, int i, int j, const granular_plus::ContactModel &model,
                const granular_plus::HistoryLayout &layout, double timestep, int evaluation,
                const granular_plus::Kernels &suited, const granular_plus::Particles &particles,
                granular_plus::ShapedPairs *shapes, granular_plus::LoopWork &work);

  // Fills values[pair_output::COUNT] and returns the central force divided by the distance. All results are 0 if i and
  // j do not act on each other. `remembered` is the row of the contact, or null if the contact is not live. `swapped`
  // is true if the caller named i and j in the opposite order.
  double report(const double *remembered, bool swapped, double *values);

 private:
  const Atom &atom;
  const int i, j;
  const granular_plus::ContactModel &model;
  const granular_plus::HistoryLayout &layout;
  const double timestep;
  const int evaluation;
  const granular_plus::Kernels &suited;
  const granular_plus::Particles &particles;
  granular_plus::ShapedPairs *const shapes;
  granular_plus::LoopWork &work;
  const bool has_shape;
  granular_plus::PairGroup pair_group{};

  void evaluate(const double *remembered);
  double report_contact(double sign, double *values) const;
};

}    // namespace LAMMPS_NS

#endif
