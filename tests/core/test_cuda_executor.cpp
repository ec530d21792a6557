// Error messages of CudaExecutor if there is no GPU driver or no compiler. `make device-executor` compares results of
// kernels on a GPU.

#include "device/cuda_executor.h"

#include <doctest/doctest.h>

using namespace granular_plus;

TEST_CASE("the message names a missing driver or compiler")
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
