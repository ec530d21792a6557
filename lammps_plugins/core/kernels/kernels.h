// Entry point to the compiled laws: one table of stages and one contact loop per instruction set.

#ifndef GRANULAR_PLUS_KERNELS_H
#define GRANULAR_PLUS_KERNELS_H

#include "../laws/contact.h"

#include <cstdint>
#include <vector>

#ifdef GRANULAR_PLUS_LANES
#error "the loop is for batches of the processor"
#endif

namespace granular_plus {

// Types whose range limits the size of a rank: offset of a particle's row, in bytes, and numbers of pairs and of slots.
// A build with short types tests what happens at the limit.
#ifdef GRANULAR_PLUS_SMALL_INTEGERS
using RowOffset = std::uint16_t;
using PairIndex = std::int16_t;
#else
using RowOffset = std::uint32_t;
using PairIndex = std::int32_t;
#endif

// particles as contiguous arrays; vectors are rows of three
struct Particles {
  const double *position, *velocity, *spin;
  const double *radius;
  // negative if a particle is held: the loop is bound by memory, and a second array would cost 5 %
  const double *packed_mass;
  double *force, *torque;    // null: forces are not added
  int force_end;             // a partner j receives its share of the force if j is below this index
  bool prefetch = false;     // load memory ahead of its use
  const double *temperature = nullptr;
  double *heatflow = nullptr;             // null: heat is not added
  double wall_temperature = 0.0;          // if the partner is a wall
  const double *orientation = nullptr;    // quaternions as rows of four, for bonds
};

// The history of contacts. A pair takes a slot when it first touches, so that the slots in use are contiguous, and
// keeps it until the next neighbour list. A row of values is followed by a stamp, the number of the evaluation in which
// the contact was last alive; the contact is alive if that is the last evaluation. Contacts that end therefore need not
// be visited.
struct History {
  static constexpr int READ_AHEAD = 4;    // values that must be readable after the last row
  PairIndex *slot;                        // of each pair, -1: none yet
  double *rows;                           // one per slot
  int size;                               // values in a row, not counting its stamp
  int *slots_used;

  int stride() const { return size + 1; }
  double *row(int of_slot) const { return rows + static_cast<long>(of_slot) * stride(); }
  // the slot of a pair; one is assigned if it has none
  [[gnu::always_inline]] int take_slot(PairIndex pair) const
  {
    if (slot[pair] < 0) {
      slot[pair] = static_cast<PairIndex>((*slots_used)++);
      row(slot[pair])[size] = 0.0;
    }
    return slot[pair];
  }
};

// The pairs of a neighbour list, and the subset that may touch: the near pairs.
struct Pairs {
  static constexpr int LIST_AHEAD = 16;    // entries behind the end of a list of pairs that may be overwritten
  static constexpr unsigned ROW_BYTES = 3 * sizeof(double);
  static RowOffset row_of(int particle) { return static_cast<RowOffset>(ROW_BYTES * static_cast<unsigned>(particle)); }
  static int particle_of(RowOffset row) { return static_cast<int>(row / ROW_BYTES); }
  // for all pairs, as in History
  const RowOffset *row_i, *row_j;    // of the particles i and j
  const unsigned char *special;      // index of the force factor, or null if all factors are 1
  // for the near pairs
  const PairIndex *number;           // index among all pairs, ascending
  const float *touching_rounded;     // squared distance at touch, for groups whose contacts end when surfaces part
  const double *touching_squared;    // the same, not rounded, for groups whose contacts act across a gap
  double *cutoff_squared;            // squared distance up to which such contacts act
  // odd if the pair had a contact in the last evaluation, even if only across a gap; for groups whose contacts act
  // across a gap, and for all if `ended` is set
  unsigned char *had_contact;
  int *separated;                  // room for all pairs and LIST_AHEAD, if the group has stages for separated pairs
  int *ended = nullptr;            // the same, for contacts that end in this evaluation; null if not requested
  unsigned char *wet = nullptr;    // odd if a bridge holds liquid from the grains

  int i(int near) const { return particle_of(row_i[number[near]]); }
  int j(int near) const { return particle_of(row_j[number[near]]); }
};

// stages that are applied to a batch one after another
struct StageList {
  static constexpr int MOST = 13;
  Stage stages[MOST];
  int count;

