// The elementary functions of the laws, and functions of the C library or of a GPU that could replace them.

#ifndef GRANULAR_PLUS_DEVICE_FUNCTIONS_H
#define GRANULAR_PLUS_DEVICE_FUNCTIONS_H

#include "laws/elementary.h"

GRANULAR_PLUS_LAWS_BEGIN

struct Exponential {
  LANE double ours(double x) { return exponential(x); }
  LANE double library(double x) { return std::exp(x); }
};
struct Logarithm {
  LANE double ours(double x) { return logarithm(x); }
  LANE double library(double x) { return std::log(x); }
};
struct Arctangent {
  LANE double ours(double x) { return arctangent(x); }
  LANE double library(double x) { return std::atan(x); }
};
struct Power {    // with Hertz's exponent; in the law edinburgh, the user chooses the exponent
  static constexpr double EXPONENT = 1.5;
  LANE double ours(double x) { return power(x, EXPONENT); }
  LANE double library(double x) { return std::pow(x, EXPONENT); }
};
struct CubeRoot {
  LANE double ours(double x) { return cube_root(x); }
  LANE double library(double x) { return std::cbrt(x); }
};
struct FifthRoot {
  LANE double ours(double x) { return fifth_root(x); }
  LANE double library(double x) { return std::pow(x, 0.2); }
};

template <class Function, bool OURS> LANE double value(double x)
{
  return OURS ? Function::ours(x) : Function::library(x);
}

#ifdef __CUDACC__
// Sums values at many closely spaced arguments; reading each value from memory would take longer.
template <class Function, bool OURS> __global__ void values(int n, int count, const double *x, double *y)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double at = x[i], sum = value<Function, OURS>(at);
  for (int k = 1; k < count; ++k) {
    at *= 1.0 + 0x1p-40;
    sum += value<Function, OURS>(at);
  }
  y[i] = sum;
}
#else
template <class Function, bool OURS> void values(int n, const double *x, double *y)
{
#pragma omp simd
  for (int i = 0; i < n; ++i) y[i] = value<Function, OURS>(x[i]);
}
#endif

GRANULAR_PLUS_LAWS_END

#endif
