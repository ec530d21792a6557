#ifndef GRANULAR_PLUS_CAPILLARY_NONE_H
#define GRANULAR_PLUS_CAPILLARY_NONE_H

#include "capillary_law.h"

GRANULAR_PLUS_LAWS_BEGIN
namespace capillary {

struct None {
  static constexpr const char *name = "none";
  static constexpr const char *source = "dry";
  static constexpr bool pulls = false;
  static constexpr bool from_films = false;
  static constexpr int history = 0, history_vectors = 0;
};

}    // namespace capillary
GRANULAR_PLUS_LAWS_END

#endif
