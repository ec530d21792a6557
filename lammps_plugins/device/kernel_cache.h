// Compiled kernels, kept in files from run to run.

#ifndef GRANULAR_PLUS_KERNEL_CACHE_H
#define GRANULAR_PLUS_KERNEL_CACHE_H

#include <optional>
#include <string>
#include <vector>

namespace granular_plus {

struct CompiledKernel {
  std::string code, name;    // the name that the kernel has in the code
};

// Each kernel has a file of its own. Whoever compiles decides what belongs into a key: all that the code depends on.
class KernelCache {
 public:
  explicit KernelCache(std::string folder) : folder(std::move(folder)) {}    // empty: nothing is kept

  // What is kept for a key; nothing where there is no file, or one that is damaged or somebody else's.
  std::optional<CompiledKernel> find(const std::string &key) const;
  // Other processes see the file whole or not at all. Where it cannot be written, nothing is kept.
  void keep(const std::string &key, const CompiledKernel &kernel) const;

  std::string file_of(const std::string &key) const;

 private:
  std::string folder;
};

// The folder, from what the environment says; null or empty is what it does not say. Given: that folder, "no" for none. Else
// below the user's cache: cache_home (an absolute path), or .cache in home. Empty for none.
std::string folder_of_kept_kernels(const char *given, const char *cache_home, const char *home);

// A number of 128 bits, in hexadecimal digits, that changes with the text.
std::string digest_of(const std::string &text);

// Of the text of a program and of all headers that it includes, directly or not, as far as they are found: beside the one that
// includes them, or in these folders. It depends on what is written there, not on where it lies.
std::string digest_of_program(const std::string &text, const std::vector<std::string> &folders);

}    // namespace granular_plus

#endif
