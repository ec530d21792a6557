#ifndef GRANULAR_PLUS_ROLLING_NONE_H
#define GRANULAR_PLUS_ROLLING_NONE_H

#include "../friction/slider.h"
#include "../parameters.h"

GRANULAR_PLUS_LAWS_BEGIN
namespace rolling {

struct None {
  static constexpr const char *name = "none";
  static constexpr const char *source = "no resistance to rolling";
  static constexpr int history = 0;
  static constexpr int history_vectors = 0;
};

}    // namespace rolling
GRANULAR_PLUS_LAWS_END

#endif
