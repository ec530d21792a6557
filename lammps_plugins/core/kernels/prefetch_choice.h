// Whether to ask for particles ahead of their use. That pays where they do not fit into the near caches, or where other
// processors fill the shared one; otherwise it costs a few per cent. So both ways are tried now and then, in pairs of
// evaluations, and the one that is faster in most pairs stays. No result depends on the choice.

#ifndef GRANULAR_PLUS_PREFETCH_CHOICE_H
#define GRANULAR_PLUS_PREFETCH_CHOICE_H

#include <chrono>

namespace granular_plus {

class PrefetchChoice {
 public:
  // at the beginning of an evaluation: whether it is to prefetch
  bool begin()
  {
    if (evaluation == PERIOD) evaluation = faster_with = 0;
    if (evaluation >= TRIALS) return 2 * faster_with > TRIALS / 2;
    began = Clock::now();
    return tried();
  }

  void end()
  {
    if (evaluation < TRIALS) {
      taken[tried()] = Clock::now() - began;
      if (evaluation % 2 == 1 && taken[true] < taken[false]) ++faster_with;
    }
    ++evaluation;
  }

 private:
  static constexpr int TRIALS = 32, PERIOD = 10000;    // evaluations
  using Clock = std::chrono::steady_clock;
  int evaluation = 0, faster_with = 0;
  Clock::time_point began;
  Clock::duration taken[2];    // without and with

  // without and with, with and without, and so on: a drift favours neither
  bool tried() const { return (evaluation ^ (evaluation >> 1)) & 1; }
};

}    // namespace granular_plus

#endif
