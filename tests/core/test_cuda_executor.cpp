// Messages if there is no GPU, or no compiler for it; results of kernels on a GPU are compared by make device-executor.

#include "device/cuda_executor.h"

#include <doctest/doctest.h>

using namespace granular_plus;

TEST_CASE("a driver or a compiler that is missing is named")
{
  std::string message;
  try {
    const CudaExecutor executor({"/nowhere/libnvrtc.so", {}, {}});
  } catch (const CudaError &error) {
    message = error.what();
  }
  const bool no_driver = message.find("no driver of an NVIDIA GPU: libcuda.so.1") == 0;
  const bool no_compiler = message.find("no compiler NVRTC: /nowhere/libnvrtc.so") == 0;
  CHECK((no_driver || no_compiler));
}
