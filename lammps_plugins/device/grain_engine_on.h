// The engine on an executor of its own.

#ifndef GRANULAR_PLUS_GRAIN_ENGINE_ON_H
#define GRANULAR_PLUS_GRAIN_ENGINE_ON_H

#include "algorithms.h"
#include "cuda_executor.h"
#include "grain_engine.h"

#include <optional>
#include <utility>

namespace granular_plus {

// Stages of the processor, called one contact at a time. On a card, a type that is known there stands in their place.
struct StagesByPointer {
  StageList list;
  const char *on_card;
  int values(const steps::Rows &rows) const { return rows.values; }
  void run(Batch &batch, const ModelConstants &model) const { list.run(batch, model); }
};

template <template <class> class Kernel> std::string with_stages(const char *kernel,
                                                                 const Kernel<StagesByPointer> &given)
{
  return std::string("granular_plus::steps::UnlessEnded<granular_plus::steps::") + kernel + "<" + given.stages.on_card +
      ">>";
}

template <> struct NameOnCard<steps::UnlessEnded<steps::EvaluatePairs<StagesByPointer>>> {
  static std::string of(const steps::UnlessEnded<steps::EvaluatePairs<StagesByPointer>> &one)
  {
    return with_stages("EvaluatePairs", one.kernel);
  }
};

template <> struct NameOnCard<steps::UnlessEnded<steps::MeetWall<StagesByPointer>>> {
  static std::string of(const steps::UnlessEnded<steps::MeetWall<StagesByPointer>> &one)
  {
    return with_stages("MeetWall", one.kernel);
  }
};

// in the order in which forces are added up: ascending pairs
inline void list_entries(const ListedPairs &list, std::vector<int> &first, std::vector<int> &entry)
{
  const int pairs = static_cast<int>(list.i.size());
  const auto receiver = [&list](int grain) { return grain < list.owned ? grain : list.owner[grain - list.owned]; };
  const auto receives = [&list](int grain) { return grain < list.owned || list.both_receive; };
  first.assign(list.owned + 2, 0);
  for (int p = 0; p < pairs; ++p) {
    ++first[receiver(list.i[p]) + 2];
    if (receives(list.j[p])) ++first[receiver(list.j[p]) + 2];
  }
  for (int a = 0; a < list.owned; ++a) first[a + 2] += first[a + 1];
  entry.resize(first.back());
  for (int p = 0; p < pairs; ++p) {
    entry[first[receiver(list.i[p]) + 1]++] = 2 * p;
    if (receives(list.j[p])) entry[first[receiver(list.j[p]) + 1]++] = 2 * p + 1;
  }
  first.pop_back();
}

template <class Executor> class GrainEngineOn : public GrainEngine {
 public:
  Executor executor;    // outlives the arrays

  template <class... Arguments>
  explicit GrainEngineOn(Arguments &&...arguments)
      : executor(std::forward<Arguments>(arguments)...), progress(executor, 1)
  {
  }

  void set_list(const ListedPairs &list) override
  {
    owned = list.owned;
    all = list.grains();
    pairs = static_cast<int>(list.i.size());
    std::vector<int> first_entry, entries;
    list_entries(list, first_entry, entries);
    set(i, list.i), set(j, list.j), set(first, first_entry), set(entry, entries);
    set(owner, list.owner), set(periods, list.periods);
    set(listed, list.positions), set(budget, list.budgets);
    has_cutoffs = !list.cutoff_squared.empty();
    set(cutoff_squared, list.cutoff_squared);
    for (int d = 0; d < 3; ++d) period[d] = list.period[d];
    forces.emplace(executor, steps::FORCES * static_cast<std::size_t>(pairs));
  }

  void load(const GrainArrays &from, const StepPlan &new_plan, int history_size, const RememberedContacts &of_pairs,
            const std::vector<RememberedContacts> &of_walls) override
  {
    plan = new_plan;
    values = history_size;
    const std::size_t rows = 3 * static_cast<std::size_t>(all);
    set(position, from.position, rows), set(velocity, from.velocity, rows), set(spin, from.spin, rows);
    set(force, from.force, rows), set(torque, from.torque, rows);
    set(radius, from.radius, all), set(mass, from.mass, all), set(packed_mass, from.packed_mass, all);
    set(mask, from.mask, all);
    set(remembered, of_pairs);
    walls.resize(of_walls.size());
    for (std::size_t w = 0; w < walls.size(); ++w) set(walls[w], of_walls[w]);
  }

  int steps(int most) override
  {
    constexpr int WITHOUT_WAITING = 64;    // steps, the last of which may do nothing
    const auto grains = this->grains();
    const steps::Budgets budgets{listed->data(), budget->data(), progress.data()};
    steps::Progress now{0, 0, 0};
    executor.copy_in(progress.data(), &now, sizeof now);
    executor.for_each(owned, steps::WatchBudgets{plan.movement, grains, budgets});
    executor.copy_out(&now, progress.data(), sizeof now);
    while (now.done < most && !now.leaves) {
      const int batch = most - now.done < WITHOUT_WAITING ? most - now.done : WITHOUT_WAITING;
      for (int k = 0; k < batch; ++k) step(grains, budgets);
      executor.copy_out(&now, progress.data(), sizeof now);
    }
    return now.done;
  }

  void unload(const GrainArrays &to, RememberedContacts &of_pairs, std::vector<RememberedContacts> &of_walls) override
  {
    const std::size_t bytes = 3 * sizeof(double) * static_cast<std::size_t>(all);
    executor.copy_out(to.position, position->data(), bytes);
    executor.copy_out(to.velocity, velocity->data(), bytes);
    executor.copy_out(to.spin, spin->data(), bytes);
    executor.copy_out(to.force, force->data(), bytes);
    executor.copy_out(to.torque, torque->data(), bytes);
    get(of_pairs, remembered);
    of_walls.resize(walls.size());
    for (std::size_t w = 0; w < walls.size(); ++w) get(of_walls[w], walls[w]);
  }

 private:
  template <class T> using Stored = std::optional<DeviceArray<T, Executor>>;
  struct StoredContacts {
    Stored<double> history, beside;
    Stored<int> alive;
  };

  DeviceArray<steps::Progress, Executor> progress;
  StepPlan plan;
  int owned = 0, all = 0, pairs = 0, values = 0;
  bool has_cutoffs = false;
  double period[3] = {};
  Stored<int> i, j, first, entry, owner, periods, mask;
  Stored<double> listed, budget, cutoff_squared, forces;
  Stored<double> position, velocity, spin, force, torque, radius, mass, packed_mass;
  StoredContacts remembered;
  std::vector<StoredContacts> walls;

  template <class T> void set(Stored<T> &stored, const T *from, std::size_t count)
  {
    if (!stored || stored->size() != count) stored.emplace(executor, count);
    executor.copy_in(stored->data(), from, count * sizeof(T));
  }
  template <class T> void set(Stored<T> &stored, const std::vector<T> &from) { set(stored, from.data(), from.size()); }
  void set(StoredContacts &stored, const RememberedContacts &from)
  {
    set(stored.history, from.history), set(stored.beside, from.beside), set(stored.alive, from.alive);
  }
  void get(RememberedContacts &to, const StoredContacts &stored) const
  {
    to = {stored.history->copy(), stored.beside->copy(), stored.alive->copy()};
  }

  steps::Grains grains() const
  {
    return {position->data(), velocity->data(), spin->data(),        force->data(), torque->data(),
            radius->data(),   mass->data(),     packed_mass->data(), mask->data()};
  }

  template <class Kernel> void for_each(int n, const Kernel &kernel)
  {
    executor.for_each(n, steps::UnlessEnded<Kernel>{progress.data(), kernel});
  }

  void step(const steps::Grains &grains, const steps::Budgets &budgets)
  {
    for_each(owned, steps::FirstHalfStep{plan.movement, grains});
    for_each(all - owned,
             steps::PlaceGhosts{owned, owner->data(), periods->data(), {period[0], period[1], period[2]}, grains});
    const steps::Rows rows{pairs, values, remembered.history->data(), remembered.alive->data()};
    const double *cutoffs = has_cutoffs ? cutoff_squared->data() : nullptr;
    for (const StepPlan::Pairs &group : plan.pairs)
      for_each(group.end - group.begin,
               steps::EvaluatePairs<StagesByPointer>{group.begin,
                                                     plan.timestep,
                                                     i->data(),
                                                     j->data(),
                                                     cutoffs,
                                                     grains,
                                                     rows,
                                                     forces->data(),
                                                     group.model,
                                                     {group.touching, group.on_card.c_str()}});
    for_each(owned, steps::SumForces{first->data(), entry->data(), forces->data(), grains});
    for (const StepPlan::Action &action : plan.actions) act(action, grains);
    for_each(owned, steps::SecondHalfStep{plan.movement, grains, budgets});
    for_each(1, steps::EndStep{progress.data()});
  }

  void act(const StepPlan::Action &action, const steps::Grains &grains)
  {
    const double *g = action.acceleration;
    switch (action.kind) {
      case StepPlan::Action::GRAVITY:
        return for_each(owned, steps::AddGravity{action.group, {g[0], g[1], g[2]}, grains});
      case StepPlan::Action::FREEZE: return for_each(owned, steps::Freeze{action.group, grains});
      case StepPlan::Action::WALL: {
        const StepPlan::Wall &wall = plan.walls[action.wall];
        const StoredContacts &of_wall = walls[action.wall];
        const steps::Rows rows{wall.surface.sides * owned, wall.values, of_wall.history->data(), of_wall.alive->data()};
        return for_each(owned,
                        steps::MeetWall<StagesByPointer>{wall.group,
                                                         owned,
                                                         wall.springs_turn,
                                                         plan.timestep,
                                                         wall.surface,
                                                         grains,
                                                         rows,
                                                         of_wall.beside->data(),
                                                         wall.model,
                                                         {wall.touching, wall.on_card.c_str()}});
      }
    }
  }
};

}    // namespace granular_plus

#endif
