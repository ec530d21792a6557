// Checks of the set-up of a LAMMPS simulation. If the set-up is unsuitable, the checks warn or stop with an error.

#ifndef LMP_GRANULAR_PLUS_SURROUNDINGS_H
#define LMP_GRANULAR_PLUS_SURROUNDINGS_H

#include "pointers.h"
#include "update.h"

#include "../core/model/contact_model.h"

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace LAMMPS_NS {

// Returns whether the environment variable `name` is `yes`. Stops with an error if the variable has a value other than
// `yes`, `no` and the empty string.
bool is_switched_on(class Error *error, const char *name);

// Called in init. `message_prefix` begins every message.
void check_surroundings(LAMMPS *lmp, const std::string &message_prefix);

// Called in init if there is friction.
void warn_of_grains_that_do_not_turn(LAMMPS *lmp, const std::string &message_prefix);

// Warns of the largest overlap at the start of a run. Warns again if a later run starts with a larger overlap.
class StartCheck {
 public:
  void begin() { deepest = 0.0; }
  // `other` is 0 for a wall; `radius` is the smaller radius of two grains, or the radius of the grain at a wall
  void add(double overlap, double radius, tagint grain, tagint other)
  {
    if (!(overlap > deepest * radius)) return;
    deepest = overlap / radius;
    grains[0] = grain;
    grains[1] = other;
  }
  void end(LAMMPS *lmp, const std::string &message_prefix);    // called on all ranks

 private:
  static constexpr double TOLERATED = 0.2;    // fraction of the smaller radius
  double deepest = 0.0, warned_of = TOLERATED;
  tagint grains[2] = {};
};

std::vector<class Fix *> inserting_fixes(LAMMPS *lmp);

// Value of neigh_modify delay that disables LAMMPS's own check of displacements.
constexpr int DELAY_WITH_BUDGETS = std::numeric_limits<int>::max();

// A collision that takes fewer time steps than this has a wrong restitution or creates energy.
constexpr double FEWEST_STEPS = 8.0;
// A collision that takes fewer time steps than this causes a warning.
constexpr double ENOUGH_STEPS = 20.0;

// Called in init if contacts conduct or generate heat.
void check_temperatures(LAMMPS *lmp, const std::string &message_prefix);
void warn_of_constant_temperatures(LAMMPS *lmp, const std::string &message_prefix);

// Called in init, and when the time step changes. Stops with an error if the time step cannot resolve a prescribed
// collision time.
void check_prescribed_time(LAMMPS *lmp, const std::string &message_prefix, const granular_plus::ContactModel &model);

// Time passes neither in setup nor in a minimization. In each trial step of a minimization, contacts among grains
// nevertheless continue.
inline bool is_time_step(const Update &update) { return update.setupflag == 0 && update.whichflag == 1; }
inline bool contacts_go_on(const Update &update) { return update.setupflag == 0; }

// Called in setup. Returns whether setup belongs to a frame of rerun, which starts without history.
bool is_frame_of_rerun(const class Update &update);

class RigidBodies {
 public:
  void find(LAMMPS *lmp);    // called in init
  bool empty() const { return fixes.empty(); }
  void refresh()    // called because the fixes may reallocate their arrays
  {
    if (!fixes.empty()) find_arrays();
  }
  double mass(int particle, double own_mass) const
  {
    for (const auto &bodies : arrays) {
      const int body = bodies.of_particle && bodies.masses ? bodies.of_particle[particle] : -1;
      if (body >= 0 && bodies.masses[body] > 0.0) return bodies.masses[body];
    }
    return own_mass;
  }

 private:
  struct Arrays {
    const int *of_particle;
    const double *masses;
  };
  std::vector<class Fix *> fixes;
  std::vector<Arrays> arrays;
  void find_arrays();
};

struct Collision {
  double time = INFINITY, mass = 0.0, radius = 0.0, speed = 0.0;    // mass and radius are effective values
  double inertia = 0.0;                                             // effective moment of inertia for relative rotation
};

// The extreme values of mass, radius and velocity for each type determine the shortest possible collision.
class Colliders {
 public:
  Colliders() = default;
  explicit Colliders(int types);
  void add(int type, double mass, bool held, double radius, const double *velocity);
  void reduce_over_ranks(MPI_Comm world);
  // Called after reduce_over_ranks. Returns whether a particle is much lighter or smaller than all particles of its
  // type in `before`, or whether `before` has no particle of this type.
  bool go_beyond(const Colliders &before) const;
  // Returns the shortest collision. Its time is infinite if no collision is possible.
  Collision shortest(const granular_plus::ContactModel &model, int itype, int jtype, double timestep) const;
  Collision shortest_at_wall(const granular_plus::ContactModel &model, int type, double wall_mass, double wall_speed,
                             double timestep) const;

 private:
  // All values are maxima, so one reduction over ranks suffices. They are the inverses of the smallest mass and radii,
  // the components of velocity, and the negatives of these components.
  enum { MASS, RADIUS, FIXED_RADIUS, UP, DOWN = UP + 3, VALUES = DOWN + 3 };
  std::vector<std::array<double, VALUES>> of_type;
  static constexpr int AT_REST = 0;    // types start at 1
  double fastest(int itype, int jtype) const;
};

// Warns if a collision takes too few time steps, or if springs and dashpots for slip, rolling and twisting are too
// strong for the time step. Warns again if the violation has become much larger. GrainContacts and each wall own one
// StepCheck.
class StepCheck {
 public:
  bool due = true;    // set at the start of a run and when the time step changes
  // Called after a new neighbour list. Returns whether the number of particles has changed.
  bool must_look(bigint particles) const { return particles != looked_at; }
  // Returns true if a check is needed: if `due` is true, if the number of particles has more than doubled, or if
  // `colliders` go beyond those of the last check (see go_beyond).
  bool begin(Colliders colliders, bigint particles);
  // Called for each pair of types, or by a wall for each type. Afterwards, `judge` reports the worst case.
  void consider(const std::string &which, const granular_plus::ContactModel &model, const Collision &shortest,
                double timestep);
  void judge(LAMMPS *lmp);
  // Warns if the time step is too long for bonds. frequency: largest angular frequency at which bonded grains vibrate;
  // damping: largest rate at which dashpots of bonds slow the grains.
  void judge_bonds(LAMMPS *lmp, const std::string &message_prefix, double frequency, double damping);

 private:
  enum Motion { SLIP, ROLLING, TWISTING, MOTIONS };
  struct Worst {
    double value;
    std::string which;
  };
  Colliders checked;
  bigint looked_at = 0, number_checked = 0;
  Worst shortest{INFINITY, {}};
  std::array<Worst, MOTIONS> strongest{};    // resistance divided by the largest value that the time step allows
  double fewest_steps = ENOUGH_STEPS, fastest_bonds = 1.0;
  std::array<double, MOTIONS> strongest_warned_of{1.0, 1.0, 1.0};
};

// Called on all ranks for laws that make contacts softer than the material. Warns and returns true if overlaps are too
// large. excess: largest difference between an overlap and the tolerated overlap; shortest_time: shortest prescribed
// collision time.
bool warn_of_overlap(LAMMPS *lmp, const std::string &message_prefix, double excess, double shortest_time);

}    // namespace LAMMPS_NS

#endif
