// An argument of a command: a number or the name of an equal-style variable.

#ifndef LMP_GRANULAR_PLUS_NUMBER_OR_VARIABLE_H
#define LMP_GRANULAR_PLUS_NUMBER_OR_VARIABLE_H

#include "compute.h"
#include "lammps.h"
#include "modify.h"
#include "update.h"

#include <cmath>
#include <string>

namespace LAMMPS_NS {

// Requests, for the next step, the computes that a variable has just used. Modify::addstep_compute would request all
// computes. If one of them were the pressure, LAMMPS would compute the virial in every step.
inline void request_computes_for_next_step(const LAMMPS *lmp)
{
  for (Compute *compute : lmp->modify->get_compute_list())
    if (compute->timeflag && compute->invoked_flag != Compute::INVOKED_NONE)
      compute->addstep(lmp->update->ntimestep + 1);
}

class NumberOrVariable {
 public:
  NumberOrVariable() = default;
  // `name` is used in messages. `least` is the lower bound: 0, or -INFINITY for no bound.
  NumberOrVariable(LAMMPS *, std::string name, const std::string &word, double least = -INFINITY);

  double number = 0.0;
  std::string variable;    // empty for a number
  bool varies() const { return !variable.empty(); }

  void init(LAMMPS *) const;    // called before a run; stops with an error if the variable does not exist
  double value(LAMMPS *) const;
  // Does the same as value() and also requests, for the next step, the computes that the variable uses.
  double value_in_step(LAMMPS *) const;

 private:
  std::string name;
  double least = -INFINITY;
  void check(LAMMPS *, double given, const std::string &shown) const;
};

}    // namespace LAMMPS_NS

#endif
