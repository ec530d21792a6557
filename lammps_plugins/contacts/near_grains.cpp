#include "near_grains.h"

namespace granular_plus {

void NearGrains::grow(int grains) { measured.resize(grains, {{0.0, 0.0, 0.0}, -INFINITY}); }

void NearGrains::forget_all()
{
  for (Measured &grain : measured) grain.until = -INFINITY;
  list.clear();
  epoch = -1;
  way = way_then = room = 0.0;
}

double NearGrains::memory_usage() const
{
  return static_cast<double>(sizeof(Measured)) * measured.capacity() +
      static_cast<double>(sizeof(Near)) * list.capacity();
}

}    // namespace granular_plus
