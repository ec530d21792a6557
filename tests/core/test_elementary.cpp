// Elementary functions and random numbers of the laws.

#include "laws/elementary.h"
#include "laws/random.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace granular_plus;

namespace {

// Returns the largest error, in units in the last place, for arguments whose logarithms are evenly spaced.
template <class Function, class Exact> double largest_error(double low, double high, Function function, Exact exact)
{
  constexpr int COUNT = 20000;
  double largest = 0.0;
  for (int k = 0; k < COUNT; ++k) {
    const double x = low * std::pow(high / low, (k + 0.5) / COUNT);
    const long double expected = exact(static_cast<long double>(x));
    const double rounded = std::fabs(static_cast<double>(expected));
    const double unit = std::nextafter(rounded, 2.0 * rounded) - rounded;
    largest = std::fmax(largest, static_cast<double>(std::fabs(function(x) - expected)) / unit);
  }
  return largest;
}

// 0.2 has no exact binary representation, so a Newton step corrects the result of pow
long double exact_fifth_root(long double x)
{
  const long double y = std::pow(x, 0.2L), fourth = y * y * y * y;
  return y - (fourth * y - x) / (5.0L * fourth);
}

}    // namespace

TEST_CASE("errors of functions are at most a few units in the last place")
{
  CHECK(largest_error(1e-8, 700.0, exponential, [](long double x) { return std::exp(x); }) < 2.2);
  CHECK(largest_error(1e-300, 1e300, logarithm, [](long double x) { return std::log(x); }) < 0.8);
  CHECK(largest_error(1e-8, 1e8, arctangent, [](long double x) { return std::atan(x); }) < 6.0);
  CHECK(largest_error(1e-100, 1e100, cube_root, [](long double x) { return std::cbrt(x); }) < 3.0);
  const auto three_halves = [](double x) { return power(x, 1.5); };
  CHECK(largest_error(1e-100, 1e100, three_halves, [](long double x) { return x * std::sqrt(x); }) < 3.0);
  CHECK(largest_error(1e-300, 1e300, fifth_root, exact_fifth_root) < 0.9);
}

TEST_CASE("the angle of a direction is correct all around the circle")
{
  constexpr double TURN = 6.283185307179586;
  for (int k = -5000; k < 5000; ++k) {
    const double angle = TURN * (k + 0.37) / 10000.0, size = std::pow(1.01, k % 700);
    const double x = size * std::cos(angle), y = size * std::sin(angle), expected = std::atan2(y, x);
    CHECK(std::fabs(angle_to(x, y) - expected) <= 3e-16 * std::fmax(1.0, 4.0 * std::fabs(expected)));
  }
  CHECK(angle_to(0.0, 0.0) == 0.0);
  CHECK(angle_to(2.0, 0.0) == 0.0);
  CHECK(angle_to(-2.0, 0.0) == PI);
  CHECK(angle_to(0.0, -3.0) == -0.5 * PI);
}

TEST_CASE("if arguments differ by a power of two, roots differ only by a power of two")
{
  CHECK(fifth_root(1.0) == 1.0);
  CHECK(fifth_root(0.0) == 0.0);
  CHECK(cube_root(0.0) == 0.0);
  for (double x = 1e-3; x < 1e3; x *= 1.01) {
    CHECK(fifth_root(0x1p-100 * x) == 0x1p-20 * fifth_root(x));
    CHECK(cube_root(0x1p-99 * x) == 0x1p-33 * cube_root(x));
  }
}

TEST_CASE("random numbers equal those of SplitMix64 and are within their bounds")
{
  CHECK(mixed(0) == 0xe220a8397b1dcdafULL);    // the first two numbers for seed 0
  CHECK(mixed(SPLITMIX_STEP) == 0x6e789e6aa1b965f4ULL);
  constexpr std::uint64_t ALL = ~std::uint64_t{0};
  CHECK(uniform(0) == 0.0);
  CHECK(uniform(ALL) < 1.0);
  CHECK(uniform(std::uint64_t{1} << 63) == 0.5);
  CHECK(inner_uniform(0) > 0.0);
}
