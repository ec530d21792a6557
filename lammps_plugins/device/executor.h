// Executors of kernels. A kernel is a struct of numbers and pointers with `void operator()(int index) const`. Kernels
// use neither CUDA nor the executor, so they also run on the CPU.
//
// An executor provides
//   for_each(n, kernel)                runs the kernel for each index from 0 to n - 1, in any order or concurrently
//   take(bytes), give_back(memory)     allocate and free memory that kernels can access
//   copy_in(there, here, bytes)        copies from memory of the CPU to memory of the kernels
//   copy_out(here, there, bytes)       copies from memory of the kernels to memory of the CPU
// Calls are executed one after the other.

#ifndef GRANULAR_PLUS_EXECUTOR_H
#define GRANULAR_PLUS_EXECUTOR_H

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <vector>

namespace granular_plus {

class HostExecutor {
 public:
  template <class Kernel> void for_each(int n, const Kernel &kernel)
  {
    for (int index = 0; index < n; ++index) kernel(index);
  }
  void *take(std::size_t bytes) { return operator new(bytes); }
  void give_back(void *memory) { operator delete(memory); }
  void copy_in(void *there, const void *here, std::size_t bytes) { copy(there, here, bytes); }
  void copy_out(void *here, const void *there, std::size_t bytes) { copy(here, there, bytes); }

 private:
  static void copy(void *to, const void *from, std::size_t bytes)
  {
    std::copy_n(static_cast<const char *>(from), bytes, static_cast<char *>(to));
  }
};

// An array in the memory of an executor. The executor must outlive the array. Elements are not initialised.
template <class T, class Executor> class DeviceArray {
 public:
  DeviceArray(Executor &executor, std::size_t elements)
      : executor(executor), elements(elements),
        memory(elements > 0 ? static_cast<T *>(executor.take(elements * sizeof(T))) : nullptr, GiveBack{&executor})
  {
  }
  DeviceArray(Executor &executor, const std::vector<T> &values) : DeviceArray(executor, values.size())
  {
    executor.copy_in(memory.get(), values.data(), elements * sizeof(T));
  }

  T *data() const { return memory.get(); }
  std::size_t size() const { return elements; }
  std::vector<T> copy() const
  {
    std::vector<T> values(elements);
    executor.copy_out(values.data(), memory.get(), elements * sizeof(T));
    return values;
  }

 private:
  struct GiveBack {
    Executor *executor;
    void operator()(T *taken) const { executor->give_back(taken); }
  };
  Executor &executor;
  std::size_t elements;
  std::unique_ptr<T[], GiveBack> memory;
};

}    // namespace granular_plus

#endif
