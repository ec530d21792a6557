#ifndef GRANULAR_PLUS_TWISTING_NONE_H
#define GRANULAR_PLUS_TWISTING_NONE_H

#include "../tangential/tangential_law.h"

GRANULAR_PLUS_LAWS_BEGIN
namespace twisting {

struct None {
  static constexpr const char *name = "none";
  static constexpr const char *source = "no resistance to twisting";
  static constexpr int history = 0;
  static constexpr int history_vectors = 0;
};

}    // namespace twisting
GRANULAR_PLUS_LAWS_END

#endif
