#include "cuda_executor.h"

#include <cxxabi.h>
#include <dlfcn.h>

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

// ------------------------------------------------------------------------------------- what is used of both libraries

using Status = int;    // 0: success
using Address = unsigned long long;
using Handle = void *;

Handle open_library(const std::string &file, const std::string &what)
{
  const Handle library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) throw CudaError("no " + what + ": " + dlerror());
  return library;
}

template <class Function> void find(Handle library, Function *&function, const char *name)
{
  function = reinterpret_cast<Function *>(dlsym(library, name));
  if (!function)
    throw CudaError(std::string(name) + " is missing in the library that CUDA's driver or compiler comes in");
}

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
    const Handle library = open_library("libcuda.so.1", "driver of an NVIDIA GPU");
    find(library, cuInit, "cuInit");
    find(library, cuDeviceGet, "cuDeviceGet");
    find(library, cuDeviceGetName, "cuDeviceGetName");
    find(library, cuDeviceGetAttribute, "cuDeviceGetAttribute");
    find(library, cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain");
    find(library, cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2");
    find(library, cuCtxSetCurrent, "cuCtxSetCurrent");
    find(library, cuCtxSynchronize, "cuCtxSynchronize");
    find(library, cuModuleLoadData, "cuModuleLoadData");
    find(library, cuModuleGetFunction, "cuModuleGetFunction");
    find(library, cuModuleUnload, "cuModuleUnload");
    find(library, cuLaunchKernel, "cuLaunchKernel");
    find(library, cuMemAlloc, "cuMemAlloc_v2");
    find(library, cuMemFree, "cuMemFree_v2");
    find(library, cuMemcpyHtoD, "cuMemcpyHtoD_v2");
    find(library, cuMemcpyDtoH, "cuMemcpyDtoH_v2");
    find(library, cuGetErrorString, "cuGetErrorString");
  }

  void must(Status status, const char *what) const
  {
    if (status == 0) return;
    const char *text = nullptr;
    cuGetErrorString(status, &text);
    throw CudaError(std::string(what) + ": " + (text ? text : "error " + std::to_string(status)));
  }
};

struct Compiler {
  Status (*nvrtcCreateProgram)(Handle *, const char *, const char *, int, const char *const *, const char *const *);
  Status (*nvrtcDestroyProgram)(Handle *);
  Status (*nvrtcAddNameExpression)(Handle, const char *);
  Status (*nvrtcCompileProgram)(Handle, int, const char *const *);
  Status (*nvrtcGetProgramLogSize)(Handle, std::size_t *);
  Status (*nvrtcGetProgramLog)(Handle, char *);
  Status (*nvrtcGetCUBINSize)(Handle, std::size_t *);
  Status (*nvrtcGetCUBIN)(Handle, char *);
  Status (*nvrtcGetLoweredName)(Handle, const char *, const char **);
  const char *(*nvrtcGetErrorString)(Status);

  explicit Compiler(const std::string &file)
  {
    const Handle library = open_library(file, "compiler NVRTC");
    find(library, nvrtcCreateProgram, "nvrtcCreateProgram");
    find(library, nvrtcDestroyProgram, "nvrtcDestroyProgram");
    find(library, nvrtcAddNameExpression, "nvrtcAddNameExpression");
    find(library, nvrtcCompileProgram, "nvrtcCompileProgram");
    find(library, nvrtcGetProgramLogSize, "nvrtcGetProgramLogSize");
    find(library, nvrtcGetProgramLog, "nvrtcGetProgramLog");
    find(library, nvrtcGetCUBINSize, "nvrtcGetCUBINSize");
    find(library, nvrtcGetCUBIN, "nvrtcGetCUBIN");
    find(library, nvrtcGetLoweredName, "nvrtcGetLoweredName");
    find(library, nvrtcGetErrorString, "nvrtcGetErrorString");
  }

  void must(Status status, const char *what) const
  {
    if (status != 0) throw CudaError(std::string(what) + ": " + nvrtcGetErrorString(status));
  }
};

struct Compiled {
  std::string code, name;    // the kernel's, as the code has it
};

// Unmarked functions count as functions of the card; a sum of a product keeps its two roundings.
std::vector<std::string> options_for(const std::string &architecture, const std::vector<std::string> &folders)
{
  std::vector<std::string> options = {"--std=c++17",
                                      "--device-as-default-execution-space",
                                      "--fmad=false",
                                      "--gpu-architecture=" + architecture,
                                      "-DGRANULAR_PLUS_CLONE=device",
                                      "-DGRANULAR_PLUS_LANES=1"};
  for (const std::string &folder : folders) options.push_back("-I" + folder);
  return options;
}

