// Sums, running sums and sorting as kernels. Results are bitwise identical on every executor, because the order of
// additions depends only on the number of elements.

#ifndef GRANULAR_PLUS_ALGORITHMS_H
#define GRANULAR_PLUS_ALGORITHMS_H

#include "kernels_of_algorithms.h"

#include "executor.h"

#include <utility>

namespace granular_plus {

namespace algorithms {

inline std::size_t values_for_sums(int n)
{
  std::size_t values = 0;
  for (int chunks = chunks_of(n); chunks > 1; chunks = chunks_of(chunks)) values += chunks + 1;
  return values;
}

template <class Executor> void running_sums(Executor &executor, int n, const int *values, int *sums, int *scratch)
{
  const int chunks = chunks_of(n);
  if (chunks > 1) {
    executor.for_each(chunks, SumOfChunk{n, values, scratch});
    running_sums(executor, chunks, scratch, scratch, scratch + chunks + 1);
  }
  executor.for_each(chunks > 0 ? chunks : 1, RunningSumsOfChunk{n, values, chunks > 1 ? scratch : nullptr, sums});
}

}    // namespace algorithms

// sums[k] = values[0] + ... + values[k - 1] for k from 0 to n. The two arrays may be the same.
template <class Executor> void running_sums(Executor &executor, int n, const int *values, int *sums)
{
  DeviceArray<int, Executor> scratch(executor, algorithms::values_for_sums(n));
  algorithms::running_sums(executor, n, values, sums, scratch.data());
}

// Returns Combine::of(value(0), ..., value(n - 1)), or Combine::identity if n is 0. Combine is Sum or Largest.
template <class Combine, class Executor, class Value> double reduce(Executor &executor, int n, const Value &value)
{
  using namespace algorithms;
  DeviceArray<double, Executor> results(executor, MOST_PARTS + FEWER_PARTS + 1);
  double *at = results.data();
  int parts = parts_of(n);
  executor.for_each(parts, Part<Combine, Value>{n, parts, value, at});
  while (parts > 1) {
    const int fewer = parts_of(parts);
    executor.for_each(fewer, Part<Combine, ValueOf>{parts, fewer, {at}, at + parts});
    at += parts;
    parts = fewer;
  }
  double result;
  executor.copy_out(&result, at, sizeof result);
  return result;
}

// Sorts `keys` in ascending order and reorders `values` in the same way. Equal keys keep their order. Only the lowest
// `bits` bits of a key may be set.
template <class Executor, class Key> void sort_by_key(Executor &executor, int n, Key *keys, int *values, int bits)
{
  using namespace algorithms;
  const int chunks = chunks_of(n), counters = DIGITS * chunks;
  DeviceArray<Key, Executor> other_keys(executor, n);
  DeviceArray<int, Executor> other_values(executor, n), counts(executor, counters + 1),
      scratch(executor, values_for_sums(counters));
  KeysAndValues<Key> from{keys, values}, to{other_keys.data(), other_values.data()};
  for (int shift = 0; shift < bits; shift += DIGIT_BITS) {
    executor.for_each(chunks, CountDigits<Key>{n, chunks, shift, from.keys, counts.data()});
    running_sums(executor, counters, counts.data(), counts.data(), scratch.data());
    executor.for_each(chunks, PlaceByDigit<Key>{n, chunks, shift, from, to, counts.data()});
    std::swap(from, to);
  }
  if (from.keys != keys) executor.for_each(n, CopySorted<Key>{from, to});
}

}    // namespace granular_plus

#endif
