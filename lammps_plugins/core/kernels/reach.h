// Inner loop of PairSearch, in single precision. Reaches include the rounding error.

#ifndef GRANULAR_PLUS_REACH_H
#define GRANULAR_PLUS_REACH_H

#include "kernels.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

GRANULAR_PLUS_LAWS_BEGIN

namespace {

// pack writes the numbers of the near grains among the first `count` grains of a block to `out`. It returns how many
// near grains there are. It may overwrite up to COMPARED entries of `out`.

#ifdef __AVX512F__

constexpr int COMPARED = 16;

LANE int pack(const float *squared, const float *limit, const int *number, int count, int *out)
{
  const auto there = static_cast<__mmask16>((1u << count) - 1u);
  const __mmask16 near = _mm512_mask_cmp_ps_mask(there, _mm512_loadu_ps(squared), _mm512_loadu_ps(limit), _CMP_LE_OQ);
  _mm512_storeu_si512(out, _mm512_maskz_compress_epi32(near, _mm512_loadu_si512(number)));
  return __builtin_popcount(near);
}

#elif defined(__AVX2__)

constexpr int COMPARED = 8;

struct Members {
  alignas(32) int of[256][8];
};
constexpr Members members_of_subsets()
{
  Members members{};
  for (int subset = 0; subset < 256; ++subset) {
    int count = 0;
    for (int k = 0; k < 8; ++k)
      if (subset >> k & 1) members.of[subset][count++] = k;
  }
  return members;
}
constexpr Members MEMBERS = members_of_subsets();

LANE int pack(const float *squared, const float *limit, const int *number, int count, int *out)
{
  const unsigned there = (1u << count) - 1u;
  const __m256 is_near = _mm256_cmp_ps(_mm256_loadu_ps(squared), _mm256_loadu_ps(limit), _CMP_LE_OQ);
  const unsigned near = there & static_cast<unsigned>(_mm256_movemask_ps(is_near));
  const __m256i order = _mm256_load_si256(reinterpret_cast<const __m256i *>(MEMBERS.of[near])),
                numbers = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(number));
  _mm256_storeu_si256(reinterpret_cast<__m256i *>(out), _mm256_permutevar8x32_epi32(numbers, order));
  return __builtin_popcount(near);
}

#else

constexpr int COMPARED = 4;

LANE int pack(const float *squared, const float *limit, const int *number, int count, int *out)
{
  int found = 0;
  for (int k = 0; k < count; ++k) {
    out[found] = number[k];
    found += squared[k] <= limit[k];
  }
  return found;
}

#endif

int within_reach(const CellGrain &one, const CellArrays &cells, const CellRange *ranges, int range_count, int *found)
{
  static_assert(COMPARED <= CellArrays::BEYOND, "arrays may be read only BEYOND entries past the last grain");
  int count = 0;
  for (int r = 0; r < range_count; ++r)
    for (int begin = ranges[r].begin; begin < ranges[r].end; begin += COMPARED) {
      alignas(64) float squared[COMPARED], limit[COMPARED];
#pragma omp simd
      for (int k = 0; k < COMPARED; ++k) {
        const float dx = cells.x[begin + k] - one.x, dy = cells.y[begin + k] - one.y, dz = cells.z[begin + k] - one.z,
                    both = cells.reach[begin + k] + one.reach;
        squared[k] = dx * dx + dy * dy + dz * dz;
        limit[k] = both * both;
      }
      const int left = ranges[r].end - begin;
      count += pack(squared, limit, cells.number + begin, left < COMPARED ? left : COMPARED, found + count);
    }
  return count;
}

}    // namespace

GRANULAR_PLUS_LAWS_END

#endif
