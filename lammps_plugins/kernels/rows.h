// Between arrays of rows of three (particles) and structures of arrays (batch), four at a time. Written with the
// vector types of GCC and Clang, which every instruction set can express; a scalar transposition is bound by its stores.

#ifndef GRANULAR_PLUS_ROWS_H
#define GRANULAR_PLUS_ROWS_H

#include "../laws/contact.h"
#include "../laws/lane.h"

GRANULAR_PLUS_LAWS_BEGIN

using Four = double __attribute__((vector_size(32)));
using FourInMemory = double __attribute__((vector_size(32), aligned(8), may_alias));
using Two = double __attribute__((vector_size(16)));
using TwoInMemory = double __attribute__((vector_size(16), aligned(8), may_alias));
using FourIntegers = long __attribute__((vector_size(32)));

// a row of three and one value beyond it, which must belong to the array
LANE Four load_row(const double *rows, long index) { return *reinterpret_cast<const FourInMemory *>(rows + 3 * index); }

LANE Four load_row_at(const void *row) { return *static_cast<const FourInMemory *>(row); }

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

LANE Four load_four(const double *at) { return *reinterpret_cast<const FourInMemory *>(at); }

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

GRANULAR_PLUS_LAWS_END

#endif
