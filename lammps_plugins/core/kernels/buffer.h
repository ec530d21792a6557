// An array of uninitialised elements, aligned to cache lines. A large array has its own pages: elements that are never
// written take up address space only, and freed memory returns to the system immediately.

#ifndef GRANULAR_PLUS_BUFFER_H
#define GRANULAR_PLUS_BUFFER_H

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

#if defined(__unix__) || defined(__APPLE__)
#include <sys/mman.h>
#define GRANULAR_PLUS_HAS_PAGES
#endif

namespace granular_plus {

template <class T> class Buffer {
 public:
  // The contents are lost when the array grows.
  void provide(std::size_t elements)
  {
    if (elements * sizeof(T) <= (memory ? memory.get_deleter().bytes : 0)) return;
    release();
    const std::size_t wanted = (elements + elements / 8) * sizeof(T);
    memory = {static_cast<T *>(take(wanted)), GiveBack{wanted}};
  }
  void release() { memory.reset(); }
  T *data() const { return memory.get(); }
  T &operator[](std::size_t k) const { return memory[k]; }

 private:
  static constexpr std::size_t CACHE_LINE = 64;
#ifdef GRANULAR_PLUS_HAS_PAGES
  static constexpr std::size_t LARGE = 65536;    // bytes
  static void *take(std::size_t bytes)
  {
    void *taken = nullptr;
    if (bytes >= LARGE) {
      taken = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
      if (taken == MAP_FAILED) throw std::bad_alloc();
    } else if (posix_memalign(&taken, CACHE_LINE, bytes) != 0) {
      throw std::bad_alloc();
    }
    return taken;
  }
  static void give_back(void *taken, std::size_t bytes)
  {
    if (bytes >= LARGE)
      munmap(taken, bytes);
    else
      std::free(taken);
  }
#else
  static constexpr std::align_val_t ALIGNMENT{CACHE_LINE};
  static void *take(std::size_t bytes) { return operator new[](bytes, ALIGNMENT); }
  static void give_back(void *taken, std::size_t) { operator delete[](taken, ALIGNMENT); }
#endif
  struct GiveBack {
    std::size_t bytes;
    void operator()(T *taken) const { give_back(taken, bytes); }
  };
  std::unique_ptr<T[], GiveBack> memory;
};

}    // namespace granular_plus

#endif
