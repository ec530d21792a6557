// An array whose elements have no value until they get one. A large one has pages of its own: elements that are never written
// take up address space only, and the system gets all of them back at once, while malloc may keep what it is given back.
// Small ones, which come and go with each neighbour list, are left to malloc: pages cost more than what they hold.

#ifndef GRANULAR_PLUS_BUFFER_H
#define GRANULAR_PLUS_BUFFER_H

#include <cstddef>
#include <cstdlib>
#include <new>
#include <utility>

#if defined(__unix__) || defined(__APPLE__)
#include <sys/mman.h>
#define GRANULAR_PLUS_HAS_PAGES
#endif

namespace granular_plus {

// of plain numbers; begins with a cache line
template <class T> class Buffer {
 public:
  Buffer() = default;
  Buffer(Buffer &&other) noexcept : memory(std::exchange(other.memory, nullptr)), room(std::exchange(other.room, 0)) {}
  Buffer &operator=(Buffer &&other) noexcept
  {
    release();
    memory = std::exchange(other.memory, nullptr);
    room = std::exchange(other.room, 0);
    return *this;
  }
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;
  ~Buffer() { release(); }

  // room for so many; what was there is lost when it grows
  void provide(std::size_t elements)
  {
    if (elements <= room) return;
    release();
    const std::size_t wanted = elements + elements / 8;
    memory = static_cast<T *>(take(wanted * sizeof(T)));
    room = wanted;
  }
  void release()
  {
    if (memory) give_back(memory, room * sizeof(T));
    memory = nullptr;
    room = 0;
  }
  T *data() const { return memory; }
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
  T *memory = nullptr;
  std::size_t room = 0;
};

}    // namespace granular_plus

#endif
