// The kernels of algorithms.h. Also compiled for GPUs.

#ifndef GRANULAR_PLUS_KERNELS_OF_ALGORITHMS_H
#define GRANULAR_PLUS_KERNELS_OF_ALGORITHMS_H

#include "../core/laws/lane.h"

GRANULAR_PLUS_LAWS_BEGIN

struct Sum {
  static constexpr double identity = 0.0;
  LANE double of(double a, double b) { return a + b; }
};
struct Largest {
  static constexpr double identity = -1.7976931348623157e308;
  LANE double of(double a, double b) { return larger(a, b); }
};

namespace algorithms {

// ------------------------------------------------------------------------------------------------- running sums

constexpr int CHUNK = 64;    // number of elements that one index processes
LANE int chunks_of(int n) { return n / CHUNK + (n % CHUNK > 0 ? 1 : 0); }
LANE int end_of_chunk(int chunk, int n) { return n - chunk * CHUNK < CHUNK ? n : (chunk + 1) * CHUNK; }

struct SumOfChunk {
  int n;
  const int *values;
  int *sums;
  STAGE void operator()(int chunk) const
  {
    int sum = 0;
    for (int k = chunk * CHUNK; k < end_of_chunk(chunk, n); ++k) sum += values[k];
    sums[chunk] = sum;
  }
};

struct RunningSumsOfChunk {
  int n;
  const int *values;
  const int *before;    // null if there is only one chunk
  int *sums;
  STAGE void operator()(int chunk) const
  {
    int sum = before ? before[chunk] : 0;
    for (int k = chunk * CHUNK; k < end_of_chunk(chunk, n); ++k) {
      const int value = values[k];    // read first, because values and sums may be the same array
      sums[k] = sum;
      sum += value;
    }
    if (end_of_chunk(chunk, n) == n) sums[n] = sum;
  }
};

// ------------------------------------------------------------------------------------------------- reduction

// Values are reduced in up to three passes: to MOST_PARTS values, to FEWER_PARTS values and to one value. Part p takes
// the values p, p + parts, p + 2 parts and so on, so neighbouring threads read neighbouring values.
constexpr int MOST_PARTS = 65536, FEWER_PARTS = 256;
LANE int parts_of(int n) { return n > MOST_PARTS ? MOST_PARTS : n > FEWER_PARTS ? FEWER_PARTS : 1; }

struct ValueOf {
  const double *values;
  STAGE double operator()(int k) const { return values[k]; }
};

template <class Combine, class Value> struct Part {
  int n, parts;
  Value value;
  double *results;
  STAGE void operator()(int part) const
  {
    double result = Combine::identity;
    for (int k = part; k < n; k += parts) result = Combine::of(result, value(k));
    results[part] = result;
  }
};

// ------------------------------------------------------------------------------------------------- sorting

constexpr int DIGIT_BITS = 4, DIGITS = 1 << DIGIT_BITS;
template <class Key> LANE int digit_of(Key key, int shift) { return static_cast<int>(key >> shift & (DIGITS - 1)); }

template <class Key> struct KeysAndValues {
  Key *keys;
  int *values;
};

// In `counts`, all chunks of the first digit precede those of the second, and so on.
template <class Key> struct CountDigits {
  int n, chunks, shift;
  const Key *keys;
  int *counts;
  STAGE void operator()(int chunk) const
  {
    for (int digit = 0; digit < DIGITS; ++digit) counts[digit * chunks + chunk] = 0;
    for (int k = chunk * CHUNK; k < end_of_chunk(chunk, n); ++k) ++counts[digit_of(keys[k], shift) * chunks + chunk];
  }
};

// `places` are the running sums of the counts of CountDigits.
template <class Key> struct PlaceByDigit {
  int n, chunks, shift;
  KeysAndValues<Key> from, to;
  int *places;
  STAGE void operator()(int chunk) const
  {
    for (int k = chunk * CHUNK; k < end_of_chunk(chunk, n); ++k) {
      const int place = places[digit_of(from.keys[k], shift) * chunks + chunk]++;
      to.keys[place] = from.keys[k];
      to.values[place] = from.values[k];
    }
  }
};

template <class Key> struct CopySorted {
  KeysAndValues<Key> from, to;
  STAGE void operator()(int k) const
  {
    to.keys[k] = from.keys[k];
    to.values[k] = from.values[k];
  }
};

}    // namespace algorithms

GRANULAR_PLUS_LAWS_END

#endif
