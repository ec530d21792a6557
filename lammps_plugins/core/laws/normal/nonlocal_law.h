// Interface of normal laws in which the force of a contact depends on all contacts of its two grains. Such a law sets
// `nonlocal`. grains/nonlocal_forces.h computes the forces and stores the results in the contact's history row, from
// which `follow` reads them. There are two kinds of nonlocal laws.
//
// In a law that sets `couples`, each contact displaces the surfaces of its two grains at their other contacts:
//   displacement   outward displacement of the surface at one contact, per force of another contact
//   respond        the force of a contact whose overlap is increased by a displacement
// grains/coupled_contacts.h solves for all coupled forces together. The history of the law begins with CoupledKept.
//
// Any other nonlocal law stores sums for each grain. Its functions are called in this order:
//   evaluate_sums      each grain, at the beginning of a step: evaluates the sums of the last step and resets them
//   evaluate_between   each contact of two grains, with the other contacts of one of them: evaluates the grains in
//                      between
//   add_to_sums        each contact: adds to sums that are needed for the forces
//   compute_force      each contact: computes the force, and adds to the sums of the step
// `begin` initialises the values of a new grain. All values are 0 before this call.

#ifndef GRANULAR_PLUS_NORMAL_NONLOCAL_LAW_H
#define GRANULAR_PLUS_NORMAL_NONLOCAL_LAW_H

#include "../contact.h"

namespace granular_plus {

// when a value is sent to ghosts: never, after evaluate_sums, or after add_to_sums
enum class Sent { NEVER, AFTER_EVALUATION, AFTER_ADDITION };

struct StoredValue {
  const char *name, *unit, *meaning;
  Sent sent;
};

struct StoredGrain {
  double *const *columns;
  double *radii;
  int number;
  double &operator[](int value) const { return columns[value][number]; }
  double &radius() const { return radii[number]; }
};

struct NonlocalContact {
  StoredGrain grains[2];    // the grain with the larger ID comes first
  int sides;                // 2, or 1 at a wall
  double distance, overlap, effective_mass, effective_radius;
  double normal[3];
  double separation_change;    // change of the separation in this step
  double *kept;
};

// `to` is the vector to the centre of the neighbour.
struct Neighbour {
  double to[3], squared_distance, radius;
};

// Displacement of the two surfaces towards each other, and the overlap for which this displacement was computed.
enum CoupledKept { DISPLACEMENT, FOUND_AT, KEPT_OF_COUPLED };

struct NonlocalLaw {
  static constexpr int MOST_CONSTANTS = 12;
  using Constants = LawConstants<MOST_CONSTANTS>;
  const char *name = nullptr;    // null if the normal law is local
  const StoredValue *stored = nullptr;
  int stored_count = 0;
  Constants constants{};
  int constants_of_grains = 0;                   // leading constants that all contacts of a grain share
  const char *parameters_of_grains = nullptr;    // names for messages
  double (*displacement)(const Constants &, double radius,
                         double cosine) = nullptr;    // cosine of the angle between the two contacts
  double (*respond)(const Constants &, const NonlocalContact &, double displacement) = nullptr;
  void (*begin)(const StoredGrain &) = nullptr;
  void (*evaluate_sums)(const Constants &, const StoredGrain &, bool grows) = nullptr;
  void (*evaluate_between)(const Neighbour &partner, const Neighbour *others, int count, double *kept) = nullptr;
  void (*add_to_sums)(const NonlocalContact &) = nullptr;
  void (*compute_force)(const Constants &, const NonlocalContact &, bool is_step) = nullptr;
  explicit operator bool() const { return name != nullptr; }
  bool couples() const { return respond != nullptr; }
};

}    // namespace granular_plus

#endif
