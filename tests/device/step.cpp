// Time steps of a dense packing on the processor and on a GPU: whether they have the same bits, and how long they take.
//
//   step_check NVRTC FOLDER ...   the compiler's library, and the folders of headers
//
// Pairs are listed once, half of them touch. What a run needs besides, neighbour lists and walls, is left out.

#include "step.h"

#include "device/cuda_executor.h"
#include "device/executor.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>

using namespace granular_plus;

ModelConstants usual_constants(double timestep);    // in step_model.cpp: it knows nothing of devices

namespace {

constexpr double TIMESTEP = 1.0e-4;

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count(); }

 private:
  std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();
};

struct Packing {
  std::vector<double> position, velocity, spin, radius, mass;
  std::vector<int> i, j, begin, entry;
};

// grains on a lattice, a little out of place: each touches six others, and is listed with six more
Packing lattice(int edge)
{
  constexpr int NEIGHBOURS[][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}, {0, 1, 1}, {1, 0, 1}};
  Packing packing;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> some(-1.0, 1.0);
  const auto number = [edge](int x, int y, int z) { return (z * edge + y) * edge + x; };
  std::vector<std::vector<int>> entries(edge * edge * edge);
  for (int z = 0; z < edge; ++z)
    for (int y = 0; y < edge; ++y)
      for (int x = 0; x < edge; ++x) {
        for (const int place : {x, y, z}) {
          packing.position.push_back(place + 0.005 * some(random));
          packing.velocity.push_back(0.1 * some(random));
          packing.spin.push_back(0.1 * some(random));
        }
        packing.radius.push_back(0.51 + 0.003 * some(random));
        packing.mass.push_back(1.0);
        for (const auto &n : NEIGHBOURS) {
          if (x + n[0] >= edge || y + n[1] >= edge || z + n[2] >= edge) continue;
          const int pair = static_cast<int>(packing.i.size());
          packing.i.push_back(number(x, y, z));
          packing.j.push_back(number(x + n[0], y + n[1], z + n[2]));
          entries[packing.i.back()].push_back(2 * pair);
          entries[packing.j.back()].push_back(2 * pair + 1);
        }
      }
  packing.begin = {0};
  for (const auto &of_grain : entries) {
    packing.entry.insert(packing.entry.end(), of_grain.begin(), of_grain.end());
    packing.begin.push_back(static_cast<int>(packing.entry.size()));
  }
  return packing;
}

template <class Executor> class Simulation {
  using Force = ForceOfPair<UsualLaws, false>;

 public:
  Simulation(Executor &executor, const Packing &packing)
      : executor(executor), position(executor, packing.position), velocity(executor, packing.velocity),
        spin(executor, packing.spin), radius(executor, packing.radius), mass(executor, packing.mass),
        i(executor, packing.i), j(executor, packing.j), begin(executor, packing.begin), entry(executor, packing.entry),
        history(executor, std::vector<double>(Force::HISTORY * packing.i.size(), 0.0)),
        forces(executor, Force::FORCES * packing.i.size())
  {
  }
  void run(int steps)
  {
    const Grains grains{position.data(), velocity.data(), spin.data(), radius.data(), mass.data()};
    const int pairs = static_cast<int>(i.size()), count = static_cast<int>(mass.size());
    const Force force{constants, TIMESTEP, pairs, i.data(), j.data(), grains, history.data(), forces.data()};
    const MoveGrain move{TIMESTEP, pairs, begin.data(), entry.data(), forces.data(), grains};
    for (int step = 0; step < steps; ++step) {
      executor.for_each(pairs, force);
      executor.for_each(count, move);
    }
  }
  std::vector<double> positions() const { return position.copy(); }

 private:
  const ModelConstants constants = usual_constants(TIMESTEP);
  Executor &executor;
  DeviceArray<double, Executor> position, velocity, spin, radius, mass;
  DeviceArray<int, Executor> i, j, begin, entry;
  DeviceArray<double, Executor> history, forces;
};

bool same_bits(CudaExecutor &card)
{
  constexpr int EDGE = 20, STEPS = 200;
  const Packing packing = lattice(EDGE);
  HostExecutor host;
  Simulation<HostExecutor> here(host, packing);
  Simulation<CudaExecutor> there(card, packing);
  here.run(STEPS);
  there.run(STEPS);
  const bool same = here.positions() == there.positions() && here.positions() != packing.position;
  std::printf("%d grains after %d steps: %s\n", EDGE * EDGE * EDGE, STEPS, same ? "same bits" : "other bits");
  return same;
}

void time_steps(CudaExecutor &card, int edge)
{
  constexpr int STEPS = 100;
  const double grains = static_cast<double>(edge) * edge * edge;
  Simulation<CudaExecutor> simulation(card, lattice(edge));
  double least = 1.0e30;
  for (int round = 0; round < 5; ++round) {
    const Stopwatch stopwatch;
    simulation.run(STEPS);
    card.wait();
    least = std::min(least, stopwatch.seconds() / STEPS);
  }
  std::printf("%9.0f grains: %8.1f microseconds a step, %.2e grains and steps a second\n", grains, 1.0e6 * least,
              grains / least);
}

}    // namespace

int main(int count, char **arguments)
try {
  if (count < 3) throw std::runtime_error("usage: step_check NVRTC FOLDER ...");
  const Stopwatch stopwatch;
  CudaExecutor card({arguments[1], {arguments + 2, arguments + count}, {"step.h"}});
  const double ready = stopwatch.seconds();
  Simulation<CudaExecutor>(card, lattice(2)).run(1);
  card.wait();
  std::printf("%s, %s: ready after %.2f s, a first step after %.2f s\n", card.card().c_str(),
              card.architecture().c_str(), ready, stopwatch.seconds());
  const bool same = same_bits(card);
  for (const int edge : {22, 46, 100, 170}) time_steps(card, edge);
  return same ? 0 : 1;
} catch (const CudaError &error) {
  std::printf("Nothing to compare: %s\n", error.what());
  return 0;
} catch (const std::exception &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
