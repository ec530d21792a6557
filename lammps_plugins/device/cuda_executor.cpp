#include "cuda_executor.h"

#include <cxxabi.h>

#include <cstdlib>
#include <unordered_map>
#include <utility>

#ifndef GRANULAR_PLUS_CLONE
#define GRANULAR_PLUS_CLONE portable
#endif
#define QUOTED(WORD) #WORD
#define TEXT_OF(MACRO) QUOTED(MACRO)

namespace granular_plus {

namespace {

constexpr const char *CLONE = TEXT_OF(GRANULAR_PLUS_CLONE);    // as in core/laws/lane.h

// ------------------------------------------------------------------------------------- functions of the driver

using Status = int;    // 0 means success
using Address = unsigned long long;
using Handle = void *;

struct Driver {
  Status (*cuInit)(unsigned);
  Status (*cuDeviceGet)(int *, int);
  Status (*cuDeviceGetName)(char *, int, int);
  Status (*cuDeviceGetAttribute)(int *, int, int);
  Status (*cuDevicePrimaryCtxRetain)(Handle *, int);
  Status (*cuDevicePrimaryCtxRelease)(int);
  Status (*cuCtxSetCurrent)(Handle);
  Status (*cuCtxSynchronize)();
  Status (*cuModuleLoadData)(Handle *, const void *);
  Status (*cuModuleGetFunction)(Handle *, Handle, const char *);
  Status (*cuModuleUnload)(Handle);
  Status (*cuLaunchKernel)(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Handle,
                           void **, void **);
  Status (*cuMemAlloc)(Address *, std::size_t);
  Status (*cuMemFree)(Address);
  Status (*cuMemcpyHtoD)(Address, const void *, std::size_t);
  Status (*cuMemcpyDtoH)(void *, Address, std::size_t);
  Status (*cuGetErrorString)(Status, const char **);

  Driver()
  {
    const SharedLibrary library("libcuda.so.1", "driver of an NVIDIA GPU");
    library.find(cuInit, "cuInit");
    library.find(cuDeviceGet, "cuDeviceGet");
    library.find(cuDeviceGetName, "cuDeviceGetName");
    library.find(cuDeviceGetAttribute, "cuDeviceGetAttribute");
    library.find(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain");
    library.find(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2");
    library.find(cuCtxSetCurrent, "cuCtxSetCurrent");
    library.find(cuCtxSynchronize, "cuCtxSynchronize");
    library.find(cuModuleLoadData, "cuModuleLoadData");
    library.find(cuModuleGetFunction, "cuModuleGetFunction");
    library.find(cuModuleUnload, "cuModuleUnload");
    library.find(cuLaunchKernel, "cuLaunchKernel");
    library.find(cuMemAlloc, "cuMemAlloc_v2");
    library.find(cuMemFree, "cuMemFree_v2");
    library.find(cuMemcpyHtoD, "cuMemcpyHtoD_v2");
    library.find(cuMemcpyDtoH, "cuMemcpyDtoH_v2");
    library.find(cuGetErrorString, "cuGetErrorString");
  }

  void must(Status status, const char *what) const
  {
    if (status == 0) return;
    const char *text = nullptr;
    cuGetErrorString(status, &text);
    throw CudaError(std::string(what) + ": " + (text ? text : "error " + std::to_string(status)));
  }
};

}    // namespace

// The name omits the inline namespace of laws, which differs on the GPU.

std::string name_of_type(const std::type_info &type)
{
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(type.name(), nullptr, nullptr, nullptr),
                                                         &std::free);
  if (!text) throw CudaError(std::string("kernel ") + type.name() + " has no name");
  std::string name = text.get();
  const std::string here = "::" + std::string(CLONE) + "::";
  for (std::size_t at; (at = name.find(here)) != std::string::npos;) name.replace(at, here.size(), "::");
  return name;
}

// ------------------------------------------------------------------------------------------------------- the GPU

struct CudaExecutor::Gpu {
  explicit Gpu(CudaSources sources) : compiler(std::move(sources))
  {
    constexpr int CAPABILITY_MAJOR = 75, CAPABILITY_MINOR = 76;    // values of CUdevice_attribute
    driver.must(driver.cuInit(0), "no NVIDIA GPU");
    driver.must(driver.cuDeviceGet(&device, 0), "no NVIDIA GPU");
    char text[256] = "";
    driver.must(driver.cuDeviceGetName(text, sizeof text, device), "GPU");
    name = text;
    int major, minor;
    driver.must(driver.cuDeviceGetAttribute(&major, CAPABILITY_MAJOR, device), "GPU");
    driver.must(driver.cuDeviceGetAttribute(&minor, CAPABILITY_MINOR, device), "GPU");
    architecture = "sm_" + std::to_string(major) + std::to_string(minor);
    Handle context;
    driver.must(driver.cuDevicePrimaryCtxRetain(&context, device), "GPU");
    driver.must(driver.cuCtxSetCurrent(context), "GPU");
  }
  ~Gpu()
  {
    for (const auto &[name, kernel] : kernels) driver.cuModuleUnload(kernel.module);
    driver.cuDevicePrimaryCtxRelease(device);
  }

