#include "fix_granular_temperature.h"

#include "../used_computes.h"

#include "atom.h"
#include "error.h"
#include "input.h"
#include "modify.h"
#include "update.h"
#include "variable.h"

#include <cmath>

using namespace LAMMPS_NS;

FixGranularTemperature::FixGranularTemperature(LAMMPS *lmp, int narg, char **arg) : Fix(lmp, narg, arg)
{
  if (narg != 5 || std::string(arg[3]) != "initial")
    error->all(FLERR, "fix {} granular/temperature needs the word initial and a temperature, a number or v_name", id);
  if (!atom->temperature_flag)
    error->all(FLERR,
               "fix {} granular/temperature needs the temperatures of grains before it: fix ID all property/atom "
               "temperature heatflow ghost yes",
               id);
  if (utils::strmatch(arg[4], "^v_")) {
    variable = arg[4] + 2;
    if (variable.empty()) error->all(FLERR, "fix {} granular/temperature: initial v_ needs the name of a variable", id);
  } else {
    if (!utils::is_double(arg[4]))
      error->all(FLERR, "fix {} granular/temperature: initial = {} must be a number or v_name", id, arg[4]);
    initial = utils::numeric(FLERR, arg[4], false, lmp);
    if (!(initial >= 0.0 && std::isfinite(initial)))
      error->all(FLERR, "fix {} granular/temperature: initial = {} must be >= 0", id, arg[4]);
  }
  create_attribute = 1;
}

FixGranularTemperature::~FixGranularTemperature() = default;

void FixGranularTemperature::init()
{
  if (variable.empty()) return;
  const int found = input->variable->find(variable.c_str());
  if (found < 0 || !input->variable->equalstyle(found))
    error->all(FLERR, "fix {} granular/temperature: initial v_{} must be an equal-style variable", id, variable);
}

int FixGranularTemperature::setmask() { return FixConst::INITIAL_INTEGRATE; }

// a variable may ask all processors: it is evaluated in each step, before grains come in

void FixGranularTemperature::setup(int) { evaluate(); }
void FixGranularTemperature::initial_integrate(int) { evaluate(); }

void FixGranularTemperature::evaluate()
{
  if (variable.empty()) return;
  modify->clearstep_compute();
  initial = input->variable->compute_equal(input->variable->find(variable.c_str()));
  use_again(lmp);
  if (!(initial >= 0.0 && std::isfinite(initial)))
    error->all(FLERR, "fix {} granular/temperature: initial v_{} = {} must be >= 0 and finite", id, variable, initial);
}

/* ----------------------------------------------------------------------
   those of commands between runs are set by `set ... temperature`
------------------------------------------------------------------------- */

void FixGranularTemperature::set_arrays(int i)
{
  if (update->whichflag == 0 || !atom->temperature || !(atom->mask[i] & groupbit)) return;
  atom->temperature[i] = initial;
}
