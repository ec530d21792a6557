// Entry point to the compiled laws: for each instruction set, a table of stages and a contact loop.

#ifndef GRANULAR_PLUS_KERNELS_H
#define GRANULAR_PLUS_KERNELS_H

#include "../laws/contact.h"

#include <cstdint>
#include <vector>

#ifdef GRANULAR_PLUS_LANES
#error "this loop is compiled for the CPU only"
#endif

namespace granular_plus {

// RowOffset: offset of a row in bytes. PairIndex: index of a pair or number of a slot. A build with short types tests
// what happens when the numbers exceed the range of the types.
#ifdef GRANULAR_PLUS_SMALL_INTEGERS
using RowOffset = std::uint16_t;
using PairIndex = std::int16_t;
#else
using RowOffset = std::uint32_t;
using PairIndex = std::int32_t;
#endif

// Vectors are rows of three.
struct Particles {
  const double *position, *velocity, *spin;
  const double *radius;
  // Mass, negative if the particle is held. A separate array for held particles would slow the loop by 5 %.
  const double *packed_mass;
  double *force, *torque;    // null if forces are not added
  int force_end;             // forces are added only to partners j below this index
  bool prefetch = false;
  const double *temperature = nullptr;
  double *heatflow = nullptr;    // null if heat is not added
  double wall_temperature = 0.0;
  const double *orientation = nullptr;    // quaternions as rows of four, for bonds
};

enum class Slot : PairIndex { NONE = -1 };

// A pair receives the next free slot when the grains first touch or, if they attract each other by van der Waals
// forces, when they first come within range. Slots are freed only with the next neighbour list. Each row of values is
// followed by a stamp: the number of the evaluation in which the contact was last alive, or 0.
struct History {
  static constexpr int READ_AHEAD = 4;    // number of values that must be readable after the last row
  Slot *slot;                             // slot of each pair, or NONE
  double *rows;
  int size;    // number of values in a row, not counting the stamp
  int *slots_used;

  int stride() const { return size + 1; }
  double *row(Slot of_slot) const { return rows + static_cast<long>(of_slot) * stride(); }
  [[gnu::always_inline]] Slot take_slot(PairIndex pair) const
  {
    if (slot[pair] == Slot::NONE) {
      slot[pair] = static_cast<Slot>((*slots_used)++);
      row(slot[pair])[size] = 0.0;
    }
    return slot[pair];
  }
};

// The pairs of a neighbour list and, as a subset, the near pairs. Near pairs are those whose grains may soon act on
// each other.
struct Pairs {
  static constexpr int LIST_PADDING = 16;    // number of entries that may be overwritten after the end of a list
  static constexpr unsigned ROW_BYTES = 3 * sizeof(double);
  static RowOffset row_of(int particle) { return static_cast<RowOffset>(ROW_BYTES * static_cast<unsigned>(particle)); }
  static int particle_of(RowOffset row) { return static_cast<int>(row / ROW_BYTES); }
  const RowOffset *row_i, *row_j;
  const unsigned char *special;    // index of the force factor, or null if all factors are 1
  // arrays of the near pairs
  const PairIndex *number;    // index among all pairs, in ascending order
  // squared distance at which the surfaces touch, for groups whose contacts end when surfaces separate
  const float *touching_rounded;
  // squared distance at which the surfaces touch, for groups whose contacts act across a gap
  const double *touching_squared;
  double *cutoff_squared;    // largest squared distance at which contacts across a gap act
  // Odd if the pair had a contact in the last evaluation, even if only across a gap. Set for groups whose contacts act
  // across a gap, and for all groups if `ended` is not null.
  unsigned char *had_contact;
  // List of the pairs that act across a gap, with room for all pairs plus LIST_PADDING entries.
  int *separated;
  // list of the contacts that end in this evaluation; null if this list is not requested
  int *ended = nullptr;
  unsigned char *wet = nullptr;    // odd if the pair has a bridge whose liquid comes from films

  int i(int near) const { return particle_of(row_i[number[near]]); }
  int j(int near) const { return particle_of(row_j[number[near]]); }
};

struct StageList {
  static constexpr int MOST = 13;
  Stage stages[MOST];
  int count;

