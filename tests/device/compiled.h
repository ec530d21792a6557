// Combinations of laws that lanes.cu compiles for the host and for a device.

#ifndef GRANULAR_PLUS_DEVICE_COMPILED_H
#define GRANULAR_PLUS_DEVICE_COMPILED_H

#include "contacts.h"

#include <string>
#include <vector>

namespace granular_plus {

struct Compiled {
  std::string laws[8];    // normal, damping, tangential, rolling, twisting, slider, bridge, heat
  std::string types;      // C++ names of these laws
  Path path;
  bool observes;
  ModelConstants offsets;    // offsets known at compile time
  void (*on_host)(const ModelConstants &, const Contacts &);
  double (*on_device)(const ModelConstants &, const Contacts &);    // returns seconds per contact
};

const std::vector<Compiled> &all_compiled();
int devices();

}    // namespace granular_plus

#endif
