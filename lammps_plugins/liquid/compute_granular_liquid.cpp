#include "compute_granular_liquid.h"

#include "../grains/pair_granular_plus.h"
#include "../glue/films.h"

#include "linked_liquid.h"
#include "wet_surface.h"

#include "atom.h"
#include "comm.h"
#include "error.h"
#include "force.h"
#include "memory.h"
#include "update.h"

#include <algorithm>

using namespace LAMMPS_NS;

ComputeGranularLiquid::ComputeGranularLiquid(LAMMPS *lmp, int narg, char **arg) : Compute(lmp, narg, arg)
{
  if (narg > 3) error->all(FLERR, "compute granular/liquid has no keywords; unknown word {}", arg[3]);
  peratom_flag = 1;
  size_peratom_cols = COLUMNS;
  comm_reverse = 1;
}

ComputeGranularLiquid::~ComputeGranularLiquid() { memory->destroy(array_atom); }

void ComputeGranularLiquid::init()
{
  pair = liquid_pair(lmp);
  if (!pair)
    error->all(FLERR,
               "compute granular/liquid needs pair_style granular/plus or capillary/willett with the keyword film");
}

void ComputeGranularLiquid::compute_peratom()
{
  invoked_peratom = update->ntimestep;
  if (rows < atom->nmax) {
    memory->destroy(array_atom);
    rows = atom->nmax;
    memory->create(array_atom, rows, COLUMNS, "granular/liquid:array_atom");
  }
  const int all = atom->nlocal + atom->nghost;
  for (int i = 0; i < all; ++i) std::fill_n(array_atom[i], COLUMNS, 0.0);
  pair->contacts.liquid.for_each_bridge([this](int i, int j, double volume) {
    array_atom[i][BRIDGES] += 0.5 * volume;
    if (force->newton_pair || j < atom->nlocal) array_atom[j][BRIDGES] += 0.5 * volume;
  });
  if (force->newton_pair) comm->reverse_comm(this);
  for (const WetSurface *wall : WetSurface::all(lmp))
    wall->for_each_bridge([this](int i, double volume) { array_atom[i][BRIDGES] += volume; });
  const double *film = films_of(lmp);
  for (int i = 0; i < atom->nlocal; ++i) {
    array_atom[i][FILM] = film[i];
    if (!(atom->mask[i] & groupbit)) std::fill_n(array_atom[i], COLUMNS, 0.0);
  }
}

int ComputeGranularLiquid::pack_reverse_comm(int n, int first, double *buf)
{
  for (int k = 0; k < n; ++k) buf[k] = array_atom[first + k][BRIDGES];
  return n;
}

void ComputeGranularLiquid::unpack_reverse_comm(int n, int *atoms, double *buf)
{
  for (int k = 0; k < n; ++k) array_atom[atoms[k]][BRIDGES] += buf[k];
}

double ComputeGranularLiquid::memory_usage() { return static_cast<double>(rows) * COLUMNS * sizeof(double); }
