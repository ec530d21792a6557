// The door to the compiled laws: one table of stages and one contact loop per instruction set.

#ifndef GRANULAR_PLUS_KERNELS_H
#define GRANULAR_PLUS_KERNELS_H

#include "../laws/contact.h"

#include <cstdint>
#include <vector>

#ifdef GRANULAR_PLUS_LANES
#error "the loop is for batches of the processor"
#endif

namespace granular_plus {

// What grows with the share of a rank: where the row of a particle begins, in bytes, and numbers of pairs and of slots.
// A build with short ones shows what happens where they end.
#ifdef GRANULAR_PLUS_SMALL_INTEGERS
using RowOffset = std::uint16_t;
using PairIndex = std::int16_t;
#else
using RowOffset = std::uint32_t;
using PairIndex = std::int32_t;
#endif

// particles as contiguous arrays, those of vectors as rows of three
struct Particles {
  const double *position, *velocity, *spin;
  const double *radius;
  // with a minus where a particle is held: the loop waits for memory most, and a second array would cost it 5 %
  const double *packed_mass;
  double *force, *torque;    // null: nobody receives the force
  int force_end;             // a partner j takes its share of the force when j is below this index
  bool prefetch = false;     // memory is asked for ahead of its use
  const double *temperature = nullptr;
  double *heatflow = nullptr;             // null: nobody receives heat
  double wall_temperature = 0.0;          // where the partner is a wall
  const double *orientation = nullptr;    // quaternions as rows of four, for bonds
};

// What contacts remember. A pair takes a slot when it first touches, so that the slots in use lie close together, and
// keeps it until the next neighbour list. Behind the values of its row stands a stamp, the number of the evaluation in
// which the contact was last alive; it is when that is the last one. Pairs that part need not be visited to be
// forgotten.
struct History {
  static constexpr int READ_AHEAD = 4;    // values that must be readable after the last row
  PairIndex *slot;                        // of each pair, -1: none yet
  double *rows;                           // one per slot
  int size;                               // values in a row, without its stamp
  int *slots_used;

  int stride() const { return size + 1; }
  double *row(int of_slot) const { return rows + static_cast<long>(of_slot) * stride(); }
  // that of a pair, which takes one if it has none
  [[gnu::always_inline]] int take_slot(PairIndex pair) const
  {
    if (slot[pair] < 0) {
      slot[pair] = static_cast<PairIndex>((*slots_used)++);
      row(slot[pair])[size] = 0.0;
    }
    return slot[pair];
  }
};

// The pairs of a neighbour list, and those of them that may touch: the near ones.
struct Pairs {
  static constexpr int LIST_AHEAD = 16;    // entries of a list of pairs behind its last one that may be overwritten
  static constexpr unsigned ROW_BYTES = 3 * sizeof(double);
  static RowOffset row_of(int particle) { return static_cast<RowOffset>(ROW_BYTES * static_cast<unsigned>(particle)); }
  static int particle_of(RowOffset row) { return static_cast<int>(row / ROW_BYTES); }
  // of all pairs, as in History
  const RowOffset *row_i, *row_j;    // of the particles i and j
  const unsigned char *special;      // which force factor holds, or null where all are 1
  // of the near ones
  const PairIndex *number;           // among all, ascending
  const float *touching_rounded;     // square of the distance of touch: of groups whose contacts end there
  const double *touching_squared;    // the same, not rounded: of groups whose contacts act across a gap
  double *cutoff_squared;            // of the distance up to which such contacts act
  // odd where they had a contact at the last evaluation, if only across a gap: of groups whose contacts act across a gap,
  // and of all where `ended` is wanted
  unsigned char *had_contact;
  int *separated;                  // room for all and LIST_AHEAD, where the group has stages for separated pairs
  int *ended = nullptr;            // likewise: contacts that end with this evaluation; null where nobody asks
  unsigned char *wet = nullptr;    // odd where a bridge holds liquid of the grains

  int i(int near) const { return particle_of(row_i[number[near]]); }
  int j(int near) const { return particle_of(row_j[number[near]]); }
};

// stages that a batch passes through one after another
struct StageList {
  static constexpr int MOST = 13;
  Stage stages[MOST];
  int count;

