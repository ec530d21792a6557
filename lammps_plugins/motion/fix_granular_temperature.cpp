#include "fix_granular_temperature.h"

#include "atom.h"
#include "error.h"
#include "update.h"

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
  initial = NumberOrVariable(lmp, fmt::format("fix {} granular/temperature: initial", id), arg[4], 0.0);
  temperature = initial.number;
  create_attribute = 1;
}

void FixGranularTemperature::init() { initial.init(lmp); }

int FixGranularTemperature::setmask() { return FixConst::INITIAL_INTEGRATE; }

// a variable may ask all ranks: it is evaluated in each step, before grains come in

void FixGranularTemperature::setup(int) { temperature = initial.value_in_step(lmp); }
void FixGranularTemperature::initial_integrate(int) { temperature = initial.value_in_step(lmp); }

/* ----------------------------------------------------------------------
   those of commands between runs are set by `set ... temperature`
------------------------------------------------------------------------- */

void FixGranularTemperature::set_arrays(int i)
{
  if (update->whichflag == 0 || !atom->temperature || !(atom->mask[i] & groupbit)) return;
  atom->temperature[i] = temperature;
}
