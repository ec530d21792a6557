// What a normal law offers whose force depends on all contacts of its grains together. Such a law sets `nonlocal`. There are two
// kinds. Whoever holds the grains (grains/nonlocal_forces.h) finds their forces; what the lanes need of them lies in the contact's
// row of history, where `follow` finds it. Friction and all else is as with other laws.
//
// A law that sets `couples` has contacts of which each displaces the surface of its grains under their other contacts:
//   displacement   of the surface, outward, where one contact is, per force of another one
//   respond        the force of a contact whose surfaces come closer by a displacement than their overlap
// The forces that belong to each other are found together (grains/coupled_contacts.h). Its history begins with CoupledKept.
//
// Any other law stores sums of each grain. Its forces are found contact by contact, in this order:
//   close   each grain, at the beginning of a step: from the sums of the step before, which begin anew
//   among   each contact of two grains, with the other contacts of one of them
//   meet    each contact: adds to the sums that forces need
//   press   each contact: its force, and the sums of the step
// With `begin` a new grain begins, of which all values are 0.

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
  double distance, overlap, effective_mass, effective_radius;
  double normal[3];
  double way;      // by which the two have parted in this step
  double *kept;    // what the contact remembers
};

// of a grain, where another one touches it: centre from centre
struct Neighbour {
  double to[3], squared_distance, radius;
};

// what a contact keeps that others displace: the displacement of its surfaces towards each other, and the overlap at which that
// was found
enum CoupledKept { DISPLACEMENT, FOUND_AT, KEPT_OF_COUPLED };

// Such a law as a contact model has chosen it.
struct NonlocalLaw {
  static constexpr int MOST_CONSTANTS = 12;
  using Constants = LawConstants<MOST_CONSTANTS>;
  const char *name = nullptr;    // null: the law is another one
  const StoredValue *stored = nullptr;
  int stored_count = 0;
  Constants constants{};
  int constants_of_grains = 0;                   // the first of them, which all contacts of a grain have in common
  const char *parameters_of_grains = nullptr;    // from which they follow, in words
  double (*displacement)(const Constants &, double radius,
                         double cosine) = nullptr;    // cosine of the angle between the two
  double (*respond)(const Constants &, const NonlocalContact &, double displacement) = nullptr;
  void (*begin)(const StoredGrain &) = nullptr;
  void (*close)(const Constants &, const StoredGrain &, bool grows) = nullptr;
  void (*among)(const Neighbour &partner, const Neighbour *others, int count, double *kept) = nullptr;
  void (*meet)(const NonlocalContact &) = nullptr;
  void (*press)(const Constants &, const NonlocalContact &, bool is_step) = nullptr;
  explicit operator bool() const { return name != nullptr; }
  bool couples() const { return respond != nullptr; }
};

}    // namespace granular_plus

#endif
