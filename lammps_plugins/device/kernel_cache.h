// Compiled kernels, stored in files from run to run.

#ifndef GRANULAR_PLUS_KERNEL_CACHE_H
#define GRANULAR_PLUS_KERNEL_CACHE_H

#include <optional>
#include <string>
#include <vector>

namespace granular_plus {

struct CompiledKernel {
  std::string code, name;    // name: of the kernel within the code
};

// Each kernel has its own file. The caller decides what belongs to a key: everything on which the code depends.
class KernelCache {
 public:
  explicit KernelCache(std::string folder) : folder(std::move(folder)) {}    // empty: nothing is stored

  // The kernel stored for a key; nothing if there is no file, or if it is damaged or belongs to someone else.
  std::optional<CompiledKernel> find(const std::string &key) const;
  // Other processes see the file complete or not at all. If it cannot be written, nothing is stored.
  void keep(const std::string &key, const CompiledKernel &kernel) const;

  std::string file_of(const std::string &key) const;

 private:
  std::string folder;
};

// The folder, from environment variables; null or empty if they are not set. Given: that folder, or "no" for none. Else
// below the user's cache: cache_home (an absolute path), or .cache in home. Empty for none.
std::string folder_of_kept_kernels(const char *given, const char *cache_home, const char *home);

// A 128-bit hash of the text, in hexadecimal digits.
std::string digest_of(const std::string &text);

// For the text of a program and all headers that it includes, directly or not, if they are found: next to the including
// file, or in these folders. It depends on their contents, not on their location.
std::string digest_of_program(const std::string &text, const std::vector<std::string> &folders);

}    // namespace granular_plus

#endif
