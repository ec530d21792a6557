// An engine that runs kernels on its own executor.

#ifndef GRANULAR_PLUS_DEVICE_GRAIN_ENGINE_H
#define GRANULAR_PLUS_DEVICE_GRAIN_ENGINE_H

#include "algorithms.h"
#include "cuda_executor.h"
#include "device_films.h"
#include "grain_engine.h"
#include "device_heat.h"
#include "device_list_maker.h"
#include "device_load.h"
#include "device_mesh.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace granular_plus {

// The stages on the CPU. On a GPU, the type named by name_on_gpu replaces this type.
struct StagesByPointer {
  StageList touching, separated, ending;
  BreakingGap breaking_gap;
  bool acts_across_gap, attracts, has_separated_stages, films, passes_heat, observes;
  const char *name_on_gpu;
  double gap(const ModelConstants &model, double radius_i, double radius_j) const
  {
    return breaking_gap(model, radius_i, radius_j);
  }
  int values(const steps::Rows &rows) const { return rows.values; }
  void run(Batch &batch, const ModelConstants &model) const { touching.run(batch, model); }
  void run_separated(Batch &batch, const ModelConstants &model) const { separated.run(batch, model); }
  void run_ending(Batch &batch, const ModelConstants &model) const { ending.run(batch, model); }
  bool observe() const { return observes; }
};

inline std::string with_stages(const char *kernel, const StagesByPointer &stages)
{
  return std::string("granular_plus::steps::UnlessEnded<granular_plus::steps::") + kernel + "<" + stages.name_on_gpu +
      ">>";
}

template <> struct NameOnGpu<steps::UnlessEnded<steps::EvaluatePairs<StagesByPointer>>> {
  static std::string of(const steps::UnlessEnded<steps::EvaluatePairs<StagesByPointer>> &one)
  {
    return with_stages("EvaluatePairs", one.kernel.stages);
  }
};

template <> struct NameOnGpu<steps::UnlessEnded<steps::EvaluateWallContacts<StagesByPointer>>> {
  static std::string of(const steps::UnlessEnded<steps::EvaluateWallContacts<StagesByPointer>> &one)
  {
    return with_stages("EvaluateWallContacts", one.kernel.contacts.stages);
  }
};

template <> struct NameOnGpu<steps::UnlessEnded<steps::DryBridges<StagesByPointer>>> {
  static std::string of(const steps::UnlessEnded<steps::DryBridges<StagesByPointer>> &one)
  {
    return with_stages("DryBridges", one.kernel.pairs.stages);
  }
};

template <> struct NameOnGpu<steps::UnlessEnded<steps::DryBridgesAtWall<StagesByPointer>>> {
  static std::string of(const steps::UnlessEnded<steps::DryBridgesAtWall<StagesByPointer>> &one)
  {
    return with_stages("DryBridgesAtWall", one.kernel.wall.contacts.stages);
  }
};

template <> struct NameOnGpu<steps::UnlessEnded<steps::EvaluateMeshContacts<StagesByPointer>>> {
  static std::string of(const steps::UnlessEnded<steps::EvaluateMeshContacts<StagesByPointer>> &one)
  {
    return with_stages("EvaluateMeshContacts", one.kernel.contacts.stages);
  }
};

