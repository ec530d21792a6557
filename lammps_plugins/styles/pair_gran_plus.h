#ifdef PAIR_CLASS
// clang-format off
PairStyle(granular/plus/dsds,PairGranularPlusDsds);
PairStyle(gran/hooke/plus,PairGranHookePlus);
PairStyle(gran/hooke/plus/dsds,PairGranHookePlusDsds);
PairStyle(gran/hooke/history/plus,PairGranHookeHistoryPlus);
PairStyle(gran/hooke/history/plus/dsds,PairGranHookeHistoryPlusDsds);
PairStyle(gran/hertz/history/plus,PairGranHertzHistoryPlus);
PairStyle(gran/hertz/history/plus/dsds,PairGranHertzHistoryPlusDsds);
// clang-format on
#else

#ifndef LMP_PAIR_GRAN_PLUS_H
#define LMP_PAIR_GRAN_PLUS_H

#include "pair_granular_plus.h"

namespace LAMMPS_NS {

// with the friction of LAMMPS where pair_coeff names no other
struct PairGranularPlusDsds : PairGranularPlus {
  explicit PairGranularPlusDsds(LAMMPS *lmp) : PairGranularPlus(lmp, "granular/plus/dsds") {}
};

// pair gran/*, whose pair_style command has the coefficients of all pairs
class PairGranPlus : public PairGranularPlus {
 public:
  using PairGranularPlus::PairGranularPlus;
  void settings(int, char **) override;
  void coeff(int, char **) override;

 private:
  std::vector<std::string> words;    // of the model
};

struct PairGranHookePlus : PairGranPlus {
  explicit PairGranHookePlus(LAMMPS *lmp) : PairGranPlus(lmp, "gran/hooke/plus") {}
};
struct PairGranHookePlusDsds : PairGranPlus {
  explicit PairGranHookePlusDsds(LAMMPS *lmp) : PairGranPlus(lmp, "gran/hooke/plus/dsds") {}
};
struct PairGranHookeHistoryPlus : PairGranPlus {
  explicit PairGranHookeHistoryPlus(LAMMPS *lmp) : PairGranPlus(lmp, "gran/hooke/history/plus") {}
};
struct PairGranHookeHistoryPlusDsds : PairGranPlus {
  explicit PairGranHookeHistoryPlusDsds(LAMMPS *lmp) : PairGranPlus(lmp, "gran/hooke/history/plus/dsds") {}
};
struct PairGranHertzHistoryPlus : PairGranPlus {
  explicit PairGranHertzHistoryPlus(LAMMPS *lmp) : PairGranPlus(lmp, "gran/hertz/history/plus") {}
};
struct PairGranHertzHistoryPlusDsds : PairGranPlus {
  explicit PairGranHertzHistoryPlusDsds(LAMMPS *lmp) : PairGranPlus(lmp, "gran/hertz/history/plus/dsds") {}
};

}    // namespace LAMMPS_NS

#endif
#endif
