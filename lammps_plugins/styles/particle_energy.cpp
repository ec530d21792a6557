#include "particle_energy.h"

#include "fix_shape_granular_plus.h"
#include "shaped_grains.h"

#include "atom.h"
#include "domain.h"
#include "fix.h"
#include "force.h"
#include "lammps.h"
#include "modify.h"

#include <algorithm>
#include <vector>

using namespace LAMMPS_NS;

ParticleEnergy LAMMPS_NS::particle_energy(const LAMMPS *lmp, double ahead)
{
  struct Gravity {
    int group;
    const double *acceleration;
  };
  std::vector<Gravity> gravities;
  for (const auto &fix : lmp->modify->get_fix_by_style("^gravity")) {
    int dim;
    const auto *acceleration = static_cast<double *>(fix->extract("gvec", dim));
    if (acceleration) gravities.push_back({fix->groupbit, acceleration});
  }

  constexpr double INERTIA = 0.4;    // of a sphere over m R^2
  const Atom &atom = *lmp->atom;
  ShapedGrains shapes(const_cast<LAMMPS *>(lmp));
  shapes.find();
  ParticleEnergy energy;
  for (int i = 0; i < atom.nlocal; ++i) {
    const double *w = atom.omega[i];
    const double mass = atom.rmass[i], radius = atom.radius[i];
    double v[3], x[3];
    std::copy_n(atom.v[i], 3, v);
    for (const Gravity &gravity : gravities) {
      if (!(atom.mask[i] & gravity.group)) continue;
      const double *g = gravity.acceleration;
      lmp->domain->unmap(atom.x[i], atom.image[i], x);
      energy.potential -= mass * (g[0] * x[0] + g[1] * x[1] + g[2] * x[2]);
      for (int d = 0; d < 3; ++d) v[d] += ahead * g[d];
    }
    energy.translation += 0.5 * mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    const auto *shape = shapes.of(i);
    energy.rotation += shape ? shape->spin_energy(i)
                             : 0.5 * INERTIA * mass * radius * radius * (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
  }
  const double unit = lmp->force->mvv2e;
  return {unit * energy.translation, unit * energy.rotation, unit * energy.potential};
}
