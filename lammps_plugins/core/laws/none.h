// Placeholders for the kinds of law that a contact model does not use.

#ifndef GRANULAR_PLUS_NONE_H
#define GRANULAR_PLUS_NONE_H

#include "lane.h"

GRANULAR_PLUS_LAWS_BEGIN

namespace friction {
struct None {
  static constexpr const char *name = "none";
  static constexpr const char *source = "no resistance";
  static constexpr int history = 0, history_vectors = 0;
  struct Arguments {};
};
}    // namespace friction

namespace capillary {
struct None {
  static constexpr const char *name = "none";
  static constexpr const char *source = "dry";
  static constexpr bool pulls = false;
  static constexpr bool from_films = false;
  static constexpr int history = 0, history_vectors = 0;
  struct Arguments {};
};
}    // namespace capillary

namespace bond {
struct None {
  static constexpr const char *name = "none";
  static constexpr const char *source = "no bonds";
  static constexpr bool joins = false;
  static constexpr int history = 0, history_vectors = 0;
  struct Arguments {};
};
}    // namespace bond

GRANULAR_PLUS_LAWS_END

#endif
