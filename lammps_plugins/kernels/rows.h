// Between arrays of rows of three (particles) and structures of arrays (batch), four at a time: a scalar transposition
// is bound by its stores. Written with the vector types of GCC and Clang where the processor has registers for four,
// else with plain numbers; both give the same bits.

#ifndef GRANULAR_PLUS_ROWS_H
#define GRANULAR_PLUS_ROWS_H

#include "../laws/contact.h"
#include "../laws/lane.h"

GRANULAR_PLUS_LAWS_BEGIN

using Two = double __attribute__((vector_size(16)));
using TwoInMemory = double __attribute__((vector_size(16), aligned(8), may_alias));

LANE void add_to_row(double *rows, long index, const Row *columns, int lane)
{
  double *row = rows + 3 * index;
  *reinterpret_cast<TwoInMemory *>(row) += Two{columns[0][lane], columns[1][lane]};
  row[2] += columns[2][lane];
}

LANE void subtract_from_row(double *rows, long index, const Row *columns, int lane)
{
  double *row = rows + 3 * index;
  *reinterpret_cast<TwoInMemory *>(row) -= Two{columns[0][lane], columns[1][lane]};
  row[2] -= columns[2][lane];
}

#ifdef __AVX__

constexpr bool READS_BEYOND_ROWS = true;    // one value, which must belong to the array

using Four = double __attribute__((vector_size(32)));
using FourInMemory = double __attribute__((vector_size(32), aligned(8), may_alias));
using FourIntegers = long __attribute__((vector_size(32)));

LANE Four load_four(const double *at) { return *reinterpret_cast<const FourInMemory *>(at); }
LANE Four load_row(const double *row) { return load_four(row); }
LANE void store_four(double *at, const Four &values) { *reinterpret_cast<FourInMemory *>(at) = values; }

// four truth values as bytes 0 and 255
LANE void store_bytes(unsigned char *at, const FourIntegers &truth)
{
  using FourBytes = signed char __attribute__((vector_size(4)));
  using FourBytesInMemory = signed char __attribute__((vector_size(4), aligned(1), may_alias));
  *reinterpret_cast<FourBytesInMemory *>(at) = __builtin_convertvector(truth, FourBytes);
}

// rows a, b, c, d become columns: out[k][lane .. lane + 3] = (a[k], b[k], c[k], d[k])
template <int COLUMNS> LANE void store_transposed(Row *out, int lane, Four a, Four b, Four c, Four d)
{
  const Four ab_even = __builtin_shuffle(a, b, FourIntegers{0, 4, 2, 6});
  const Four ab_odd = __builtin_shuffle(a, b, FourIntegers{1, 5, 3, 7});
  const Four cd_even = __builtin_shuffle(c, d, FourIntegers{0, 4, 2, 6});
  const Four cd_odd = __builtin_shuffle(c, d, FourIntegers{1, 5, 3, 7});
  store_four(out[0] + lane, __builtin_shuffle(ab_even, cd_even, FourIntegers{0, 1, 4, 5}));
  store_four(out[1] + lane, __builtin_shuffle(ab_odd, cd_odd, FourIntegers{0, 1, 4, 5}));
  store_four(out[2] + lane, __builtin_shuffle(ab_even, cd_even, FourIntegers{2, 3, 6, 7}));
  if (COLUMNS == 4) store_four(out[3] + lane, __builtin_shuffle(ab_odd, cd_odd, FourIntegers{2, 3, 6, 7}));
}

// the first two values of each row
LANE void store_pairs(double *first, double *second, Four a, Four b, Four c, Four d)
{
  const Four ab = __builtin_shuffle(a, b, FourIntegers{0, 4, 1, 5});
  const Four cd = __builtin_shuffle(c, d, FourIntegers{0, 4, 1, 5});
  store_four(first, __builtin_shuffle(ab, cd, FourIntegers{0, 1, 4, 5}));
  store_four(second, __builtin_shuffle(ab, cd, FourIntegers{2, 3, 6, 7}));
}

