// Converts between arrays of rows (particles, history) and structures of arrays (batch), VECTOR_LANES contacts at a
// time. Uses the vector types of GCC and Clang if the CPU has registers for four or more values, otherwise plain
// numbers. The results are bitwise identical.

#ifndef GRANULAR_PLUS_ROWS_H
#define GRANULAR_PLUS_ROWS_H

#include "../laws/contact.h"
#include "../laws/lane.h"

#ifdef __AVX__
#include <immintrin.h>
#endif
#ifdef __has_builtin
#if __has_builtin(__builtin_shufflevector)
#define GRANULAR_PLUS_SHUFFLEVECTOR    // GCC 12 or later, Clang
#endif
#endif

GRANULAR_PLUS_LAWS_BEGIN

using Two = double __attribute__((vector_size(16)));
using TwoInMemory = double __attribute__((vector_size(16), aligned(8), may_alias));

LANE double *row_of(double *rows, unsigned offset)
{
  return reinterpret_cast<double *>(reinterpret_cast<char *>(rows) + offset);
}
LANE const double *row_of(const double *rows, unsigned offset)
{
  return reinterpret_cast<const double *>(reinterpret_cast<const char *>(rows) + offset);
}

// `offset` is the offset of the particle's row of three. Multiplication by the inverse of three modulo 2^32 divides the
// offset by three.
LANE const double &value_of(const double *values, unsigned offset)
{
  return *reinterpret_cast<const double *>(reinterpret_cast<const char *>(values) + offset * 0xAAAAAAABu);
}

LANE void add_to_row(double *row, const Two &first_two, double third)
{
  *reinterpret_cast<TwoInMemory *>(row) += first_two;
  row[2] += third;
}

// Column: one value of each contact of a group. Rows: four values of each contact, in four registers of equal width.

#ifdef __AVX__

constexpr bool READS_PAST_END = true;    // loading a row of three also reads the next value

using Four = double __attribute__((vector_size(32)));
using FourInMemory = double __attribute__((vector_size(32), aligned(8), may_alias));

LANE Four load_four(const double *row) { return *reinterpret_cast<const FourInMemory *>(row); }
LANE Four load_three(const double *row) { return load_four(row); }

using Column = double __attribute__((vector_size(8 * VECTOR_LANES)));
using ColumnInMemory = double __attribute__((vector_size(8 * VECTOR_LANES), aligned(8), may_alias));
using Integers = long long __attribute__((vector_size(8 * VECTOR_LANES)));
struct Rows {
  Column a, b, c, d;
};

template <int... K> LANE Column shuffled(const Column &x, const Column &y)
{
#ifdef GRANULAR_PLUS_SHUFFLEVECTOR
  return __builtin_shufflevector(x, y, K...);
#else
  return __builtin_shuffle(x, y, Integers{K...});
#endif
}

template <class RowOf> LANE Rows rows_of(RowOf row)
{
#ifdef __AVX512F__
  // Only for code in this form does GCC load and insert the second row with one instruction.
  const auto both = [&](int k) { return _mm512_insertf64x4(_mm512_castpd256_pd512(row(k)), row(k + 2), 1); };
  return {both(0), both(1), both(4), both(5)};
#else
  return {row(0), row(1), row(2), row(3)};
#endif
}

