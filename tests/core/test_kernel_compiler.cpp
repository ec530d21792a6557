// A kernel is compiled only once unless sources, compiler, options or GPU change. A mock replaces NVRTC.

#include "device/kernel_compiler.h"

#include "own_folder.h"

#include <doctest/doctest.h>

using namespace granular_plus;

namespace {

int compiled_so_far()
{
  int (*count)();
  SharedLibrary(IMITATED_NVRTC, "imitation").find(count, "programs_compiled");
  return count();
}

struct Place {
  OwnFolder folder;
  std::string headers = folder / "headers";
  std::string kept_in = folder / "kept";

  Place() { folder.write("headers/kernel.h", "struct Kernel;\n"); }

  CompiledKernel kernel(const std::string &type = "Kernel", const std::string &architecture = "sm_90") const
  {
    return KernelCompiler({IMITATED_NVRTC, {headers}, {"kernel.h"}, kept_in}).kernel(type, architecture);
  }
  template <class... Words> int times_compiled(Words... words) const
  {
    const int before = compiled_so_far();
    kernel(words...);
    return compiled_so_far() - before;
  }
};

}    // namespace

TEST_CASE("a kernel is compiled once, and all compiler objects return the same code")
{
  const Place place;
  const CompiledKernel first = place.kernel();
  const int before = compiled_so_far();
  const CompiledKernel second = place.kernel();
  CHECK(compiled_so_far() == before);
  CHECK(second.code == first.code);
  CHECK(second.name == first.name);
  CHECK(first.name == "run<Kernel>");
  CHECK(first.code.find("#include \"kernel.h\"\n#include \"device/run_kernel.h\"\n") != std::string::npos);
  CHECK(first.code.find("-I" + place.headers) != std::string::npos);
  for (const char *option : {"--gpu-architecture=sm_90\n", "--fmad=false\n", "--device-as-default-execution-space\n"})
    CHECK(first.code.find(option) != std::string::npos);
}

TEST_CASE("a kernel is compiled again if anything changes its code")
{
  const Place place;
  CHECK(place.times_compiled() == 1);
  CHECK(place.times_compiled("Kernel", "sm_80") == 1);
  CHECK(place.times_compiled("Other") == 1);
  place.folder.write("headers/kernel.h", "struct Kernel; // changed\n");
  CHECK(place.times_compiled() == 1);
  CHECK(place.times_compiled() == 0);
  place.folder.write("headers/kernel.h", "struct Kernel;\n");
  CHECK(place.times_compiled() == 0);
  CHECK(place.times_compiled("Kernel", "sm_80") == 0);
}

TEST_CASE("a kernel is compiled again if the compiler has changed")
{
  const Place place;
  place.kernel();
  // the same library with one more byte
  const std::string other = place.folder / "other_nvrtc.so";
  place.folder.write("other_nvrtc.so", text_of(IMITATED_NVRTC) + " ");
  const CompiledKernel again =
      KernelCompiler({other, {place.headers}, {"kernel.h"}, place.kept_in}).kernel("Kernel", "sm_90");
  int (*count)();
  SharedLibrary(other, "imitation").find(count, "programs_compiled");
  CHECK(count() == 1);
  CHECK(again.name == "run<Kernel>");
}

TEST_CASE("if the file of a kernel is damaged, the kernel is compiled again and the file is replaced")
{
  const Place place;
  const CompiledKernel first = place.kernel();
  std::string file;
  for (const auto &entry : std::filesystem::directory_iterator(place.kept_in)) file = entry.path();
  for (const std::string &content : {std::string(), std::string("somebody else's"), text_of(file).substr(0, 60)}) {
    std::ofstream(file, std::ios::binary) << content;
    CHECK(place.times_compiled() == 1);
    CHECK(place.times_compiled() == 0);
    CHECK(place.kernel().code == first.code);
  }
}

TEST_CASE("without a folder, or if the folder is a file, kernels are compiled each time")
{
  Place place;
  place.kept_in = "";
  CHECK(place.times_compiled() == 1);
  CHECK(place.times_compiled() == 1);
  place.kept_in = place.headers + "/kernel.h";
  CHECK(place.times_compiled() == 1);
  CHECK(place.times_compiled() == 1);
}

TEST_CASE("a compilation error is reported, and nothing is stored")
{
  const Place place;
  for (int k = 0; k < 2; ++k)
    CHECK_THROWS_WITH_AS(place.kernel(""), "kernel  does not compile for sm_90:\nerror: no type in run<>", CudaError);
  CHECK_THROWS_WITH_AS(KernelCompiler({"/nowhere/libnvrtc.so", {}, {}}),
                       doctest::Contains("no compiler NVRTC: /nowhere"), CudaError);
}
