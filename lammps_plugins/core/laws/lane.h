// Basis of all laws: portable macros for lane functions and a small vector type.
//
// Laws are compiled once per instruction set. Their definitions are in an inline namespace of that instruction set, so
// that the linker cannot mix code for different CPUs.

#ifndef GRANULAR_PLUS_LANE_H
#define GRANULAR_PLUS_LANE_H

#include <cmath>
#include <cstdint>
#include <cstring>

#ifndef GRANULAR_PLUS_CLONE
#define GRANULAR_PLUS_CLONE portable
#endif

#define GRANULAR_PLUS_LAWS_BEGIN \
  namespace granular_plus { \
  inline namespace GRANULAR_PLUS_CLONE {
#define GRANULAR_PLUS_LAWS_END \
  } \
  }

// LANE: a function of one contact, inlined into the lane loop, which the compiler vectorises. STAGE: a function of a
// batch. RARELY: a function that few batches need, kept out of line. UNROLL: precedes a short loop. Device compilers
// build all of these functions for host and device. On a device, a batch has a single lane.
#if defined(__CUDACC__) || defined(__HIPCC__)
#define LANE static __host__ __device__ __forceinline__
#define STAGE __host__ __device__ __forceinline__
#define RARELY STAGE
#define UNROLL _Pragma("unroll")
#else
#define LANE [[gnu::always_inline]] static inline
#define STAGE inline
#define RARELY [[gnu::noinline]]
#define UNROLL _Pragma("GCC unroll 8")
#endif

GRANULAR_PLUS_LAWS_BEGIN

// Contacts are processed in groups that fill whole vectors. Results of unused lanes are never read.
#ifdef GRANULAR_PLUS_LANES
constexpr int VECTOR_LANES = GRANULAR_PLUS_LANES;
#elif defined(__AVX512F__)
constexpr int VECTOR_LANES = 8;
#else
constexpr int VECTOR_LANES = 4;
#endif
// With short vectors (no AVX), the contacts of a batch smaller than a group are processed one by one.
#if defined(GRANULAR_PLUS_LANES) || defined(__AVX__)
constexpr bool PADS_FIRST_VECTOR = true;
#else
constexpr bool PADS_FIRST_VECTOR = false;
#endif
LANE constexpr int padded_to_vectors(int count)
{
  if (!PADS_FIRST_VECTOR && count < VECTOR_LANES) return count;
  return VECTOR_LANES > 1 ? (count + VECTOR_LANES - 1) & ~(VECTOR_LANES - 1) : 1;
}

constexpr double PI = 3.14159265358979323846;

struct Vector {
  double x, y, z;
};
LANE Vector vector_of(const double *values) { return {values[0], values[1], values[2]}; }
LANE void write(double *values, const Vector &v)
{
  values[0] = v.x;
  values[1] = v.y;
  values[2] = v.z;
}

LANE Vector operator+(const Vector &a, const Vector &b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
LANE Vector operator-(const Vector &a, const Vector &b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
LANE Vector operator*(double s, const Vector &a) { return {s * a.x, s * a.y, s * a.z}; }
LANE double dot(const Vector &a, const Vector &b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
LANE double dot(double a, double b) { return a * b; }
LANE double length(const Vector &a) { return std::sqrt(dot(a, a)); }
LANE double length(double a) { return std::fabs(a); }
LANE Vector cross(const Vector &a, const Vector &b)
{
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
LANE Vector select(bool condition, const Vector &a, const Vector &b)
{
  return {condition ? a.x : b.x, condition ? a.y : b.y, condition ? a.z : b.z};
}
LANE double select(bool condition, double a, double b) { return condition ? a : b; }

LANE std::uint64_t bits_of(double x)
{
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

LANE double from_bits(std::uint64_t bits)
{
  double x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

// Cube root of x >= 0: an initial guess from the exponent, then Halley's iteration. The integers have 64 bits, because
// with 32-bit integers the compiler would generate the loop twice.
LANE double cube_root(double x)
{
  // rounded up, so the quotient of a 32-bit integer by 3 is exact
  constexpr std::uint64_t TWO_TO_33_PER_3 = 0xaaaaaaab;
  const std::uint64_t third = ((bits_of(x) >> 32) * TWO_TO_33_PER_3) >> 33;
  double y = from_bits((third + 715094163) << 32);
  for (int k = 0; k < 4; ++k) {
    const double cube = y * y * y;
    y *= (cube + 2.0 * x) / (2.0 * cube + x);
  }
  return x > 0.0 ? y : 0.0;
}

LANE double larger(double a, double b) { return a > b ? a : b; }
LANE double smaller(double a, double b) { return a < b ? a : b; }

GRANULAR_PLUS_LAWS_END

#endif
