#include "near_pairs.h"

#include "../laws/capillary/film.h"
#include "../laws/heat/gap.h"

#include <algorithm>
#include <cmath>

namespace granular_plus {

bool NearPairs::update(const Kernels &kernels, const Particles &particles, int particle_count,
                       const std::vector<PairGroup> &pair_groups, const std::vector<int> &first_long, const Pairs &all,
                       const History &history, int stamp, double skin, bool lists_ended, LoopWork &work)
{
  ++age;
  if (valid && !selective) return false;
  // The list is also rebuilt if a position is NaN.
  if (valid && moves.largest_approach(kernels, particles.position) < margin) return false;

  choose_margin(particle_count, first_long.back(), skin);
  if (selective) moves.store_positions(particles.position, particle_count);
  lists_ends = lists_ended;
  allocate_arrays(pair_groups);
  build(kernels, particles, pair_groups, first_long, all, history, stamp, work);
  return true;
}

/* ----------------------------------------------------------------------
   Decides whether the next list leaves pairs out, and sets the margin within which it includes pairs.
------------------------------------------------------------------------- */

void NearPairs::choose_margin(int particle_count, std::size_t pairs_now, double skin)
{
  // Costs are in units of inspecting one pair.
  constexpr double COST_OF_MOVE = 1.0, COST_OF_PAIR = 2.0;
  if (selective) {
    const double saved = static_cast<double>(age) * (static_cast<double>(pairs_then) - static_cast<double>(count));
    const double spent =
        static_cast<double>(age) * COST_OF_MOVE * particle_count + COST_OF_PAIR * static_cast<double>(pairs_then);
    if (saved < spent) full_rebuilds_left = 20;
  }

  if (margin <= 0.0) margin = 0.2 * skin;
  if (valid && age < 4) margin = std::min(2.0 * margin, skin);
  if (valid && age > 12) margin = std::max(0.7 * margin, 0.05 * skin);
  age = 0;
  valid = true;

  // With few neighbours, inspecting all pairs costs less than tracking displacements.
  selective = skin > 0.0 && full_rebuilds_left == 0 && pairs_now > static_cast<std::size_t>(particle_count);
  if (full_rebuilds_left > 0) --full_rebuilds_left;
  pairs_then = pairs_now;
}

void NearPairs::allocate_arrays(const std::vector<PairGroup> &pair_groups)
{
  bytes_per_pair = 0.0;
  const auto provide = [&](auto &array, bool needed) {
    if (!needed) return;
    array.provide(pairs_then + Pairs::LIST_PADDING);
    bytes_per_pair += sizeof array[0];
  };
  const auto any = [&](auto has) { return std::any_of(pair_groups.begin(), pair_groups.end(), has); };
  const bool gaps = any([](const PairGroup &of) { return of.breaking_gap != nullptr; });
  provide(number, true);
  provide(touching_rounded, any([](const PairGroup &of) { return of.breaking_gap == nullptr; }));
  provide(ended, lists_ends);
  for (auto *array : {&cutoff_squared, &touching_squared}) provide(*array, gaps);
  provide(living, gaps || lists_ends);
  provide(wet, any([](const PairGroup &of) { return of.film; }));
  provide(separated, any([](const PairGroup &of) { return of.separated.count > 0; }));
}

void NearPairs::build(const Kernels &kernels, const Particles &particles, const std::vector<PairGroup> &pair_groups,
                      const std::vector<int> &first_long, const Pairs &all, const History &history, int stamp,
                      LoopWork &work)
{
  const std::size_t groups = first_long.size() - 1;
  first.assign(groups + 1, 0);
  count = 0;
  for (std::size_t group = 0; group < groups; ++group) {
    const PairGroup &pair_group = pair_groups[group];
    const auto radius = [&](RowOffset row) { return particles.radius[Pairs::particle_of(row)]; };
    const auto touching = [&](int p) { return radius(all.row_i[p]) + radius(all.row_j[p]); };
    const auto lives = [&](int p) {
      return history.slot[p] != Slot::NONE && history.row(history.slot[p])[history.size] == stamp;
    };
    const auto volume = [&](int p) {
      return lives(p) ? history.row(history.slot[p])[pair_group.constants.bridge_history] : 0.0;
    };
    const auto cutoff = [&](int p) {
      const double radius_i = radius(all.row_i[p]), radius_j = radius(all.row_j[p]);
      const FilmConstants &films = pair_group.constants.film;
      double gap;
      if (pair_group.film)
        gap = volume(p) > 0.0 ? capillary::Films::breaking_gap(films, radius_i, radius_j, volume(p)) : 0.0;
      else
        gap = pair_group.breaking_gap(pair_group.constants, radius_i, radius_j);
      return touching(p) + gap;
    };
    const auto heat_gap = [&](int p) {
      return heat::Gap::reach(pair_group.constants.gap_heat, radius(all.row_i[p]), radius(all.row_j[p]));
    };
    // A pair that separates abruptly must stay listed until its liquid and its contact have been handled.
    const auto must_stay = [&](int p) { return (lists_ends && lives(p)) || (pair_group.film && volume(p) > 0.0); };
    for (int begin = first_long[group]; begin < first_long[group + 1]; begin += LoopWork::SEARCH_BLOCK) {
      const int searched = std::min(first_long[group + 1] - begin, LoopWork::SEARCH_BLOCK);
      int found = searched;
      if (selective) {
        for (int k = 0; k < searched; ++k) {
          const int p = begin + k;
          double near = touching(p) + margin;
          if (must_stay(p))
            near = INFINITY;
          else if (pair_group.breaking_gap && (pair_group.attracts || lives(p)))
            near = cutoff(p) + margin;
          if (pair_group.heat_crosses_gaps) near = std::max(near, touching(p) + heat_gap(p) + margin);
          near_squared[k] = near * near;
        }
        found = kernels.pairs_within(particles, all.row_i + begin, all.row_j + begin, near_squared, searched, work);
      }
      for (int k = 0; k < found; ++k, ++count) {
        const int p = begin + (selective ? work.found[k] : k);
        number[count] = static_cast<PairIndex>(p);
        const double touch_squared = touching(p) * touching(p);
        if (pair_group.breaking_gap) {
          const double acts = cutoff(p);
          cutoff_squared[count] = acts * acts;
          touching_squared[count] = touch_squared;
        } else {
          touching_rounded[count] = static_cast<float>(touch_squared);
        }
        if (pair_group.breaking_gap || lists_ends) living[count] = lives(p);
        if (pair_group.film) wet[count] = volume(p) > 0.0;
      }
    }
    first[group + 1] = count;
  }
}

void NearPairs::release()
{
  discard();
  number.release();
  touching_rounded.release();
  for (auto *array : {&separated, &ended}) array->release();
  for (auto *array : {&cutoff_squared, &touching_squared}) array->release();
  for (auto *array : {&living, &wet}) array->release();
  moves.release();
  first.clear();
  count = 0;
}

void NearPairs::fill(Pairs &pairs)
{
  pairs.number = number.data();
  pairs.touching_rounded = touching_rounded.data();
  pairs.cutoff_squared = cutoff_squared.data();
  pairs.touching_squared = touching_squared.data();
  pairs.had_contact = living.data();
  pairs.separated = separated.data();
  pairs.ended = lists_ends ? ended.data() : nullptr;
  pairs.wet = wet.data();
}

double NearPairs::memory_usage() const { return bytes_per_pair * count + moves.memory_usage(); }

}    // namespace granular_plus
