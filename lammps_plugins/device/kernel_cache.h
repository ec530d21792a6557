// Compiled kernels, stored in files for later runs.

#ifndef GRANULAR_PLUS_KERNEL_CACHE_H
#define GRANULAR_PLUS_KERNEL_CACHE_H

#include <optional>
#include <string>
#include <vector>

namespace granular_plus {

struct CompiledKernel {
  std::string code, name;
};

// Each kernel has its own file. The key must contain everything on which the code depends.
class KernelCache {
 public:
  explicit KernelCache(std::string folder) : folder(std::move(folder)) {}

  // Returns an empty result if the file is missing, damaged or unreadable, or if it has another key.
  std::optional<CompiledKernel> find(const std::string &key) const;
  // Other processes find either the complete file or no file. If the file cannot be written, nothing is stored.
  void keep(const std::string &key, const CompiledKernel &kernel) const;

  std::string file_of(const std::string &key) const;

 private:
  std::string folder;
};

// Returns the folder of the files, or an empty string if kernels must not be stored. The arguments are the values of
// environment variables. An argument is null or empty if the variable is not set. `given` is the folder, or "no" if
// kernels must not be stored. If `given` is null or empty, the folder is in cache_home if cache_home is an absolute
// path, otherwise in home/.cache.
std::string folder_of_kept_kernels(const char *given, const char *cache_home, const char *home);

// 128-bit hash of the text, as hexadecimal digits
std::string digest_of(const std::string &text);

// Returns the digest of a program and of the headers that it includes directly or indirectly. Only headers next to the
// including file or in `folders` are read.
std::string digest_of_program(const std::string &text, const std::vector<std::string> &folders);

}    // namespace granular_plus

#endif
