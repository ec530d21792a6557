// One contact looked at: the force as it stands and what the contact remembers, by the names of outputs.h. Nothing
// changes.

#ifndef GRANULAR_PLUS_SINGLE_CONTACT_H
#define GRANULAR_PLUS_SINGLE_CONTACT_H

#include "../model/contact_model.h"
#include "../contacts/contact_list.h"
#include "shaped_pairs.h"

namespace granular_plus {

struct SingleContact {
  Particles particles;
  const ContactList &contacts;
  const ContactModel &model;
  const HistoryLayout &layout;
  const Kernels &kernels;
  double timestep;
  ShapedPairs *shaped;    // null where no grain has a shape

  // Fills values[pair_output::COUNT]; returns the central force over the distance. Both are 0 where i and j do not act on each
  // other.
  double look_at(int i, int j, double *values, LoopWork &work) const;

 private:
  void evaluate(int i, int j, const double *remembered, PairGroup &pair_group, LoopWork &work) const;
  double report(int i, int j, double sign, const PairGroup &pair_group, const Batch &batch, double *values) const;
};

}    // namespace granular_plus

#endif
