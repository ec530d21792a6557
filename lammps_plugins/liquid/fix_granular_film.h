#ifdef FIX_CLASS
// clang-format off
FixStyle(granular/film,FixGranularFilm);
// clang-format on
#else

#ifndef LMP_FIX_GRANULAR_FILM_H
#define LMP_FIX_GRANULAR_FILM_H

#include "fix.h"

#include "../device/grain_engine.h"
#include "../glue/options.h"

#include <string>
#include <vector>

namespace LAMMPS_NS {

// Evaporation of films and bridges, supply of liquid to grains in a region, and initial films of inserted grains.
class FixGranularFilm : public Fix {
 public:
  FixGranularFilm(class LAMMPS *, int, char **);
  int setmask() override;
  void init() override;
  void end_of_step() override;
  void set_arrays(int) override;
  double compute_vector(int) override;
  void write_restart(FILE *) override;
  void restart(char *) override;

  // all fixes that dry films, in the order in which they act
  static std::vector<FixGranularFilm *> drying_fixes(const LAMMPS *);
  bool sprays() const { return supply > 0.0; }
  granular_plus::StepPlan::Evaporation evaporation() const;
  // Called after an engine has computed steps.
  void count_evaporated(double volume);

 private:
  double rate = 0.0;    // volume per area and time
  bool dries_bridges = false;
  double supply = 0.0;     // volume per time
  double initial = 0.0;    // film of an inserted grain
  std::string region_id;
  class PairGranularPlus *pair = nullptr;
  enum { EVAPORATED, SUPPLIED, TOTALS };
  double total[TOTALS] = {};    // on this rank, since the fix was defined

  static const Options<FixGranularFilm> OPTIONS;
  void dry_films(double *film);
  void dry_bridges();
  void spray(double *film);
};

}    // namespace LAMMPS_NS

#endif
#endif