  [[gnu::always_inline]] void run(Batch &batch, const ModelConstants &constants) const
  {
    for (int s = 0; s < count; ++s) stages[s](batch, constants);
  }
};

// Returns the largest gap across which a contact persists or van der Waals attraction acts.
using BreakingGap = double (*)(const ModelConstants &, double radius_i, double radius_j);

struct ChosenLaws {
  int normal, damping, tangential, slider, rolling, twisting, bridge, heat;
  bool attracts, warms, synchronized;
};

struct PairGroup {
  int begin, end;
  ChosenLaws laws;
  ModelConstants constants;
  // Null if no force acts across a gap.
  BreakingGap breaking_gap;
  bool attracts;    // true if pairs within breaking_gap act on each other even before they touch
  bool film;        // true if bridges take their liquid from films
  bool passes_heat;
  bool heat_crosses_gaps;
  StageList touching;
  // for pairs with a force across a gap (liquid bridge or attraction); if empty, `touching` is used
  StageList separated;
  StageList ending;
};

struct LoopWork {
  static constexpr int SEARCH_BLOCK = 2048;
  Batch batch;
  static constexpr int AHEAD = 16;    // number of contacts between a prefetch and the use of its data
  unsigned char within[SEARCH_BLOCK + 16], touches[SEARCH_BLOCK + 16], marks[SEARCH_BLOCK + 16];
  int found[LANES + SEARCH_BLOCK + Pairs::LIST_PADDING];
  RowOffset row_i[LANES], row_j[LANES];    // rows of the grains; WALL if the partner is a wall
  PairIndex pair[LANES];                   // index among all pairs, if the contact belongs to a pair of the list
  Slot slot[LANES];
  int ended_count;    // number of entries in Pairs::ended
  // Heat per time. The loop adds to these two sums; the caller resets them to 0.
  double heat_made = 0.0, heat_of_wall = 0.0;

  static constexpr RowOffset WALL = static_cast<RowOffset>(-1);
  int i(int lane) const { return Pairs::particle_of(row_i[lane]); }
  int j(int lane) const { return Pairs::particle_of(row_j[lane]); }
};

enum class Mode {
  STEP,    // a time step: writes all history
  // Setup: contacts may begin and yield; springs do not change. The ledger stores the forces, because they act for the
  // first half of the next step.
  SETUP,
  READ_ONLY,        // changes no history
  ENDED_CONTACTS    // changes no history and adds no forces; computes the losses of contacts that have ended
};

struct LoopOptions {
  Mode mode;
  double timestep;     // 0 in setup and in read_only evaluations
  int stamp_before;    // stamp of contacts that are alive
  int stamp_now;       // STEP: stamp that the evaluated contacts receive
  int ledger;          // index of the first value of the ledger, -1 without a ledger
  const double *force_factors = nullptr;
  // Called with every finished batch after its forces have been added; may be null.
  void (*report)(void *receiver, const LoopWork &work, Mode mode) = nullptr;
  void *receiver = nullptr;

  static LoopOptions of(bool is_step, double timestep, int ledger)
  {
    return {is_step ? Mode::STEP : Mode::SETUP, is_step ? timestep : 0.0, 0, 0, ledger};
  }
  static LoopOptions read_only(int stamp) { return {Mode::READ_ONLY, 0.0, stamp, 0, -1}; }
};

struct FoundContact {
  int i, j;    // j < 0 for a wall
  PairIndex pair;
  Slot slot;
};

// Provides the geometry of contacts that the loop does not find itself: contacts with walls, contacts of shaped grains
// and contacts passed from Python.
struct ContactSource {
  // Fills the lanes with the contacts from number `first` on. The history of these contacts has already been loaded.
  virtual void fill(LoopWork &, int first) = 0;
  // Called after the stages, before forces are added and history is written.
  virtual void finish(LoopWork &, int /*first*/) {}

