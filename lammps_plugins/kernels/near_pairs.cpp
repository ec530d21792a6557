#include "near_pairs.h"

#include <algorithm>
#include <cmath>

namespace granular_plus {

void NearPairs::update(const Kernels &kernels, const Particles &particles, int particle_count,
                       const std::vector<int> &first_long, const std::vector<int> &i_long,
                       const std::vector<int> &j_long, double skin)
{
  ++age;
  if (valid) {
    const double moved = std::sqrt(kernels.largest_move(particles.position, position_then.data(), particle_count));
    if (2.0 * moved < margin) return;    // false for NaN too
  }

  // a wide margin makes a long list, a narrow one is soon outgrown
  if (margin <= 0.0) margin = 0.2 * skin;
  if (valid && age < 4) margin = std::min(2.0 * margin, skin);
  if (valid && age > 12) margin = std::max(0.7 * margin, 0.05 * skin);
  age = 0;
  valid = true;
  position_then.assign(particles.position, particles.position + 3 * static_cast<std::size_t>(particle_count));

  const std::size_t groups = first_long.size() - 1;
  first.assign(groups + 1, 0);
  found.resize(i_long.size() + 1);    // search writes one beyond what it finds
  int count = 0;
  for (std::size_t group = 0; group < groups; ++group) {
    count += kernels.search(particles, i_long.data(), j_long.data(), first_long[group], first_long[group + 1], margin,
                            found.data() + count);
    first[group + 1] = count;
  }
  i.resize(count);
  j.resize(count);
  contact.assign(found.begin(), found.begin() + count);
  for (int k = 0; k < count; ++k) {
    i[k] = i_long[found[k]];
    j[k] = j_long[found[k]];
  }
}

double NearPairs::memory_usage() const
{
  return static_cast<double>(sizeof(int)) * (i.capacity() + j.capacity() + contact.capacity() + found.capacity()) +
      static_cast<double>(sizeof(double)) * position_then.capacity();
}

}    // namespace granular_plus
