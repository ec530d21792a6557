// An executor that tests use instead of a GPU.

#ifndef GRANULAR_PLUS_SHUFFLED_EXECUTOR_H
#define GRANULAR_PLUS_SHUFFLED_EXECUTOR_H

#include "device/executor.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

namespace granular_plus {

// Processes indices in a random order, as threads might. The allocated memory is not initialised.
class ShuffledExecutor : public HostExecutor {
 public:
  template <class Kernel> void for_each(int n, const Kernel &kernel)
  {
    std::vector<int> indices(n);
    std::iota(indices.begin(), indices.end(), 0);
    std::shuffle(indices.begin(), indices.end(), random);
    for (const int index : indices) kernel(index);
  }
  void *take(std::size_t bytes)
  {
    ++taken;
    return std::memset(HostExecutor::take(bytes), 0xa5, bytes);
  }
  void give_back(void *memory)
  {
    --taken;
    HostExecutor::give_back(memory);
  }
  int taken = 0;

 private:
  std::mt19937 random{1};
};

}    // namespace granular_plus

#endif
