#include "fix_granular_film.h"

#include "../grains/pair_granular_plus.h"
#include "../glue/films.h"

#include "linked_liquid.h"
#include "wet_surface.h"
#include "../glue/over_ranks.h"

#include "atom.h"
#include "comm.h"
#include "domain.h"
#include "error.h"
#include "modify.h"
#include "region.h"
#include "update.h"

#include <algorithm>
#include <cmath>

using namespace LAMMPS_NS;
using granular_plus::NON_NEGATIVE;

const Options<FixGranularFilm> FixGranularFilm::OPTIONS(
    "granular/film",
    {{"rate",
      {Operand::number("E", "distance/time", NON_NEGATIVE)},
      "evaporation rate of films: volume per area and time",
      "0",
      [](FixGranularFilm &fix, const Operands &given) { fix.rate = given.number(0); }},
     {"bridges",
      {Operand::yes_or_no()},
      "yes: bridges also evaporate at the rate E",
      "no",
      [](FixGranularFilm &fix, const Operands &given) { fix.dries_bridges = given.yes(0); }},
     {"supply",
      {Operand::number("Q", "volume/time", NON_NEGATIVE), Operand::word("R", "ID of a region").after("region")},
      "volume of liquid per time, shared by the grains in region R",
      "0",
      [](FixGranularFilm &fix, const Operands &given) {
        fix.supply = given.number(0);
        fix.region_id = given.word(1);
      }},
     {"initial",
      {Operand::number("V", "volume", NON_NEGATIVE)},
      "volume of the film of each grain that is inserted during a run",
      "0",
      [](FixGranularFilm &fix, const Operands &given) { fix.initial = given.number(0); }}});

FixGranularFilm::FixGranularFilm(LAMMPS *lmp, int narg, char **arg) : Fix(lmp, narg, arg)
{
  OptionReader(lmp, fmt::format("fix {} granular/film", id), {OPTIONS.of(*this)}).read({arg, arg + narg}, 3);
  if (dries_bridges && rate == 0.0)
    error->all(FLERR, "fix {} granular/film: keyword bridges needs keyword rate with E > 0", id);
  nevery = 1;
  create_attribute = 1;
  restart_global = 1;
  vector_flag = 1;
  size_vector = TOTALS;
  global_freq = 1;
  extvector = 0;    // LAMMPS must not divide the volumes by the number of atoms
}

int FixGranularFilm::setmask() { return FixConst::END_OF_STEP; }

void FixGranularFilm::init()
{
  if (!films_of(lmp))
    error->all(FLERR, "fix {} granular/film needs the films of grains; use fix ID all property/atom d_film ghost yes",
               id);
  if (!region_id.empty() && !domain->get_region_by_id(region_id))
    error->all(FLERR, "fix {} granular/film: there is no region {}", id, region_id);
  pair = liquid_pair(lmp);
}

std::vector<FixGranularFilm *> FixGranularFilm::drying_fixes(const LAMMPS *lmp)
{
  std::vector<FixGranularFilm *> fixes;
  for (Fix *fix : lmp->modify->get_fix_list())
    if (auto *film = dynamic_cast<FixGranularFilm *>(fix); film && film->rate > 0.0) fixes.push_back(film);
  return fixes;
}

granular_plus::StepPlan::Evaporation FixGranularFilm::evaporation() const
{
  return {groupbit, rate * update->dt, dries_bridges};
}

void FixGranularFilm::end_of_step()
{
  double *film = films_of(lmp);
  if (rate > 0.0) dry_films(film);
  if (dries_bridges) dry_bridges();
  if (supply > 0.0) spray(film);
}

void FixGranularFilm::dry_films(double *film)
{
  constexpr double FULL_TURN = 6.28318530717958647692;
  double sum = 0.0;
  for (int i = 0; i < atom->nlocal; ++i) {
    if (!(atom->mask[i] & groupbit)) continue;
    const double radius = atom->radius[i];
    const double left = std::max(0.0, film[i] - rate * update->dt * 2.0 * FULL_TURN * radius * radius);
    sum += film[i] - left;
    film[i] = left;
  }
  count_evaporated(sum);
}

void FixGranularFilm::dry_bridges()
{
  const double depth = rate * update->dt;
  if (pair) count_evaporated(pair->grain_ledger.dry_bridges(depth, groupbit));
  for (WetSurface *wall : WetSurface::all(lmp)) count_evaporated(wall->dry_bridges(depth, groupbit));
}

void FixGranularFilm::count_evaporated(double volume)
{
  total[EVAPORATED] += volume;
  if (pair) pair->grain_ledger.add_evaporated_liquid(volume);
}

/* ----------------------------------------------------------------------
   The grains in the region share the sprayed liquid in proportion to their cross-sections.
------------------------------------------------------------------------- */

void FixGranularFilm::spray(double *film)
{
  Region *region = domain->get_region_by_id(region_id);
  if (!region) error->all(FLERR, "fix {} granular/film: region {} has been deleted since the last run", id, region_id);
  region->prematch();
  const auto cross_section = [&](int i) {
    const double *x = atom->x[i];
    const bool meets = atom->mask[i] & groupbit && region->match(x[0], x[1], x[2]);
    return meets ? atom->radius[i] * atom->radius[i] : 0.0;
  };
  double here = 0.0;
  for (int i = 0; i < atom->nlocal; ++i) here += cross_section(i);
  const double all = sum_over_ranks(world, here);
  if (!(all > 0.0)) return;
  double sum = 0.0;
  for (int i = 0; i < atom->nlocal; ++i) {
    const double part = supply * update->dt * (cross_section(i) / all);
    film[i] += part;
    sum += part;
  }
  total[SUPPLIED] += sum;
  if (pair) pair->grain_ledger.add_supplied_liquid(sum);
}

/* ----------------------------------------------------------------------
   If a grain is inserted during a run, the initial volume is added to its film. The film is not replaced, because other
   fixes may already have added liquid to it.
------------------------------------------------------------------------- */

void FixGranularFilm::set_arrays(int i)
{
  double *film = films_of(lmp);
  if (!film || update->whichflag == 0 || !(atom->mask[i] & groupbit)) return;
  film[i] += initial;
  total[SUPPLIED] += initial;
  if (pair) pair->grain_ledger.add_supplied_liquid(initial);
}

double FixGranularFilm::compute_vector(int n) { return sum_over_ranks(world, total[n]); }

void FixGranularFilm::write_restart(FILE *fp)
{
  double sums[TOTALS];
  MPI_Reduce(total, sums, TOTALS, MPI_DOUBLE, MPI_SUM, 0, world);
  if (comm->me != 0) return;
  const int size = sizeof sums;
  fwrite(&size, sizeof(int), 1, fp);
  fwrite(sums, size, 1, fp);
}

void FixGranularFilm::restart(char *buf)
{
  const auto *sums = reinterpret_cast<const double *>(buf);
  for (int k = 0; k < TOTALS; ++k) total[k] = comm->me == 0 ? sums[k] : 0.0;
}