  [[gnu::always_inline]] void run(Batch &batch, const ModelConstants &constants) const
  {
    for (int s = 0; s < count; ++s) stages[s](batch, constants);
  }
};

// gap up to which an existing contact continues to act, for particles of given radii
using BreakingGap = double (*)(const ModelConstants &, double radius_i, double radius_j);

// registry numbers of the laws that act; a GPU compiles its own kernels from them
struct ChosenLaws {
  int normal, damping, tangential, slider, rolling, twisting, bridge;
  bool attracts, synchronized;
};

// consecutive pairs that share a contact model
struct PairGroup {
  int begin, end;
  ChosenLaws laws;
  ModelConstants constants;
  BreakingGap breaking_gap;    // null if contacts end when surfaces part; for the largest volume, if volumes differ
  bool attracts;               // pairs act on each other within that gap whether or not they have touched
  bool film;                   // bridges take their liquid from the grains; capillary::Films decides how much
  bool passes_heat;
  bool heat_crosses_gaps;    // see ModelConstants::gap_heat
  StageList touching;
  StageList separated;    // for pairs joined by a liquid bridge across a gap; empty: they use those for touching pairs
  StageList ending;       // for the losses of a contact that ends
};

// scratch memory of the loop, and its results
struct LoopWork {
  static constexpr int SEARCHED = 2048;    // pairs searched at a time
  Batch batch;
  static constexpr int AHEAD = 16;    // contacts between prefetching memory and using it
  unsigned char within[SEARCHED + 16], touches[SEARCHED + 16], marks[SEARCHED + 16];
  int found[LANES + SEARCHED + Pairs::LIST_AHEAD];
  // for each lane
  RowOffset row_i[LANES], row_j[LANES];    // of the grains; WALL if the partner is a wall
  PairIndex pair[LANES];                   // index among all pairs, if it is one of them
  int slot[LANES];                         // of the contact's row
  int ended_count;                         // number of entries in Pairs::ended, set by loop and find_contacts
  // heat per time made by contacts, and given by a wall; added up until the reader sets them back to 0
  double heat_made = 0.0, heat_of_wall = 0.0;

  static constexpr RowOffset WALL = static_cast<RowOffset>(-1);    // larger than the row of any grain
  int i(int lane) const { return Pairs::particle_of(row_i[lane]); }
  int j(int lane) const { return Pairs::particle_of(row_j[lane]); }
};

// what an evaluation does to history
enum class Mode {
  STEP,    // writes all of it, at the end of a time step
  SETUP,    // contacts may begin and yield; a ledger stores the forces, which act over half a step; springs do not change
  LOOK,    // changes no history
  END      // changes no history and adds no forces: for the losses of contacts that have ended
};

struct LoopOptions {
  Mode mode;
  double timestep;                          // 0 except in STEP and END
  int stamp_before;                         // of contacts that are alive
  int stamp_now;                            // STEP: the stamp that they get
  int ledger;                               // index of the first value for the ledger, -1 without a ledger
  const double *force_factors = nullptr;    // indexed by Pairs::special
  // called with every finished batch after its forces have been added; or null
  void (*report)(void *receiver, const LoopWork &work, Mode mode) = nullptr;
  void *receiver = nullptr;

  // for a time step, or for setup, in which no time passes
  static LoopOptions of(bool is_step, double timestep, int ledger)
  {
    return {is_step ? Mode::STEP : Mode::SETUP, is_step ? timestep : 0.0, 0, 0, ledger};
  }
  // reads history without changing it
  static LoopOptions read_only(int stamp) { return {Mode::LOOK, 0.0, stamp, 0, -1}; }
};

// a contact that is not one of two spheres, as its source found it
struct FoundContact {
  int i, j;          // grains; j < 0 for a wall
  PairIndex pair;    // index among all pairs, if it is one of them
  int slot;          // of its history row
};

// Provides the geometry of such contacts, with walls or of shaped grains; the loop does everything else.
struct ContactSource {
  // Fills the lanes with the contacts from number `first` on; their history has been loaded.
  virtual void fill(LoopWork &, int first) = 0;
  // called after the stages, before forces are added and history is written
  virtual void finish(LoopWork &, int /*first*/) {}

