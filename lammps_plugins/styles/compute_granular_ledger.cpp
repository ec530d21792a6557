#include "compute_granular_ledger.h"

#include "fix_contact_history.h"
#include "fix_wall_granular_plus.h"
#include "pair_granular_plus.h"
#include "stand_in.h"
#include "particle_energy.h"

#include "../contacts/outputs.h"

#include "comm.h"
#include "error.h"
#include "force.h"
#include "modify.h"
#include "update.h"

#include <algorithm>
#include <cstring>

using namespace LAMMPS_NS;
using namespace granular_plus;

ComputeGranularLedger::ComputeGranularLedger(LAMMPS *lmp, int narg, char **arg) : Compute(lmp, narg, arg)
{
  // no keyword of compute_modify: LAMMPS 22 Jul 2025 never comes back from those of a compute's own
  if (narg > 3) {
    if (strcmp(arg[3], "reset") != 0)
      error->all(FLERR, "compute granular/ledger: unexpected word {}; the only keyword is reset", arg[3]);
    if (narg == 4) error->all(FLERR, "compute granular/ledger: keyword reset needs yes or no");
    reset_due = utils::logical(FLERR, arg[4], false, lmp);
  }
  if (narg > 5) error->all(FLERR, "compute granular/ledger: unexpected word {}", arg[5]);
  if (igroup != 0) error->all(FLERR, "compute granular/ledger: group = {} must be all", arg[1]);
  vector_flag = 1;
  size_vector = LEDGER_OUTPUTS;
  extvector = 0;    // a balance is not to be divided by the number of grains
  vector = new double[LEDGER_OUTPUTS];
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
                     "compute granular/ledger: the work of fix {} {} is not known and goes into the residual; use fix "
                     "wall/granular/plus",
                     (*foreign)->id, (*foreign)->style);
  }
}

/* ----------------------------------------------------------------------
   the balance begins anew at the next force computation
------------------------------------------------------------------------- */

void ComputeGranularLedger::reset()
{
  pair->contact_history()->ledger.reset();
  for (FixWallGranularPlus *wall : granular_walls(lmp)) wall->ledger.reset();
}

void ComputeGranularLedger::compute_vector()
{
  invoked_vector = update->ntimestep;
  double here[LEDGER_OUTPUTS] = {};
  const ParticleEnergy particles = particle_energy(lmp);
  here[LEDGER_KINETIC_TRANSLATION] = particles.translation;
  here[LEDGER_KINETIC_ROTATION] = particles.rotation;
  here[LEDGER_POTENTIAL] = particles.potential;

  double reference = 0.0;
  const auto add = [&](const EnergyLedger &ledger) {
    reference += ledger.reference;
    here[LEDGER_ELASTIC_NORMAL] += ledger.now[NORMAL_ENERGY];
    here[LEDGER_ELASTIC_TANGENTIAL] += ledger.now[TANGENTIAL_ENERGY];
    here[LEDGER_ELASTIC_ROLLING] += ledger.now[ROLLING_ENERGY];
    here[LEDGER_ELASTIC_TWISTING] += ledger.now[TWISTING_ENERGY];
    here[LEDGER_CAPILLARY] += ledger.now[CAPILLARY_ENERGY];
    here[LEDGER_NORMAL_DASHPOT] += ledger.total[NORMAL_LOSS];
    here[LEDGER_TANGENTIAL_DASHPOT] += ledger.total[TANGENTIAL_DASHPOT_LOSS];
    here[LEDGER_SLIP] += ledger.total[SLIP_LOSS];
    here[LEDGER_ROLLING] += ledger.total[ROLLING_LOSS];
    here[LEDGER_TWISTING] += ledger.total[TWISTING_LOSS];
    here[LEDGER_RUPTURE] += ledger.total[BRIDGE_LOSS];
    here[LEDGER_NUMERICAL] += ledger.total[NUMERICAL_LOSS];
    here[LEDGER_LEVER] += ledger.total[LEVER_LOSS];
    here[LEDGER_CREATED] += ledger.total[CREATED];
    here[LEDGER_CONTACTS] += ledger.now[TOUCHING];
    here[LEDGER_SLIDING_CONTACTS] += ledger.now[SLIDING];
    here[LEDGER_BRIDGES] += ledger.now[BRIDGES];
    here[LEDGER_RUPTURES] += ledger.total[RUPTURES];
    here[LEDGER_EXCHANGED] += ledger.exchanged;
    here[LEDGER_VISCOUS] += ledger.total[VISCOUS_LOSS];
    here[LEDGER_VOLUME_CHANGE] += ledger.total[VOLUME_LOSS];
    here[LEDGER_ATTRACTION] += ledger.now[ATTRACTION_ENERGY];
    here[LEDGER_PLASTIC] += ledger.total[PLASTIC_LOSS];
    here[LEDGER_BOND] += ledger.now[BOND_ENERGY];
    here[LEDGER_BOND_DAMPING] += ledger.total[BOND_DAMPING_LOSS];
    here[LEDGER_FRACTURE] += ledger.total[FRACTURE_LOSS];
    here[LEDGER_BONDS] += ledger.now[BONDS];
    here[LEDGER_BROKEN_BONDS] += ledger.total[BROKEN_BONDS];
    here[LEDGER_LIQUID_BRIDGES] += ledger.now[BRIDGE_VOLUME];
    here[LEDGER_LIQUID_LOST] += ledger.liquid_lost;
    here[LEDGER_LIQUID_EVAPORATED] += ledger.liquid_evaporated;
    here[LEDGER_LIQUID_SUPPLIED] += ledger.liquid_supplied;
  };
  add(pair->contact_history()->ledger);
  for (const FixWallGranularPlus *wall : granular_walls(lmp)) {
    add(wall->ledger);
    here[LEDGER_WALL_WORK] += wall->ledger.work - wall->ledger.work_before;
  }

  here[LEDGER_LIQUID_FILMS] = pair->contacts.liquid.in_films();

  double stored = here[LEDGER_VISCOUS] + here[LEDGER_VOLUME_CHANGE] + here[LEDGER_PLASTIC] + here[LEDGER_ATTRACTION] +
      here[LEDGER_BOND] + here[LEDGER_BOND_DAMPING] + here[LEDGER_FRACTURE];
  for (int k = LEDGER_KINETIC_TRANSLATION; k <= LEDGER_LEVER; ++k) stored += here[k];
  here[LEDGER_RESIDUAL] = stored + here[LEDGER_POTENTIAL] - here[LEDGER_CREATED] - here[LEDGER_WALL_WORK] -
      here[LEDGER_EXCHANGED] - reference;
  MPI_Allreduce(here, vector, LEDGER_OUTPUTS, MPI_DOUBLE, MPI_SUM, world);
}
