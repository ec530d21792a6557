// A wall under a load, moved by kernels on an executor.

#ifndef GRANULAR_PLUS_DEVICE_LOAD_H
#define GRANULAR_PLUS_DEVICE_LOAD_H

#include "algorithms.h"
#include "device_list_maker.h"
#include "load_kernels.h"

#include <vector>

namespace granular_plus {

template <class Executor> class DeviceLoad {
 public:
  void begin(Executor &executor, const LoadedWall &loaded, int owned, int slots)
  {
    chunks = algorithms::chunks_of(owned);
    wall.set(executor, {loaded});
    counts.provide(executor, chunks), first.provide(executor, static_cast<std::size_t>(chunks) + 1);
    scratch.provide(executor, algorithms::values_for_sums(chunks));
    list.provide(executor, static_cast<std::size_t>(owned) * slots);
    sums.provide(executor, steps::WallLoads::WORK);
  }

  steps::MoveUnderLoad move(WallPose *poses, int first_pose, const steps::Progress *progress) const
  {
    return {wall.data(), poses, first_pose, progress};
  }

  // for_each(n, kernel) must run kernels as UnlessEnded does.
  template <class ForEach>
  void bear(Executor &executor, const steps::TouchingContacts &contacts, const steps::WallLoads &loads,
            const steps::Poses &poses, const ForEach &for_each)
  {
    for_each(chunks, steps::CountTouching{contacts, counts.data()});
    algorithms::running_sums(executor, chunks, counts.data(), first.data(), scratch.data());
    for_each(chunks, steps::ListTouching{contacts, first.data(), list.data()});
    for_each(steps::WallLoads::WORK, steps::SumLoads{first.data() + chunks, list.data(), loads, sums.data()});
    for_each(1, steps::ApplyLoad{wall.data(), sums.data(), poses});
  }

  LoadedWall state(Executor &executor) const { return wall.copy(executor).front(); }

 private:
  int chunks = 0;
  DeviceBuffer<LoadedWall, Executor> wall;
  DeviceBuffer<int, Executor> counts, first, scratch;    // one value for each chunk of grains
  DeviceBuffer<int, Executor> list;
  DeviceBuffer<double, Executor> sums;
};

}    // namespace granular_plus

#endif
