// Compiles kernels for NVIDIA GPUs. NVRTC is loaded when a KernelCompiler is created; no GPU is needed.

#ifndef GRANULAR_PLUS_KERNEL_COMPILER_H
#define GRANULAR_PLUS_KERNEL_COMPILER_H

#include "kernel_cache.h"
#include "shared_library.h"

#include <memory>
#include <string>
#include <vector>

namespace granular_plus {

struct CudaSources {
  std::string compiler;                // path of NVRTC: libnvrtc.so.13 or libnvrtc.so.12
  std::vector<std::string> folders;    // search path for headers
  std::vector<std::string> headers;    // headers that define kernels
  std::string kept_in = "";            // folder of a KernelCache
};

class KernelCompiler {
 public:
  explicit KernelCompiler(CudaSources sources);    // Throws CudaError if there is no compiler.
  ~KernelCompiler();

  // Returns the kernel of this type for an architecture such as sm_90. Uses the stored result of an earlier run if
  // there is one. Throws CudaError with the compiler's messages if the kernel does not compile.
  CompiledKernel kernel(const std::string &type, const std::string &architecture) const;

 private:
  struct Nvrtc;
  std::unique_ptr<Nvrtc> nvrtc;
  CudaSources sources;
  KernelCache kept;
  std::string program;
  std::string made_of;    // compiler and sources

  CompiledKernel compile(const std::string &type, const std::string &architecture) const;
};

}    // namespace granular_plus

#endif
