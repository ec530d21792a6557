#ifndef GRANULAR_PLUS_BOND_NONE_H
#define GRANULAR_PLUS_BOND_NONE_H

#include "../lane.h"
#include "../parameters.h"

GRANULAR_PLUS_LAWS_BEGIN
namespace bond {

struct None {
  static constexpr const char *name = "none";
  static constexpr const char *source = "no bonds";
  static constexpr bool joins = false;
  static constexpr int history = 0, history_vectors = 0;
};

}    // namespace bond
GRANULAR_PLUS_LAWS_END

#endif
