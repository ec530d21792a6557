// Films and bridges of grains on an executor.

#ifndef GRANULAR_PLUS_DEVICE_FILMS_H
#define GRANULAR_PLUS_DEVICE_FILMS_H

#include "algorithms.h"
#include "film_kernels.h"
#include "device_list_maker.h"

#include <cstddef>
#include <vector>

namespace granular_plus {

template <class Executor> class DeviceFilms {
 public:
  // Called when the state is loaded. `fixes` is the number of fixes that evaporate liquid.
  void begin(Executor &executor, const double *from, int owned, std::size_t fixes, std::size_t walls)
  {
    film.set(executor, from, owned);
    forming.provide(executor, owned);
    last_step.set(executor, {-1});
    clear(executor, outside_fit, owned);
    lost.resize(fixes);
    for (auto &by_grain : lost) clear(executor, by_grain, owned);
    taken.resize(walls), outside_fit_at_wall.resize(walls);
    for (std::size_t w = 0; w < walls; ++w)
      clear(executor, taken[w], owned), clear(executor, outside_fit_at_wall[w], owned);
    lost_before.assign(fixes, 0.0);
    lost_by_pair.resize(fixes);
  }
  void begin_list(Executor &executor, int pairs)
  {
    bridge.provide(executor, pairs), given.provide(executor, 2 * static_cast<std::size_t>(pairs));
    executor.for_each(pairs, steps::NoBridges{bridge.data()});    // pairs of models without films keep this value
    for (auto &by_pair : lost_by_pair) clear(executor, by_pair, pairs);
  }
  // Adds the volumes lost by the bridges of a list to lost_before. `shift` has the same meaning as in SumOfObservable.
  void end_list(Executor &executor, int pairs, const int *shift)
  {
    for (std::size_t f = 0; f < lost_before.size(); ++f)
      lost_before[f] += reduce<Sum>(executor, pairs, steps::SumOfObservable{lost_by_pair[f].data(), shift});
  }

  struct Group {
    int pairs;
    steps::FindBridges find;
  };
  // Moves liquid before contacts are evaluated. for_each(n, kernel) must run kernels as UnlessEnded does.
  template <class ForEach>
  void move(const std::vector<Group> &groups, int owned, const steps::PairsOfGrains &pairs_of_grains,
            const ForEach &for_each)
  {
    if (groups.empty()) return;
    const steps::FindBridges &any = groups.front().find;
    const int *first = pairs_of_grains.first, *entry = pairs_of_grains.entry;
    const double *radius = any.grains.radius;
    for (const auto &[pairs, find] : groups) for_each(pairs, find);
    for_each(owned, steps::CountBridges{first, entry, any.bridges, forming.data()});
    for (const auto &[pairs, find] : groups)
      for_each(pairs,
               steps::ShareLiquid{find.begin, find.i, find.j, radius, film.data(), forming.data(), find.rows,
                                  find.films, find.volume, find.bridges});
    for_each(owned,
             steps::MoveLiquid{first, entry, any.i, any.j, radius, any.bridges, film.data(), outside_fit.data()});
  }

  steps::FilmBridges bridges(const steps::Progress *progress) const
  {
    return {bridge.data(), given.data(), last_step.data(), progress};
  }
  steps::LiquidAtWall at_wall(std::size_t w, double thickness) const
  {
    return {film.data(), thickness, taken[w].data(), outside_fit_at_wall[w].data()};
  }
  double *films() const { return film.data(); }
  double *lost_by_grains(std::size_t fix) const { return lost[fix].data(); }
  double *lost_by_pairs(std::size_t fix) const { return lost_by_pair[fix].data(); }

  void get_films(Executor &executor, double *to, int owned) const
  {
    executor.copy_out(to, film.data(), owned * sizeof(double));
  }
  void get_sums(Executor &executor, RememberedContacts &of_pairs, std::vector<RememberedContacts> &of_walls)
  {
    const int owned = static_cast<int>(film.size());
    of_pairs.outside_fit = reduce<Largest>(executor, owned, steps::SumOfObservable{outside_fit.data(), nullptr});
    of_pairs.evaporated = lost_before;
    for (std::size_t f = 0; f < lost.size(); ++f)
      of_pairs.evaporated[f] += reduce<Sum>(executor, owned, steps::SumOfObservable{lost[f].data(), nullptr});
    for (std::size_t w = 0; w < of_walls.size(); ++w) {
      of_walls[w].taken = reduce<Sum>(executor, owned, steps::SumOfObservable{taken[w].data(), nullptr});
      of_walls[w].outside_fit =
          reduce<Largest>(executor, owned, steps::SumOfObservable{outside_fit_at_wall[w].data(), nullptr});
    }
  }

 private:
  DeviceBuffer<double, Executor> film, outside_fit, given;
  DeviceBuffer<int, Executor> bridge, forming, last_step;
  std::vector<DeviceBuffer<double, Executor>> lost, lost_by_pair;    // one array per fix
  std::vector<double> lost_before;    // volume lost by bridges of earlier lists, for each fix
  std::vector<DeviceBuffer<double, Executor>> taken, outside_fit_at_wall;    // one array per wall

  static void clear(Executor &executor, DeviceBuffer<double, Executor> &values, int count)
  {
    values.provide(executor, count);
    executor.for_each(count, steps::Clear{values.data()});
  }
};

}    // namespace granular_plus

#endif
