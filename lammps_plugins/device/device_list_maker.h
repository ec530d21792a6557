// Neighbour lists on an executor. A list is received from the owner of the grains or built on the executor.

#ifndef GRANULAR_PLUS_DEVICE_LIST_MAKER_H
#define GRANULAR_PLUS_DEVICE_LIST_MAKER_H

#include "algorithms.h"
#include "grain_engine.h"

#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>

namespace granular_plus {

// An array in the memory of an executor. The array loses its values when it grows.
template <class T, class Executor> class DeviceBuffer {
 public:
  void provide(Executor &executor, std::size_t elements)
  {
    used = elements;
    if (memory && memory->size() >= elements) return;
    const std::size_t spare = memory ? elements / 8 : 0;
    memory.reset();    // frees the old memory first
    memory = std::make_unique<DeviceArray<T, Executor>>(executor, elements + spare);
  }
  void set(Executor &executor, const T *from, std::size_t elements)
  {
    provide(executor, elements);
    executor.copy_in(data(), from, elements * sizeof(T));
  }
  void set(Executor &executor, const std::vector<T> &from) { set(executor, from.data(), from.size()); }
  std::vector<T> copy(Executor &executor) const
  {
    std::vector<T> values(used);
    executor.copy_out(values.data(), data(), used * sizeof(T));
    return values;
  }
  T *data() const { return memory ? memory->data() : nullptr; }
  std::size_t size() const { return used; }

 private:
  std::size_t used = 0;
  std::unique_ptr<DeviceArray<T, Executor>> memory;
};

template <class Executor> struct StoredContacts {
  DeviceBuffer<double, Executor> history, extra, observed, load;
  DeviceBuffer<WallPose, Executor> poses;
  DeviceBuffer<int, Executor> alive, names;
};

// The entries of each grain (see PairsOfGrains) are in the order in which forces are added.
inline void list_entries(const ListedPairs &list, std::vector<int> &first, std::vector<int> &entry)
{
  const int pairs = static_cast<int>(list.i.size());
  const auto receives = [&list](int p) { return list.shift[p] == steps::NO_SHIFT || list.both_receive; };
  first.assign(list.grains() + 2, 0);
  for (int p = 0; p < pairs; ++p) {
    ++first[list.i[p] + 2];
    if (receives(p)) ++first[list.j[p] + 2];
  }
  for (int a = 0; a < list.grains(); ++a) first[a + 2] += first[a + 1];
  entry.resize(first.back());
  for (int p = 0; p < pairs; ++p) {
    entry[first[list.i[p] + 1]++] = 2 * p;
    if (receives(p)) entry[first[list.j[p] + 1]++] = 2 * p + 1;
  }
  first.pop_back();
}

template <class Executor> class DeviceListMaker {
 public:
  explicit DeviceListMaker(Executor &executor) : executor(executor) {}

  void set(const ListedPairs &list)
  {
    std::vector<int> first_of_grain, entries_of_grains;
    list_entries(list, first_of_grain, entries_of_grains);
    first.set(executor, first_of_grain), entry.set(executor, entries_of_grains);
    now.i.set(executor, list.i), now.j.set(executor, list.j), now.shift.set(executor, list.shift);
    positions.set(executor, list.positions), budgets.set(executor, list.budgets);
    once = list.both_receive;
  }

  void begin(const StepPlan &plan, const GrainArrays &grains, int grains_owned)
  {
    lists = 0;
    owned = grains_owned;
    group_ends.clear();
    for (const StepPlan::Pairs &group : plan.pairs) group_ends.push_back(group.end);
    if (!plan.lists) return;
    type.set(executor, grains.type, owned), tag.set(executor, grains.tag, owned);
    groups_of_types.set(executor, plan.lists->groups), gaps.set(executor, plan.lists->gaps);
    wraps.provide(executor, 3 * static_cast<std::size_t>(owned));
    wraps_so_far.set(executor, std::vector<int>(3 * static_cast<std::size_t>(owned), 0));
    signs.resize(plan.pairs.size());
    for (std::size_t g = 0; g < signs.size(); ++g) signs[g].set(executor, plan.pairs[g].signs);
  }

  bool loses_a_grain(const StepPlan &plan, const steps::Grains &grains)
  {
    return reduce<Largest>(executor, owned, steps::LeavesBox{plan.lists->box, plan.movement, grains}) > 0.0;
  }

  // `step` is counted from the step at which the state was loaded. Contacts that continue keep their history.
  void make(const StepPlan &plan, const steps::Grains &grains, int step, int values,
            const StoredContacts<Executor> &contacts_before, StoredContacts<Executor> &contacts)
  {
    const StepPlan::Lists &rule = *plan.lists;
    const auto all = static_cast<std::size_t>(owned);
    positions.provide(executor, 3 * all), velocities.provide(executor, 3 * all);
    budgets.provide(executor, all), reach.provide(executor, all);
    executor.for_each(owned, steps::WrapIntoBox{rule.box, grains, wraps.data(), wraps_so_far.data()});
    executor.for_each(owned,
                      steps::SetBudgets{rule.budgets, rule.widest_gap, grains, positions.data(), velocities.data(),
                                        budgets.data(), reach.data()});
    find_rows(search(rule, grains));
    const int pairs_before = pairs();
    const std::vector<int> ends_before = group_ends;
    place_pairs(rule);
    const auto count = static_cast<std::size_t>(pairs());
    contacts.history.provide(executor, count * values), contacts.alive.provide(executor, count);
    const steps::Rows from{pairs_before, values, contacts_before.history.data(), contacts_before.alive.data()},
        to{pairs(), values, contacts.history.data(), contacts.alive.data()};
    for (std::size_t g = 0; g < group_ends.size(); ++g)
      executor.for_each(group_end(g) - group_begin(g),
                        steps::CarryContacts{group_begin(g), g > 0 ? ends_before[g - 1] : 0, ends_before[g], listed(),
                                             before.view(), to, from, signs[g].data(), wraps.data()});
    list_receivers();
    ++lists;
    made_in = step;
    once = false;
  }

  MadeLists made(int steps) const
  {
    if (lists == 0) return {};
    return {lists, steps - made_in, positions.copy(executor), velocities.copy(executor), wraps_so_far.copy(executor)};
  }

  // Returns false if pairs of a grain and a periodic image are listed once for each of the two grains.
  bool counts_all_pairs_once() const { return once; }
  int pairs() const { return group_ends.empty() ? 0 : group_ends.back(); }
  int group_begin(std::size_t group) const { return group > 0 ? group_ends[group - 1] : 0; }
  int group_end(std::size_t group) const { return group_ends[group]; }
  const std::vector<int> &ends() const { return group_ends; }
  steps::ListedPair listed() const { return now.view(); }
  const int *first_entry() const { return first.data(); }
  const int *entries() const { return entry.data(); }
  const double *listed_positions() const { return positions.data(); }
  const double *motion_budgets() const { return budgets.data(); }

 private:
  template <class T> using Array = DeviceBuffer<T, Executor>;
  struct Pairs {
    Array<int> i, j, shift;
    steps::ListedPair view() const { return {i.data(), j.data(), shift.data()}; }
  };

  Executor &executor;
  int owned = 0, lists = 0, made_in = 0;
  bool once = false;
  std::vector<int> group_ends;
  Pairs now, before;
  Array<int> first, entry;             // entries of each grain, for the sum of its forces
  Array<double> positions, budgets;    // see ListedPairs
  Array<double> velocities, reach, gaps;
  Array<std::int64_t> tag;
  Array<int> type, groups_of_types, wraps, wraps_so_far;
  std::vector<Array<double>> signs;
  Array<double> point_positions;
  Array<int> point_grains, point_shifts, first_image, cells, sorted, first_of_cell, first_partner, partners, shifts,
      places, receivers;

  // smallest number of bits with 2^bits > n
  static int bits_of(int n)
  {
    int bits = 1;
    while (n >> bits > 0) ++bits;
    return bits;
  }

  int sum_up(int n, Array<int> &counts)
  {
    running_sums(executor, n, counts.data(), counts.data());
    int sum;
    executor.copy_out(&sum, counts.data() + n, sizeof sum);
    return sum;
  }

  steps::RowSearch search(const StepPlan::Lists &rule, const steps::Grains &grains)
  {
    const steps::Box &box = rule.box;
    const double margin = 2.0 * reduce<Largest>(executor, owned, steps::ReachOf{reach.data()});
    steps::Images images{box, {0, 0, 0}, margin, grains.position};
    for (int d = 0; d < 3; ++d)
      if (box.periodic[d]) images.most[d] = static_cast<int>(std::ceil(margin / box.period[d]));
    first_image.provide(executor, static_cast<std::size_t>(owned) + 1);
    executor.for_each(owned, steps::CountImages{images, first_image.data()});
    const int points = owned + sum_up(owned, first_image);
    point_positions.provide(executor, 3 * static_cast<std::size_t>(points));
    for (Array<int> *array : {&point_grains, &point_shifts, &cells, &sorted}) array->provide(executor, points);
    const steps::Points all{point_positions.data(), point_grains.data(), point_shifts.data()};
    executor.for_each(owned, steps::PlacePoints{images, owned, first_image.data(), all});

    const steps::Grid grid = grid_of(box, margin, points);
    const int count = grid.cells[0] * grid.cells[1] * grid.cells[2];
    executor.for_each(points, steps::CellOf{grid, all.position, cells.data(), sorted.data()});
    sort_by_key(executor, points, cells.data(), sorted.data(), bits_of(count - 1));
    first_of_cell.provide(executor, static_cast<std::size_t>(count) + 1);
    executor.for_each(count + 1, steps::FirstOfKey{points, cells.data(), first_of_cell.data()});
    return {grid,
            all,
            first_of_cell.data(),
            sorted.data(),
            reach.data(),
            tag.data(),
            rule.widest_gap > 0.0 ? gaps.data() : nullptr,
            rule.widest_gap,
            rule.types,
            type.data()};
  }

  static steps::Grid grid_of(const steps::Box &box, double reach_of_two, int points)
  {
    steps::Grid grid{};
    double span[3], volume = 1.0;
    for (int d = 0; d < 3; ++d) {
      const double beyond = box.periodic[d] ? reach_of_two : 0.0;
      grid.low[d] = box.low[d] - beyond;
      span[d] = box.high[d] - box.low[d] + 2.0 * beyond;
      volume *= span[d];
    }
    const double edge = std::max(reach_of_two, std::cbrt(volume / points));
    for (int d = 0; d < 3; ++d) {
      grid.cells[d] = std::max(1, static_cast<int>(std::min(span[d] / edge, 1.0 * points)));
      grid.edge[d] = span[d] / grid.cells[d];
    }
    return grid;
  }

  void find_rows(const steps::RowSearch &search)
  {
    first_partner.provide(executor, static_cast<std::size_t>(owned) + 1);
    executor.for_each(owned, steps::CountPartners{search, first_partner.data()});
    const int count = sum_up(owned, first_partner);
    partners.provide(executor, count), shifts.provide(executor, count);
    executor.for_each(owned, steps::FillRows{search, first_partner.data(), partners.data(), shifts.data()});
  }

  void place_pairs(const StepPlan::Lists &rule)
  {
    const int groups = static_cast<int>(group_ends.size());
    const steps::GroupsOfTypes kinds{groups, rule.types, groups_of_types.data(), type.data()};
    const steps::RowsOfPartners rows{first_partner.data(), partners.data(), shifts.data()};
    places.provide(executor, static_cast<std::size_t>(groups) * owned + 1);
    executor.for_each(owned, steps::CountOfGroups{kinds, rows, owned, places.data()});
    group_ends.back() = sum_up(groups * owned, places);
    for (int g = 1; g < groups; ++g)
      executor.copy_out(&group_ends[g - 1], places.data() + static_cast<std::size_t>(g) * owned, sizeof(int));
    std::swap(now, before);
    for (Array<int> *array : {&now.i, &now.j, &now.shift}) array->provide(executor, pairs());
    executor.for_each(owned, steps::PlacePairs{kinds, rows, owned, places.data(), listed()});
  }

  void list_receivers()
  {
    const int entries = 2 * pairs();
    receivers.provide(executor, entries), entry.provide(executor, entries);
    first.provide(executor, static_cast<std::size_t>(owned) + 1);
    executor.for_each(pairs(), steps::Receivers{listed(), owned, receivers.data(), entry.data()});
    sort_by_key(executor, entries, receivers.data(), entry.data(), bits_of(owned));
    executor.for_each(owned + 1, steps::FirstOfKey{entries, receivers.data(), first.data()});
  }
};

}    // namespace granular_plus

#endif
