#include "pair_gran_plus.h"

#include "atom.h"
#include "error.h"

using namespace LAMMPS_NS;
using granular_plus::InputError;

void PairGranPlus::settings(int narg, char **arg)
{
  stand_in.begin(narg, arg);
  try {
    words = granular_plus::words_of_classic(stand_in.theirs.substr(5), {arg, arg + narg});
    granular_plus::ContactModel{words};
  } catch (InputError &e) {
    return stand_in.leave_to_lammps(e.what());
  }
  if (!allocated) return;
  for (int i = 1; i <= atom->ntypes; ++i)
    for (int j = i; j <= atom->ntypes; ++j)
      if (setflag[i][j]) set_coefficients(std::to_string(i).c_str(), std::to_string(j).c_str(), words);
}

void PairGranPlus::coeff(int narg, char **arg)
{
  if (narg != 2) error->all(FLERR, "{}: pair_coeff has {} words, but must have only two types", style, narg);
  if (words.empty()) error->all(FLERR, "{}: pair_style with coefficients must come before pair_coeff", style);
  set_coefficients(arg[0], arg[1], words);
}
