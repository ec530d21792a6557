#include "make_engine.h"

#include "../device/device_grain_engine.h"

#include <dlfcn.h>

#include <cstdlib>

namespace granular_plus {

namespace {

std::string from_environment(const char *name)
{
  const char *value = std::getenv(name);
  return value ? value : "";
}

// Returns the path of the compiler NVRTC. The path is the value of the environment variable GRANULAR_PLUS_NVRTC, which
// the Python package sets. If the variable is not set, returns the path of the system's NVRTC.
std::string compiler()
{
  std::string given = from_environment("GRANULAR_PLUS_NVRTC");
  if (!given.empty()) return given;
  for (const char *name : {"libnvrtc.so.13", "libnvrtc.so.12"})
    if (dlopen(name, RTLD_LAZY | RTLD_LOCAL)) return name;
  return "libnvrtc.so.13";
}

// Returns the folder of the headers of kernels. The folder is the value of the environment variable
// GRANULAR_PLUS_KERNELS. If the variable is not set, returns a folder next to this library.
std::string folder_of_kernels()
{
  std::string given = from_environment("GRANULAR_PLUS_KERNELS");
  if (!given.empty()) return given;
  Dl_info here;
  if (!dladdr(reinterpret_cast<void *>(&make_engine), &here) || !here.dli_fname) return "kernels";
  const std::string file = here.dli_fname;
  const auto slash = file.rfind('/');
  return (slash == std::string::npos ? "." : file.substr(0, slash)) + "/kernels";
}

}    // namespace

Engine make_engine()
{
  const std::string wanted = from_environment("GRANULAR_PLUS_DEVICE");
  if (wanted == "host") return {std::make_unique<DeviceGrainEngine<HostExecutor>>(), "host"};
  if (!wanted.empty() && wanted != "cuda")
    throw std::runtime_error("environment variable GRANULAR_PLUS_DEVICE = " + wanted +
                             " must be cuda (an NVIDIA GPU) or host (the CPU)");
  const std::string folder = folder_of_kernels();
  const CudaSources sources{compiler(),
                            {folder, folder + "/device/standard"},
                            {"device/compiled_stages.h", "device/kernels_of_algorithms.h", "device/list_kernels.h",
                             "device/mesh_kernels.h", "device/load_kernels.h", "device/film_kernels.h",
                             "device/heat_kernels.h"},
                            folder_of_kept_kernels(std::getenv("GRANULAR_PLUS_KERNEL_CACHE"),
                                                   std::getenv("XDG_CACHE_HOME"), std::getenv("HOME"))};
  auto engine = std::make_unique<DeviceGrainEngine<CudaExecutor>>(sources);
  const std::string gpu_name = engine->executor.gpu_name();
  return {std::move(engine), gpu_name};
}

}    // namespace granular_plus