 protected:
  ~ContactSource() = default;
};

// Results of the search in a group of pairs whose liquid must move before contacts are evaluated. Each list has room
// for all pairs and LIST_AHEAD.
struct Found {
  int *touching, *separated;
  int *forming, *ruptured;    // touching without a bridge; had a bridge until the last step
  int *ended;                 // as Pairs::ended
  int touching_count, separated_count, forming_count, ruptured_count, ended_count;
};

// Particles to be moved by their forces; vectors are rows of three.
struct Movers {
  double *position;    // null: positions stay as they are
  double *velocity, *spin;
  const double *force, *torque, *radius, *mass;
  const int *mask;
  int group;    // bit mask; a particle with none of these bits stays as it is
};

// The stages of all laws, indexed by their numbers in the registry; null if a law has none. A last index of two values
// selects the stage that observes, i.e. fills Batch::observed. It has no constructor, since clones would share it.
struct StageTable {
  static constexpr int MOST = 12;        // laws of a kind
  Stage normal[MOST][MOST][2];           // by normal and damping law
  Stage into_depth[MOST][2];             // before the stage of this normal law, for surfaces of any shape
  Stage out_of_depth[2];                 // after it
  Stage tangential[MOST][MOST][2][2];    // by law and slider; third: synchronized, with the normal of the half step
  Stage rolling[MOST][MOST][2][2];       // the same
  Stage twisting[MOST][MOST][2];         // by law and slider
  Stage ending[MOST];                    // by normal law
  Stage gap[2];
  Stage bridge[MOST][2][2];    // second index: surfaces may be apart
  Stage rupture[MOST];         // by law of the bridge
  Stage viscous[2];            // for bridges from films
  Stage attraction[2][2];      // first index: at a wall
  Stage heat[MOST][2][2];      // second index: the contact has ended
  Stage liquid_heat;
  Stage bond[MOST][2];
  Stage half_step_back, end_of_step;    // first and last stage with synchronized_verlet
  BreakingGap breaking_gap[MOST];       // by normal law
  BreakingGap bridge_breaking_gap[MOST];
  BreakingGap attraction_gap;
};

// Grains sorted by cell, as PairSearch stores them: position, reach and number.
struct CellArrays {
  static constexpr int BEYOND =
      16;    // entries that may be read behind the last grain, and written behind the last result
  const float *x, *y, *z, *reach;
  const int *number;
};
struct CellRange {
  int begin, end;
};
struct InCells {
  float x, y, z, reach;
};

struct Kernels {
  const char *name;       // instruction set
  bool reads_past_end;    // one value behind the last row of three must be readable
  const StageTable &(*stages)();
  // smallest and largest move of n particles in each dimension, up to rounding of the stored positions; rows of three
  void (*range_of_moves)(const double *now, const float *before, int n, double *low, double *high);
  // whether any of n particles has moved further than its limit; `now` has rows of three, `before` rows of four of
  // which the first three values are the position
  bool (*any_beyond)(const double *now, const double *before, const double *limit, int n);
  // Finds the grains in these ranges whose distance from one grain is at most the sum of the two reaches; writes their numbers
  // and returns how many there are.
  int (*within_reach)(const InCells &, const CellArrays &, const CellRange *, int range_count, int *found);
  // finds which of count pairs are closer than the given squared distances; writes them to LoopWork::found and returns how many
  int (*pairs_within)(const Particles &, const RowOffset *row_i, const RowOffset *row_j, const double *squared,
                      int count, LoopWork &);
  void (*loop)(const Particles &, const Pairs &, const History &, const PairGroup &, const LoopOptions &, LoopWork &);
  // the first half of loop, for groups whose bridges take their liquid from films
  void (*find_contacts)(const Particles &, const Pairs &, const PairGroup &, LoopWork &, Found &);
  // evaluates near pairs with the same stages
  void (*evaluate_pairs)(const Particles &, const Pairs &, const int *found, int count, const History &,
                         const PairGroup &, const StageList &, const LoopOptions &, LoopWork &);
  // evaluates contacts of any other kind; special as in Pairs
  void (*evaluate_contacts)(const Particles &, const unsigned char *special, const FoundContact *, int count,
                            ContactSource &, const History &, const PairGroup &, const StageList &, const LoopOptions &,
                            LoopWork &);
  // Heat across the gaps of near pairs, touching or not. Returns a grain that radiates but has no absolute temperature,
  // or -1.
  int (*pass_heat)(const Particles &, const Pairs &, const PairGroup &);
  // Adds the observed values of a batch to sums: one row of partial sums for each observable. If row_j is given,
  // contacts whose partner's row is not below `owned_end` count as halves.
  void (*tally)(const Batch &, const RowOffset *row_j, RowOffset owned_end, Row *sums);
  // one step of a slider for n independent three-dimensional springs; arrays of n, vectors as [n][3]
  void (*slide)(int slider, bool carries_force, int n, double *q, const double *velocity, const double *stiffness,
                const double *damping, const double *bound, double timestep, double *force);
  // adds per_mass / mass times the force to the velocities of n particles and per_inertia / (radius^2 mass) times the
  // torque to their spins, then moves positions by a time step
  void (*move)(const Movers &, int n, double per_mass, double per_inertia, double timestep);
};

// the fastest clone that this processor can run, or the one named by the environment variable GRANULAR_PLUS_CLONE;
// throws std::runtime_error if that one is unknown or cannot run here
const Kernels &kernels();

// most contacts at a time for which the portable clone is used, since vectors would be nearly empty
constexpr int FEW_CONTACTS = 3;
const Kernels &kernels_for_few();

// the clone that reads nothing beyond the rows it is given
const Kernels &in_bounds_kernels();

// every clone that can run on this processor, slowest first
std::vector<const Kernels *> supported_kernels();

}    // namespace granular_plus

#endif
