#ifdef PAIR_CLASS
// clang-format off
PairStyle(granular/plus/dsds,PairGranularPlusDsds);
PairStyle(gran/hooke/plus,PairOfStyle<GRAN_HOOKE_PLUS>);
PairStyle(gran/hooke/plus/dsds,PairOfStyle<GRAN_HOOKE_PLUS_DSDS>);
PairStyle(gran/hooke/history/plus,PairOfStyle<GRAN_HOOKE_HISTORY_PLUS>);
PairStyle(gran/hooke/history/plus/dsds,PairOfStyle<GRAN_HOOKE_HISTORY_PLUS_DSDS>);
PairStyle(gran/hertz/history/plus,PairOfStyle<GRAN_HERTZ_HISTORY_PLUS>);
PairStyle(gran/hertz/history/plus/dsds,PairOfStyle<GRAN_HERTZ_HISTORY_PLUS_DSDS>);
// clang-format on
#else

#ifndef LMP_PAIR_GRAN_PLUS_H
#define LMP_PAIR_GRAN_PLUS_H

#include "pair_granular_plus.h"

namespace LAMMPS_NS {

// Pair style granular/plus with LAMMPS's slider as the default. The command pair_coeff may name another slider.
struct PairGranularPlusDsds : PairGranularPlus {
  explicit PairGranularPlusDsds(LAMMPS *lmp) : PairGranularPlus(lmp, "granular/plus/dsds") {}
};

// the pair styles gran/*, whose pair_style command sets the coefficients of all pairs
class PairGranPlus : public PairGranularPlus {
 public:
  using PairGranularPlus::PairGranularPlus;
  void settings(int, char **) override;
  void coeff(int, char **) override;

 private:
  std::vector<std::string> words;
};

// One class for each style name, because LAMMPS does not pass the name to a new pair style.
template <const char *STYLE> struct PairOfStyle : PairGranPlus {
  explicit PairOfStyle(LAMMPS *lmp) : PairGranPlus(lmp, STYLE) {}
};
inline constexpr char GRAN_HOOKE_PLUS[] = "gran/hooke/plus";
inline constexpr char GRAN_HOOKE_PLUS_DSDS[] = "gran/hooke/plus/dsds";
inline constexpr char GRAN_HOOKE_HISTORY_PLUS[] = "gran/hooke/history/plus";
inline constexpr char GRAN_HOOKE_HISTORY_PLUS_DSDS[] = "gran/hooke/history/plus/dsds";
inline constexpr char GRAN_HERTZ_HISTORY_PLUS[] = "gran/hertz/history/plus";
inline constexpr char GRAN_HERTZ_HISTORY_PLUS_DSDS[] = "gran/hertz/history/plus/dsds";

}    // namespace LAMMPS_NS

#endif
#endif
