// Selects the clone for the CPU.

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

std::vector<const Kernels *> supported_kernels()
{
  std::vector<const Kernels *> list = {&portable::compiled_kernels};
#ifdef GRANULAR_PLUS_X86_CLONES
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
    list.push_back(&avx2::compiled_kernels);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    list.push_back(&avx512::compiled_kernels);
#endif
  return list;
}

const Kernels &in_bounds_kernels() { return portable::compiled_kernels; }

const Kernels &kernels_for_few()
{
  const char *wanted = std::getenv("GRANULAR_PLUS_CLONE");
  return wanted && *wanted ? kernels() : portable::compiled_kernels;
}

const Kernels &kernels()
{
  const char *wanted = std::getenv("GRANULAR_PLUS_CLONE");
  const auto list = supported_kernels();
  if (!wanted || !*wanted) return *list.back();
  std::string names;
  for (const Kernels *clone : list) {
    if (clone->name == std::string(wanted)) return *clone;
    names += (names.empty() ? "" : ", ") + std::string(clone->name);
  }
  throw std::runtime_error("granular/plus: environment variable GRANULAR_PLUS_CLONE = " + std::string(wanted) +
                           " must be one of " + names + " on this CPU");
}

}    // namespace granular_plus
