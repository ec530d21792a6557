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

const Options<VerletPlusGpu> VerletPlusGpu::OPTIONS(
    WHO,
    {{"strict",
      {Operand::yes_or_no()},
      "yes: stop with an error if the GPU cannot compute the run; no: compute such a run on the CPU and give a warning",
      "no",
      [](VerletPlusGpu &style, const Operands &given) { style.strict = given.yes(0); }}});

VerletPlusGpu::VerletPlusGpu(LAMMPS *lmp, int narg, char **arg) : Verlet(lmp, 0, nullptr)
{
  OptionReader(lmp, WHO, {OPTIONS.of(*this)}).read({arg, arg + narg}, 0);
  try {
    auto [computes, name] = granular_plus::make_engine();
    device = name;
    state_transfer = std::make_unique<StateTransfer>(lmp, std::move(computes));
  } catch (std::runtime_error &problem) {
    error->all(FLERR,
               "{}: {}; use run_style verlet, or set the environment variable GRANULAR_PLUS_DEVICE = host to run the "
               "kernels on the CPU",
               WHO, problem.what());
  }
}

/* ----------------------------------------------------------------------
   While the engine computes steps, only the step number and the age of the neighbour list change in LAMMPS.
------------------------------------------------------------------------- */

void VerletPlusGpu::run(int steps)
{
  const std::string obstacle = pair_compute_flag ? state_transfer->begin_run() : "pair_modify compute no";
  report_obstacle(obstacle);
  if (!obstacle.empty()) return Verlet::run(steps);
  bigint by_engine = 0;
  int done = 0;
  bool in_time = true;
  try {
    while (done < steps && in_time) {
      timer->stamp();
      const int for_engine = steps_for_engine(done, steps, in_time);
      if (for_engine > 0 && !state_transfer->is_uploaded()) report_obstacle(state_transfer->upload());
      const bool is_uploaded = state_transfer->is_uploaded();
      const int computed = for_engine > 0 && is_uploaded
          ? state_transfer->engine().run_steps(for_engine, state_transfer->steps_with_lists())
          : 0;
      update->ntimestep += computed;
      neighbor->ago += computed;
      by_engine += computed;
      done += computed;
      timer->stamp(Timer::PAIR);
      if (const auto undone = state_transfer->undo_for_more_room()) {
        by_engine -= *undone;
        done -= *undone;
        continue;
      }
      if (computed > 0 && computed == for_engine) continue;
      if (!in_time) break;
      state_transfer->download();
      timer->stamp(Timer::COMM);
      Verlet::run(1);
      ++done;
    }
    state_transfer->download();
    if (!in_time) update->nsteps = done;
  } catch (std::runtime_error &problem) {
    error->one(FLERR, "{}: {}", WHO, problem.what());
  }
  if (comm->me == 0)
    utils::logmesg(lmp, "{}: computed {} of {} steps on {}, and built {} neighbour lists\n", WHO, by_engine, done,
                   device, state_transfer->lists_made());
}

// Sets in_time to false if LAMMPS's timeout ends the run after these steps.

int VerletPlusGpu::steps_for_engine(int done, int steps, bool &in_time)
{
  constexpr int MOST = 1000;
  int count = 0;
  for (; count < MOST && done + count < steps; ++count) {
    in_time = !timer->check_timeout(done + count);
    const bigint step = update->ntimestep + count + 1;
    if (!in_time || needs_lammps(lmp, step)) break;
    ev_set(step);
    if (eflag || vflag) break;
  }
  return count;
}

void VerletPlusGpu::report_obstacle(const std::string &obstacle)
{
  if (obstacle.empty()) return;
  if (strict)
    error->all(FLERR, "{}: the GPU cannot compute this run: {}; with `strict no`, LAMMPS computes the run on the CPU",
               WHO, obstacle);
  if (comm->me == 0 && reported != obstacle)
    error->warning(FLERR, "{}: LAMMPS computes all steps on the CPU: {}", WHO, obstacle);
  reported = obstacle;
}