  Handle function_of(const std::string &kernel)
  {
    const auto known = kernels.find(kernel);
    if (known != kernels.end()) return known->second.function;
    const CompiledKernel compiled = compiler.kernel(kernel, architecture);
    Kernel loaded;
    driver.must(driver.cuModuleLoadData(&loaded.module, compiled.code.data()), "a kernel does not load");
    kernels.emplace(kernel, loaded);
    Handle &function = kernels.at(kernel).function;
    driver.must(driver.cuModuleGetFunction(&function, loaded.module, compiled.name.c_str()), "a kernel does not load");
    return function;
  }

  struct Kernel {
    Handle module = nullptr, function = nullptr;
  };
  Driver driver;
  KernelCompiler compiler;
  std::string name, architecture;
  int device = 0;
  std::unordered_map<std::string, Kernel> kernels;
};

CudaExecutor::CudaExecutor(CudaSources sources) : gpu(std::make_unique<Gpu>(std::move(sources))) {}

CudaExecutor::~CudaExecutor() = default;

void CudaExecutor::launch(const std::string &kernel, int n, const void *values)
{
  constexpr unsigned THREADS = 128;
  if (n == 0) return;
  void *arguments[] = {&n, const_cast<void *>(values)};
  gpu->driver.must(gpu->driver.cuLaunchKernel(gpu->function_of(kernel), (n + THREADS - 1) / THREADS, 1, 1, THREADS, 1,
                                              1, 0, nullptr, arguments, nullptr),
                   "a kernel does not run");
}

void *CudaExecutor::take(std::size_t bytes)
{
  Address memory = 0;
  gpu->driver.must(gpu->driver.cuMemAlloc(&memory, bytes), "cannot allocate memory of the GPU");
  return reinterpret_cast<void *>(memory);
}

void CudaExecutor::give_back(void *memory) { gpu->driver.cuMemFree(reinterpret_cast<Address>(memory)); }

void CudaExecutor::copy_in(void *there, const void *here, std::size_t bytes)
{
  if (bytes == 0) return;
  gpu->driver.must(gpu->driver.cuMemcpyHtoD(reinterpret_cast<Address>(there), here, bytes), "cannot copy to the GPU");
}

void CudaExecutor::copy_out(void *here, const void *there, std::size_t bytes)
{
  if (bytes == 0) return;
  gpu->driver.must(gpu->driver.cuMemcpyDtoH(here, reinterpret_cast<Address>(there), bytes), "cannot copy from the GPU");
}

void CudaExecutor::wait() { gpu->driver.must(gpu->driver.cuCtxSynchronize(), "a kernel failed"); }

const std::string &CudaExecutor::gpu_name() const { return gpu->name; }

const std::string &CudaExecutor::architecture() const { return gpu->architecture; }

}    // namespace granular_plus
