#ifndef GRANULAR_PLUS_CAPILLARY_NONE_H
#define GRANULAR_PLUS_CAPILLARY_NONE_H

#include "capillary_law.h"

GRANULAR_PLUS_LAWS_BEGIN
namespace capillary {

struct None {
  static constexpr const char *name = "none";
  static constexpr const char *source = "dry";
  static constexpr bool pulls = false;
};

}    // namespace capillary
GRANULAR_PLUS_LAWS_END

#endif
