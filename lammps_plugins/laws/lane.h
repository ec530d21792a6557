// What a law may use: a portable macro for lane functions and a small vector.
//
// Laws are compiled once per instruction set (kernels/kernels.cpp). Everything a law defines therefore lives in the
// inline namespace of that clone, so that the linker can never mix code made for different processors.

#ifndef GRANULAR_PLUS_LANE_H
#define GRANULAR_PLUS_LANE_H

#include <cmath>

#ifndef GRANULAR_PLUS_CLONE
#define GRANULAR_PLUS_CLONE portable
#endif

#define GRANULAR_PLUS_LAWS_BEGIN \
  namespace granular_plus { \
  inline namespace GRANULAR_PLUS_CLONE {
#define GRANULAR_PLUS_LAWS_END \
  } \
  }

// a function of one contact: inlined into the lane loop, which the compiler vectorises
#define LANE [[gnu::always_inline]] static inline

GRANULAR_PLUS_LAWS_BEGIN

struct Vector {
  double x, y, z;
};

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
LANE double larger(double a, double b) { return a > b ? a : b; }
LANE double smaller(double a, double b) { return a < b ? a : b; }

GRANULAR_PLUS_LAWS_END

#endif
