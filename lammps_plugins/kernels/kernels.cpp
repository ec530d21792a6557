// Compiled once per instruction set: GRANULAR_PLUS_CLONE names the clone. Nothing here may instantiate templates of
// the C++ library that other files share: the linker might keep the copy made for another processor.

#include "kernels.h"

#include "../laws/stages.h"

GRANULAR_PLUS_LAWS_BEGIN

namespace {

struct Tables {
  Stage normal[NormalLaws::count][DampingLaws::count];
  Stage tangential[TangentialLaws::count][Sliders::count];

  Tables()
  {
    for_each_law(NormalLaws{}, [this](int n, auto normal_law) {
      for_each_law(DampingLaws{}, [this, n](int d, auto damping_law) {
        normal[n][d] = normal_stage<typename decltype(normal_law)::type, typename decltype(damping_law)::type>;
      });
    });
    for_each_law(TangentialLaws{}, [this](int t, auto tangential_law) {
      for_each_law(Sliders{}, [this, t](int s, auto slider) {
        tangential[t][s] = tangential_stage<typename decltype(tangential_law)::type, typename decltype(slider)::type>;
      });
    });
  }
};

const Tables &tables()
{
  static const Tables instance;
  return instance;
}

Stage normal_of(int normal_law, int damping_law)
{
  return tables().normal[normal_law][damping_law];
}

Stage tangential_of(int tangential_law, int slider)
{
  return tables().tangential[tangential_law][slider];
}

// append the touching pairs of [begin, end) to found and forget contacts that have ended
template <bool KEEP>
int search(const Particles &particles, const Pairs &pairs, int begin, int end, int *found, int count)
{
  const double *x = particles.position, *radius = particles.radius;
  for (int p = begin; p < end; ++p) {
    const int i = pairs.i[p], j = pairs.j[p];
    const double dx = x[3 * i] - x[3 * j];
    const double dy = x[3 * i + 1] - x[3 * j + 1];
    const double dz = x[3 * i + 2] - x[3 * j + 2];
    const double reach = radius[i] + radius[j];
    const int touches = dx * dx + dy * dy + dz * dz < reach * reach;
    found[count] = p;
    count += touches;
    if (KEEP) pairs.state[p] &= static_cast<unsigned char>(~(TOUCHING & (touches - 1)));
  }
  return count;
}

void gather(const Particles &particles, const Pairs &pairs, const int *found, LoopWork &work)
{
  Batch &b = work.batch;
  const int history_size = pairs.history_size;
  for (int l = 0; l < b.count; ++l) {
    const int p = found[l];
    const int i = pairs.i[p], j = pairs.j[p];
    work.pair[l] = p;
    work.i[l] = i;
    work.j[l] = j;
    for (int d = 0; d < 3; ++d) {
      b.separation[d][l] = particles.position[3 * i + d] - particles.position[3 * j + d];
      b.velocity[d][l] = particles.velocity[3 * i + d] - particles.velocity[3 * j + d];
      b.spin_i[d][l] = particles.spin[3 * i + d];
      b.spin_j[d][l] = particles.spin[3 * j + d];
    }
    b.radius_i[l] = particles.radius[i];
    b.radius_j[l] = particles.radius[j];
    b.mass_i[l] = particles.mass[i];
    b.mass_j[l] = particles.mass[j];
    const bool touched = pairs.state[p] & TOUCHING;
    const double *history = pairs.history + static_cast<long>(p) * history_size;
    for (int h = 0; h < history_size; ++h) b.history[h][l] = touched ? history[h] : 0.0;
  }
  if (particles.frozen) {
    for (int l = 0; l < b.count; ++l) {
      if (particles.mask[work.j[l]] & particles.frozen)
        b.mass_j[l] = INFINITE_MASS;
      else if (particles.mask[work.i[l]] & particles.frozen)
        b.mass_i[l] = INFINITE_MASS;
    }
  }
}

void scatter(const Particles &particles, const Pairs &pairs, const LoopOptions &options, LoopWork &work)
{
  Batch &b = work.batch;
  const int history_size = pairs.history_size;
  if (options.force_factors) {
    for (int l = 0; l < b.count; ++l) {
      const double factor = options.force_factors[pairs.state[work.pair[l]] >> SCALE_SHIFT];
      for (int d = 0; d < 3; ++d) {
        b.force[d][l] *= factor;
        b.torque_i[d][l] *= factor;
        b.torque_j[d][l] *= factor;
      }
    }
  }
  for (int l = 0; particles.force && l < b.count; ++l) {
    const int i = work.i[l], j = work.j[l];
    for (int d = 0; d < 3; ++d) {
      particles.force[3 * i + d] += b.force[d][l];
      particles.torque[3 * i + d] += b.torque_i[d][l];
    }
    if (j < particles.receives_below) {
      for (int d = 0; d < 3; ++d) {
        particles.force[3 * j + d] -= b.force[d][l];
        particles.torque[3 * j + d] += b.torque_j[d][l];
      }
    }
  }
  if (options.keep_history) {
    for (int l = 0; l < b.count; ++l) {
      const int p = work.pair[l];
      pairs.state[p] |= TOUCHING;
      double *history = pairs.history + static_cast<long>(p) * history_size;
      for (int h = 0; h < history_size; ++h) history[h] = b.history[h][l];
    }
  }
}

void loop(const Particles &particles, const Pairs &pairs, const Segment &segment, const LoopOptions &options,
          LoopWork &work)
{
  work.batch.timestep = options.timestep;
  int waiting = 0;
  for (int begin = segment.begin; begin < segment.end; begin += LoopWork::SEARCHED) {
    const int end = segment.end - begin < LoopWork::SEARCHED ? segment.end : begin + LoopWork::SEARCHED;
    waiting = options.keep_history ? search<true>(particles, pairs, begin, end, work.found, waiting)
                                   : search<false>(particles, pairs, begin, end, work.found, waiting);
    const bool last = end == segment.end;
    int first = 0;
    while (waiting - first >= LANES || (last && waiting > first)) {
      work.batch.count = waiting - first < LANES ? waiting - first : LANES;
      gather(particles, pairs, work.found + first, work);
      for (int s = 0; s < segment.stage_count; ++s) segment.stages[s](work.batch, segment.constants);
      scatter(particles, pairs, options, work);
      if (options.report) options.report(options.receiver, work);
      first += work.batch.count;
    }
    for (int k = first; k < waiting; ++k) work.found[k - first] = work.found[k];
    waiting -= first;
  }
}

void slide(int slider, bool carries_force, int n, double *q, const double *velocity, const double *stiffness,
           const double *damping, const double *bound, double timestep, double *force)
{
  for_each_law(Sliders{}, [&](int index, auto law) {
    if (index != slider) return;
#pragma omp simd
    for (int k = 0; k < n; ++k) {
      const auto spring = carries_force ? carrying_force(stiffness[k], damping[k])
                                        : carrying_displacement(stiffness[k], damping[k]);
      Vector state{q[3 * k], q[3 * k + 1], q[3 * k + 2]};
      const Vector v{velocity[3 * k], velocity[3 * k + 1], velocity[3 * k + 2]};
      const Vector f = decltype(law)::type::step(state, spring, v, bound[k], timestep);
      q[3 * k] = state.x, q[3 * k + 1] = state.y, q[3 * k + 2] = state.z;
      force[3 * k] = f.x, force[3 * k + 1] = f.y, force[3 * k + 2] = f.z;
    }
  });
}

}    // namespace

#define GRANULAR_PLUS_TEXT(name) #name
#define GRANULAR_PLUS_NAME(name) GRANULAR_PLUS_TEXT(name)
extern const Kernels compiled_kernels;
const Kernels compiled_kernels = {GRANULAR_PLUS_NAME(GRANULAR_PLUS_CLONE), normal_of, tangential_of, loop, slide};

GRANULAR_PLUS_LAWS_END
