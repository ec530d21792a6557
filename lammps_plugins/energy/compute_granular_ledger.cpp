#include "compute_granular_ledger.h"

#include "../grains/grain_history.h"
#include "../walls/fix_wall_granular_plus.h"
#include "../grains/pair_granular_plus.h"
#include "../grains/stand_in.h"
#include "particle_energy.h"

#include "../core/ledger/outputs.h"

#include "comm.h"
#include "error.h"
#include "modify.h"
#include "update.h"

#include <algorithm>

using namespace LAMMPS_NS;
using namespace granular_plus;

// as a keyword of compute_modify, reset would hang LAMMPS 22 Jul 2025
const Options<ComputeGranularLedger> ComputeGranularLedger::OPTIONS(
    "compute granular/ledger",
    {{"reset",
      {Operand::yes_or_no()},
      "the balance starts again with the next run",
      "no",
      [](ComputeGranularLedger &compute, const Operands &given) { compute.reset_due = given.yes(0); }}});

ComputeGranularLedger::ComputeGranularLedger(LAMMPS *lmp, int narg, char **arg) : Compute(lmp, narg, arg)
{
  OptionReader(lmp, "compute granular/ledger", {OPTIONS.of(*this)}).read({arg, arg + narg}, 3);
  if (igroup != 0) error->all(FLERR, "compute granular/ledger: group = {} must be all", arg[1]);
  vector_flag = 1;
  size_vector = ledger_output::COUNT;
  extvector = 0;    // LAMMPS must not divide the energies by the number of atoms
  vector = new double[ledger_output::COUNT];
}

ComputeGranularLedger::~ComputeGranularLedger() { delete[] vector; }

void ComputeGranularLedger::init()
{
  pair = granular_pair(lmp);
  if (!pair) error->all(FLERR, "compute granular/ledger needs exactly one pair_style granular/plus");
  if (!pair->has_ledger()) error->all(FLERR, "compute granular/ledger needs pair_style granular/plus ledger yes");

  if (reset_due) reset();
  reset_due = false;

  const auto &fixes = modify->get_fix_list();
  const auto foreign = std::find_if(fixes.begin(), fixes.end(), [](const Fix *fix) {
    return has_words_of_wall_gran(fix->style) && !dynamic_cast<const FixWallGranularPlus *>(fix);
  });
  if (foreign != fixes.end() && !warned_of_walls) {
    warned_of_walls = true;
    if (comm->me == 0)
      error->warning(FLERR,
                     "compute granular/ledger: the work of fix {} {} is unknown and appears in the residual; use fix "
                     "wall/granular/plus",
                     (*foreign)->id, (*foreign)->style);
  }
}

void ComputeGranularLedger::reset()
{
  pair->contact_history()->ledger.reset();
  for (FixWallGranularPlus *wall : granular_walls(lmp)) wall->ledger.reset();
}

void ComputeGranularLedger::compute_vector()
{
  invoked_vector = update->ntimestep;
  double here[ledger_output::COUNT] = {};
  const ParticleEnergy particles = particle_energy(lmp);
  here[ledger_output::kinetic_translation] = particles.translation;
  here[ledger_output::kinetic_rotation] = particles.rotation;
  here[ledger_output::potential] = particles.potential;

  double reference = 0.0;
  const auto add = [&](const EnergyLedger &ledger) {
    reference += ledger.reference;
    here[ledger_output::wall_work] += ledger.work - ledger.work_before;
    here[ledger_output::liquid_walls] += ledger.liquid_taken - ledger.liquid_taken_before;
#define GRANULAR_PLUS_ELSEWHERE(NAME, UNIT, MEANING)
#define GRANULAR_PLUS_ADD(NAME, UNIT, MEANING, MEMBER) here[ledger_output::NAME] += ledger.MEMBER;
    GRANULAR_PLUS_LEDGER_OUTPUTS(GRANULAR_PLUS_ELSEWHERE, GRANULAR_PLUS_ADD)
#undef GRANULAR_PLUS_ELSEWHERE
#undef GRANULAR_PLUS_ADD
  };
  add(pair->contact_history()->ledger);
  for (const FixWallGranularPlus *wall : granular_walls(lmp)) add(wall->ledger);

  here[ledger_output::liquid_films] = pair->contacts.liquid.in_films();

  double stored = here[ledger_output::viscous] + here[ledger_output::volume_change] + here[ledger_output::plastic] +
      here[ledger_output::van_der_waals] + here[ledger_output::bond] + here[ledger_output::bond_damping] +
      here[ledger_output::fracture];
  for (int k = ledger_output::kinetic_translation; k <= ledger_output::lever; ++k) stored += here[k];
  here[ledger_output::residual] = stored + here[ledger_output::potential] - here[ledger_output::created] -
      here[ledger_output::wall_work] - here[ledger_output::exchanged] - reference;
  MPI_Allreduce(here, vector, ledger_output::COUNT, MPI_DOUBLE, MPI_SUM, world);
}
