// Functions of a shared library that is loaded at run time.

#ifndef GRANULAR_PLUS_SHARED_LIBRARY_H
#define GRANULAR_PLUS_SHARED_LIBRARY_H

#include <dlfcn.h>

#include <stdexcept>
#include <string>

namespace granular_plus {

// Thrown if there is no GPU, driver or compiler, or if one of them reports an error.
struct CudaError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class SharedLibrary {
 public:
  // The library stays loaded until the program ends. Throws CudaError; `what` describes the library.
  SharedLibrary(const std::string &file, const std::string &what) : library(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL))
  {
    if (!library) throw CudaError("no " + what + ": " + dlerror());
  }

  template <class Function> void find(Function *&function, const char *name) const
  {
    function = reinterpret_cast<Function *>(dlsym(library, name));
    if (!function) throw CudaError(std::string(name) + " is missing in the library of CUDA's driver or compiler");
  }

 private:
  void *library;
};

}    // namespace granular_plus

#endif
