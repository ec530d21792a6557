#include "fix_granular_temperature.h"

#include "../glue/restart_header.h"
#include "../grains/grain_history.h"
#include "../grains/pair_granular_plus.h"

#include "atom.h"
#include "comm.h"
#include "error.h"
#include "force.h"
#include "modify.h"
#include "update.h"

#include <algorithm>
#include <cmath>

using namespace LAMMPS_NS;
using namespace granular_plus;

const Options<FixGranularTemperature> FixGranularTemperature::OPTIONS(
    "granular/temperature",
    {{"initial",
      {Operand::number_or_variable("T", "temperature", 0.0)},
      "temperature of new grains",
      "",
      [](FixGranularTemperature &fix, const Operands &given) { fix.initial = given.variable(0); }},
     {"expansion",
      {Operand::number("alpha", "1/temperature", NON_NEGATIVE)},
      "coefficient of linear expansion",
      "",
      [](FixGranularTemperature &fix, const Operands &given) { fix.expansion = given.number(0); }},
     {"reference",
      {Operand::number("T0", "temperature")},
      "reference temperature of the expansion",
      "",
      [](FixGranularTemperature &fix, const Operands &given) { fix.reference = given.number(0); }}});

FixGranularTemperature::FixGranularTemperature(LAMMPS *lmp, int narg, char **arg) : GrowthReceiver(lmp, narg, arg)
{
  parse(narg, arg);
  if (!atom->temperature_flag)
    error->all(FLERR,
               "fix {} granular/temperature: the temperatures of grains must be defined before this fix; use fix ID "
               "all property/atom temperature heatflow ghost yes",
               id);
  if (grows() && (!atom->radius_flag || !atom->rmass_flag || !atom->omega_flag))
    error->all(FLERR, "fix {} granular/temperature: thermal expansion (keyword expansion) needs atom_style sphere", id);
  if (initial) temperature = initial->number;
  create_attribute = 1;
  restart_peratom = 1;
  maxexchange = 1;
  comm_reverse = 1;
  FixGranularTemperature::grow_arrays(atom->nmax);
  atom->add_callback(Atom::GROW);
  atom->add_callback(Atom::RESTART);
}

FixGranularTemperature::~FixGranularTemperature()
{
  atom->delete_callback(id, Atom::GROW);
  atom->delete_callback(id, Atom::RESTART);
}

void FixGranularTemperature::parse(int narg, char **arg)
{
  OptionReader reader(lmp, fmt::format("fix {} granular/temperature", id), {OPTIONS.of(*this)});
  reader.read({arg, arg + narg}, 3);
  const bool has_expansion = reader.has("expansion");
  if (!initial && !has_expansion)
    error->all(FLERR,
               "fix {} granular/temperature needs keyword initial with a temperature (a number or v_name), or keyword "
               "expansion with a coefficient",
               id);
  if (has_expansion != reader.has("reference"))
    error->all(FLERR,
               "fix {} granular/temperature: keywords expansion and reference must be given together; 1 + expansion "
               "(T - reference) is the radius of a grain divided by its radius at the reference temperature",
               id);
}

int FixGranularTemperature::setmask() { return FixConst::INITIAL_INTEGRATE | FixConst::PRE_FORCE; }

void FixGranularTemperature::init()
{
  if (initial) initial->init(lmp);
  if (!grows()) return;
  for (const Fix *shape : modify->get_fix_by_style("^shape/granular/plus"))
    for (int i = 0; i < atom->nlocal; ++i)
      if ((atom->mask[i] & groupbit) && (atom->mask[i] & shape->groupbit))
        error->one(
            FLERR,
            "fix {} granular/temperature: expansion is not available for grains with a shape, such as grain {} (fix {} "
            "shape/granular/plus)",
            id, atom->tag[i], shape->id);
}

// The value of the variable is needed when a rank inserts a grain (set_arrays). The variable is evaluated in advance,
// in each step, because the evaluation may need communication among all ranks.

void FixGranularTemperature::setup(int)
{
  if (initial) temperature = initial->value_in_step(lmp);
}

void FixGranularTemperature::initial_integrate(int)
{
  if (grows()) expand();
  if (initial) temperature = initial->value_in_step(lmp);
}

void FixGranularTemperature::setup_pre_force(int vflag) { pre_force(vflag); }

void FixGranularTemperature::pre_force(int)
{
  if (grows()) pushes.assign(atom->nlocal + atom->nghost, 0.0);
}