template <int K> LANE Column column_of(const Rows &r)
{
  constexpr int Y = K & 2, Z = K & 1, NEXT = VECTOR_LANES;
  if constexpr (VECTOR_LANES == 8) {
    const auto ab = shuffled<Z, NEXT + Z, 2 + Z, NEXT + 2 + Z, 4 + Z, NEXT + 4 + Z, 6 + Z, NEXT + 6 + Z>(r.a, r.b);
    const auto cd = shuffled<Z, NEXT + Z, 2 + Z, NEXT + 2 + Z, 4 + Z, NEXT + 4 + Z, 6 + Z, NEXT + 6 + Z>(r.c, r.d);
    return shuffled<Y, Y + 1, Y + 4, Y + 5, NEXT + Y, NEXT + Y + 1, NEXT + Y + 4, NEXT + Y + 5>(ab, cd);
  } else {
    const auto ab = shuffled<Z, NEXT + Z, 2 + Z, NEXT + 2 + Z>(r.a, r.b);
    const auto cd = shuffled<Z, NEXT + Z, 2 + Z, NEXT + 2 + Z>(r.c, r.d);
    return shuffled<Y, Y + 1, NEXT + Y, NEXT + Y + 1>(ab, cd);
  }
}

LANE Column load_column(const double *at) { return *reinterpret_cast<const ColumnInMemory *>(at); }
LANE Column load_column(const float *at)
{
  using FloatsInMemory = float __attribute__((vector_size(4 * VECTOR_LANES), aligned(4), may_alias));
  return __builtin_convertvector(*reinterpret_cast<const FloatsInMemory *>(at), Column);
}
LANE void store_column(double *at, const Column &values) { *reinterpret_cast<ColumnInMemory *>(at) = values; }

LANE void store_less(unsigned char *at, const Column &x, const Column &y)
{
#ifdef __AVX512BW__
  _mm_storeu_si64(at, _mm_movm_epi8(_mm512_cmp_pd_mask(x, y, _CMP_LT_OQ)));
#else
  using Bytes = signed char __attribute__((vector_size(VECTOR_LANES)));
  using BytesInMemory = signed char __attribute__((vector_size(VECTOR_LANES), aligned(1), may_alias));
  *reinterpret_cast<BytesInMemory *>(at) = __builtin_convertvector(x < y, Bytes);
#endif
}

// Returns false if a value is NaN.
LANE bool all_at_most(const Column &x, const Column &y)
{
#ifdef __AVX512F__
  return _mm512_cmp_pd_mask(x, y, _CMP_LE_OQ) == 0xff;
#else
  return _mm256_movemask_pd(_mm256_cmp_pd(x, y, _CMP_LE_OQ)) == 0xf;
#endif
}

// Returns 0 for contacts whose stamp differs from `wanted`.
LANE Column if_stamped(const Column &column, const Column &stamp, double wanted)
{
  const Column none{};
  return stamp == none + wanted ? column : none;
}

template <class Of> LANE Column column_from(Of of)
{
  if constexpr (VECTOR_LANES == 8)
    return Column{of(0), of(1), of(2), of(3), of(4), of(5), of(6), of(7)};
  else
    return Column{of(0), of(1), of(2), of(3)};
}

LANE void store_rows(const Row *columns, int lane, double *const (&rows)[4])
{
  const Four a = load_four(columns[0] + lane), b = load_four(columns[1] + lane);
  const Four c = load_four(columns[2] + lane), d = load_four(columns[3] + lane);
  const auto store = [](double *row, const Four &values) { *reinterpret_cast<FourInMemory *>(row) = values; };
#ifdef GRANULAR_PLUS_SHUFFLEVECTOR
  const Four ab_even = __builtin_shufflevector(a, b, 0, 4, 2, 6), ab_odd = __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const Four cd_even = __builtin_shufflevector(c, d, 0, 4, 2, 6), cd_odd = __builtin_shufflevector(c, d, 1, 5, 3, 7);
  store(rows[0], __builtin_shufflevector(ab_even, cd_even, 0, 1, 4, 5));
  store(rows[1], __builtin_shufflevector(ab_odd, cd_odd, 0, 1, 4, 5));
  store(rows[2], __builtin_shufflevector(ab_even, cd_even, 2, 3, 6, 7));
  store(rows[3], __builtin_shufflevector(ab_odd, cd_odd, 2, 3, 6, 7));
#else
  for (int k = 0; k < 4; ++k) store(rows[k], Four{a[k], b[k], c[k], d[k]});
#endif
}