template <class Executor> class DeviceGrainEngine : public GrainEngine {
 public:
  Executor executor;    // declared before the arrays, because the executor must outlive the arrays

  template <class... Arguments>
  explicit DeviceGrainEngine(Arguments &&...arguments)
      : executor(std::forward<Arguments>(arguments)...), progress(executor, 1), list(executor)
  {
  }

  void set_list(const ListedPairs &new_list) override
  {
    owned = new_list.grains();
    list.set(new_list);
    for (int d = 0; d < 3; ++d) period[d] = new_list.period[d];
  }

  void load(const GrainArrays &from, const StepPlan &new_plan, int history_size, const RememberedContacts &of_pairs,
            const std::vector<RememberedContacts> &of_walls) override
  {
    plan = new_plan;
    knows_groups = false;
    values = history_size;
    taken = 0;
    const std::size_t rows = 3 * static_cast<std::size_t>(owned);
    position.set(executor, from.position, rows), velocity.set(executor, from.velocity, rows);
    spin.set(executor, from.spin, rows);
    force.set(executor, from.force, rows), torque.set(executor, from.torque, rows);
    radius.set(executor, from.radius, owned), mass.set(executor, from.mass, owned);
    packed_mass.set(executor, from.packed_mass, owned);
    mask.set(executor, from.mask, owned);
    heat.begin(executor, plan, from, owned);
    set(remembered, of_pairs);
    walls.resize(of_walls.size());
    meshes.resize(of_walls.size());
    loads.resize(of_walls.size());
    lacks = 0;
    for (std::size_t w = 0; w < walls.size(); ++w) set(walls[w], of_walls[w]);
    list.begin(plan, from, owned);
    observed.assign(kept_sums(), 0.0);
    begin_observing(remembered, list.pairs());
    for (std::size_t w = 0; w < walls.size(); ++w) begin_observing(walls[w], contacts_of(w));
    for (std::size_t w = 0; w < walls.size(); ++w) begin_wall(w, of_walls[w]);
    has_films = from.film != nullptr;
    if (!has_films) return;
    films.begin(executor, from.film, owned, plan.evaporation.size(), walls.size());
    films.begin_list(executor, list.pairs());
  }

  int run_steps(int most, int with_lists) override
  {
    // number of steps that are started before the host waits; steps do nothing once `ended` is set
    constexpr int WITHOUT_WAITING = 64;
    const auto grains = this->grains();
    steps::Progress now{};
    executor.copy_in(progress.data(), &now, sizeof now);
    executor.for_each(owned, steps::WatchBudgets{plan.movement, grains, budgets()});
    if (plan.radiates) executor.for_each(owned, steps::WatchTemperatures{grains, progress.data()});
    executor.copy_out(&now, progress.data(), sizeof now);
    while (now.done < most) {
      if (now.is_cold) break;
      if (now.exceeds_budget) {
        if (!plan.lists || now.done >= with_lists || list.loses_a_grain(plan, grains)) break;
        now = {now.done, 0, 0, 0, 0};
        executor.copy_in(progress.data(), &now, sizeof now);
        place_walls(now.done, 1);
        step(grains, taken + now.done + 1);
      } else {
        const int batch = most - now.done < WITHOUT_WAITING ? most - now.done : WITHOUT_WAITING;
        place_walls(now.done, batch);
        for (int k = 0; k < batch; ++k) step(grains, 0);
      }
      executor.copy_out(&now, progress.data(), sizeof now);
      lacks = now.lacks;
      if (lacks != 0) return 0;
    }
    taken += now.done;
    return now.done;
  }

  bool lacks_room(int &wall, bool &for_triangles) const override
  {
    wall = (lacks - 1) / 2;
    for_triangles = lacks == steps::MeshRoom::lacks_triangles(wall);
    return lacks != 0;
  }

  MadeLists made_lists() const override { return list.made(taken); }

  void unload(const GrainArrays &to, RememberedContacts &of_pairs, std::vector<RememberedContacts> &of_walls) override
  {
    const std::size_t bytes = 3 * sizeof(double) * static_cast<std::size_t>(owned);
    executor.copy_out(to.position, position.data(), bytes);
    executor.copy_out(to.velocity, velocity.data(), bytes);
    executor.copy_out(to.spin, spin.data(), bytes);
    executor.copy_out(to.force, force.data(), bytes);
    executor.copy_out(to.torque, torque.data(), bytes);
    heat.unload(executor, to, owned);
    get(of_pairs, remembered);
    of_walls.resize(walls.size());
    for (std::size_t w = 0; w < walls.size(); ++w) get(of_walls[w], walls[w]);
    for (std::size_t w = 0; w < walls.size(); ++w) get_load(of_walls[w], w);
    if (has_films) get_liquid(to, of_pairs, of_walls);
    if (plan.observables == 0) return;
    sum_up(remembered, list.pairs(), halves(), observed);
    put_sums(of_pairs, observed);
    for (std::size_t w = 0; w < walls.size(); ++w) {
      std::vector<double> of_wall(kept_sums());
      sum_up(walls[w], contacts_of(w), nullptr, of_wall);
      put_sums(of_walls[w], of_wall);
    }
  }

 private:
  DeviceArray<steps::Progress, Executor> progress;
  StepPlan plan;
  int owned = 0, values = 0;
  int taken = 0;                // number of steps since the state was loaded
  bool knows_groups = false;    // true if `group_ends` belongs to the present list
  int poses_from = 0;           // step of the first stored pose of moving walls
  double period[3] = {};
  DeviceListMaker<Executor> list;
  DeviceBuffer<int, Executor> mask;
  DeviceBuffer<double, Executor> forces;
  DeviceBuffer<int, Executor> phase, group_ends;    // used if some pairs act across a gap
  DeviceHeat<Executor> heat;
  DeviceBuffer<double, Executor> position, velocity, spin, force, torque, radius, mass, packed_mass;
  StoredContacts<Executor> remembered, before;
  std::vector<StoredContacts<Executor>> walls;
  std::vector<DeviceMesh<Executor>> meshes;                  // one for each wall that is a mesh
  std::vector<std::optional<DeviceLoad<Executor>>> loads;    // one for each wall under a load
  int lacks = 0;                                             // see Progress::lacks
  std::vector<double> observed;                              // for a ledger: sums over pairs of earlier lists
  bool has_films = false;
  DeviceFilms<Executor> films;

  int contacts_of(std::size_t wall) const { return plan.walls[wall].surface.sides * owned; }
  // A moving wall has one pose for each step to be started and one pose for the step after these steps.
  void begin_wall(std::size_t w, const RememberedContacts &from_host)
  {
    const StepPlan::Wall &wall = plan.walls[w];
    walls[w].poses.set(executor, {wall.pose(0)});
    if (wall.mesh) meshes[w].begin(executor, wall, owned);
    if (!wall.surface.frame.moves) return;
    loads[w].reset();
    if (from_host.loaded) loads[w].emplace().begin(executor, *from_host.loaded, owned, wall.surface.sides);
    const std::size_t values = static_cast<std::size_t>(steps::WallLoads::VALUES) * contacts_of(w);
    walls[w].load.provide(executor, values);
    executor.for_each(static_cast<int>(values), steps::Clear{walls[w].load.data()});
  }
  void place_walls(int done, int count)
  {
    poses_from = done + 1;
    for (std::size_t w = 0; w < walls.size(); ++w) {
      if (!plan.walls[w].surface.frame.moves) continue;
      std::vector<WallPose> poses;
      for (int k = 1; k <= count + 1; ++k) poses.push_back(plan.walls[w].pose(taken + done + k));
      walls[w].poses.set(executor, poses);
    }
  }
  void get_load(RememberedContacts &to, std::size_t w)
  {
    to.load.clear();
    if (loads[w]) to.loaded = loads[w]->state(executor);
    if (loads[w] || !plan.walls[w].surface.frame.moves) return;
    const int count = contacts_of(w);
    for (int k = 0; k < steps::WallLoads::VALUES; ++k)
      to.load.push_back(
          reduce<Sum>(executor, count,
                      steps::SumOfObservable{walls[w].load.data() + static_cast<std::size_t>(k) * count, nullptr}));
  }

  // shifts for SumOfObservable; null if all pairs count fully
  const int *halves() const { return list.counts_all_pairs_once() ? nullptr : list.listed().shift; }
  void get_liquid(const GrainArrays &to, RememberedContacts &of_pairs, std::vector<RememberedContacts> &of_walls)
  {
    films.get_films(executor, to.film, owned);
    films.end_list(executor, list.pairs(), halves());
    films.get_sums(executor, of_pairs, of_walls);
  }

  bool phases_matter() const
  {
    return std::any_of(plan.pairs.begin(), plan.pairs.end(), [](const StepPlan::Pairs &group) {
      const ContactStages &stages = group.stages;
      return stages.separated.count > 0 || stages.heat_crosses_gaps || (stages.passes_heat && stages.observes);
    });
  }
  template <class Group> StagesByPointer stages_of(const Group &group) const
  {
    const ContactStages &stages = group.stages;
    return {stages.touching,
            stages.separated,
            stages.ending,
            stages.breaking_gap,
            stages.breaking_gap != nullptr,
            stages.attracts,
            stages.separated.count > 0,
            stages.films,
            stages.passes_heat,
            stages.observes,
            stages.name_on_gpu.c_str()};
  }
  steps::Observations observations(const StoredContacts<Executor> &contacts, int count) const
  {
    return {count, plan.observables > 0 ? contacts.observed.data() : nullptr, plan.observables};
  }
  // number of sums per contact: with a ledger, the observables and two sums of heat
  int kept_sums() const { return plan.observables > 0 ? plan.observables + 2 : 0; }
  void put_sums(RememberedContacts &to, const std::vector<double> &sums) const
  {
    to.observed.assign(sums.begin(), sums.begin() + plan.observables);
    to.heat_made = sums[plan.observables];
    to.heat_of_wall = sums[plan.observables + 1];
  }
  void begin_observing(StoredContacts<Executor> &contacts, int count)
  {
    if (plan.observables == 0) return;
    contacts.observed.provide(executor, static_cast<std::size_t>(kept_sums()) * count);
    executor.for_each(kept_sums() * count, steps::Clear{contacts.observed.data()});
  }
  void sum_up(const StoredContacts<Executor> &contacts, int count, const int *shift, std::vector<double> &sums)
  {
    for (int k = 0; k < kept_sums(); ++k)
      sums[k] +=
          reduce<Sum>(executor, count,
                      steps::SumOfObservable{contacts.observed.data() + static_cast<std::size_t>(k) * count, shift});
  }

  void set(StoredContacts<Executor> &stored, const RememberedContacts &from)
  {
    stored.history.set(executor, from.history), stored.extra.set(executor, from.extra);
    stored.alive.set(executor, from.alive), stored.names.set(executor, from.names);
  }
  void get(RememberedContacts &to, const StoredContacts<Executor> &stored)
  {
    to = {stored.history.copy(executor), stored.extra.copy(executor), stored.alive.copy(executor),
          stored.names.copy(executor)};
  }

  steps::Grains grains() const
  {
    return {position.data(), velocity.data(),    spin.data(), force.data(),       torque.data(),  radius.data(),
            mass.data(),     packed_mass.data(), mask.data(), heat.temperature(), heat.heatflow()};
  }

  template <class Kernel> void for_each(int n, const Kernel &kernel)
  {
    executor.for_each(n, steps::UnlessEnded<Kernel>{progress.data(), kernel});
  }

  steps::Budgets budgets() { return {list.listed_positions(), list.motion_budgets(), progress.data()}; }

  // new_list: the number of this step if the step rebuilds the neighbour list, otherwise 0
  void step(const steps::Grains &grains, int new_list)
  {
    for_each(owned, steps::FirstHalfStep{plan.movement, grains});
    if (new_list > 0) {
      if (plan.observables > 0) sum_up(remembered, list.pairs(), halves(), observed);
      if (has_films) films.end_list(executor, list.pairs(), halves());
      std::swap(remembered, before);
      list.make(plan, grains, new_list, values, before, remembered);
      begin_observing(remembered, list.pairs());
      if (has_films) films.begin_list(executor, list.pairs());
    }
    const int pairs = list.pairs();
    forces.provide(executor, steps::FORCES * static_cast<std::size_t>(pairs));
    heat.provide(executor, pairs);
    const steps::Rows rows{pairs, values, remembered.history.data(), remembered.alive.data()};
    int *phases = nullptr;
    if (phases_matter()) {
      phase.provide(executor, pairs);
      if (new_list > 0 || !knows_groups) group_ends.set(executor, list.ends());
      knows_groups = true;
      phases = phase.data();
    }
    const steps::PairsOfGrains pairs_of_grains{list.first_entry(), list.entries(), static_cast<int>(plan.pairs.size()),
                                               group_ends.data(), phases};
    if (has_films) move_liquid(grains, rows, pairs_of_grains);
    for (std::size_t g = 0; g < plan.pairs.size(); ++g) {
      const int count = list.group_end(g) - list.group_begin(g);
      for_each(count, pairs_of_group(g, grains, rows, phases));
      if (plan.pairs[g].stages.heat_crosses_gaps) for_each(count, heat_across_gaps(g, grains));
    }
    for_each(owned, steps::SumForces{pairs_of_grains, forces.data(), grains});
    if (heat.counts()) for_each(owned, steps::SumHeat{pairs_of_grains, heat.of_pairs(), grains});
    for (const StepPlan::Action &action : plan.actions) act(action, grains);
    heat.warm(plan, [&](const auto &kernel) { for_each(owned, kernel); }, grains);
    if (plan.radiates) for_each(owned, steps::WatchTemperatures{grains, progress.data()});
    for_each(owned, steps::SecondHalfStep{plan.movement, grains, budgets()});
    for (std::size_t f = 0; f < plan.evaporation.size(); ++f) dry(f, grains, rows, phases);
    for_each(1, steps::EndStep{progress.data()});
  }

  steps::EvaluatePairs<StagesByPointer> pairs_of_group(std::size_t g, const steps::Grains &grains,
                                                       const steps::Rows &rows, int *phases) const
  {
    const StepPlan::Pairs &group = plan.pairs[g];
    return {list.group_begin(g),
            plan.timestep,
            list.listed().i,
            list.listed().j,
            list.listed().shift,
            {period[0], period[1], period[2]},
            grains,
            rows,
            forces.data(),
            phases,
            group.stages.films ? films.bridges(progress.data()).bridge : nullptr,
            heat.of_pairs(),
            observations(remembered, static_cast<int>(rows.contacts)),
            group.model,
            stages_of(group)};
  }

  steps::PassHeatAcrossGaps heat_across_gaps(std::size_t g, const steps::Grains &grains) const
  {
    const auto listed = list.listed();
    return {
        list.group_begin(g),          listed.i,       listed.j, listed.shift, {period[0], period[1], period[2]}, grains,
        plan.pairs[g].model.gap_heat, heat.of_pairs()};
  }

  void move_liquid(const steps::Grains &grains, const steps::Rows &rows, const steps::PairsOfGrains &pairs_of_grains)
  {
    std::vector<typename DeviceFilms<Executor>::Group> groups;
    const steps::TouchOfImages touch{!list.counts_all_pairs_once(), position.data(), {period[0], period[1], period[2]}};
    for (std::size_t g = 0; g < plan.pairs.size(); ++g) {
      const ModelConstants &model = plan.pairs[g].model;
      if (plan.pairs[g].stages.films)
        groups.push_back({list.group_end(g) - list.group_begin(g),
                          {list.group_begin(g),
                           list.listed().i,
                           list.listed().j,
                           list.listed().shift,
                           {period[0], period[1], period[2]},
                           grains,
                           rows,
                           model.film,
                           model.bridge_history,
                           touch,
                           films.bridges(progress.data())}});
    }
    films.move(groups, owned, pairs_of_grains, [this](int n, const auto &kernel) { for_each(n, kernel); });
  }

  void dry(std::size_t f, const steps::Grains &grains, const steps::Rows &rows, int *phases)
  {
    const auto &[group, depth, dries_bridges] = plan.evaporation[f];
    const steps::Evaporation evaporation{group, depth};
    double *lost = films.lost_by_grains(f);
    for_each(owned, steps::DryFilms{evaporation, mask.data(), radius.data(), films.films(), lost});
    if (!dries_bridges) return;
    for (std::size_t g = 0; g < plan.pairs.size(); ++g)
      if (plan.pairs[g].stages.films)
        for_each(list.group_end(g) - list.group_begin(g),
                 steps::DryBridges<StagesByPointer>{evaporation, films.lost_by_pairs(f),
                                                    pairs_of_group(g, grains, rows, phases)});
    for (std::size_t w = 0; w < walls.size(); ++w)
      if (plan.walls[w].stages.films)
        for_each(owned, steps::DryBridgesAtWall<StagesByPointer>{evaporation, lost, {contacts_with(w, grains)}});
  }

  void act(const StepPlan::Action &action, const steps::Grains &grains)
  {
    const double *g = action.acceleration;
    switch (action.kind) {
      case StepPlan::Action::GRAVITY:
        return for_each(owned, steps::AddGravity{action.group, {g[0], g[1], g[2]}, grains});
      case StepPlan::Action::FREEZE: return for_each(owned, steps::Freeze{action.group, grains});
      case StepPlan::Action::WALL: return evaluate_wall(action.wall, grains);
    }
  }

  steps::ContactsWithWall<StagesByPointer> contacts_with(std::size_t w, const steps::Grains &grains) const
  {
    const StepPlan::Wall &wall = plan.walls[w];
    const StoredContacts<Executor> &of_wall = walls[w];
    const steps::Rows rows{contacts_of(w), wall.values, of_wall.history.data(), of_wall.alive.data()};
    return {wall.group,
            owned,
            wall.springs_turn,
            plan.timestep,
            wall.surface,
            {of_wall.poses.data(), wall.surface.frame.moves, poses_from, progress.data()},
            grains,
            rows,
            of_wall.extra.data(),
            {rows.contacts, of_wall.load.data()},
            wall.stages.films ? films.at_wall(w, wall.film) : steps::LiquidAtWall{},
            wall.temperature,
            observations(of_wall, rows.contacts),
            wall.model,
            stages_of(wall)};
  }

  void evaluate_wall(int w, const steps::Grains &grains)
  {
    const StepPlan::Wall &wall = plan.walls[w];
    const auto contacts = contacts_with(w, grains);
    if (loads[w]) for_each(1, loads[w]->move(walls[w].poses.data(), poses_from, progress.data()));
    if (wall.mesh)
      evaluate_mesh(w, contacts);
    else
      for_each(owned, steps::EvaluateWallContacts<StagesByPointer>{contacts});
    if (wall.stages.heat_crosses_gaps) {
      const steps::HeatFromWall from{wall.temperature, wall.model.gap_heat, grains, contacts.observations};
      if (wall.mesh)
        for_each(owned, steps::PassHeatFromMesh{find_patches(w, contacts), from});
      else
        for_each(owned, steps::PassHeatFromWall{wall.group, wall.surface, contacts.poses, from});
    }
    if (!loads[w]) return;
    loads[w]->bear(executor, {owned, wall.surface.sides, wall.mesh != nullptr, contacts.rows.alive}, contacts.loads,
                   contacts.poses, [this](int n, const auto &kernel) { for_each(n, kernel); });
  }

  steps::FindPatches find_patches(int w, const steps::ContactsWithWall<StagesByPointer> &contacts) const
  {
    const StepPlan::Wall &wall = plan.walls[w];
    const DeviceMesh<Executor> &mesh = meshes[w];
    return {wall.group,     owned,           w,
            wall.room,      mesh.arrays(),   wall.surface,
            contacts.poses, contacts.grains, contacts.rows.alive,
            contacts.extra, mesh.near(),     mesh.met(),
            progress.data()};
  }

  void evaluate_mesh(int w, const steps::ContactsWithWall<StagesByPointer> &contacts)
  {
    for_each(owned, find_patches(w, contacts));
    for_each(owned,
             steps::EvaluateMeshContacts<StagesByPointer>{walls[w].names.data(), meshes[w].met(),
                                                          meshes[w].heat_of_ended(), contacts});
  }
};

}    // namespace granular_plus

#endif
