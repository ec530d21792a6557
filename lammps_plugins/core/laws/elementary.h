// Exponential, logarithm, power, arctangent and fifth root on a lane. These functions use only sums, products,
// quotients and square roots, so results are bitwise identical on all instruction sets and on a GPU. Errors are a few
// units in the last place.

#ifndef GRANULAR_PLUS_ELEMENTARY_H
#define GRANULAR_PLUS_ELEMENTARY_H

#include "lane.h"

GRANULAR_PLUS_LAWS_BEGIN

constexpr std::uint64_t BITS_OF_ONE = 0x3ff0000000000000;
constexpr double LN2_HIGH =
    6.93147180369123816490e-01;    // the last 21 bits are zero, so products with exponents are exact
constexpr double LN2_LOW = 1.90821492927058770002e-10;
// 1.5 * 2^52; adding it to a number rounds the number to an integer
constexpr double TO_INTEGER = 6755399441055744.0;

// x = 2^exponent * mantissa for a normal x > 0, with the mantissa between sqrt(1/2) and sqrt(2)
struct PowerOfTwo {
  double exponent, mantissa;
};
LANE PowerOfTwo split(double x)
{
  constexpr std::uint64_t BITS_OF_ROOT_HALF = 0x3fe6a09e667f3bcd, EXPONENT = 0xfff0000000000000;
  constexpr std::uint64_t BITS_OF_TWO_TO_52 = 0x4330000000000000;
  const std::uint64_t bits = bits_of(x);
  const std::uint64_t exponent = (bits - BITS_OF_ROOT_HALF + BITS_OF_ONE) & EXPONENT;    // exponent + 1023
  return {from_bits(BITS_OF_TWO_TO_52 | exponent >> 52) - (4503599627370496.0 + 1023.0),
          from_bits(bits - exponent + BITS_OF_ONE)};
}

// exponent * ln 2 + 2 artanh(z), z = (m - 1)/(m + 1), where m is the mantissa
LANE double logarithm(double x)
{
  const PowerOfTwo parts = split(x);
  const double k = parts.exponent, f = parts.mantissa - 1.0;
  const double z = f / (2.0 + f), square = z * z;
  const double fourth = square * square;
  double even = 2.0 / 19.0, odd = 2.0 / 17.0;
  for (int n = 15; n > 3; n -= 4) {
    even = even * fourth + 2.0 / n;
    odd = odd * fourth + 2.0 / (n - 2);
  }
  const double series = even * fourth + 2.0 / 3.0 + odd * square;
  return k * LN2_HIGH - (z * (f - square * series) - k * LN2_LOW - f);
}

// e^x = 2^k e^r with |r| <= ln(2)/2, for x from -708 to 709
LANE double exponential_inside(double inside)
{
  constexpr double PER_LN2 = 1.4426950408889634074;
  const double shifted = inside * PER_LN2 + TO_INTEGER;
  const double k = shifted - TO_INTEGER;
  const double r = inside - k * LN2_HIGH - k * LN2_LOW;
  const double square = r * r;
  double factorial = 479001600.0;
  double even = 1.0 / factorial, odd = 1.0 / (13.0 * factorial);
  for (int n = 12; n > 0; n -= 2) {
    factorial /= n;
    odd = odd * square + 1.0 / factorial;
    factorial /= n - 1;
    even = even * square + 1.0 / factorial;
  }
  return from_bits((bits_of(shifted) << 52) + BITS_OF_ONE) * (even + odd * r);
}

LANE double exponential(double x) { return exponential_inside(larger(smaller(x, 709.0), -708.0)); }

// x^p for x >= 0 and |p| <= 1000. Let x = 2^k m, and let n be k p rounded to an integer. Then x^p is the product of 2^n
// and 2^(k p - n) m^p. If j p is an integer, a factor of 2^j in x changes the result by a factor of exactly 2^(j p).
// Results in other units can therefore be bitwise identical.
LANE double power(double x, double p)
{
  constexpr double MOST = 1000.0;
  const PowerOfTwo parts = split(x > 0.0 ? x : 1.0);
  const double twos = smaller(larger(p * parts.exponent, -MOST), MOST), shifted = twos + TO_INTEGER;
  const double fraction = twos - (shifted - TO_INTEGER);
  const double whole = from_bits((bits_of(shifted) << 52) + BITS_OF_ONE);
  const double rest = exponential_inside(p * logarithm(parts.mantissa) + fraction * (LN2_HIGH + LN2_LOW));
  return x > 0.0 ? whole * rest : 0.0;
}

// x must be >= 0. Halves the angle three times, then sums the series.
LANE double arctangent(double x)
{
  double t = x;
  for (int k = 0; k < 3; ++k) t = t / (1.0 + std::sqrt(1.0 + t * t));
  const double square = t * t;
  double series = 1.0 / 25.0;
  for (int n = 23; n >= 1; n -= 2) series = 1.0 / n - series * square;
  return 8.0 * t * series;
}

LANE double angle_to(double x, double y)
{
  const double along = x < 0.0 ? -x : x, across = y < 0.0 ? -y : y;
  const bool is_steep = across > along;
  const double longer = is_steep ? across : along, shorter = is_steep ? along : across;
  const double inner = arctangent(longer > 0.0 ? shorter / longer : 0.0);
  const double acute = is_steep ? 0.5 * PI - inner : inner, angle = x < 0.0 ? PI - acute : acute;
  return y < 0.0 ? -angle : angle;
}

// x must be 0 or a positive normal number. The exponent gives an initial guess. Two steps of Halley's iteration and one
// step of Newton's follow. The error is below 0.9 units in the last place.
LANE double fifth_root(double x)
{
  // rounded up, so the quotient of a 32-bit integer by 5 is exact
  constexpr std::uint64_t TWO_TO_34_PER_5 = 0xcccccccd;
  const std::uint64_t fifth = ((bits_of(x) >> 32) * TWO_TO_34_PER_5) >> 34;
  double y = from_bits((fifth + 858116598) << 32);
  for (int k = 0; k < 2; ++k) {
    const double square = y * y, fifth_power = square * square * y;
    y *= (2.0 * fifth_power + 3.0 * x) / (3.0 * fifth_power + 2.0 * x);
  }
  const double square = y * y, fourth = square * square;
  return x > 0.0 ? y + (x - fourth * y) / (5.0 * fourth) : 0.0;
}

GRANULAR_PLUS_LAWS_END

#endif
