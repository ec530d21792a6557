#include "pair_capillary_willett.h"

#include "error.h"

#include <cmath>
#include <cstring>

using namespace LAMMPS_NS;

PairCapillaryWillett::PairCapillaryWillett(LAMMPS *lmp) : PairGranularPlus(lmp, "capillary/willett") {}

void PairCapillaryWillett::settings(int narg, char **arg)
{
  global_cutoff = -1.0;
  if (narg == 0) return;
  global_cutoff = utils::numeric(FLERR, arg[0], false, lmp);
  if (!(global_cutoff > 0.0 && std::isfinite(global_cutoff)))
    error->all(FLERR, "capillary/willett: cutoff = {} must be > 0", arg[0]);
  if (narg > 1) error->all(FLERR, "capillary/willett: unexpected word {} in pair_style", arg[1]);
}

void PairCapillaryWillett::coeff(int narg, char **arg)
{
  const bool from_films = narg > 4 && strcmp(arg[4], "film") == 0;
  if (narg < 5 || (!from_films && (narg < 6 || narg > 7)))
    error->all(FLERR,
               "capillary/willett: pair_coeff has {} words, but needs the words I J gamma theta volume V [simple], or "
               "I J gamma "
               "theta film KEYWORDS [simple], where KEYWORDS are the keywords of film",
               narg);
  const bool simple = strcmp(arg[narg - 1], "simple") == 0;
  if (!from_films && narg == 7 && !simple)
    error->all(FLERR, "capillary/willett: unknown word {} in pair_coeff; the only possible word is simple{}", arg[6],
               granular_plus::did_you_mean(arg[6], {"simple"}));
  std::vector<std::string> words = {"bridge", simple ? "willett/simple" : "willett"};
  words.insert(words.end(), arg + 2, arg + narg - simple);
  set_coefficients(arg[0], arg[1], words);
}
