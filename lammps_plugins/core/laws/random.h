// Random numbers computed from a counter or an ID, without a state. The numbers do not depend on the number of ranks.

#ifndef GRANULAR_PLUS_RANDOM_H
#define GRANULAR_PLUS_RANDOM_H

#include "lane.h"

#include <cstdint>

GRANULAR_PLUS_LAWS_BEGIN

// The finaliser of SplitMix64 (Steele, Lea & Flood 2014).
constexpr std::uint64_t SPLITMIX_STEP = 0x9e3779b97f4a7c15ULL;
LANE std::uint64_t mixed(std::uint64_t x)
{
  x += SPLITMIX_STEP;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
  return x ^ x >> 31;
}

// uniform numbers in [0, 1) and in (0, 1)
LANE double uniform(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }
LANE double inner_uniform(std::uint64_t bits) { return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53; }

GRANULAR_PLUS_LAWS_END

#endif
