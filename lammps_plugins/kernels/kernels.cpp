// Compiled once per instruction set: GRANULAR_PLUS_CLONE names the clone. Nothing here may instantiate templates of
// the C++ library that other files share: the linker might keep the copy made for another processor.

#include "kernels.h"

#include "../laws/stages.h"
#include "rows.h"

#include <type_traits>

GRANULAR_PLUS_LAWS_BEGIN

namespace {

template <class Normal> double reach_for(const StackConstants &stack, double radius_i, double radius_j)
{
  return Normal::reach(constants_of<Normal>(stack.normal), radius_i * radius_j / (radius_i + radius_j));
}

template <class Law> double bridge_reach_for(const StackConstants &stack, double radius_i, double radius_j)
{
  return Law::rupture_distance(constants_of<Law>(stack.bridge), 2.0 / (1.0 / radius_i + 1.0 / radius_j));
}

struct Tables {    // the last index says whether the stage observes
  Stage normal[NormalLaws::count][DampingLaws::count][2];
  Stage tangential[TangentialLaws::count][Sliders::count][2];
  Stage rolling[RollingLaws::count][Sliders::count][2];
  Stage twisting[TwistingLaws::count][Sliders::count][2];
  Stage ending[NormalLaws::count];
  Stage rupture[CapillaryLaws::count];
  Stage gap[2] = {gap_stage<false>, gap_stage<true>};
  Stage bridge[CapillaryLaws::count][2][2];    // the first of the two says whether surfaces may be apart
  Reach reach[NormalLaws::count];
  Reach bridge_reach[CapillaryLaws::count];

