#include "films.h"

#include "../core/laws/capillary/film.h"
#include "over_ranks.h"

#include "atom.h"
#include "comm.h"
#include "error.h"
#include "lammps.h"

#include <algorithm>
#include <cmath>
#include <vector>

using namespace LAMMPS_NS;

double *LAMMPS_NS::films_of(const LAMMPS *lmp)
{
  int is_double, columns;
  const int index = lmp->atom->find_custom("film", is_double, columns);
  return index >= 0 && is_double && columns == 0 ? lmp->atom->dvector[index] : nullptr;
}

void LAMMPS_NS::check_films(LAMMPS *lmp, const std::string &message_prefix)
{
  const double *film = films_of(lmp);
  if (!film)
    lmp->error->all(FLERR, "{}: keyword film needs the films of grains; use fix ID all property/atom d_film ghost yes",
                    message_prefix);
  const auto is_wrong = [](double volume) { return !(volume >= 0.0 && std::isfinite(volume)); };
  const double *end = film + lmp->atom->nlocal, *wrong = std::find_if(film, end, is_wrong);
  struct Grain {
    tagint id;
    double film;
  };
  std::vector<Grain> here;
  if (wrong != end) here.push_back({lmp->atom->tag[wrong - film], *wrong});
  const auto all = gathered(lmp->world, here, true);
  if (!all.empty())
    lmp->error->all(FLERR, "{}: the film d_film = {:g} of grain {} must be >= 0 and finite", message_prefix,
                    all.front().film, all.front().id);
}

void LAMMPS_NS::warn_of_bridges_outside_fit(LAMMPS *lmp, const std::string &message_prefix, double largest_here)
{
  constexpr auto FITTED = granular_plus::CapillaryLaw::fitted;
  const double largest = most_over_ranks(lmp->world, largest_here);
  if (lmp->comm->me == 0)
    lmp->error->warning(FLERR,
                        "{}: V/R^3 of new bridges is up to {:.3g}, but the law was fitted for the range from {} to {} "
                        "(V: volume of a bridge, R: Derjaguin radius)",
                        message_prefix, largest, FITTED.smallest_volume, FITTED.largest_volume);
}