// the way back, from four columns: rows[0] + 0 .. 3 = (columns[0][lane], ..., columns[3][lane]) and so on for the next
LANE void store_rows(const Row *columns, int lane, double *const (&rows)[4])
{
  const Four a = load_four(columns[0] + lane), b = load_four(columns[1] + lane);
  const Four c = load_four(columns[2] + lane), d = load_four(columns[3] + lane);
  const Four ab_even = __builtin_shuffle(a, b, FourIntegers{0, 4, 2, 6});
  const Four ab_odd = __builtin_shuffle(a, b, FourIntegers{1, 5, 3, 7});
  const Four cd_even = __builtin_shuffle(c, d, FourIntegers{0, 4, 2, 6});
  const Four cd_odd = __builtin_shuffle(c, d, FourIntegers{1, 5, 3, 7});
  store_four(rows[0], __builtin_shuffle(ab_even, cd_even, FourIntegers{0, 1, 4, 5}));
  store_four(rows[1], __builtin_shuffle(ab_odd, cd_odd, FourIntegers{0, 1, 4, 5}));
  store_four(rows[2], __builtin_shuffle(ab_even, cd_even, FourIntegers{2, 3, 6, 7}));
  store_four(rows[3], __builtin_shuffle(ab_odd, cd_odd, FourIntegers{2, 3, 6, 7}));
}

// (a[0] + a[1] + a[2], the same of b, c, d)
LANE Four sum_of_three(Four a, Four b, Four c, Four d)
{
  const Four ab_even = __builtin_shuffle(a, b, FourIntegers{0, 4, 2, 6});
  const Four ab_odd = __builtin_shuffle(a, b, FourIntegers{1, 5, 3, 7});
  const Four cd_even = __builtin_shuffle(c, d, FourIntegers{0, 4, 2, 6});
  const Four cd_odd = __builtin_shuffle(c, d, FourIntegers{1, 5, 3, 7});
  return __builtin_shuffle(ab_even, cd_even, FourIntegers{0, 1, 4, 5}) +
      __builtin_shuffle(ab_odd, cd_odd, FourIntegers{0, 1, 4, 5}) +
      __builtin_shuffle(ab_even, cd_even, FourIntegers{2, 3, 6, 7});
}

#else

constexpr bool READS_BEYOND_ROWS = false;

struct Four {
  double a, b, c, d;
};
struct FourTruths {
  bool a, b, c, d;
};

LANE Four operator-(const Four &x, const Four &y) { return {x.a - y.a, x.b - y.b, x.c - y.c, x.d - y.d}; }
LANE Four operator*(const Four &x, const Four &y) { return {x.a * y.a, x.b * y.b, x.c * y.c, x.d * y.d}; }
LANE FourTruths operator<(const Four &x, const Four &y) { return {x.a < y.a, x.b < y.b, x.c < y.c, x.d < y.d}; }
LANE Four load_four(const double *at) { return {at[0], at[1], at[2], at[3]}; }
LANE Four load_row(const double *row) { return {row[0], row[1], row[2], 0.0}; }

LANE void store_four(double *at, const Four &values)
{
  at[0] = values.a;
  at[1] = values.b;
  at[2] = values.c;
  at[3] = values.d;
}

LANE void store_bytes(unsigned char *at, const FourTruths &truth)
{
  at[0] = truth.a;
  at[1] = truth.b;
  at[2] = truth.c;
  at[3] = truth.d;
}

template <int COLUMNS>
LANE void store_transposed(Row *out, int lane, const Four &a, const Four &b, const Four &c, const Four &d)
{
  store_four(out[0] + lane, {a.a, b.a, c.a, d.a});
  store_four(out[1] + lane, {a.b, b.b, c.b, d.b});
  store_four(out[2] + lane, {a.c, b.c, c.c, d.c});
  if (COLUMNS == 4) store_four(out[3] + lane, {a.d, b.d, c.d, d.d});
}

LANE void store_pairs(double *first, double *second, const Four &a, const Four &b, const Four &c, const Four &d)
{
  store_four(first, {a.a, b.a, c.a, d.a});
  store_four(second, {a.b, b.b, c.b, d.b});
}

LANE void store_rows(const Row *columns, int lane, double *const (&rows)[4])
{
  for (int k = 0; k < 4; ++k)
    store_four(rows[k], {columns[0][lane + k], columns[1][lane + k], columns[2][lane + k], columns[3][lane + k]});
}

LANE Four sum_of_three(const Four &a, const Four &b, const Four &c, const Four &d)
{
  return {a.a + a.b + a.c, b.a + b.b + b.c, c.a + c.b + c.c, d.a + d.b + d.c};
}

#endif

GRANULAR_PLUS_LAWS_END

#endif
