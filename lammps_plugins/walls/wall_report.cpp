#include "wall_report.h"

#include "../core/ledger/dissipation.h"

#include "atom.h"
#include "comm.h"
#include "memory.h"
#include "update.h"

#include <algorithm>

using namespace LAMMPS_NS;
using namespace granular_plus;

WallReport::~WallReport() { memory->destroy(of_grains); }

void WallReport::begin(bool near_is_new)
{
  is_summed = false;
  contact_rows.clear();
  if (!has_grains) return;
  const auto &near = contacts.near;
  if (near_is_new)
    for (int i = 0; i < atom->nlocal; ++i) forget(i);
  else
    for (int k = 0; k < near.size(); ++k) forget(near.grain(k));
}

void WallReport::end()
{
  of_contacts.clear();
  for (ContactRow &row : contact_rows) of_contacts.push_back(row.data());
}

void WallReport::add_contact(const Batch &b, int l)
{
  const int i = contacts.batches.contact(l).particle;
  const WallPoint &point = contacts.batches.point(l);
  ContactRow &row = contact_rows.emplace_back(ContactRow{});
  row[wall_local_output::id] = static_cast<double>(atom->tag[i]);
  row[wall_local_output::patch] = point.surface;
  for (int d = 0; d < 3; ++d) {
    row[wall_local_output::x + d] = atom->x[i][d] - point.separation[d];
    row[wall_local_output::normal_x + d] = b.normal[d][l];
    row[wall_local_output::force_x + d] = b.force[d][l];
    row[wall_local_output::slip_x + d] = contacts.batches.touches() ? b.tangential_velocity[d][l] : 0.0;
  }
  if (contacts.layout.has_ledger && is_time_step(*update))
    row[wall_local_output::dissipation] = dissipation_of(b, l, true)[dissipation_output::total] / update->dt;
}

/* ----------------------------------------------------------------------
   The row of a grain contains the position of its deepest contact.
------------------------------------------------------------------------- */

void WallReport::add_to_grain(const Batch &b, int l)
{
  const int i = contacts.batches.contact(l).particle;
  const WallPoint &point = contacts.batches.point(l);
  double *row = of_grains[i];
  double deepest = 0.0, here = 0.0;    // squared distances from the grain's centre
  for (int d = 0; d < 3; ++d) {
    const double to_deepest = atom->x[i][d] - row[wall_atom_output::x + d];
    row[wall_atom_output::force_x + d] += b.force[d][l];
    deepest += to_deepest * to_deepest;
    here += point.separation[d] * point.separation[d];
  }
  if (row[wall_atom_output::radius] == 0.0 || here < deepest)
    for (int d = 0; d < 3; ++d) row[wall_atom_output::x + d] = atom->x[i][d] - point.separation[d];
  row[wall_atom_output::contacts] += contacts.batches.touches();
  if (has_heat) row[wall_atom_output::heat] += b.conductance[l] * (contacts.batches.temperature - atom->temperature[i]);
  row[wall_atom_output::radius] = atom->radius[i];
}

/* ----------------------------------------------------------------------
   The torque is about the pivot if the wall rotates as one body, about the middle of a mesh that does not rotate, and
   otherwise about the origin.
------------------------------------------------------------------------- */

double WallReport::of_wall(int n, const EnergyLedger &ledger)
{
  if (!is_summed) {
    double here[wall_output::COUNT] = {};
    load.add_to(here + wall_output::force_x, here + wall_output::torque_x, surface.bodies);
    here[wall_output::contacts] = contacts.touching();
    here[wall_output::work] = ledger.work;
    here[wall_output::liquid] = ledger.liquid_taken;
    if (comm->me == 0) {
      std::copy_n(surface.displacement, 3, here + wall_output::displacement_x);
      std::copy_n(surface.velocity, 3, here + wall_output::velocity_x);
      here[wall_output::stopped] = surface.stopped_energy;
    }
    MPI_Allreduce(here, sums, wall_output::COUNT, MPI_DOUBLE, MPI_SUM, world);
    is_summed = true;
  }
  return sums[n];
}

void WallReport::grow(int grains)
{
  if (has_grains) memory->grow(of_grains, grains, columns_of_grain(), "wall/granular/plus:of_grains");
}

void WallReport::copy(int from, int to)
{
  if (has_grains) std::copy_n(of_grains[from], columns_of_grain(), of_grains[to]);
}

void WallReport::forget(int grain)
{
  if (has_grains) std::fill_n(of_grains[grain], columns_of_grain(), 0.0);
}

double WallReport::memory_usage() const
{
  return has_grains ? static_cast<double>(atom->nmax) * columns_of_grain() * sizeof(double) : 0.0;
}
