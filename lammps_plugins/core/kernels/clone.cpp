// Compiled once per instruction set; GRANULAR_PLUS_CLONE names the clone. Code here must not instantiate templates of
// the C++ library that other files also use: the linker might keep a copy compiled for another CPU.

#include "gap_heat.h"
#include "loop.h"
#include "motion.h"
#include "reach.h"
#include "stage_tables.h"

GRANULAR_PLUS_LAWS_BEGIN

namespace {

void slide(int slider, bool carries_force, int n, double *q, const double *velocity, const double *stiffness,
           const double *damping, const double *coulomb_limit, double timestep, double *force)
{
  for_each_law(Sliders{}, [&](int index, auto law) {
    if (index != slider) return;
#pragma omp simd
    for (int k = 0; k < n; ++k) {
      const auto spring =
          carries_force ? carrying_force(stiffness[k], damping[k]) : carrying_displacement(stiffness[k], damping[k]);
      Vector state = vector_of(q + 3 * k);
      const Vector v = vector_of(velocity + 3 * k);
      double sliding;
      const Vector f = decltype(law)::type::step(state, spring, v, coulomb_limit[k], timestep, sliding);
      write(q + 3 * k, state);
      write(force + 3 * k, f);
    }
  });
}

}    // namespace

#define GRANULAR_PLUS_TEXT(name) #name
#define GRANULAR_PLUS_NAME(name) GRANULAR_PLUS_TEXT(name)
extern const Kernels compiled_kernels;
const Kernels compiled_kernels = {GRANULAR_PLUS_NAME(GRANULAR_PLUS_CLONE),
                                  READS_PAST_END,
                                  stages,
                                  range_of_moves,
                                  any_beyond,
                                  within_reach,
                                  pairs_within,
                                  loop,
                                  find_contacts,
                                  evaluate_pairs,
                                  evaluate_contacts,
                                  pass_heat,
                                  tally,
                                  slide,
                                  move};

GRANULAR_PLUS_LAWS_END
