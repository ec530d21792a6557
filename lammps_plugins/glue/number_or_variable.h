// What a command gives as a number, or as the name of an equal-style variable.

#ifndef LMP_GRANULAR_PLUS_NUMBER_OR_VARIABLE_H
#define LMP_GRANULAR_PLUS_NUMBER_OR_VARIABLE_H

#include "compute.h"
#include "lammps.h"
#include "modify.h"
#include "update.h"

#include <cmath>
#include <string>

namespace LAMMPS_NS {

// Asks for the computes that a fix has just used through a variable again in the next step. LAMMPS's own
// Modify::addstep_compute asks all computes, used or not, and that of the pressure makes every step tally the virial.
inline void use_again(const LAMMPS *lmp)
{
  for (Compute *compute : lmp->modify->get_compute_list())
    if (compute->timeflag && compute->invoked_flag != Compute::INVOKED_NONE)
      compute->addstep(lmp->update->ntimestep + 1);
}

class NumberOrVariable {
 public:
  NumberOrVariable() = default;
  // from a word of a command; errors call it by this name; least: its lower bound, 0 or none
  NumberOrVariable(LAMMPS *, std::string name, const std::string &word, double least = -INFINITY);

  double number = 0.0;
  std::string variable;    // its name; empty for a number
  bool varies() const { return !variable.empty(); }

  void init(LAMMPS *) const;    // before a run: an error unless there is such a variable
  double value(LAMMPS *) const;
  // likewise, and asks for the computes that the variable uses in the next step
  double value_in_step(LAMMPS *) const;

 private:
  std::string name;
  double least = -INFINITY;
  void check(LAMMPS *, double given, const std::string &shown) const;
};

}    // namespace LAMMPS_NS

#endif