  [[gnu::always_inline]] void run(Batch &batch, const ModelConstants &constants) const
  {
    for (int s = 0; s < count; ++s) stages[s](batch, constants);
  }
};

// gap up to which a contact that has formed acts on, for particles of given radii
using BreakingGap = double (*)(const ModelConstants &, double radius_i, double radius_j);

// numbers in the registry of the laws that act while surfaces touch; a GPU compiles its own kernels from them
struct ChosenLaws {
  int normal, damping, tangential, slider, rolling, twisting;
  bool synchronized;
};

// pairs next to each other that share a contact model
struct PairGroup {
  int begin, end;
  ChosenLaws laws;
  ModelConstants constants;
  BreakingGap breaking_gap;    // null where contacts end when surfaces part; of the largest volume, if volumes differ
  bool attracts;               // pairs act on each other within that gap whether they have touched or not
  bool film;                   // the liquid of bridges belongs to the grains; capillary::Films says how much goes in
  bool passes_heat;
  bool heat_crosses_gaps;    // as ModelConstants::gap_heat says
  StageList touching;
  StageList
      separated;       // of pairs that a liquid bridge joins across a gap; none: those of touching ones serve them too
  StageList ending;    // for what a contact loses as it ends
};

// scratch memory of the loop, and what it reports
struct LoopWork {
  static constexpr int SEARCHED = 2048;    // pairs searched at a time
  Batch batch;
  static constexpr int AHEAD = 16;    // contacts between asking for memory and using it
  unsigned char within[SEARCHED + 16], touches[SEARCHED + 16], marks[SEARCHED + 16];
  int found[LANES + SEARCHED + Pairs::LIST_AHEAD];
  // of each lane
  RowOffset row_i[LANES], row_j[LANES];    // of the grains; WALL for a partner that is none
  PairIndex pair[LANES];                   // among all pairs, where there are any
  int slot[LANES];                         // of the contact's row
  int ended_count;                         // of Pairs::ended, by loop and find_contacts
  // heat per time that contacts have made, and that a wall has given; whoever reads them sets them back to 0
  double heat_made = 0.0, heat_of_wall = 0.0;

  static constexpr RowOffset WALL = static_cast<RowOffset>(-1);    // beyond all grains
  int i(int lane) const { return Pairs::particle_of(row_i[lane]); }
  int j(int lane) const { return Pairs::particle_of(row_j[lane]); }
};

// what becomes of history
enum class Mode {
  STEP,     // all is written, at the end of a time step
  SETUP,    // contacts may begin and yield, and a ledger remembers the forces, which act over half a step; springs stay
  LOOK,     // nothing is
  END       // likewise, nor are forces: contacts that have ended, for what they lose
};

struct LoopOptions {
  Mode mode;
  double timestep;                          // 0 but for STEP and END
  int stamp_before;                         // of contacts that are alive
  int stamp_now;                            // STEP: that they get
  int ledger;                               // first value that the ledger remembers, -1 without one
  const double *force_factors = nullptr;    // chosen by Pairs::special
  // called with every finished batch where forces have been added, or null
  void (*report)(void *receiver, const LoopWork &work, Mode mode) = nullptr;
  void *receiver = nullptr;

  // of a time step, or of setup, in which no time passes
  static LoopOptions of(bool is_step, double timestep, int ledger)
  {
    return {is_step ? Mode::STEP : Mode::SETUP, is_step ? timestep : 0.0, 0, 0, ledger};
  }
  // nothing changes
  static LoopOptions to_look(int stamp) { return {Mode::LOOK, 0.0, stamp, 0, -1}; }
};

// a contact that is not one of two spheres, as its source found it
struct FoundContact {
  int i, j;          // grains; j < 0 for a wall
  PairIndex pair;    // among all pairs, where it is one of them
  int slot;          // of its row
};

// Who finds such contacts, with walls and of grains with a shape, knows how they lie; all else is done by the loop.
struct ContactSource {
  // Fills the lanes with the contacts from number `first` on; their history is there.
  virtual void fill(LoopWork &, int first) = 0;
  // after the stages, before forces are handed out and history is written
  virtual void finish(LoopWork &, int /*first*/) {}