/* ----------------------------------------------------------------------
   Growth does work, because it increases the overlaps of a grain. The work is computed with the force before the step.
   The sum of the errors over many steps is at most half of the total change of the force times the growth in one step.
------------------------------------------------------------------------- */

void FixGranularTemperature::add(const LoopWork &work, bool seen_once)
{
  const Batch &b = work.batch;
  const int end = seen_once ? static_cast<int>(pushes.size()) : atom->nlocal;
  for (int l = 0; l < b.count; ++l) {
    double push = b.observed[NORMAL_ELASTIC_FORCE][l];
    if (b.observables > CAPILLARY_FORCE) push -= b.observed[CAPILLARY_FORCE][l];
    if (b.observables > ATTRACTION_FORCE) push -= b.observed[ATTRACTION_FORCE][l];
    pushes[work.i(l)] += push;
    if (work.row_j[l] != LoopWork::WALL && work.j(l) < end) pushes[work.j(l)] += push;
  }
}

double FixGranularTemperature::factor(int i) const
{
  const double value = 1.0 + expansion * (atom->temperature[i] - reference);
  if (!(value > 0.0 && std::isfinite(value)))
    error->one(
        FLERR,
        "fix {} granular/temperature: keyword expansion: grain {} has the temperature {:g}, at which its radius is "
        "{:g} times the radius at the reference temperature; this factor must be > 0",
        id, atom->tag[i], atom->temperature[i], value);
  return value;
}

void FixGranularTemperature::expand()
{
  const auto *pair = granular_pair(lmp);
  const bool ledger_is_open = pair && pair->has_ledger() && pair->contact_history()->ledger.started;
  if (ledger_is_open && force->newton_pair) comm->reverse_comm(this);
  double work = 0.0;
  for (int i = 0; i < atom->nlocal; ++i) {
    if (!(atom->mask[i] & groupbit)) continue;
    const double before = atom->radius[i], expanded = factor(i);
    if (radii[i] == 0.0) radii[i] = before / expanded;
    const double now = radii[i] * expanded;
    if (now == before) continue;
    // the moment of inertia grows with the square of the radius
    const double slower = (before / now) * (before / now);
    double *omega = atom->omega[i];
    const double spin = granular_plus::dot(granular_plus::vector_of(omega), granular_plus::vector_of(omega));
    if (ledger_is_open)
      work += pushes[i] * (now - before) + 0.2 * atom->rmass[i] * before * before * spin * (slower - 1.0);
    for (int d = 0; d < 3; ++d) omega[d] *= slower;
    atom->radius[i] = now;
  }
  if (ledger_is_open) pair->contact_history()->ledger.exchanged += work;
}

/* ----------------------------------------------------------------------
   Sets the temperature of grains that are inserted during a run. The command `set ... temperature` sets the temperature
   of grains that other commands create between runs.
------------------------------------------------------------------------- */

void FixGranularTemperature::set_arrays(int i)
{
  radii[i] = 0.0;
  if (!initial || update->whichflag == 0 || !atom->temperature || !(atom->mask[i] & groupbit)) return;
  atom->temperature[i] = temperature;
}

void FixGranularTemperature::grow_arrays(int nmax) { radii.resize(nmax, 0.0); }
void FixGranularTemperature::copy_arrays(int from, int to, int /*delflag*/) { radii[to] = radii[from]; }

int FixGranularTemperature::pack_exchange(int i, double *buf)
{
  buf[0] = radii[i];
  return 1;
}

int FixGranularTemperature::unpack_exchange(int i, double *buf)
{
  radii[i] = buf[0];
  return 1;
}

int FixGranularTemperature::pack_restart(int i, double *buf) { return with_size(buf, pack_exchange(i, buf + 1)); }
void FixGranularTemperature::unpack_restart(int i, int nth) { radii[i] = values_in_restart(atom->extra[i], nth)[0]; }

int FixGranularTemperature::pack_reverse_comm(int n, int first, double *buf)
{
  std::copy_n(pushes.begin() + first, n, buf);
  return n;
}

void FixGranularTemperature::unpack_reverse_comm(int n, int *list, double *buf)
{
  for (int k = 0; k < n; ++k) pushes[list[k]] += buf[k];
}

double FixGranularTemperature::memory_usage()
{
  return static_cast<double>(radii.capacity() + pushes.capacity()) * sizeof(double);
}