  Tables()
  {
    for_each_law(NormalLaws{}, [this](int n, auto normal_type) {
      using Normal = typename decltype(normal_type)::type;
      ending[n] = ending_stage<Normal>;
      reach[n] = Normal::acts_apart ? reach_for<Normal> : nullptr;
      for_each_law(DampingLaws{}, [this, n](int d, auto type) {
        using Damping = std::conditional_t<Normal::adapts, damping::OfContact, typename decltype(type)::type>;
        normal[n][d][0] = normal_stage<Normal, Damping, false>;
        normal[n][d][1] = normal_stage<Normal, Damping, true>;
      });
    });
    for_each_law(CapillaryLaws{}, [this](int c, auto type) {
      using Law = typename decltype(type)::type;
      if constexpr (Law::pulls) {
        bridge[c][0][0] = bridge_stage<Law, false, false>;
        bridge[c][0][1] = bridge_stage<Law, false, true>;
        bridge[c][1][0] = bridge_stage<Law, true, false>;
        bridge[c][1][1] = bridge_stage<Law, true, true>;
        rupture[c] = rupture_stage<Law>;
        bridge_reach[c] = bridge_reach_for<Law>;
      } else {
        bridge[c][0][0] = bridge[c][0][1] = bridge[c][1][0] = bridge[c][1][1] = nullptr;
        rupture[c] = nullptr;
        bridge_reach[c] = nullptr;
      }
    });
    for_each_law(Sliders{}, [this](int s, auto slider_type) {
      using Slider = typename decltype(slider_type)::type;
      for_each_law(TangentialLaws{}, [this, s](int t, auto type) {
        using Law = typename decltype(type)::type;
        tangential[t][s][0] = tangential_stage<Law, Slider, false>;
        tangential[t][s][1] = tangential_stage<Law, Slider, true>;
      });
      for_each_law(RollingLaws{}, [this, s](int r, auto type) {
        using Law = typename decltype(type)::type;
        if constexpr (Law::history == 0) {
          rolling[r][s][0] = rolling[r][s][1] = nullptr;
        } else {
          rolling[r][s][0] = rolling_stage<Law, Slider, false>;
          rolling[r][s][1] = rolling_stage<Law, Slider, true>;
        }
      });
      for_each_law(TwistingLaws{}, [this, s](int t, auto type) {
        using Law = typename decltype(type)::type;
        if constexpr (Law::history == 0) {
          twisting[t][s][0] = twisting[t][s][1] = nullptr;
        } else {
          twisting[t][s][0] = twisting_stage<Law, Slider, false>;
          twisting[t][s][1] = twisting_stage<Law, Slider, true>;
        }
      });
    });
  }
};

const Tables &tables()
{
  static const Tables instance;
  return instance;
}

Stage normal_stage_of(int normal_law, int damping_law, bool observes)
{
  return tables().normal[normal_law][damping_law][observes];
}

Stage tangential_stage_of(int tangential_law, int slider, bool observes)
{
  return tables().tangential[tangential_law][slider][observes];
}

Stage rolling_stage_of(int rolling_law, int slider, bool observes)
{
  return tables().rolling[rolling_law][slider][observes];
}

Stage twisting_stage_of(int twisting_law, int slider, bool observes)
{
  return tables().twisting[twisting_law][slider][observes];
}

Stage ending_stage_of(int normal_law) { return tables().ending[normal_law]; }

Stage rupture_stage_of(int capillary_law) { return tables().rupture[capillary_law]; }

Stage gap_stage_of(bool observes) { return tables().gap[observes]; }

Stage bridge_stage_of(int capillary_law, bool gaps, bool observes)
{
  return tables().bridge[capillary_law][gaps][observes];
}

Reach reach_of(int normal_law) { return tables().reach[normal_law]; }
Reach bridge_reach_of(int capillary_law) { return tables().bridge_reach[capillary_law]; }

// rows may straddle two cache lines: ask for both ends
LANE void prefetch_row(const double *rows, int index)
{
  __builtin_prefetch(rows + 3 * static_cast<long>(index));
  __builtin_prefetch(rows + 3 * static_cast<long>(index) + 2);
}

LANE Four row_of(const double *rows, int index) { return load_row(rows + 3 * static_cast<long>(index)); }
LANE Four row_at(const char *address) { return load_row(reinterpret_cast<const double *>(address)); }

// How far ahead of its use a partner's position is asked for, in pairs.
constexpr int PAIRS_AHEAD = 128;

// Which pairs are within reach and, with GAPS, which of them touch: a byte for each pair, odd for yes.
template <bool GAPS>
void search(const double *position, const Pairs &pairs, int begin, int end, unsigned char *__restrict within,
            unsigned char *__restrict touches)
{
  const auto *x = reinterpret_cast<const char *>(position);
  const unsigned *__restrict row_i = pairs.row_i, *__restrict row_j = pairs.row_j;
  const double *__restrict reach_squared = pairs.reach_squared;
  int p = begin;
  for (; p + 4 <= end; p += 4) {
    const unsigned *i = row_i + p, *j = row_j + p;
    if (p + PAIRS_AHEAD + 4 <= end) {
#pragma GCC unroll 4
      for (int k = 0; k < 4; ++k) {
        __builtin_prefetch(x + j[PAIRS_AHEAD + k]);
        __builtin_prefetch(x + j[PAIRS_AHEAD + k] + 16);
      }
    }
    const auto square = [&](int k) {
      const Four d = row_at(x + i[k]) - row_at(x + j[k]);
      return d * d;
    };
    const Four squared = sum_of_three(square(0), square(1), square(2), square(3));
    store_bytes(within + (p - begin), squared < load_four(reach_squared + p));
    if (GAPS) store_bytes(touches + (p - begin), squared < load_four(pairs.touch_squared + p));
  }
  for (; p < end; ++p) {
    const auto *a = reinterpret_cast<const double *>(x + row_i[p]);
    const auto *b = reinterpret_cast<const double *>(x + row_j[p]);
    const double dx = a[0] - b[0], dy = a[1] - b[1], dz = a[2] - b[2];
    const double squared = dx * dx + dy * dy + dz * dz;
    within[p - begin] = squared < reach_squared[p];
    if (GAPS) touches[p - begin] = squared < pairs.touch_squared[p];
  }
}

// The pairs marked by an odd byte. A pass of its own and without a branch: were the place of the next hit known only
// after each comparison, the processor would hold back the loads that follow.
int list(const unsigned char *__restrict marks, int begin, int end, int *__restrict found)
{
  int *__restrict out = found;
  for (int k = 0; k < end - begin; ++k) {
    *out = begin + k;
    out += marks[k] & 1;
  }
  return static_cast<int>(out - found);
}

double largest_move(const double *now, const double *before, int n)
{
  double largest = 0.0;
#pragma omp simd reduction(max : largest)
  for (int k = 0; k < n; ++k) {
    const double dx = now[3 * k] - before[3 * k];
    const double dy = now[3 * k + 1] - before[3 * k + 1];
    const double dz = now[3 * k + 2] - before[3 * k + 2];
    largest = larger(dx * dx + dy * dy + dz * dz, largest);
  }
  return largest;
}

// Contacts that act across a gap begin where a pair touches and live on within reach. Those of pairs that do not touch
// are put aside where there is a list for them, else they count as touching.
void search_gaps(const Pairs &pairs, int begin, int end, LoopWork &work, int *apart, int *apart_count)
{
  unsigned char *__restrict joined = pairs.joined + begin, *__restrict within = work.within;
  unsigned char *__restrict touches = work.touches;
  const int count = end - begin;
#pragma omp simd
  for (int k = 0; k < count; ++k) {
    joined[k] = touches[k] | (joined[k] & within[k]);
    within[k] = joined[k] & ~touches[k];
  }
  if (apart)
    *apart_count += list(within, begin, end, apart + *apart_count);
  else
    std::memcpy(touches, joined, count);
}

// SIZE history values per pair; -1: any number
template <int SIZE>
void gather(const Particles &particles, const Pairs &pairs, const History &history, const int *__restrict found,
            int alive, LoopWork &work)
{
  Batch &b = work.batch;
  const double *__restrict x = particles.position, *__restrict v = particles.velocity;
  const double *__restrict omega = particles.spin, *__restrict values = history.values;
  const int *__restrict pair_i = pairs.i, *__restrict pair_j = pairs.j;
  int *__restrict slots = history.slot, *__restrict stamp = history.stamp;
  const int size = SIZE < 0 ? history.size : SIZE;
  const int count = b.count;

  // whole groups of four, the last one filled up with its last contact; one loop per kind of row keeps the indices in
  // registers
  const int lanes = (count + 3) & ~3;
  for (int l = 0; l < lanes; ++l) {
    const int p = found[l < count ? l : count - 1];
    const int contact = pairs.contact[p];
    int slot = slots[contact];
    if (slot < 0) {
      slot = slots[contact] = (*history.slots_used)++;
      stamp[slot] = 0;
    }
    work.contact[l] = contact;
    work.slot[l] = slot;
    work.i[l] = pair_i[p];
    work.j[l] = pair_j[p];
    prefetch_row(v, work.j[l]);
    prefetch_row(omega, work.j[l]);
    __builtin_prefetch(particles.size + 2 * static_cast<long>(work.j[l]));
    __builtin_prefetch(values + static_cast<long>(slot) * size);
  }
  const int *__restrict i = work.i, *__restrict j = work.j;
  for (int l = 0; l < lanes; l += 4) {
    const auto difference = [&](int k) { return row_of(x, i[l + k]) - row_of(x, j[l + k]); };
    store_transposed<3>(b.separation, l, difference(0), difference(1), difference(2), difference(3));
  }
  for (int l = 0; l < lanes; l += 4) {
    const auto difference = [&](int k) { return row_of(v, i[l + k]) - row_of(v, j[l + k]); };
    store_transposed<3>(b.velocity, l, difference(0), difference(1), difference(2), difference(3));
  }
  for (int l = 0; l < lanes; l += 4) {
    const auto row = [&](const int *index, int k) { return row_of(omega, index[l + k]); };
    store_transposed<3>(b.spin_i, l, row(i, 0), row(i, 1), row(i, 2), row(i, 3));
    store_transposed<3>(b.spin_j, l, row(j, 0), row(j, 1), row(j, 2), row(j, 3));
  }
  for (int l = 0; l < lanes; l += 4) {
    const auto row = [&](const int *index, int k) {
      return load_four(particles.size + 2 * static_cast<long>(index[l + k]));
    };
    store_pairs(b.radius_i + l, b.mass_i + l, row(i, 0), row(i, 1), row(i, 2), row(i, 3));
    store_pairs(b.radius_j + l, b.mass_j + l, row(j, 0), row(j, 1), row(j, 2), row(j, 3));
  }
  for (int l = 0; l < lanes; l += 4) {
    const int *slot = work.slot + l;
    for (int h = 0; h < size; h += 4) {
      const auto row = [&](int k) {
        const Four kept = load_four(values + static_cast<long>(slot[k]) * size + h);
        const Four none{};
        return stamp[slot[k]] == alive ? kept : none;
      };
      store_transposed<SIZE == 3 ? 3 : 4>(b.history + h, l, row(0), row(1), row(2), row(3));
    }
  }
}

template <int SIZE>
void scatter(const Particles &particles, const Pairs &pairs, const History &history, const LoopOptions &options,
             LoopWork &work)
{
  Batch &b = work.batch;
  const int size = SIZE < 0 ? history.size : SIZE;
  const int count = b.count;
  if (pairs.special) {
    for (int l = 0; l < count; ++l) {
      const double factor = options.force_factors[pairs.special[work.contact[l]]];
      for (int d = 0; d < 3; ++d) {
        b.force[d][l] *= factor;
        b.torque_i[d][l] *= factor;
        b.torque_j[d][l] *= factor;
      }
    }
  }
  if (particles.force) {
    double *__restrict f = particles.force, *__restrict torque = particles.torque;
    const int receives_below = particles.receives_below;
    for (int l = 0; l < count; ++l) {
      prefetch_row(f, work.j[l + LoopWork::AHEAD]);
      prefetch_row(torque, work.j[l + LoopWork::AHEAD]);
      const long i = work.i[l], j = work.j[l];
      add_to_row(f, i, b.force, l);
      add_to_row(torque, i, b.torque_i, l);
      if (j < receives_below) {
        subtract_from_row(f, j, b.force, l);
        add_to_row(torque, j, b.torque_j, l);
      }
    }
  }
  if (options.keep_history) {
    double *__restrict values = history.values;
    int *__restrict stamp = history.stamp;
    for (int l = 0; l < count; ++l) stamp[work.slot[l]] = options.evaluation;
    const int in_fours = SIZE == 3 ? 0 : count & ~3, whole = size & ~3;
    for (int l = 0; l < in_fours; l += 4) {
      double *row[4];
      for (int k = 0; k < 4; ++k) row[k] = values + static_cast<long>(work.slot[l + k]) * size;
      for (int h = 0; h < whole; h += 4) {
        double *const part[4] = {row[0] + h, row[1] + h, row[2] + h, row[3] + h};
        store_rows(b.history + h, l, part);
      }
      for (int h = whole; h < size; ++h)
        for (int k = 0; k < 4; ++k) row[k][h] = b.history[h][l + k];
    }
    for (int l = in_fours; l < count; ++l) {
      double *__restrict row = values + static_cast<long>(work.slot[l]) * size;
#pragma GCC unroll 4
      for (int h = 0; h < size; ++h) row[h] = b.history[h][l];
    }
  }
}

// In setup, contacts that live on across a gap begin where grains touch: at the first step they may already be apart.
// The ledger remembers the forces of setup, which act over half a step.
void begin_contacts(const History &history, int alive, int ledger, LoopWork &work)
{
  for (int l = 0; l < work.batch.count; ++l) {
    const long slot = work.slot[l];
    double *row = history.values + slot * history.size;
    if (history.stamp[slot] != alive) {
      history.stamp[slot] = alive;
      for (int h = 0; h < history.size; ++h) row[h] = 0.0;
    }
    for (int h = ledger; h >= 0 && h < ledger + REMEMBERED; ++h) row[h] = work.batch.history[h][l];
  }
}

template <int SIZE>
void loop_with(const Particles &particles, const Pairs &pairs, const History &history, const Segment &segment,
               const LoopOptions &options, LoopWork &work)
{
  work.batch.timestep = options.timestep;
  const int alive = options.keep_history ? options.evaluation - 1 : options.evaluation;
  const auto evaluate = [&](const int *found, int count, const Stage *stages, int stage_count) {
    work.batch.count = count;
    gather<SIZE>(particles, pairs, history, found, alive, work);
    for (int s = 0; s < stage_count; ++s) stages[s](work.batch, segment.constants);
    scatter<SIZE>(particles, pairs, history, options, work);
    if (options.begins_contacts) begin_contacts(history, alive, options.ledger, work);
    if (options.report) options.report(options.receiver, work);
  };

  int *apart = segment.apart_stage_count > 0 ? pairs.apart : nullptr;
  int waiting = 0, apart_count = 0;
  for (int begin = segment.begin; begin < segment.end; begin += LoopWork::SEARCHED) {
    const int end = segment.end - begin < LoopWork::SEARCHED ? segment.end : begin + LoopWork::SEARCHED;
    if (segment.reach) {
      search<true>(particles.position, pairs, begin, end, work.within, work.touches);
      search_gaps(pairs, begin, end, work, apart, &apart_count);
    } else {
      search<false>(particles.position, pairs, begin, end, work.within, work.touches);
    }
    waiting += list(segment.reach ? work.touches : work.within, begin, end, work.found + waiting);
    const bool last = end == segment.end;
    int first = 0;
    while (waiting - first >= LANES || (last && waiting > first)) {
      const int lanes = waiting - first < LANES ? waiting - first : LANES;
      evaluate(work.found + first, lanes, segment.stages, segment.stage_count);
      first += lanes;
    }
    for (int k = first; k < waiting; ++k) work.found[k - first] = work.found[k];
    waiting -= first;
  }
  // after all that touch, so that sums of forces do not depend on how the list is cut into pieces
  for (int first = 0; first < apart_count; first += LANES) {
    const int lanes = apart_count - first < LANES ? apart_count - first : LANES;
    evaluate(apart + first, lanes, segment.apart_stages, segment.apart_stage_count);
  }
}

void loop(const Particles &particles, const Pairs &pairs, const History &history, const Segment &segment,
          const LoopOptions &options, LoopWork &work)
{
  switch (history.size) {    // the common sizes unrolled
    case 0: return loop_with<0>(particles, pairs, history, segment, options, work);
    case 3: return loop_with<3>(particles, pairs, history, segment, options, work);
    case 4: return loop_with<4>(particles, pairs, history, segment, options, work);
    case 5: return loop_with<5>(particles, pairs, history, segment, options, work);
    case 6: return loop_with<6>(particles, pairs, history, segment, options, work);
    default: return loop_with<-1>(particles, pairs, history, segment, options, work);
  }
}

void end(const Particles &particles, const Pairs &pairs, int count, const History &history, const Segment &segment,
         const LoopOptions &options, LoopWork &work)
{
  work.batch.timestep = options.timestep;
  for (int first = 0; first < count; first += LANES) {
    work.batch.count = count - first < LANES ? count - first : LANES;
    for (int l = 0; l < work.batch.count; ++l) work.found[l] = first + l;
    gather<-1>(particles, pairs, history, work.found, options.evaluation - 1, work);
    for (int s = 0; s < segment.ending_stage_count; ++s) segment.ending_stages[s](work.batch, segment.constants);
    options.report(options.receiver, work);
  }
}

void slide(int slider, bool carries_force, int n, double *q, const double *velocity, const double *stiffness,
           const double *damping, const double *bound, double timestep, double *force)
{
  for_each_law(Sliders{}, [&](int index, auto law) {
    if (index != slider) return;
#pragma omp simd
    for (int k = 0; k < n; ++k) {
      const auto spring =
          carries_force ? carrying_force(stiffness[k], damping[k]) : carrying_displacement(stiffness[k], damping[k]);
      Vector state{q[3 * k], q[3 * k + 1], q[3 * k + 2]};
      const Vector v{velocity[3 * k], velocity[3 * k + 1], velocity[3 * k + 2]};
      const Vector f = decltype(law)::type::step(state, spring, v, bound[k], timestep);
      q[3 * k] = state.x, q[3 * k + 1] = state.y, q[3 * k + 2] = state.z;
      force[3 * k] = f.x, force[3 * k + 1] = f.y, force[3 * k + 2] = f.z;
    }
  });
}

}    // namespace

#define GRANULAR_PLUS_TEXT(name) #name
#define GRANULAR_PLUS_NAME(name) GRANULAR_PLUS_TEXT(name)
extern const Kernels compiled_kernels;
const Kernels compiled_kernels = {GRANULAR_PLUS_NAME(GRANULAR_PLUS_CLONE),
                                  READS_BEYOND_ROWS,
                                  normal_stage_of,
                                  tangential_stage_of,
                                  rolling_stage_of,
                                  twisting_stage_of,
                                  ending_stage_of,
                                  rupture_stage_of,
                                  gap_stage_of,
                                  bridge_stage_of,
                                  reach_of,
                                  bridge_reach_of,
                                  largest_move,
                                  loop,
                                  end,
                                  slide};

GRANULAR_PLUS_LAWS_END