 protected:
  ~ContactSource() = default;
};

// Each list has room for all pairs plus LIST_PADDING entries.
struct Found {
  int *touching, *separated;
  // forming: pairs that touch without a bridge; ruptured: pairs whose bridge ruptures in this evaluation
  int *forming, *ruptured;
  int *ended;
  int touching_count, separated_count, forming_count, ruptured_count, ended_count;
};

// Vectors are rows of three.
struct Movers {
  double *position;    // null if only velocities change
  double *velocity, *spin;
  const double *force, *torque, *radius, *mass;
  const int *mask;
  int group;    // bit mask; particles without a common bit in `mask` do not change
};

// Stages indexed by the registry numbers of the laws; null if the law has no such stage. If the last index has two
// values, 1 selects the observing stage. The struct must not have a constructor, because the linker would keep only one
// copy of the constructor, compiled for one instruction set.
struct StageTable {
  static constexpr int MOST = 16;    // largest number of laws of one kind
  Stage normal[MOST][MOST][2];       // indexed by normal and damping law
  // indexed by normal law, for surfaces of any shape; runs before the stage of the normal law
  Stage into_depth[MOST][2];
  Stage out_of_depth[2];    // for surfaces of any shape; runs after the stage of the normal law
  // indexed by law and slider; third index: 1 with synchronized_verlet
  Stage tangential[MOST][MOST][2][2];
  Stage rolling[MOST][MOST][2][2];    // indices as for tangential
  Stage twisting[MOST][MOST][2];      // indexed by law and slider
  Stage ending[MOST];                 // indexed by normal law
  Stage gap[2];
  Stage bridge[MOST][2][2];    // indexed by capillary law; second index: 1 if surfaces may be apart
  Stage rupture[MOST];         // indexed by capillary law
  Stage viscous[2];            // for bridges whose liquid comes from films
  Stage attraction[2][2];      // first index: 1 if the partner is a wall
  Stage heat[MOST][2][2];      // indexed by heat law; second index: 1 if the contact has ended
  Stage liquid_heat;
  Stage bond[MOST][2];
  Stage half_step_back, end_of_step;    // first and last stage with synchronized_verlet
  BreakingGap breaking_gap[MOST];       // indexed by normal law
  BreakingGap bridge_breaking_gap[MOST];
  BreakingGap attraction_gap;
};

struct CellArrays {
  static constexpr int BEYOND =
      16;    // number of entries that may be read after the last grain and written after the last result
  const float *x, *y, *z, *reach;
  const int *number;
};
struct CellRange {
  int begin, end;
};
struct CellGrain {
  float x, y, z, reach;
};

struct Kernels {
  const char *name;
  bool reads_past_end;    // true if one value after the last row of three must be readable
  const StageTable &(*stages)();
  // Finds the smallest and largest displacement of n particles in each dimension. The results are exact up to the
  // rounding of the stored positions `before`. Arrays are rows of three.
  void (*range_of_moves)(const double *now, const float *before, int n, double *low, double *high);
  // Returns whether any of n particles has moved further than its limit. `now` has rows of three; `before` has rows of
  // four that begin with the position.
  bool (*any_beyond)(const double *now, const double *before, const double *limit, int n);
  // Writes to `found` the numbers of the grains within reach of a given grain. Returns how many grains were found.
  int (*within_reach)(const CellGrain &, const CellArrays &, const CellRange *, int range_count, int *found);
  // Writes to LoopWork::found the indices of the pairs whose squared distance is below `squared`. Returns how many
  // pairs were found.
  int (*pairs_within)(const Particles &, const RowOffset *row_i, const RowOffset *row_j, const double *squared,
                      int count, LoopWork &);
  void (*loop)(const Particles &, const Pairs &, const History &, const PairGroup &, const LoopOptions &, LoopWork &);
  // Finds the contacts without evaluating them. Used for groups whose bridges take their liquid from films.
  void (*find_contacts)(const Particles &, const Pairs &, const PairGroup &, LoopWork &, Found &);
  void (*evaluate_pairs)(const Particles &, const Pairs &, const int *found, int count, const History &,
                         const PairGroup &, const StageList &, const LoopOptions &, LoopWork &);
  void (*evaluate_contacts)(const Particles &, const unsigned char *special, const FoundContact *, int count,
                            ContactSource &, const History &, const PairGroup &, const StageList &, const LoopOptions &,
                            LoopWork &);
  // Heat flow across gaps. Returns the index of a grain that radiates although its temperature is not > 0, or -1.
  int (*pass_heat)(const Particles &, const Pairs &, const PairGroup &);
  // Adds the observed values of a batch to `sums`, which has one row of partial sums for each observable. If row_j is
  // not null, a contact counts half if its partner j is a ghost, i.e. if the row offset of j is at least `owned_end`.
  void (*tally)(const Batch &, const RowOffset *row_j, RowOffset owned_end, Row *sums);
  // Advances n springs by one step of a slider. Arrays have n elements, vectors are [n][3].
  void (*slide)(int slider, bool carries_force, int n, double *q, const double *velocity, const double *stiffness,
                const double *damping, const double *bound, double timestep, double *force);
  // Adds per_mass/mass times the force to the velocities of n particles, and per_inertia/(radius^2 mass) times the
  // torque to their spins. Then moves positions by one time step, unless Movers::position is null.
  void (*move)(const Movers &, int n, double per_mass, double per_inertia, double timestep);
};

// Returns the clone named by the environment variable GRANULAR_PLUS_CLONE. If the variable is not set, returns the
// fastest clone that this CPU can run. Throws std::runtime_error if the named clone is unknown or cannot run on this
// CPU.
const Kernels &kernels();

// The portable clone evaluates lists of at most this many pairs. It also evaluates the contacts with a wall if there
// are fewer contacts than this number.
constexpr int FEW_CONTACTS = 3;
const Kernels &kernels_for_few();

// Returns the clone that reads nothing after the last row of three.
const Kernels &in_bounds_kernels();

std::vector<const Kernels *> supported_kernels();

}    // namespace granular_plus

#endif
