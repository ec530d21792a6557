// The contact model of step.cpp, which is compiled for batches of one lane, while the model's stages have batches of many.

#include "model/contact_model.h"

using namespace granular_plus;

ModelConstants usual_constants(double timestep)
{
  const ContactModel model({"hertz/material", "1e6", "50", "0.3", "tangential", "mindlin", "NULL", "1.0", "0.5"});
  PairGroup group{};
  model.compile(group, common_layout({model}, Ledger::NO), kernels(), timestep);
  return group.constants;
}
