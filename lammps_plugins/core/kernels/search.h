// Finds the pairs of a list that are close enough to act on each other.

#ifndef GRANULAR_PLUS_SEARCH_H
#define GRANULAR_PLUS_SEARCH_H

#include "kernels.h"
#include "rows.h"

#include <cmath>
#include <cstring>
#include <limits>

GRANULAR_PLUS_LAWS_BEGIN

namespace {

// number of pairs between the prefetch of a partner's position and the use of this position
constexpr int PAIRS_AHEAD = 128;

// Calls see with the squared distances of VECTOR_LANES pairs at a time, and see_one for each remaining pair. number(p)
// returns the index of pair p in row_i and row_j.
template <class Number, class See, class SeeOne>
LANE void for_each_distance(const Particles &particles, const RowOffset *__restrict row_i,
                            const RowOffset *__restrict row_j, int begin, int end, Number number, See see,
                            SeeOne see_one)
{
  const double *__restrict position = particles.position;
  int p = begin;
  for (; p + VECTOR_LANES <= end; p += VECTOR_LANES) {
    if (particles.prefetch && p + PAIRS_AHEAD + VECTOR_LANES <= end) {
#pragma GCC unroll 8
      for (int k = 0; k < VECTOR_LANES; ++k) prefetch_row(position, row_j[number(p + PAIRS_AHEAD + k)]);
    }
    const auto at = [&](const RowOffset *row) {
      return rows_of([&](int k) { return load_three(row_of(position, row[number(p + k)])); });
    };
    const Rows parts = squares(at(row_i) - at(row_j));
    see(p, column_of<0>(parts) + column_of<1>(parts) + column_of<2>(parts));
  }
  for (; p < end; ++p) {
    const double *a = row_of(position, row_i[number(p)]), *b = row_of(position, row_j[number(p)]);
    const double dx = a[0] - b[0], dy = a[1] - b[1], dz = a[2] - b[2];
    see_one(p, dx * dx + dy * dy + dz * dz);
  }
}

// Writes one byte for each near pair. The byte is odd if the pair touches.
void search_touching(const Particles &particles, const Pairs &pairs, int begin, int end,
                     unsigned char *__restrict touches)
{
  const PairIndex *__restrict number = pairs.number;
  const float *__restrict rounded = pairs.touching_rounded;
  const auto touch = [&particles, &pairs](int p, double squared) {
    const double distance = value_of(particles.radius, pairs.row_i[pairs.number[p]]) +
        value_of(particles.radius, pairs.row_j[pairs.number[p]]);
    return squared < distance * distance;
  };
  for_each_distance(
      particles, pairs.row_i, pairs.row_j, begin, end, [=](int p) { return number[p]; },
      [&](int p, const Column &squared) {
        // `doubt` is twice the possible rounding error.
        constexpr double RELATIVE = std::numeric_limits<float>::epsilon();
        constexpr double ABSOLUTE = std::numeric_limits<float>::denorm_min();
        const Column about = load_column(rounded + p), doubt = RELATIVE * about + ABSOLUTE;
        unsigned char possibly[VECTOR_LANES], *certainly = touches + (p - begin);
        store_less(certainly, squared, about - doubt);
        store_less(possibly, squared, about + doubt);
        if (std::memcmp(certainly, possibly, VECTOR_LANES) == 0) return;
        double squares[VECTOR_LANES];
        store_column(squares, squared);
        for (int k = 0; k < VECTOR_LANES; ++k) certainly[k] = touch(p + k, squares[k]);
      },
      [&](int p, double squared) { touches[p - begin] = touch(p, squared); });
}

// Writes two bytes for each pair. The byte in `within` is odd if the pair is within its cutoff. The byte in `touches`
// is odd if the pair touches.
void search_within(const Particles &particles, const Pairs &pairs, int begin, int end, unsigned char *__restrict within,
                   unsigned char *__restrict touches)
{
  const PairIndex *__restrict number = pairs.number;
  const double *__restrict cutoff_squared = pairs.cutoff_squared, *__restrict touching_squared = pairs.touching_squared;
  for_each_distance(
      particles, pairs.row_i, pairs.row_j, begin, end, [=](int p) { return number[p]; },
      [=](int p, const Column &squared) {
        store_less(within + (p - begin), squared, load_column(cutoff_squared + p));
        store_less(touches + (p - begin), squared, load_column(touching_squared + p));
      },
      [=](int p, double squared) {
        within[p - begin] = squared < cutoff_squared[p];
        touches[p - begin] = squared < touching_squared[p];
      });
}

// Lists the pairs marked by an odd byte and returns the length of the list. There must be room for LIST_PADDING further
// entries.
int list_marked(unsigned char *__restrict marks, int begin, int end, int *__restrict found)
{
  int *__restrict out = found;
#ifdef __AVX512BW__
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

void range_of_moves(const double *now, const float *before, int n, double *lowest, double *highest)
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
  std::memcpy(lowest, low, 3 * sizeof(double));
  std::memcpy(highest, high, 3 * sizeof(double));
}

bool any_beyond(const double *now, const double *before, const double *limit, int n)
{
  int i = 0;
  for (; i + VECTOR_LANES < n; i += VECTOR_LANES) {    // not <= n: values after the last row must not be read
    const Rows parts = squares(rows_of([=](int k) { return load_three(now + 3L * (i + k)); }) -
                               rows_of([=](int k) { return load_four(before + 4L * (i + k)); }));
    const Column limits = load_column(limit + i);
    if (!all_at_most(column_of<0>(parts) + column_of<1>(parts) + column_of<2>(parts), limits * limits)) return true;
  }
  for (; i < n; ++i) {
    const double *a = now + 3L * i, *b = before + 4L * i;
    const double dx = a[0] - b[0], dy = a[1] - b[1], dz = a[2] - b[2];
    if (!(dx * dx + dy * dy + dz * dz <= limit[i] * limit[i])) return true;
  }
  return false;
}

int pairs_within(const Particles &particles, const RowOffset *row_i, const RowOffset *row_j, const double *squared_then,
                 int count, LoopWork &work)
{
  unsigned char *__restrict within = work.within;
  for_each_distance(
      particles, row_i, row_j, 0, count, [](int p) { return p; },
      [=](int p, const Column &squared) { store_less(within + p, squared, load_column(squared_then + p)); },
      [=](int p, double squared) { within[p] = squared < squared_then[p]; });
  return list_marked(work.within, 0, count, work.found);
}

void list_ended(const Pairs &pairs, const unsigned char *__restrict now, int begin, int end, LoopWork &work)
{
  unsigned char *__restrict had_contact = pairs.had_contact + begin, *__restrict marks = work.marks;
  const int count = end - begin;
#pragma omp simd
  for (int k = 0; k < count; ++k) {
    marks[k] = had_contact[k] & ~now[k];
    had_contact[k] = now[k];
  }
  work.ended_count += list_marked(marks, begin, end, pairs.ended + work.ended_count);
}

// A contact begins when a pair touches and lasts while the pair is within the cutoff. If `attracts` is true, the
// contact ends when the surfaces separate, but attraction acts in all pairs within the cutoff. Pairs with a force
// across a gap are added to `separated`. If `separated` is null, these pairs are treated as touching.
void search_gaps(const Pairs &pairs, bool attracts, int begin, int end, LoopWork &work, int *separated,
                 int *separated_count)
{
  unsigned char *__restrict had_contact = pairs.had_contact + begin, *__restrict within = work.within;
  unsigned char *__restrict touches = work.touches, *__restrict marks = work.marks;
  const unsigned char lives_on = attracts ? 0 : 0xff, acts = attracts ? 0xff : 0;
  const int count = end - begin;
#pragma omp simd
  for (int k = 0; k < count; ++k) {
    const unsigned char now = touches[k] | (had_contact[k] & within[k] & lives_on);
    const unsigned char apart = (now | (within[k] & acts)) & ~touches[k];
    marks[k] = had_contact[k] & ~now;
    had_contact[k] = now;
    within[k] = apart;
  }
  if (pairs.ended) work.ended_count += list_marked(marks, begin, end, pairs.ended + work.ended_count);
  if (separated)
    *separated_count += list_marked(within, begin, end, separated + *separated_count);
  else
    std::memcpy(touches, had_contact, count);
}

}    // namespace

GRANULAR_PLUS_LAWS_END

#endif
