#include "fix_nve_sphere_plus.h"

#include "atom.h"
#include "comm.h"
#include "error.h"
#include "force.h"
#include "group.h"
#include "modify.h"
#include "update.h"

using namespace LAMMPS_NS;
using namespace FixConst;

FixNVESpherePlus::FixNVESpherePlus(LAMMPS *lmp, int narg, char **arg) : Fix(lmp, narg, arg)
{
  dynamic_group_allow = 1;
  time_integrate = 1;
  if (narg > 3) {
    of_lammps.reset(modify->fix_map->at("nve/sphere")(lmp, narg, arg));
    if (comm->me == 0)
      utils::logmesg(lmp, "granular/plus: fix {} uses LAMMPS's fix nve/sphere because of the keyword {}\n", id, arg[3]);
    return;
  }
  try {
    kernels = &granular_plus::kernels();
  } catch (std::exception &e) {
    error->all(FLERR, std::string(e.what()));
  }
  if (!atom->radius_flag || !atom->rmass_flag || !atom->omega_flag || !atom->torque_flag)
    error->all(FLERR,
               "Fix nve/sphere/plus requires the atom attributes radius, rmass, omega and torque (atom_style sphere)");
}

int FixNVESpherePlus::setmask() { return INITIAL_INTEGRATE | FINAL_INTEGRATE; }

void FixNVESpherePlus::init()
{
  if (utils::strmatch(update->integrate_style, "^respa"))
    error->all(FLERR,
               "Fix nve/sphere/plus cannot be combined with run_style respa; use run_style verlet, or LAMMPS's fix "
               "nve/sphere with `suffix off` before it");
  if (of_lammps) return of_lammps->init();
  for (int i = 0; i < atom->nlocal; ++i)
    if ((atom->mask[i] & groupbit) && atom->radius[i] == 0.0)
      error->one(FLERR, "Fix nve/sphere/plus: radius of atom {} = 0 must be > 0; remove the atom from group {}",
                 atom->tag[i], group->names[igroup]);
}

void FixNVESpherePlus::initial_integrate(int vflag)
{
  if (of_lammps) return of_lammps->initial_integrate(vflag);
  move(atom->x);
}

void FixNVESpherePlus::final_integrate()
{
  if (of_lammps) return of_lammps->final_integrate();
  move(nullptr);
}

void FixNVESpherePlus::reset_dt()
{
  if (of_lammps) of_lammps->reset_dt();
}

/* ----------------------------------------------------------------------
   Advances velocities and spins by half a step. If `position` is given, also advances positions by a full step.
------------------------------------------------------------------------- */

void FixNVESpherePlus::move(double **position)
{
  const int n = igroup == atom->firstgroup ? atom->nfirst : atom->nlocal;
  constexpr double INERTIA = 0.4;    // moment of inertia of a sphere divided by mass and radius squared
  const double half_step = 0.5 * update->dt * force->ftm2v;
  constexpr int FEW = 12;    // for fewer particles, the vectorised kernel is not faster
  if (n < FEW) return move_few(n, position, half_step, half_step / INERTIA);
  const granular_plus::Movers movers{position ? position[0] : nullptr,
                                     atom->v[0],
                                     atom->omega[0],
                                     atom->f[0],
                                     atom->torque[0],
                                     atom->radius,
                                     atom->rmass,
                                     atom->mask,
                                     groupbit};
  kernels->move(movers, n, half_step, half_step / INERTIA, update->dt);
}

// Moves one particle at a time, with the arithmetic of the kernels.

void FixNVESpherePlus::move_few(int n, double **position, double per_mass, double per_inertia) const
{
  const double *radius = atom->radius, *mass = atom->rmass, timestep = update->dt;
  for (int i = 0; i < n; ++i) {
    if (!(atom->mask[i] & groupbit)) continue;
    const double by_force = per_mass / mass[i], by_torque = per_inertia / (radius[i] * radius[i] * mass[i]);
    double *__restrict velocity = atom->v[i], *__restrict spin = atom->omega[i];
    const double *__restrict push = atom->f[i], *__restrict turn = atom->torque[i];
    for (int d = 0; d < 3; ++d) velocity[d] += by_force * push[d];
    for (int d = 0; d < 3; ++d) spin[d] += by_torque * turn[d];
    for (int d = 0; position && d < 3; ++d) position[i][d] += timestep * velocity[d];
  }
}
