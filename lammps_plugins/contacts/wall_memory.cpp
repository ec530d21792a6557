#include "wall_memory.h"

#include <algorithm>

namespace granular_plus {

void WallMemory::resize_rows(int new_values, int staying, bool normals)
{
  const int before = stride();
  const Contacts old = kept;
  values = new_values;
  with_normals = normals;
  kept.normals.resize(with_normals ? NORMAL_SIZE * kept.surface.size() : 0, 0.0);
  if (stride() == before) return;
  kept.values.clear();
  make_room(kept);
  for (int k = 0; k < size_of(kept); ++k) {
    std::copy_n(old.values.begin() + at(k, before), staying, kept.values.begin() + at(k, stride()));
    kept.values[at(k, stride()) + values] = ALIVE;
  }
}

void WallMemory::grow(int particles)
{
  first.resize(particles, 0);
  count.resize(particles, 0);
}

void WallMemory::copy(int from, int to)
{
  first[to] = first[from];
  count[to] = count[from];
}

void WallMemory::begin_evaluation()
{
  next.surface.clear();
  next.normals.clear();
}

bool WallMemory::goes_on(int particle, int surface) const
{
  return std::find(next.surface.begin() + first[particle], next.surface.end(), surface) != next.surface.end();
}

void WallMemory::end_evaluation()
{
  std::swap(kept, next);
  contacts_then = static_cast<int>(kept.surface.size());
}

int WallMemory::pack(int particle, double *buffer) const
{
  const Range range = contacts_of(particle);
  int m = 0;
  buffer[m++] = range.end - range.begin;
  for (int k = range.begin; k < range.end; ++k) {
    buffer[m++] = surface(k);
    std::copy_n(row(k), values, buffer + m);
    m += values;
    if (!with_normals) continue;
    std::copy_n(normal(k), NORMAL_SIZE, buffer + m);
    m += NORMAL_SIZE;
  }
  return m;
}

int WallMemory::unpack(int particle, const double *buffer, int row_size, int taken, bool normals)
{
  first[particle] = static_cast<int>(kept.surface.size());
  int m = 0;
  count[particle] = static_cast<int>(buffer[m++]);
  for (int k = 0; k < count[particle]; ++k) {
    kept.surface.push_back(static_cast<int>(buffer[m++]));
    make_room(kept);
    double *values_now = kept.values.data() + at(size_of(kept) - 1, stride());
    std::fill_n(std::copy_n(buffer + m, taken, values_now), values - taken, 0.0);
    values_now[values] = ALIVE;
    m += row_size;
    for (int d = 0; with_normals && d < NORMAL_SIZE; ++d) kept.normals.push_back(normals ? buffer[m + d] : 0.0);
    m += normals ? NORMAL_SIZE : 0;
  }
  return m;
}

double WallMemory::memory_usage() const
{
  double bytes = static_cast<double>(sizeof(int)) * (first.capacity() + count.capacity());
  for (const Contacts *contacts : {&kept, &next})
    bytes += static_cast<double>(sizeof(int)) * contacts->surface.capacity() +
        static_cast<double>(sizeof(double)) * (contacts->values.capacity() + contacts->normals.capacity());
  return bytes;
}

}    // namespace granular_plus
