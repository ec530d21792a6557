// What a normal law offers whose force depends on all contacts of its grains together: what it stores of each grain, what a
// contact adds to that before and while forces are found, and what becomes of a grain's sums. Such a law sets `nonlocal`.
//
// Its forces are found contact by contact by whoever holds the grains (grains/nonlocal_forces.h), in this order:
//   close   each grain, at the beginning of a step: from the sums of the step before, which begin anew
//   among   each contact of two grains, with the other contacts of one of them
//   meet    each contact: adds to the sums that forces need
//   press   each contact: its force, and the sums of the step
// They lie in the contact's row of history, where `follow`, on the lanes, finds them; friction and all else is as with other
// laws. With `begin` a new grain begins, of which all values are 0.

#ifndef GRANULAR_PLUS_NORMAL_NONLOCAL_LAW_H
#define GRANULAR_PLUS_NORMAL_NONLOCAL_LAW_H

#include "../contact.h"

namespace granular_plus {

enum class Sent { NEVER, CLOSED, MET };    // to ghosts: once grains are closed, or once contacts have met

// of each grain
struct StoredValue {
  const char *name, *unit, *meaning;
  Sent sent;
};

struct StoredGrain {
  double *const *columns;    // one for each value
  double *radii;             // which a law may change
  int number;
  double &operator[](int value) const { return columns[value][number]; }
  double &radius() const { return radii[number]; }
};

struct NonlocalContact {
  StoredGrain grains[2];    // of a pair first the one with the larger ID
  int sides;                // 2, or 1 at a wall
  double distance, overlap, effective_mass;
  double normal[3];
  double way;      // by which the two have parted in this step
  double *kept;    // what the contact remembers
};

// of a grain, where another one touches it: centre from centre
struct Neighbour {
  double to[3], squared_distance, radius;
};

// Such a law as a contact model has chosen it.
struct NonlocalLaw {
  static constexpr int MOST_CONSTANTS = 12;
  using Constants = LawConstants<MOST_CONSTANTS>;
  const StoredValue *stored = nullptr;    // null: the law is another one
  int stored_count = 0;
  Constants constants{};
  int constants_of_grains = 0;    // the first of them, which all contacts of a grain have in common
  void (*begin)(const StoredGrain &) = nullptr;
  void (*close)(const Constants &, const StoredGrain &, bool grows) = nullptr;
  void (*among)(const Neighbour &partner, const Neighbour *others, int count, double *kept) = nullptr;
  void (*meet)(const NonlocalContact &) = nullptr;
  void (*press)(const Constants &, const NonlocalContact &, bool is_step) = nullptr;
  explicit operator bool() const { return stored != nullptr; }
};

}    // namespace granular_plus

#endif
