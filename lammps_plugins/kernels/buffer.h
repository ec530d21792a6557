// An array in pages of its own, whose elements have no value until they get one. Those that are never written take up address
// space only, and the system gets all of them back at once, while malloc may keep what it is given back.

#ifndef GRANULAR_PLUS_BUFFER_H
#define GRANULAR_PLUS_BUFFER_H

#include <cstddef>
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
#ifdef GRANULAR_PLUS_HAS_PAGES
    void *pages = mmap(nullptr, wanted * sizeof(T), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
    if (pages == MAP_FAILED) throw std::bad_alloc();
    memory = static_cast<T *>(pages);
#else
    memory = new (ALIGNMENT) T[wanted];
#endif
    room = wanted;
  }
  void release()
  {
    if (!memory) return;
#ifdef GRANULAR_PLUS_HAS_PAGES
    munmap(memory, room * sizeof(T));
#else
    operator delete[](memory, ALIGNMENT);
#endif
    memory = nullptr;
    room = 0;
  }
  T *data() const { return memory; }
  T &operator[](std::size_t k) const { return memory[k]; }

 private:
#ifndef GRANULAR_PLUS_HAS_PAGES
  static constexpr std::align_val_t ALIGNMENT{64};
#endif
  T *memory = nullptr;
  std::size_t room = 0;
};

}    // namespace granular_plus

#endif
