// Compiles kernels for NVIDIA cards. The compiler NVRTC is loaded when one of these is made; no card is needed.

#ifndef GRANULAR_PLUS_KERNEL_COMPILER_H
#define GRANULAR_PLUS_KERNEL_COMPILER_H

#include "kernel_cache.h"
#include "shared_library.h"

#include <memory>
#include <string>
#include <vector>

namespace granular_plus {

// where the compiler and the headers of kernels are
struct CudaSources {
  std::string compiler;                // file of NVRTC, libnvrtc.so.13 or .12
  std::vector<std::string> folders;    // in which headers are looked for
  std::vector<std::string> headers;    // in which kernels are defined
  std::string kept_in = "";            // the folder of a KernelCache
};

class KernelCompiler {
 public:
  explicit KernelCompiler(CudaSources sources);    // Throws CudaError without a compiler.
  ~KernelCompiler();

  // The kernel of this type for cards of an architecture, such as sm_90. What an earlier run has compiled from the same headers
  // with the same compiler and options is taken as it is. Throws CudaError, with what the compiler says.
  CompiledKernel kernel(const std::string &type, const std::string &architecture) const;

 private:
  struct Nvrtc;
  std::unique_ptr<Nvrtc> nvrtc;
  CudaSources sources;
  KernelCache kept;
  std::string program;    // text that is compiled
  std::string made_of;    // compiler and sources: what the code of all kernels depends on

  CompiledKernel compile(const std::string &type, const std::string &architecture) const;
};

}    // namespace granular_plus

#endif
