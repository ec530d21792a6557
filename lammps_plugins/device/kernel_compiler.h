// Compiles kernels for NVIDIA cards. The compiler NVRTC is loaded when an object is created; no card is needed.

#ifndef GRANULAR_PLUS_KERNEL_COMPILER_H
#define GRANULAR_PLUS_KERNEL_COMPILER_H

#include "kernel_cache.h"
#include "shared_library.h"

#include <memory>
#include <string>
#include <vector>

namespace granular_plus {

// locations of the compiler and the headers of kernels
struct CudaSources {
  std::string compiler;                // file of NVRTC, libnvrtc.so.13 or .12
  std::vector<std::string> folders;    // search path of headers
  std::vector<std::string> headers;    // in which kernels are defined
  std::string kept_in = "";            // folder of a KernelCache
};

class KernelCompiler {
 public:
  explicit KernelCompiler(CudaSources sources);    // Throws CudaError without a compiler.
  ~KernelCompiler();

  // The kernel of this type for cards of an architecture, such as sm_90. If an earlier run compiled it from the same
  // headers, with the same compiler and options, that result is used. Throws CudaError with the compiler's messages.
  CompiledKernel kernel(const std::string &type, const std::string &architecture) const;

 private:
  struct Nvrtc;
  std::unique_ptr<Nvrtc> nvrtc;
  CudaSources sources;
  KernelCache kept;
  std::string program;    // text that is compiled
  std::string made_of;    // compiler and sources, on which the code of all kernels depends

  CompiledKernel compile(const std::string &type, const std::string &architecture) const;
};

}    // namespace granular_plus

#endif
