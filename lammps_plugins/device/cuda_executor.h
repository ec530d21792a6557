// Runs kernels on an NVIDIA GPU. The driver and the compiler NVRTC are loaded when an executor is created. Each kernel
// is compiled when it first runs.

#ifndef GRANULAR_PLUS_CUDA_EXECUTOR_H
#define GRANULAR_PLUS_CUDA_EXECUTOR_H

#include "kernel_compiler.h"

#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <typeinfo>

namespace granular_plus {

// Name of a kernel's type in the headers that are compiled for the GPU. Specialised for kernels whose type has another
// name on the GPU.
std::string name_of_type(const std::type_info &type);
template <class Kernel> struct NameOnGpu {
  static const std::string &of(const Kernel &)
  {
    static const std::string name = name_of_type(typeid(Kernel));
    return name;
  }
};

// Executor on the first GPU. The constructor throws CudaError.
class CudaExecutor {
 public:
  explicit CudaExecutor(CudaSources sources);
  ~CudaExecutor();
  CudaExecutor(const CudaExecutor &) = delete;
  CudaExecutor &operator=(const CudaExecutor &) = delete;

  template <class Kernel> void for_each(int n, const Kernel &kernel)
  {
    static_assert(std::is_trivially_copyable_v<Kernel>, "a kernel is copied to the GPU byte by byte");
    launch(NameOnGpu<Kernel>::of(kernel), n, &kernel);
  }
  void *take(std::size_t bytes);
  void give_back(void *memory);
  void copy_in(void *there, const void *here, std::size_t bytes);
  void copy_out(void *here, const void *there, std::size_t bytes);
  void wait();

  const std::string &gpu_name() const;
  const std::string &architecture() const;    // such as sm_90

 private:
  void launch(const std::string &kernel, int n, const void *values);
  struct Gpu;
  std::unique_ptr<Gpu> gpu;
};

}    // namespace granular_plus

#endif
