// What pairs and walls alike need of the rest of a simulation, looked at in one place: it is right, or it is refused
// with a remedy, or there is a warning with numbers.

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

// of an environment variable that is yes or no; no where it is not set or empty
bool is_switched_on(class Error *error, const char *name);

// In init. Who asks begins every message.
void check_surroundings(LAMMPS *lmp, const std::string &who);

// In init, where there is friction: warns of fixes that move grains and do not turn them.
void warn_of_grains_that_do_not_turn(LAMMPS *lmp, const std::string &who);

// Grains that overlap far at the start of a run fly apart. Warns of the largest overlap, and again when it has become larger.
class StartCheck {
 public:
  void begin() { deepest = 0.0; }
  // of a grain and the smaller radius of the two; other: 0 for a wall
  void look_at(double overlap, double radius, tagint grain, tagint other)
  {
    if (!(overlap > deepest * radius)) return;
    deepest = overlap / radius;
    grains[0] = grain;
    grains[1] = other;
  }
  void end(LAMMPS *lmp, const std::string &who);    // all ranks together

 private:
  static constexpr double TOLERATED = 0.2;    // of the smaller radius
  double deepest = 0.0, warned_of = TOLERATED;
  tagint grains[2] = {};
};

// The fixes that insert grains in the course of a run, into their group.
std::vector<class Fix *> inserting_fixes(LAMMPS *lmp);

// neigh_modify delay during a run in which granular/plus itself asks for a new list before any grain has moved by half the skin;
// LAMMPS's own look at displacements is then left out
constexpr int DELAY_WITH_BUDGETS = std::numeric_limits<int>::max();

// contacts shorter than this in time steps give another restitution than asked for, or energy out of nothing
constexpr double FEWEST_STEPS = 8.0;
// fewer than these deserve a warning
constexpr double ENOUGH_STEPS = 20.0;

// In init, where contacts conduct heat or make it: grains must have temperatures, and something should integrate them.
void check_temperatures(LAMMPS *lmp, const std::string &who);
void warn_of_constant_temperatures(LAMMPS *lmp, const std::string &who);

// In init, and when the time step changes during a run: refuses a collision time that the law was given and that the
// time step cannot resolve.
void check_prescribed_time(LAMMPS *lmp, const std::string &who, const granular_plus::ContactModel &model);

// Two questions about the evaluation in hand. No time passes in setup, nor in a minimization, whose evaluations are trials; but
// contacts among grains go on in a minimization: they change and end in each trial as in a time step.
inline bool time_passes(const Update &update) { return update.setupflag == 0 && update.whichflag == 1; }
inline bool contacts_go_on(const Update &update) { return update.setupflag == 0; }

// In setup: rerun sets up each frame, and no history leads from one frame to the next.
bool is_frame_of_rerun(const class Update &update);

// The bodies that rigid fixes make of particles: such a particle collides with the mass of its body.
class RigidBodies {
 public:
  void find(LAMMPS *lmp);    // in init
  bool empty() const { return fixes.empty(); }
  void refresh()    // where the fixes keep their arrays now
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

// The fastest collision of particles of some types: the one that the time step has to resolve.
struct Collision {
  double time = INFINITY, mass = 0.0, radius = 0.0, speed = 0.0;    // effective mass and radius
  double inertia = 0.0;                                             // against spinning apart
};

// The particles that may collide, by type: those that collide fastest count.
class Colliders {
 public:
  Colliders() = default;    // of no types
  explicit Colliders(int types);
  void add(int type, double mass, bool held, double radius, const double *velocity);
  void sum_up(MPI_Comm world);    // over all ranks
  // after sum_up: whether these are much smaller than any of their type before, or of a type that had none
  bool go_beyond(const Colliders &before) const;
  // the shortest collision; one of infinite time where there is none
  Collision shortest(const granular_plus::ContactModel &model, int itype, int jtype, double timestep) const;
  Collision shortest_at_wall(const granular_plus::ContactModel &model, int type, double wall_mass, double wall_speed,
                             double timestep) const;

 private:
  // so that all are found as maxima: inverse of the least mass and radius, velocities and their negatives
  enum { MASS, RADIUS, FIXED_RADIUS, UP, DOWN = UP + 3, VALUES = DOWN + 3 };
  std::vector<std::array<double, VALUES>> of_type;
  static constexpr int AT_REST = 0;    // types begin at 1
  double fastest(int itype, int jtype) const;
};

// Warns of a collision that takes too few time steps, and of springs and dashpots against slip, rolling and twisting that are
// too strong for the time step; once, and again when it has become much worse.
class StepCheck {
 public:
  bool due = true;    // set at the start of a run and when the time step changes
  // At a new list: whether the particles of the simulation are to be looked at, as their number has changed.
  bool must_look(bigint particles) const { return particles != looked_at; }
  // Returns whether to check: always where it is due; else only where there are more than twice as many particles as at the
  // last check, or colliders go beyond those of then.
  bool begin(Colliders colliders, bigint particles);
  // Each pair of types, or type and wall, with its shortest collision; then the worst of them are judged.
  void consider(const std::string &which, const granular_plus::ContactModel &model, const Collision &shortest,
                double timestep);
  void judge(LAMMPS *lmp);
  // of bonds: the largest angular frequency of bonded grains, and the largest rate at which dashpots slow them down
  void judge_bonds(LAMMPS *lmp, const std::string &who, double frequency, double damping);

 private:
  enum Motion { SLIP, ROLLING, TWISTING, MOTIONS };
  struct Worst {
    double value;
    std::string which;
  };
  Colliders checked;
  bigint looked_at = 0, number_checked = 0;
  Worst shortest{INFINITY, {}};
  std::array<Worst, MOTIONS> strongest{};    // resistance over what the time step allows
  // that have been warned of
  double fewest_steps = ENOUGH_STEPS, fastest_bonds = 1.0;
  std::array<double, MOTIONS> strongest_warned_of{1.0, 1.0, 1.0};
};

// On all ranks: warns if contacts that their law has softened overlap too much, and returns whether they do. excess: of
// the largest overlap over what is tolerated; shortest_time: of a prescribed collision.
bool warn_of_overlap(LAMMPS *lmp, const std::string &who, double excess, double shortest_time);

}    // namespace LAMMPS_NS

#endif
