#include "near_pairs.h"

#include <algorithm>
#include <cmath>

namespace granular_plus {

void NearPairs::update(const Kernels &kernels, const Particles &particles, int particle_count,
                       const std::vector<Segment> &segments, const std::vector<int> &first_long,
                       const std::vector<int> &i_long, const std::vector<int> &j_long, const History &history,
                       int alive, double skin)
{
  ++age;
  if (valid && !selective) return;
  if (valid) {
    const double moved = std::sqrt(kernels.largest_move(particles.position, position_then.data(), particle_count));
    if (2.0 * moved < margin) return;    // false for NaN too
  }

  // Has the list that ends now been worth its price? In units of looking at one pair: looking at one particle's move
  // costs about 1, listing about 4 per pair of the long list.
  if (selective) {
    const double saved = static_cast<double>(age) * (static_cast<double>(pairs_then) - static_cast<double>(contact.size()));
    const double spent = static_cast<double>(age) * particle_count + 4.0 * static_cast<double>(pairs_then);
    if (saved < spent) renewals_to_wait = 20;
  }

  // a wide margin makes a long list, a narrow one is soon outgrown
  if (margin <= 0.0) margin = 0.2 * skin;
  if (valid && age < 4) margin = std::min(2.0 * margin, skin);
  if (valid && age > 12) margin = std::max(0.7 * margin, 0.05 * skin);
  age = 0;
  valid = true;
  position_then.assign(particles.position, particles.position + 3 * static_cast<std::size_t>(particle_count));

  // where particles have few neighbours, looking at their pairs is cheaper than at their moves
  selective = renewals_to_wait == 0 && i_long.size() > 2 * static_cast<std::size_t>(particle_count);
  if (renewals_to_wait > 0) --renewals_to_wait;
  pairs_then = i_long.size();

  const std::size_t groups = first_long.size() - 1;
  first.assign(groups + 1, 0);
  for (auto *list : {&slot, &contact}) list->resize(i_long.size() + 1);    // one beyond what can be found is written
  for (auto *list : {&row_i, &row_j}) list->resize(i_long.size() + 1);
  reach_squared.resize(i_long.size() + 1);
  for (const auto &segment : segments)
    if (segment.reach) {
      touch_squared.resize(i_long.size() + 1);
      joined.resize(i_long.size() + 1);
    }
  int count = 0;
  for (std::size_t group = 0; group < groups; ++group) {
    const Segment &segment = segments[group];
    for (int p = first_long[group]; p < first_long[group + 1]; ++p) {
      const int a = i_long[p], b = j_long[p];
      const double *xa = particles.position + 3 * static_cast<std::size_t>(a);
      const double *xb = particles.position + 3 * static_cast<std::size_t>(b);
      const double dx = xa[0] - xb[0], dy = xa[1] - xb[1], dz = xa[2] - xb[2];
      const double radius_a = particles.radius(a), radius_b = particles.radius(b);
      double reach = radius_a + radius_b,
             matters = reach;    // matters: who is further apart has to come to touch first
      if (segment.reach) {
        touch_squared[count] = reach * reach;
        reach += segment.reach(segment.constants, radius_a, radius_b);
        const bool lives = history.slot[p] >= 0 && history.row(history.slot[p])[history.size] == alive;
        if (lives) matters = reach;
        joined[count] = lives;
      }
      row_i[count] = Pairs::ROW_BYTES * static_cast<unsigned>(a);
      row_j[count] = Pairs::ROW_BYTES * static_cast<unsigned>(b);
      slot[count] = history.slot[p];
      contact[count] = p;
      reach_squared[count] = reach * reach;
      count += !selective || dx * dx + dy * dy + dz * dz < (matters + margin) * (matters + margin);
    }
    first[group + 1] = count;
  }
  for (auto *list : {&slot, &contact}) list->resize(count);
  for (const auto &segment : segments)
    if (segment.apart_stage_count > 0) apart.resize(count + Pairs::LIST_AHEAD);
}

void NearPairs::fill(Pairs &pairs)
{
  pairs.row_i = row_i.data();
  pairs.row_j = row_j.data();
  pairs.slot = slot.data();
  pairs.contact = contact.data();
  pairs.reach_squared = reach_squared.data();
  pairs.touch_squared = touch_squared.data();
  pairs.joined = joined.data();
  pairs.apart = apart.data();
}

double NearPairs::memory_usage() const
{
  return static_cast<double>(sizeof(int)) * (4.0 * contact.capacity() + apart.capacity()) + joined.capacity() +
      static_cast<double>(sizeof(double)) *
      (position_then.capacity() + reach_squared.capacity() + touch_squared.capacity());
}

}    // namespace granular_plus
