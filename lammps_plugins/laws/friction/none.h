// No resistance to rolling, or none to twisting.

#ifndef GRANULAR_PLUS_FRICTION_NONE_H
#define GRANULAR_PLUS_FRICTION_NONE_H

#include "../lane.h"

GRANULAR_PLUS_LAWS_BEGIN
namespace friction {

struct None {
  static constexpr const char *name = "none";
  static constexpr const char *source = "no resistance";
  static constexpr int history = 0;
  static constexpr int history_vectors = 0;
};

}    // namespace friction
GRANULAR_PLUS_LAWS_END

#endif