 protected:
  ~ContactSource() = default;
};

// What the search finds in a group of pairs, where liquid has to move before contacts are evaluated. Each list has room
// for all pairs and LIST_AHEAD.
struct Found {
  int *touching, *separated;
  int *forming, *ruptured;    // touching without a bridge; bridged until the step before
  int *ended;                 // as Pairs::ended
  int touching_count, separated_count, forming_count, ruptured_count, ended_count;
};

// Particles that follow their forces; vectors as rows of three.
struct Movers {
  double *position;    // null: positions stay
  double *velocity, *spin;
  const double *force, *torque, *radius, *mass;
  const int *mask;
  int group;    // bits of mask; a particle that has none of them stays as it is
};

// The stages of all laws, by their numbers in the registry; null where a law has none. A last index of two values says whether
// the stage observes, that is, fills Batch::observed. There is no constructor, which clones would have in common.
struct StageTable {
  static constexpr int MOST = 12;        // laws of a kind
  Stage normal[MOST][MOST][2];           // of normal and damping law
  Stage into_depth[MOST][2];             // before the stage of this normal law, where the surface may have any shape
  Stage out_of_depth[2];                 // after it
  Stage tangential[MOST][MOST][2][2];    // of law and slider; then: synchronized, with the normal of the half step
  Stage rolling[MOST][MOST][2][2];       // likewise
  Stage twisting[MOST][MOST][2];         // of law and slider
  Stage ending[MOST];                    // of the normal law
  Stage gap[2];
  Stage bridge[MOST][2][2];    // then: surfaces may be apart
  Stage rupture[MOST];         // of the bridge
  Stage viscous[2];            // of bridges from films
  Stage attraction[2][2];      // first: at a wall
  Stage heat[MOST][2][2];      // then: the contact has ended
  Stage liquid_heat;
  Stage bond[MOST][2];
  Stage half_step_back, end_of_step;    // first and last where stages are synchronized
  BreakingGap breaking_gap[MOST];       // of the normal law
  BreakingGap bridge_breaking_gap[MOST];
  BreakingGap attraction_gap;
};

// Grains sorted by cell, as PairSearch stores them: position, reach and number.
struct CellArrays {
  static constexpr int BEYOND =
      16;    // entries that may be read behind the last grain, and written behind what is found
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
  bool reads_past_end;    // one value after the last row of three must be readable
  const StageTable &(*stages)();
  // the least and the largest move of n particles in each dimension, but for rounding of their positions before; rows of three
  void (*range_of_moves)(const double *now, const float *before, int n, double *low, double *high);
  // whether any of n particles has moved further than its limit; positions as rows of three now, as the first three values of
  // rows of four before
  bool (*any_beyond)(const double *now, const double *before, const double *limit, int n);
  // Finds the grains in these ranges whose distance from one grain is at most the sum of the two reaches; writes their numbers
  // and returns how many there are.
  int (*within_reach)(const InCells &, const CellArrays &, const CellRange *, int range_count, int *found);
  // which of count pairs are closer than the given squares; fills LoopWork::found with as many as it returns
  int (*pairs_within)(const Particles &, const RowOffset *row_i, const RowOffset *row_j, const double *squared,
                      int count, LoopWork &);
  void (*loop)(const Particles &, const Pairs &, const History &, const PairGroup &, const LoopOptions &, LoopWork &);
  // the first half of loop, for groups whose bridges take their liquid from films
  void (*find_contacts)(const Particles &, const Pairs &, const PairGroup &, LoopWork &, Found &);
  // near pairs that go through the same stages
  void (*evaluate_pairs)(const Particles &, const Pairs &, const int *found, int count, const History &,
                         const PairGroup &, const StageList &, const LoopOptions &, LoopWork &);
  // contacts of any other kind; special as in Pairs
  void (*evaluate_contacts)(const Particles &, const unsigned char *special, const FoundContact *, int count,
                            ContactSource &, const History &, const PairGroup &, const StageList &, const LoopOptions &,
                            LoopWork &);
  // Heat across the gaps of near pairs, whether they touch or not. Returns a grain that radiates without an absolute
  // temperature, or -1.
  int (*pass_heat)(const Particles &, const Pairs &, const PairGroup &);
  // Adds what a batch observes to sums: a row for each observable, and in it partial sums. Where row_j is given, contacts
  // whose partner does not come before the row `owned_end` count as halves.
  void (*tally)(const Batch &, const RowOffset *row_j, RowOffset owned_end, Row *sums);
  // one step of a slider over n independent three-dimensional springs; arrays of n, vectors as [n][3]
  void (*slide)(int slider, bool carries_force, int n, double *q, const double *velocity, const double *stiffness,
                const double *damping, const double *bound, double timestep, double *force);
  // velocities of n particles by per_mass / mass times their forces, spins by per_inertia / (radius^2 mass) times their
  // torques, then positions by a time step
  void (*move)(const Movers &, int n, double per_mass, double per_inertia, double timestep);
};

// the fastest clone this processor can run, or the one that the environment variable GRANULAR_PLUS_CLONE names;
// throws std::runtime_error if that one is unknown or cannot run here
const Kernels &kernels();

// the clone for as few contacts at a time as would leave vectors empty
constexpr int FEW_CONTACTS = 3;
const Kernels &kernels_for_few();

// the clone that reads nothing beyond the rows it is given
const Kernels &in_bounds_kernels();

// every clone that can run on this processor, slowest first
std::vector<const Kernels *> supported_kernels();

}    // namespace granular_plus

#endif
