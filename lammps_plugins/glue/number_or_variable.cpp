#include "number_or_variable.h"

#include "error.h"
#include "input.h"
#include "variable.h"

using namespace LAMMPS_NS;

NumberOrVariable::NumberOrVariable(LAMMPS *lmp, std::string name, const std::string &word, double least)
    : name(std::move(name)), least(least)
{
  if (utils::strmatch(word, "^v_")) {
    variable = word.substr(2);
    if (!varies()) lmp->error->all(FLERR, "{} v_ needs the name of a variable", this->name);
    return;
  }
  if (!utils::is_double(word)) lmp->error->all(FLERR, "{} = {} must be a number or v_name", this->name, word);
  number = utils::numeric(FLERR, word, false, lmp);
  check(lmp, number, "= " + word);
}

void NumberOrVariable::check(LAMMPS *lmp, double given, const std::string &shown) const
{
  if (!(given >= least && std::isfinite(given)))
    lmp->error->all(FLERR, "{} {} must be {}finite", name, shown, least == 0.0 ? ">= 0 and " : "");
}

void NumberOrVariable::init(LAMMPS *lmp) const
{
  if (!varies()) return;
  const int found = lmp->input->variable->find(variable.c_str());
  if (found < 0) lmp->error->all(FLERR, "{} v_{}: there is no variable {}", name, variable, variable);
  if (!lmp->input->variable->equalstyle(found))
    lmp->error->all(FLERR, "{} v_{} must be an equal-style variable", name, variable);
}

double NumberOrVariable::value(LAMMPS *lmp) const
{
  if (!varies()) return number;
  const int found = lmp->input->variable->find(variable.c_str());
  if (found < 0) lmp->error->all(FLERR, "{} v_{} has been deleted since the last run", name, variable);
  const double result = lmp->input->variable->compute_equal(found);
  check(lmp, result, fmt::format("v_{} = {}", variable, result));
  return result;
}

double NumberOrVariable::value_in_step(LAMMPS *lmp) const
{
  if (varies()) lmp->modify->clearstep_compute();
  const double result = value(lmp);
  if (varies()) request_computes_for_next_step(lmp);
  return result;
}
