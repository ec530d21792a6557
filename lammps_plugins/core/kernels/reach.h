// Which grains of cells are within reach of one grain, in single precision: what rounding may hide has been added to reaches.

#ifndef GRANULAR_PLUS_REACH_H
#define GRANULAR_PLUS_REACH_H

#include "kernels.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

GRANULAR_PLUS_LAWS_BEGIN

namespace {

#ifdef __AVX512F__

constexpr int COMPARED = 16;    // grains at a time

struct Comparison {
  __m512 x, y, z, reach;
  explicit Comparison(const InCells &one)
      : x(_mm512_set1_ps(one.x)), y(_mm512_set1_ps(one.y)), z(_mm512_set1_ps(one.z)), reach(_mm512_set1_ps(one.reach))
  {
  }
  // packs the numbers of those in reach and returns how many they are
  [[gnu::always_inline]] int pack(const CellArrays &cells, int begin, unsigned there, int *out) const
  {
    const __m512 dx = _mm512_sub_ps(_mm512_loadu_ps(cells.x + begin), x),
                 dy = _mm512_sub_ps(_mm512_loadu_ps(cells.y + begin), y),
                 dz = _mm512_sub_ps(_mm512_loadu_ps(cells.z + begin), z),
                 both = _mm512_add_ps(_mm512_loadu_ps(cells.reach + begin), reach);
    const __m512 squared = _mm512_fmadd_ps(dx, dx, _mm512_fmadd_ps(dy, dy, _mm512_mul_ps(dz, dz)));
    const __mmask16 near =
        _mm512_mask_cmp_ps_mask(static_cast<__mmask16>(there), squared, _mm512_mul_ps(both, both), _CMP_LE_OQ);
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi32(near, _mm512_loadu_si512(cells.number + begin)));
    return __builtin_popcount(near);
  }
};

#elif defined(__AVX2__)

constexpr int COMPARED = 8;

// of each set of eight grains, the places of its members
struct Places {
  alignas(32) int of[256][8];
};
constexpr Places places_of_sets()
{
  Places places{};
  for (int set = 0; set < 256; ++set) {
    int count = 0;
    for (int k = 0; k < 8; ++k)
      if (set >> k & 1) places.of[set][count++] = k;
  }
  return places;
}
constexpr Places PLACES = places_of_sets();

struct Comparison {
  __m256 x, y, z, reach;
  explicit Comparison(const InCells &one)
      : x(_mm256_set1_ps(one.x)), y(_mm256_set1_ps(one.y)), z(_mm256_set1_ps(one.z)), reach(_mm256_set1_ps(one.reach))
  {
  }
  [[gnu::always_inline]] int pack(const CellArrays &cells, int begin, unsigned there, int *out) const
  {
    const __m256 dx = _mm256_sub_ps(_mm256_loadu_ps(cells.x + begin), x),
                 dy = _mm256_sub_ps(_mm256_loadu_ps(cells.y + begin), y),
                 dz = _mm256_sub_ps(_mm256_loadu_ps(cells.z + begin), z),
                 both = _mm256_add_ps(_mm256_loadu_ps(cells.reach + begin), reach);
    const __m256 squared = _mm256_fmadd_ps(dx, dx, _mm256_fmadd_ps(dy, dy, _mm256_mul_ps(dz, dz)));
    const unsigned near = there &
        static_cast<unsigned>(_mm256_movemask_ps(_mm256_cmp_ps(squared, _mm256_mul_ps(both, both), _CMP_LE_OQ)));
    const __m256i order = _mm256_load_si256(reinterpret_cast<const __m256i *>(PLACES.of[near])),
                  numbers = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(cells.number + begin));
    _mm256_storeu_si256(reinterpret_cast<__m256i *>(out), _mm256_permutevar8x32_epi32(numbers, order));
    return __builtin_popcount(near);
  }
};

#else

constexpr int COMPARED = 4;

struct Comparison {
  const InCells &one;
  explicit Comparison(const InCells &one) : one(one) {}
  [[gnu::always_inline]] int pack(const CellArrays &cells, int begin, unsigned there, int *out) const
  {
    int count = 0;
    for (int k = 0; k < COMPARED; ++k) {
      const float dx = cells.x[begin + k] - one.x, dy = cells.y[begin + k] - one.y, dz = cells.z[begin + k] - one.z,
                  both = cells.reach[begin + k] + one.reach;
      out[count] = cells.number[begin + k];
      count += static_cast<int>(there >> k & 1 & static_cast<unsigned>(dx * dx + dy * dy + dz * dz <= both * both));
    }
    return count;
  }
};

#endif

int within_reach(const InCells &one, const CellArrays &cells, const CellRange *ranges, int range_count, int *found)
{
  static_assert(COMPARED <= CellArrays::BEYOND, "arrays are read that far behind the last grain");
  const Comparison comparison(one);
  int count = 0;
  for (int r = 0; r < range_count; ++r)
    for (int begin = ranges[r].begin; begin < ranges[r].end; begin += COMPARED) {
      const int left = ranges[r].end - begin;
      const unsigned there = (1u << (left < COMPARED ? left : COMPARED)) - 1u;
      count += comparison.pack(cells, begin, there, found + count);
    }
  return count;
}

}    // namespace

GRANULAR_PLUS_LAWS_END

#endif
