#include "grain_moves.h"

#include "../glue/surroundings.h"

#include "atom.h"
#include "error.h"
#include "neighbor.h"
#include "update.h"

#include <algorithm>
#include <cstring>
#include <string>

using namespace LAMMPS_NS;

GrainMoves::GrainMoves(LAMMPS *lmp)
    : Pointers(lmp), kernels(granular_plus::kernels()),
      treats_all_as_near(is_switched_on(lmp->error, "GRANULAR_PLUS_LOOK_AT_ALL"))
{
}

void GrainMoves::begin_run()
{
  grains_grow = false;
  box = {};
  step = -1;
}

bool GrainMoves::neighbor_checks_moves() const
{
  const bool watches = neighbor->delay == DELAY_WITH_BUDGETS || (neighbor->every == 1 && neighbor->delay <= 1);
  return watches && !neighbor->build_once && !neighbor->includegroup && !grains_grow;
}

void GrainMoves::check_motion()
{
  if (step == update->ntimestep && in_setup == update->setupflag) return;
  const bool goes_on = step >= 0 && !update->setupflag && neighbor->ago != 0;
  step = update->ntimestep;
  in_setup = update->setupflag;
  epoch_is_new = !goes_on || any_moved_too_far();
  if (epoch_is_new) begin_epoch();
}

/* ----------------------------------------------------------------------
   Returns infinity if the number of grains has changed.
------------------------------------------------------------------------- */

double GrainMoves::growth() const
{
  const std::size_t count_then = radius_at_start.size();
  if (static_cast<int>(count_then) != atom->nlocal) return INFINITY;
  if (count_then == 0 || std::memcmp(atom->radius, radius_at_start.data(), count_then * sizeof(double)) == 0)
    return 0.0;
  double most_growth = 0.0;
  for (std::size_t i = 0; i < count_then; ++i)
    most_growth = std::max(most_growth, atom->radius[i] - radius_at_start[i]);
  return most_growth;
}

bool GrainMoves::any_moved_too_far()
{
  const double most_growth = growth();
  if (most_growth > 0.0 && neighbor_checks_moves()) {
    grains_grow = true;
    return true;
  }
  if (neighbor_checks_moves()) return false;
  return !(moves.largest_move(kernels, atom->nlocal ? atom->x[0] : nullptr) + most_growth < displacement_limit);
}

void GrainMoves::begin_epoch()
{
  ++epoch_number;
  const int n = atom->nlocal;
  double largest = 0.0;
  for (int i = 0; i < n; ++i)
    for (int d = 0; d < 3; ++d) {
      box.low[d] = std::min(box.low[d], atom->x[i][d]);
      box.high[d] = std::max(box.high[d], atom->x[i][d]);
    }
  if (!box.is_empty())
    for (int d = 0; d < 3; ++d) largest = std::max({largest, std::fabs(box.low[d]), std::fabs(box.high[d])});
  constexpr double OF_FEW_OPERATIONS = 1.0e-13;
  rounding_of_places = OF_FEW_OPERATIONS * (largest + neighbor->cutneighmax);

  displacement_limit = 0.5 * neighbor->skin;
  radius_at_start.assign(atom->radius, atom->radius + n);
  if (neighbor_checks_moves()) {
    // the epoch began when the lists were built, possibly in the previous run
    epoch_is_new = neighbor->ago == 0;
    return;
  }
  moves.store_positions(n ? atom->x[0] : nullptr, n);
}