Compiled compile(const Compiler &compiler, const CudaSources &sources, const std::string &architecture,
                 const std::string &kernel)
{
  std::string text;
  for (const std::string &header : sources.headers) text += "#include \"" + header + "\"\n";
  text += "template <class Kernel> __global__ void run(int n, const __grid_constant__ Kernel kernel)\n"
          "{\n"
          "  const int index = blockIdx.x * blockDim.x + threadIdx.x;\n"
          "  if (index < n) kernel(index);\n"
          "}\n";
  Handle program;
  compiler.must(compiler.nvrtcCreateProgram(&program, text.c_str(), "kernels.cu", 0, nullptr, nullptr), "NVRTC");
  struct Destroy {
    const Compiler &compiler;
    Handle &program;
    ~Destroy() { compiler.nvrtcDestroyProgram(&program); }
  } destroy{compiler, program};
  const std::string name = "run<" + kernel + ">";
  compiler.must(compiler.nvrtcAddNameExpression(program, name.c_str()), "NVRTC");
  const auto options = options_for(architecture, sources.folders);
  std::vector<const char *> arguments;
  for (const std::string &option : options) arguments.push_back(option.c_str());
  const Status status = compiler.nvrtcCompileProgram(program, static_cast<int>(arguments.size()), arguments.data());
  std::size_t size = 0;
  if (status != 0) {
    compiler.must(compiler.nvrtcGetProgramLogSize(program, &size), "NVRTC");
    std::string log(size, '\0');
    compiler.must(compiler.nvrtcGetProgramLog(program, log.data()), "NVRTC");
    throw CudaError("kernel " + kernel + " does not compile for " + architecture + ":\n" + log.c_str());
  }
  Compiled compiled;
  compiler.must(compiler.nvrtcGetCUBINSize(program, &size), "NVRTC");
  compiled.code.resize(size);
  compiler.must(compiler.nvrtcGetCUBIN(program, compiled.code.data()), "NVRTC");
  const char *lowered;
  compiler.must(compiler.nvrtcGetLoweredName(program, name.c_str(), &lowered), "NVRTC");
  compiled.name = lowered;
  return compiled;
}

}    // namespace

// without the inline namespace of laws, which is another one on the card

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

// ------------------------------------------------------------------------------------------------------ the card

struct CudaExecutor::Card {
  explicit Card(CudaSources given) : compiler(given.compiler), sources(std::move(given))
  {
    constexpr int CAPABILITY_MAJOR = 75, CAPABILITY_MINOR = 76;    // of CUdevice_attribute
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
  ~Card()
  {
    for (const auto &[name, kernel] : kernels) driver.cuModuleUnload(kernel.module);
    driver.cuDevicePrimaryCtxRelease(device);
  }

  Handle function_of(const std::string &kernel)
  {
    const auto known = kernels.find(kernel);
    if (known != kernels.end()) return known->second.function;
    const Compiled compiled = compile(compiler, sources, architecture, kernel);
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
  Compiler compiler;
  CudaSources sources;
  std::string name, architecture;
  int device = 0;
  std::unordered_map<std::string, Kernel> kernels;
};

CudaExecutor::CudaExecutor(CudaSources sources) : on(std::make_unique<Card>(std::move(sources))) {}

CudaExecutor::~CudaExecutor() = default;

void CudaExecutor::launch(const std::string &kernel, int n, const void *values)
{
  constexpr unsigned THREADS = 128;
  if (n == 0) return;
  void *arguments[] = {&n, const_cast<void *>(values)};
  on->driver.must(on->driver.cuLaunchKernel(on->function_of(kernel), (n + THREADS - 1) / THREADS, 1, 1, THREADS, 1, 1,
                                            0, nullptr, arguments, nullptr),
                  "a kernel does not run");
}

void *CudaExecutor::take(std::size_t bytes)
{
  Address memory = 0;
  on->driver.must(on->driver.cuMemAlloc(&memory, bytes), "memory of the GPU");
  return reinterpret_cast<void *>(memory);
}

void CudaExecutor::give_back(void *memory) { on->driver.cuMemFree(reinterpret_cast<Address>(memory)); }

void CudaExecutor::copy_in(void *there, const void *here, std::size_t bytes)
{
  if (bytes == 0) return;
  on->driver.must(on->driver.cuMemcpyHtoD(reinterpret_cast<Address>(there), here, bytes), "copy to the GPU");
}

void CudaExecutor::copy_out(void *here, const void *there, std::size_t bytes)
{
  if (bytes == 0) return;
  on->driver.must(on->driver.cuMemcpyDtoH(here, reinterpret_cast<Address>(there), bytes), "copy from the GPU");
}

void CudaExecutor::wait() { on->driver.must(on->driver.cuCtxSynchronize(), "a kernel failed"); }

const std::string &CudaExecutor::card() const { return on->name; }

const std::string &CudaExecutor::architecture() const { return on->architecture; }

}    // namespace granular_plus
