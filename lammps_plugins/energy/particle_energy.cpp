#include "particle_energy.h"

#include "../core/laws/lane.h"
#include "../shapes/shaped_grains.h"

#include "atom.h"
#include "domain.h"
#include "fix.h"
#include "force.h"
#include "lammps.h"
#include "modify.h"
#include "update.h"

#include <algorithm>

using namespace LAMMPS_NS;
using granular_plus::Vector;
using granular_plus::vector_of;

namespace {

struct Gravity {
  Fix *fix;
  const double *acceleration;
};

std::vector<Gravity> gravities_of(const LAMMPS *lmp)
{
  std::vector<Gravity> gravities;
  for (Fix *fix : lmp->modify->get_fix_by_style("^gravity")) {
    int dim;
    const auto *acceleration = static_cast<double *>(fix->extract("gvec", dim));
    if (acceleration) gravities.push_back({fix, acceleration});
  }
  return gravities;
}

}    // namespace

ParticleEnergy LAMMPS_NS::particle_energy(const LAMMPS *lmp, double ahead)
{
  const std::vector<Gravity> gravities = gravities_of(lmp);
  constexpr double INERTIA = 0.4;    // moment of inertia of a sphere divided by m R^2
  const Atom &atom = *lmp->atom;
  ShapedGrains shapes(const_cast<LAMMPS *>(lmp));
  shapes.find();
  ParticleEnergy energy;
  for (int i = 0; i < atom.nlocal; ++i) {
    const Vector w = vector_of(atom.omega[i]);
    const double mass = atom.rmass[i], radius = atom.radius[i];
    double v[3], x[3];
    std::copy_n(atom.v[i], 3, v);
    for (const Gravity &gravity : gravities) {
      if (!(atom.mask[i] & gravity.fix->groupbit)) continue;
      const double *g = gravity.acceleration;
      lmp->domain->unmap(atom.x[i], atom.image[i], x);
      energy.potential -= mass * dot(vector_of(g), vector_of(x));
      for (int d = 0; d < 3; ++d) v[d] += ahead * g[d];
    }
    energy.translation += 0.5 * mass * dot(vector_of(v), vector_of(v));
    const auto *shape = shapes.of(i);
    energy.rotation += shape ? shape->spin_energy(i) : 0.5 * INERTIA * mass * radius * radius * dot(w, w);
  }
  const double unit = lmp->force->mvv2e;
  return {unit * energy.translation, unit * energy.rotation, unit * energy.potential};
}

/* ----------------------------------------------------------------------
   A fix gravity evaluates its variables when it adds its forces. Contacts are computed earlier. The post_force of the
   fix is therefore called once in advance, and then the forces on the atoms are restored.
------------------------------------------------------------------------- */

void ChangingGravity::begin_run(LAMMPS *lmp)
{
  const Atom &atom = *lmp->atom;
  const int values = 3 * atom.nlocal;
  std::vector<double> forces(values);
  if (values > 0) std::copy_n(atom.f[0], values, forces.begin());
  fields.clear();
  for (const Gravity &gravity : gravities_of(lmp)) {
    gravity.fix->post_force(0);
    const double *g = gravity.acceleration;
    fields.push_back({gravity.fix->groupbit, g, {g[0], g[1], g[2]}});
  }
  if (values > 0) std::copy_n(forces.begin(), values, atom.f[0]);
}

/* ----------------------------------------------------------------------
   The work of gravity in a step is the displacement times the mean of the forces before and after the step. The
   potential energy -m g x changes by -m x dg minus this work, where x is the position at the middle of the step. The
   work converts potential into kinetic energy. Only the part -m x dg changes the sum of kinetic and potential energy.
------------------------------------------------------------------------- */

double ChangingGravity::energy_brought_in(const LAMMPS *lmp)
{
  const Atom &atom = *lmp->atom;
  const double half = 0.5 * lmp->update->dt;
  double energy = 0.0;
  for (Field &field : fields) {
    const Acceleration now{field.acceleration[0], field.acceleration[1], field.acceleration[2]};
    if (now == field.before) continue;
    for (int i = 0; i < atom.nlocal; ++i) {
      if (!(atom.mask[i] & field.group)) continue;
      double x[3];
      lmp->domain->unmap(atom.x[i], atom.image[i], x);
      for (int d = 0; d < 3; ++d) energy -= atom.rmass[i] * (now[d] - field.before[d]) * (x[d] - half * atom.v[i][d]);
    }
    field.before = now;
  }
  return lmp->force->mvv2e * energy;
}
