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

// Pairs that may touch, and where each finds its contact. A contact is alive when its stamp is that of the last
// evaluation: pairs that part need not be visited to be forgotten.
struct Pairs {
  const int *i, *j, *contact;
  int *stamp;
  double *history;    // one row per contact, of meaning while the contact is alive
  int history_size;
  const unsigned char *special;    // which force factor holds for a contact, or null where all are 1
};

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
  int i[LANES], j[LANES], contact[LANES];
};

struct LoopOptions {
  double timestep;
  int evaluation;         // number of this evaluation; contacts with the stamp before it are alive
  bool keep_history;      // false: leave history and stamps untouched (setup, output); alive are those stamped now
  const double *force_factors;    // chosen by Pairs::special
  // called with every finished batch where forces have been added, or null
  void (*report)(void *receiver, const LoopWork &work);
  void *receiver;
};

struct Kernels {
  const char *name;    // instruction set
  Stage (*normal)(int normal_law, int damping_law);
  Stage (*tangential)(int tangential_law, int slider);
  // indices in [begin, end) of pairs closer than the sum of their radii plus margin, in order; returns how many
  int (*search)(const Particles &, const int *i, const int *j, int begin, int end, double margin, int *found);
  // largest squared distance between the rows of two arrays of n rows of three
  double (*largest_move)(const double *now, const double *before, int n);
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