#else

constexpr bool READS_PAST_END = false;

struct Column {
  double a, b, c, d;
};
struct Rows {
  Column a, b, c, d;
};

LANE Column operator+(const Column &x, const Column &y) { return {x.a + y.a, x.b + y.b, x.c + y.c, x.d + y.d}; }
LANE Column operator-(const Column &x, const Column &y) { return {x.a - y.a, x.b - y.b, x.c - y.c, x.d - y.d}; }
LANE Column operator*(const Column &x, const Column &y) { return {x.a * y.a, x.b * y.b, x.c * y.c, x.d * y.d}; }
LANE Column operator*(double x, const Column &y) { return {x * y.a, x * y.b, x * y.c, x * y.d}; }
LANE Column operator+(const Column &x, double y) { return {x.a + y, x.b + y, x.c + y, x.d + y}; }

LANE Column load_three(const double *row) { return {row[0], row[1], row[2], 0.0}; }
LANE Column load_four(const double *row) { return {row[0], row[1], row[2], row[3]}; }
LANE Column load_column(const double *at) { return load_four(at); }
LANE Column load_column(const float *at) { return {at[0], at[1], at[2], at[3]}; }
LANE void store_column(double *at, const Column &values)
{
  at[0] = values.a;
  at[1] = values.b;
  at[2] = values.c;
  at[3] = values.d;
}

template <class RowOf> LANE Rows rows_of(RowOf row) { return {row(0), row(1), row(2), row(3)}; }

template <int K> LANE double value_of(const Column &row)
{
  return K == 0 ? row.a : K == 1 ? row.b : K == 2 ? row.c : row.d;
}
template <int K> LANE Column column_of(const Rows &r)
{
  return {value_of<K>(r.a), value_of<K>(r.b), value_of<K>(r.c), value_of<K>(r.d)};
}

template <class Of> LANE Column column_from(Of of) { return {of(0), of(1), of(2), of(3)}; }

LANE void store_less(unsigned char *at, const Column &x, const Column &y)
{
  at[0] = x.a < y.a;
  at[1] = x.b < y.b;
  at[2] = x.c < y.c;
  at[3] = x.d < y.d;
}

LANE bool all_at_most(const Column &x, const Column &y) { return x.a <= y.a && x.b <= y.b && x.c <= y.c && x.d <= y.d; }

LANE Column if_stamped(const Column &column, const Column &stamp, double wanted)
{
  return {stamp.a == wanted ? column.a : 0.0, stamp.b == wanted ? column.b : 0.0, stamp.c == wanted ? column.c : 0.0,
          stamp.d == wanted ? column.d : 0.0};
}

LANE void store_rows(const Row *columns, int lane, double *const (&rows)[4])
{
  for (int k = 0; k < 4; ++k)
    store_column(rows[k], {columns[0][lane + k], columns[1][lane + k], columns[2][lane + k], columns[3][lane + k]});
}

#endif

LANE Rows operator-(const Rows &x, const Rows &y) { return {x.a - y.a, x.b - y.b, x.c - y.c, x.d - y.d}; }
LANE Rows squares(const Rows &x) { return {x.a * x.a, x.b * x.b, x.c * x.c, x.d * x.d}; }

// A row may straddle two cache lines. The address in the middle of the row is prefetched.
LANE void prefetch_row(const double *rows, unsigned offset) { __builtin_prefetch(row_of(rows, offset) + 1); }
LANE void prefetch_value(const double *values, unsigned offset) { __builtin_prefetch(&value_of(values, offset)); }

LANE void store_vector(Row *out, int lane, const Rows &rows)
{
  store_column(out[0] + lane, column_of<0>(rows));
  store_column(out[1] + lane, column_of<1>(rows));
  store_column(out[2] + lane, column_of<2>(rows));
}

GRANULAR_PLUS_LAWS_END

#endif
