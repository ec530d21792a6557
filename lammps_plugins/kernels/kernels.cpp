// Compiled once per instruction set: GRANULAR_PLUS_CLONE names the clone. Nothing here may instantiate templates of
// the C++ library that other files share: the linker might keep the copy made for another processor.

#include "kernels.h"

#include "../laws/registry.h"
#include "../laws/stages/bridge.h"
#include "../laws/stages/ending.h"
#include "../laws/stages/heat.h"
#include "../laws/stages/normal.h"
#include "../laws/stages/rolling.h"
#include "../laws/stages/synchronized.h"
#include "../laws/stages/tangential.h"
#include "../laws/stages/twisting.h"
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
  Stage tangential[TangentialLaws::count][Sliders::count][2][2];    // the last but one says whether it is synchronized
  Stage rolling[RollingLaws::count][Sliders::count][2][2];
  Stage twisting[TwistingLaws::count][Sliders::count][2];
  Stage ending[NormalLaws::count];
  Stage rupture[CapillaryLaws::count];
  Stage gap[2] = {gap_stage<false>, gap_stage<true>};
  Stage bridge[CapillaryLaws::count][2][2];    // the first of the two says whether surfaces may be apart
  Stage heat[HeatLaws::count][2][2];
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
    for_each_law(HeatLaws{}, [this](int h, auto type) {
      using Law = typename decltype(type)::type;
      heat[h][0][0] = heat_stage<Law, false, false>;
      heat[h][0][1] = heat_stage<Law, false, true>;
      heat[h][1][0] = heat_stage<Law, true, false>;
      heat[h][1][1] = heat_stage<Law, true, true>;
    });
    for_each_law(Sliders{}, [this](int s, auto slider_type) {
      using Slider = typename decltype(slider_type)::type;
      for_each_law(TangentialLaws{}, [this, s](int t, auto type) {
        using Law = typename decltype(type)::type;
        // the others have no spring to turn, or do so by themselves
        constexpr bool SYNCHRONIZES = Law::history > 0 && !Law::complete && Law::keeps_length;
        tangential[t][s][0][0] = tangential_stage<Law, Slider, false>;
        tangential[t][s][0][1] = tangential_stage<Law, Slider, true>;
        tangential[t][s][1][0] = tangential_stage<Law, Slider, false, SYNCHRONIZES>;
        tangential[t][s][1][1] = tangential_stage<Law, Slider, true, SYNCHRONIZES>;
      });
      for_each_law(RollingLaws{}, [this, s](int r, auto type) {
        using Law = typename decltype(type)::type;
        if constexpr (Law::history == 0) {
          for (auto &stages : rolling[r][s]) stages[0] = stages[1] = nullptr;
        } else {
          rolling[r][s][0][0] = rolling_stage<Law, Slider, false>;
          rolling[r][s][0][1] = rolling_stage<Law, Slider, true>;
          rolling[r][s][1][0] = rolling_stage<Law, Slider, false, true>;
          rolling[r][s][1][1] = rolling_stage<Law, Slider, true, true>;
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

Stage tangential_stage_of(int tangential_law, int slider, bool observes, bool synchronized)
{
  return tables().tangential[tangential_law][slider][synchronized][observes];
}

Stage rolling_stage_of(int rolling_law, int slider, bool observes, bool synchronized)
{
  return tables().rolling[rolling_law][slider][synchronized][observes];
}

Stage heat_stage_of(int heat_law, bool observes, bool ended) { return tables().heat[heat_law][observes][ended]; }

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

// a row may straddle two cache lines: what matters most is where its middle lies
LANE void prefetch_row(const double *rows, unsigned offset) { __builtin_prefetch(row_of(rows, offset) + 1); }

// How far ahead of its use a partner's position is asked for, in pairs.
constexpr int PAIRS_AHEAD = 128;

// Which pairs are within reach and, with GAPS, which of them touch: a byte for each pair, odd for yes.
template <bool GAPS>
void search(const Particles &particles, const Pairs &pairs, int begin, int end, unsigned char *__restrict within,
            unsigned char *__restrict touches)
{
  const double *__restrict position = particles.position;
  const unsigned *__restrict row_i = pairs.row_i, *__restrict row_j = pairs.row_j;
  const double *__restrict reach_squared = pairs.reach_squared;
  int p = begin;
  for (; p + GROUP <= end; p += GROUP) {
    const unsigned *i = row_i + p, *j = row_j + p;
    if (particles.far && p + PAIRS_AHEAD + GROUP <= end) {
#pragma GCC unroll 8
      for (int k = 0; k < GROUP; ++k) prefetch_row(position, j[PAIRS_AHEAD + k]);
    }
    const auto at = [&](const unsigned *row) {
      return rows_of([&](int k) { return load_three(row_of(position, row[k])); });
    };
    const Rows parts = squares(at(i) - at(j));
    const Column squared = column_of<0>(parts) + column_of<1>(parts) + column_of<2>(parts);
    store_less(within + (p - begin), squared, load_column(reach_squared + p));
    if (GAPS) store_less(touches + (p - begin), squared, load_column(pairs.touch_squared + p));
  }
  for (; p < end; ++p) {
    const double *a = row_of(position, row_i[p]), *b = row_of(position, row_j[p]);
    const double dx = a[0] - b[0], dy = a[1] - b[1], dz = a[2] - b[2];
    const double squared = dx * dx + dy * dy + dz * dz;
    within[p - begin] = squared < reach_squared[p];
    if (GAPS) touches[p - begin] = squared < pairs.touch_squared[p];
  }
}

// The pairs marked by an odd byte; there is room for LIST_AHEAD more than are found. A pass of its own and without a
// branch: were the place of the next hit known only after each comparison, the processor would hold back the loads that
// follow.
int list(unsigned char *__restrict marks, int begin, int end, int *__restrict found)
{
  int *__restrict out = found;
#ifdef __AVX512BW__
  // no loop of plain C++ comes near: sixteen at a time
  std::memset(marks + (end - begin), 0, 16);
  __m512i pair = _mm512_add_epi32(_mm512_set1_epi32(begin),
                                  _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0));
  for (int k = 0; k < end - begin; k += 16) {
    const __mmask16 marked =
        _mm_test_epi8_mask(_mm_loadu_si128(reinterpret_cast<const __m128i *>(marks + k)), _mm_set1_epi8(1));
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi32(marked, pair));
    out += __builtin_popcount(marked);
    pair = _mm512_add_epi32(pair, _mm512_set1_epi32(16));
  }
#else
  for (int k = 0; k < end - begin; ++k) {
    *out = begin + k;
    out += marks[k] & 1;
  }
#endif
  return static_cast<int>(out - found);
}

// Two particles come closer by no more than the box of all moves is wide: a common motion does not count. Rows are taken
// eight at a time, as whole vectors of what are x, y and z in turn.
double largest_approach(const double *now, const double *before, int n)
{
  constexpr int TAKEN = 24;
  const long values = 3L * n;
  double low[TAKEN], high[TAKEN];
  for (int k = 0; k < TAKEN; ++k) low[k] = INFINITY, high[k] = -INFINITY;
  long first = 0;
  for (; first + TAKEN <= values; first += TAKEN)
#pragma omp simd
    for (int k = 0; k < TAKEN; ++k) {
      const double move = now[first + k] - before[first + k];
      low[k] = smaller(move, low[k]);
      high[k] = larger(move, high[k]);
    }
  for (int k = 0; first + k < values; ++k) {
    const double move = now[first + k] - before[first + k];
    low[k] = smaller(move, low[k]);
    high[k] = larger(move, high[k]);
  }
  for (int k = 3; k < TAKEN; ++k) {
    low[k % 3] = smaller(low[k], low[k % 3]);
    high[k % 3] = larger(high[k], high[k % 3]);
  }
  return n > 0 ? length(Vector{high[0] - low[0], high[1] - low[1], high[2] - low[2]}) : 0.0;
}

int near(const Particles &particles, const Pairs &pairs, int count, LoopWork &work)
{
  search<false>(particles, pairs, 0, count, work.within, work.touches);
  return list(work.within, 0, count, work.found);
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

// The first contacts of those listed in found fill the batch. SIZE history values per contact; -1: any number.
template <int SIZE>
void gather(const Particles &particles, const Pairs &pairs, const History &history, const int *__restrict found,
            int listed, int alive, LoopWork &work)
{
  Batch &b = work.batch;
  const double *__restrict x = particles.position, *__restrict v = particles.velocity;
  const double *__restrict omega = particles.spin, *__restrict rows = history.rows;
  const int size = SIZE < 0 ? history.size : SIZE, stride = size + 1;
  const int count = b.count;

  for (int l = 0; l < count; ++l) {
    const int p = found[l];
    const unsigned row_j = pairs.row_j[p];
    int slot = pairs.slot[p];
    if (slot < 0) {
      slot = pairs.slot[p] = history.slot[pairs.contact[p]] = (*history.slots_used)++;
      history.row(slot)[size] = 0.0;
    }
    work.slot[l] = slot;
    work.row_i[l] = pairs.row_i[p];
    work.row_j[l] = row_j;
    if (particles.far) {
      const int later = l + LoopWork::AHEAD < listed ? l + LoopWork::AHEAD : l;
      const unsigned row = pairs.row_j[found[later]];
      prefetch_row(v, row);
      prefetch_row(omega, row);
      prefetch_row(particles.size, row);
      prefetch_row(particles.force, row);
      prefetch_row(particles.torque, row);
    }
  }
  // whole groups, the last one filled up with its last contact
  const int lanes = (count + GROUP - 1) & ~(GROUP - 1);
  for (int l = count; l < lanes; ++l) {
    work.slot[l] = work.slot[count - 1];
    work.row_i[l] = work.row_i[count - 1];
    work.row_j[l] = work.row_j[count - 1];
  }
  // one loop per kind of row keeps the indices in registers
  const unsigned *__restrict row_i = work.row_i, *__restrict row_j = work.row_j;
  const auto vectors = [](const double *of, const unsigned *row) {
    return rows_of([=](int k) { return load_three(row_of(of, row[k])); });
  };
  for (int l = 0; l < lanes; l += GROUP) {
    const Rows of_i = vectors(particles.size, row_i + l), of_j = vectors(particles.size, row_j + l);
    store_column(b.radius_i + l, column_of<0>(of_i));
    store_column(b.mass_i + l, column_of<1>(of_i));
    store_column(b.radius_j + l, column_of<0>(of_j));
    store_column(b.mass_j + l, column_of<1>(of_j));
  }
  for (int l = 0; l < lanes; l += GROUP) store_vector(b.separation, l, vectors(x, row_i + l) - vectors(x, row_j + l));
  for (int l = 0; l < lanes; l += GROUP) store_vector(b.velocity, l, vectors(v, row_i + l) - vectors(v, row_j + l));
  for (int l = 0; l < lanes; l += GROUP) {
    store_vector(b.spin_i, l, vectors(omega, row_i + l));
    store_vector(b.spin_j, l, vectors(omega, row_j + l));
  }
  for (int l = 0; l < lanes; l += GROUP) {
    const int *slot = work.slot + l;
    const int last = size & ~3;    // the four columns with the stamp come first
    Column stamp{};
    for (int h = last; h >= 0; h -= 4) {
      const Rows part = rows_of([=](int k) { return load_four(rows + static_cast<long>(slot[k]) * stride + h); });
      const Column columns[4] = {column_of<0>(part), column_of<1>(part), column_of<2>(part), column_of<3>(part)};
      if (h == last) stamp = columns[size & 3];
      for (int k = 0; k < 4; ++k) store_column(b.history[h + k] + l, if_stamped(columns[k], stamp, alive));
    }
  }
}

template <int SIZE>
void scatter(const Particles &particles, const Pairs &pairs, const History &history, const int *__restrict found,
             const LoopOptions &options, LoopWork &work)
{
  Batch &b = work.batch;
  const int size = SIZE < 0 ? history.size : SIZE, stride = size + 1;
  const int count = b.count;
  if (pairs.special) {
    for (int l = 0; l < count; ++l) {
      const double factor = options.force_factors[pairs.special[pairs.contact[found[l]]]];
      for (int d = 0; d < 3; ++d) {
        b.force[d][l] *= factor;
        b.torque_i[d][l] *= factor;
        b.torque_j[d][l] *= factor;
      }
    }
  }
  if (particles.force) {
    double *__restrict f = particles.force, *__restrict torque = particles.torque;
    const auto receives_below = Pairs::ROW_BYTES * static_cast<unsigned>(particles.receives_below);
    for (int l = 0; l < count; ++l) {
      const unsigned i = work.row_i[l], j = work.row_j[l];
      const Two push = {b.force[0][l], b.force[1][l]};
      const double third = b.force[2][l];
      add_to_row(row_of(f, i), push, third);
      add_to_row(row_of(torque, i), Two{b.torque_i[0][l], b.torque_i[1][l]}, b.torque_i[2][l]);
      if (j < receives_below) {
        add_to_row(row_of(f, j), -push, -third);
        add_to_row(row_of(torque, j), Two{b.torque_j[0][l], b.torque_j[1][l]}, b.torque_j[2][l]);
      }
    }
  }
  if (options.keep_history) {
    double *__restrict stamp = b.history[size];
    for (int l = 0; l < LANES; ++l) stamp[l] = options.evaluation;
    const int in_fours = count & ~3, whole = stride & ~3;
    for (int l = 0; l < in_fours; l += 4) {
      double *row[4];
      for (int k = 0; k < 4; ++k) row[k] = history.rows + static_cast<long>(work.slot[l + k]) * stride;
      for (int h = 0; h < whole; h += 4) {
        double *const part[4] = {row[0] + h, row[1] + h, row[2] + h, row[3] + h};
        store_rows(b.history + h, l, part);
      }
      for (int h = whole; h < stride; ++h)
        for (int k = 0; k < 4; ++k) row[k][h] = b.history[h][l + k];
    }
    for (int l = in_fours; l < count; ++l) {
      double *__restrict row = history.row(work.slot[l]);
      for (int h = 0; h < stride; ++h) row[h] = b.history[h][l];
    }
  }
}

// between the two grains, by their temperatures, and to both of them
void pass_heat(const Particles &particles, const LoopWork &work)
{
  const Batch &b = work.batch;
  const double *temperature = particles.temperature;
  for (int l = 0; l < b.count; ++l) {
    const int i = static_cast<int>(work.row_i[l] / Pairs::ROW_BYTES);
    const int j = static_cast<int>(work.row_j[l] / Pairs::ROW_BYTES);
    const double conducted = b.conductance[l] * (temperature[j] - temperature[i]);
    particles.heatflow[i] += conducted + b.warming[l];
    if (j < particles.receives_below) particles.heatflow[j] -= conducted - b.warming[l];
  }
}

void report(const LoopOptions &options, LoopWork &work)
{
  for (int l = 0; l < work.batch.count; ++l) {
    work.i[l] = static_cast<int>(work.row_i[l] / Pairs::ROW_BYTES);
    work.j[l] = static_cast<int>(work.row_j[l] / Pairs::ROW_BYTES);
  }
  options.report(options.receiver, work);
}

// In setup, contacts that live on across a gap begin where grains touch: at the first step they may already be apart.
// The ledger remembers the forces of setup, which act over half a step.
void begin_contacts(const History &history, int alive, int ledger, LoopWork &work)
{
  for (int l = 0; l < work.batch.count; ++l) {
    double *row = history.row(work.slot[l]);
    double &stamp = row[history.size];
    if (stamp != alive) {
      stamp = alive;
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
  const auto evaluate = [&](const int *found, int listed, const Stage *stages, int stage_count) {
    work.batch.count = listed < LANES ? listed : LANES;
    gather<SIZE>(particles, pairs, history, found, listed, alive, work);
    for (int s = 0; s < stage_count; ++s) stages[s](work.batch, segment.constants);
    scatter<SIZE>(particles, pairs, history, found, options, work);
    if (segment.passes_heat && particles.heatflow) pass_heat(particles, work);
    if (options.begins_contacts) begin_contacts(history, alive, options.ledger, work);
    if (options.report) report(options, work);
  };

  int *apart = segment.apart_stage_count > 0 ? pairs.apart : nullptr;
  int waiting = 0, apart_count = 0;
  for (int begin = segment.begin; begin < segment.end; begin += LoopWork::SEARCHED) {
    const int end = segment.end - begin < LoopWork::SEARCHED ? segment.end : begin + LoopWork::SEARCHED;
    if (segment.reach) {
      search<true>(particles, pairs, begin, end, work.within, work.touches);
      search_gaps(pairs, begin, end, work, apart, &apart_count);
    } else {
      search<false>(particles, pairs, begin, end, work.within, work.touches);
    }
    waiting += list(segment.reach ? work.touches : work.within, begin, end, work.found + waiting);
    const bool last = end == segment.end;
    int first = 0;
    for (; waiting - first >= LANES || (last && waiting > first); first += work.batch.count)
      evaluate(work.found + first, waiting - first, segment.stages, segment.stage_count);
    for (int k = first; k < waiting; ++k) work.found[k - first] = work.found[k];
    waiting -= first;
  }
  // after all that touch, so that sums of forces do not depend on how the list is cut into pieces
  for (int first = 0; first < apart_count; first += LANES)
    evaluate(apart + first, apart_count - first, segment.apart_stages, segment.apart_stage_count);
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
    gather<-1>(particles, pairs, history, work.found, work.batch.count, options.evaluation - 1, work);
    for (int s = 0; s < segment.ending_stage_count; ++s) segment.ending_stages[s](work.batch, segment.constants);
    if (segment.passes_heat && particles.heatflow) pass_heat(particles, work);
    report(options, work);
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
                                  heat_stage_of,
                                  half_step_back,
                                  end_of_step,
                                  reach_of,
                                  bridge_reach_of,
                                  largest_approach,
                                  near,
                                  loop,
                                  end,
                                  slide};

GRANULAR_PLUS_LAWS_END
