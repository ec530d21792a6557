// The door to the compiled laws: one table of stages and one contact loop per instruction set.

#ifndef GRANULAR_PLUS_KERNELS_H
#define GRANULAR_PLUS_KERNELS_H

#include "../laws/contact.h"

namespace granular_plus {

// particles as contiguous arrays, rows of three
struct Particles {
  const double *position, *velocity, *spin, *radius, *mass;
  double *force, *torque;    // null: nobody receives the force
  const int *mask;
  int frozen;            // mask bit of particles that cannot be moved, 0 if there are none
  int receives_below;    // a partner j takes its share of the force when j is below this index
};

// candidate pairs as a flat list; one row of history per pair, valid while TOUCHING is set
struct Pairs {
  const int *i, *j;
  unsigned char *state;
  double *history;
  int history_size;
};

constexpr unsigned char TOUCHING = 1;
constexpr int SCALE_SHIFT = 6;    // the two highest bits of state choose one of four force factors

constexpr int MAX_STAGES = 4;

// a run of pairs that share a stack of laws
struct Segment {
  int begin, end;
  StackConstants constants;
  Stage stages[MAX_STAGES];
  int stage_count;
};

// scratch memory of the loop, and what it reports
struct LoopWork {
  static constexpr int SEARCHED = 2048;    // pairs searched at a time
  Batch batch;
  int found[SEARCHED + LANES];
  int i[LANES], j[LANES], pair[LANES];
};

struct LoopOptions {
  double timestep;
  bool keep_history;              // false: leave history and contact state untouched (setup, output)
  const double *force_factors;    // four factors chosen by state, or null where all are 1
  // called with every finished batch where forces have been added, or null
  void (*report)(void *receiver, const LoopWork &work);
  void *receiver;
};

struct Kernels {
  const char *name;    // instruction set
  Stage (*normal)(int normal_law, int damping_law);
  Stage (*tangential)(int tangential_law, int slider);
  void (*loop)(const Particles &, const Pairs &, const Segment &, const LoopOptions &, LoopWork &);
  // one step of a slider over n independent three-dimensional springs; arrays of n, vectors as [n][3]
  void (*slide)(int slider, bool carries_force, int n, double *q, const double *velocity, const double *stiffness,
                const double *damping, const double *bound, double timestep, double *force);
};

// the fastest clone this processor can run, or the one that the environment variable GRANULAR_PLUS_CLONE names;
// throws std::runtime_error if that one is unknown or cannot run here
const Kernels &kernels();

// every clone that can run on this processor, slowest first
int runnable_kernels(const Kernels **list, int capacity);

}    // namespace granular_plus

#endif
