#include "verlet_plus_gpu.h"

#include "make_engine.h"
#include "step_plan.h"

#include "atom.h"
#include "comm.h"
#include "error.h"
#include "neighbor.h"
#include "timer.h"
#include "update.h"

#include <exception>

using namespace LAMMPS_NS;

namespace {

const char *const WHO = "run_style verlet/plus/gpu";

}    // namespace

VerletPlusGpu::VerletPlusGpu(LAMMPS *lmp, int narg, char **arg) : Verlet(lmp, 0, nullptr)
{
  if (narg != 0 && (narg != 2 || strcmp(arg[0], "strict") != 0))
    error->all(FLERR, "{}: unknown arguments {}; known is strict yes or no", WHO,
               utils::join_words({arg, arg + narg}, " "));
  if (narg == 2) strict = utils::logical(FLERR, arg[1], false, lmp) != 0;
  try {
    auto [computes, name] = granular_plus::make_engine();
    device = name;
    hand_over = std::make_unique<HandOver>(lmp, std::move(computes));
  } catch (std::runtime_error &problem) {
    error->all(FLERR, "{}: {}; with the environment variable GRANULAR_PLUS_DEVICE = host the processor computes", WHO,
               problem.what());
  }
}

/* ----------------------------------------------------------------------
   A step of the engine changes nothing of LAMMPS but the number of the step and the age of the neighbour list.
------------------------------------------------------------------------- */

void VerletPlusGpu::run(int steps)
{
  const std::string obstacle = pair_compute_flag ? hand_over->begin_run() : "pair_modify compute no";
  if (!obstacle.empty()) {
    tell(obstacle);
    return Verlet::run(steps);
  }
  bigint by_engine = 0, done = 0;
  try {
    for (; done < steps; ++done) {
      if (timer->check_timeout(static_cast<int>(done))) {
        update->nsteps = static_cast<int>(done);
        break;
      }
      timer->stamp();
      if (!is_for_engine(update->ntimestep + 1)) {
        hand_over->take_back();
        timer->stamp(Timer::COMM);
        Verlet::run(1);
        continue;
      }
      hand_over->engine().step();
      ++update->ntimestep;
      ++neighbor->ago;
      ++by_engine;
      timer->stamp(Timer::PAIR);
    }
    hand_over->take_back();
  } catch (std::runtime_error &problem) {
    error->one(FLERR, "{}: {}", WHO, problem.what());
  }
  if (comm->me == 0) utils::logmesg(lmp, "{}: {} of {} steps on {}\n", WHO, by_engine, done, device);
}

// If so, the engine has the state.

bool VerletPlusGpu::is_for_engine(bigint step)
{
  if (needs_lammps(lmp, step)) return false;
  ev_set(step);
  if (eflag || vflag) return false;
  if (!hand_over->is_lent()) hand_over->lend();
  return !hand_over->engine().next_step_leaves_list();
}

void VerletPlusGpu::tell(const std::string &obstacle)
{
  if (strict) error->all(FLERR, "{}: {}; without strict, LAMMPS computes the steps", WHO, obstacle);
  if (comm->me == 0 && told != obstacle)
    error->warning(FLERR, "{}: LAMMPS computes all steps on the processor: {}", WHO, obstacle);
  told = obstacle;
}
