#include "kernel_compiler.h"

#include <dlfcn.h>

#include <filesystem>
#include <utility>

namespace granular_plus {

namespace {

using Status = int;    // 0 means success
using Handle = void *;

}    // namespace

struct KernelCompiler::Nvrtc {
  Status (*nvrtcVersion)(int *, int *);
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

  explicit Nvrtc(const std::string &file)
  {
    const SharedLibrary library(file, "compiler NVRTC");
    library.find(nvrtcVersion, "nvrtcVersion");
    library.find(nvrtcCreateProgram, "nvrtcCreateProgram");
    library.find(nvrtcDestroyProgram, "nvrtcDestroyProgram");
    library.find(nvrtcAddNameExpression, "nvrtcAddNameExpression");
    library.find(nvrtcCompileProgram, "nvrtcCompileProgram");
    library.find(nvrtcGetProgramLogSize, "nvrtcGetProgramLogSize");
    library.find(nvrtcGetProgramLog, "nvrtcGetProgramLog");
    library.find(nvrtcGetCUBINSize, "nvrtcGetCUBINSize");
    library.find(nvrtcGetCUBIN, "nvrtcGetCUBIN");
    library.find(nvrtcGetLoweredName, "nvrtcGetLoweredName");
    library.find(nvrtcGetErrorString, "nvrtcGetErrorString");
  }

  void must(Status status) const
  {
    if (status != 0) throw CudaError(std::string("NVRTC: ") + nvrtcGetErrorString(status));
  }

  // NVRTC reports only a major and a minor version. The size of the library is appended to distinguish releases of the
  // same version.
  std::string version() const
  {
    int major, minor;
    must(nvrtcVersion(&major, &minor));
    Dl_info here{};
    dladdr(reinterpret_cast<void *>(nvrtcVersion), &here);
    std::error_code unknown;
    const auto bytes = std::filesystem::file_size(here.dli_fname ? here.dli_fname : "", unknown);
    return std::to_string(major) + "." + std::to_string(minor) + ", " + std::to_string(bytes) + " bytes";
  }
};

namespace {

// Functions are compiled for the GPU unless they are marked otherwise. A multiplication and an addition are rounded
// separately.
std::vector<std::string> options_for(const std::string &architecture)
{
  return {"--std=c++17",
          "--device-as-default-execution-space",
          "--fmad=false",
          "--gpu-architecture=" + architecture,
          "-DGRANULAR_PLUS_CLONE=device",
          "-DGRANULAR_PLUS_LANES=1"};
}

}    // namespace

KernelCompiler::KernelCompiler(CudaSources given)
    : nvrtc(std::make_unique<Nvrtc>(given.compiler)), sources(std::move(given)), kept(sources.kept_in)
{
  for (const std::string &header : sources.headers) program += "#include \"" + header + "\"\n";
  program += "#include \"device/run_kernel.h\"\n";
  made_of = "NVRTC " + nvrtc->version() + "\nsources " + digest_of_program(program, sources.folders) + "\n";
}

KernelCompiler::~KernelCompiler() = default;

CompiledKernel KernelCompiler::kernel(const std::string &type, const std::string &architecture) const
{
  std::string key = made_of;
  for (const std::string &option : options_for(architecture)) key += option + "\n";
  key += type;
  if (auto known = kept.find(key)) return *std::move(known);
  CompiledKernel compiled = compile(type, architecture);
  kept.keep(key, compiled);
  return compiled;
}

CompiledKernel KernelCompiler::compile(const std::string &type, const std::string &architecture) const
{
  Handle job;
  nvrtc->must(nvrtc->nvrtcCreateProgram(&job, program.c_str(), "kernels.cu", 0, nullptr, nullptr));
  struct Destroy {
    const Nvrtc &nvrtc;
    Handle &job;
    ~Destroy() { nvrtc.nvrtcDestroyProgram(&job); }
  } destroy{*nvrtc, job};
  const std::string name = "run<" + type + ">";
  nvrtc->must(nvrtc->nvrtcAddNameExpression(job, name.c_str()));
  auto options = options_for(architecture);
  for (const std::string &folder : sources.folders) options.push_back("-I" + folder);
  std::vector<const char *> arguments;
  for (const std::string &option : options) arguments.push_back(option.c_str());
  const Status status = nvrtc->nvrtcCompileProgram(job, static_cast<int>(arguments.size()), arguments.data());
  std::size_t size = 0;
  if (status != 0) {
    nvrtc->must(nvrtc->nvrtcGetProgramLogSize(job, &size));
    std::string log(size, '\0');
    nvrtc->must(nvrtc->nvrtcGetProgramLog(job, log.data()));
    throw CudaError("kernel " + type + " does not compile for " + architecture + ":\n" + log.c_str());
  }
  CompiledKernel compiled;
  nvrtc->must(nvrtc->nvrtcGetCUBINSize(job, &size));
  compiled.code.resize(size);
  nvrtc->must(nvrtc->nvrtcGetCUBIN(job, compiled.code.data()));
  const char *lowered;
  nvrtc->must(nvrtc->nvrtcGetLoweredName(job, name.c_str(), &lowered));
  compiled.name = lowered;
  return compiled;
}

}    // namespace granular_plus
