// Chooses the clone that fits the processor.

#include "kernels.h"

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace granular_plus {

namespace portable {
extern const Kernels compiled_kernels;
}
#ifdef GRANULAR_PLUS_X86_CLONES
namespace avx2 {
extern const Kernels compiled_kernels;
}
namespace avx512 {
extern const Kernels compiled_kernels;
}
#endif

int supported_kernels(const Kernels **list, int capacity)
{
  int count = 0;
  const auto add = [&](const Kernels &clone) {
    if (count < capacity) list[count++] = &clone;
  };
  add(portable::compiled_kernels);
#ifdef GRANULAR_PLUS_X86_CLONES
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
    add(avx2::compiled_kernels);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    add(avx512::compiled_kernels);
#endif
  return count;
}

const Kernels &in_bounds_kernels() { return portable::compiled_kernels; }

const Kernels &kernels_for_few()
{
  const char *wanted = std::getenv("GRANULAR_PLUS_CLONE");
  return wanted && *wanted ? kernels() : portable::compiled_kernels;
}

const Kernels &kernels()
{
  const Kernels *list[3];
  const int count = supported_kernels(list, 3);
  const char *wanted = std::getenv("GRANULAR_PLUS_CLONE");
  if (!wanted || !*wanted) return *list[count - 1];
  std::string names;
  for (int k = 0; k < count; ++k) {
    if (list[k]->name == std::string(wanted)) return *list[k];
    names += std::string(k ? ", " : "") + list[k]->name;
  }
  throw std::runtime_error("granular/plus: GRANULAR_PLUS_CLONE = " + std::string(wanted) + " must be one of " + names +
                           " on this processor");
}

}    // namespace granular_plus
