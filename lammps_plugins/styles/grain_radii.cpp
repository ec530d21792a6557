#include "grain_radii.h"

#include "atom.h"
#include "comm.h"
#include "fix.h"
#include "modify.h"
#include "neighbor.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace LAMMPS_NS;

/* ---------------------------------------------------------------------- */

void GrainRadii::find(int frozen_groupbit)
{
  const int n = atom->ntypes + 1;
  std::vector<double> moving_here(n, 0.0), frozen_here(n, 0.0), least_here(n, std::numeric_limits<double>::max());
  for (const char *source_style : {"^pour", "^deposit"})
    for (const auto &source : modify->get_fix_by_style(source_style))
      for (int type = 1; type < n; ++type) {
        int itype = type;
        const auto *radius = static_cast<double *>(source->extract("radius", itype));
        if (radius) moving_here[type] = std::max(moving_here[type], *radius);
      }
  for (int i = 0; i < atom->nlocal; ++i) {
    const int type = atom->type[i];
    double &most = atom->mask[i] & frozen_groupbit ? frozen_here[type] : moving_here[type];
    most = std::max(most, atom->radius[i]);
    least_here[type] = std::min(least_here[type], atom->radius[i]);
  }
  moving.assign(n, 0.0);
  frozen.assign(n, 0.0);
  least.assign(n, 0.0);
  MPI_Allreduce(moving_here.data(), moving.data(), n, MPI_DOUBLE, MPI_MAX, world);
  MPI_Allreduce(frozen_here.data(), frozen.data(), n, MPI_DOUBLE, MPI_MAX, world);
  MPI_Allreduce(least_here.data(), least.data(), n, MPI_DOUBLE, MPI_MIN, world);
  for (int type = 1; type < n; ++type) least[type] = std::min(least[type], largest(type));
}

/* ---------------------------------------------------------------------- */

double GrainRadii::largest(int type) const { return std::max(moving[type], frozen[type]); }

double GrainRadii::largest() const
{
  double most = 0.0;
  for (int type = 1; type <= atom->ntypes; ++type) most = std::max(most, largest(type));
  return most;
}

/* ---------------------------------------------------------------------- */

double GrainRadii::cutoff(int i, int j, const granular_plus::ContactModel &model,
                          const granular_plus::Kernels &kernels) const
{
  const auto sum = [&](double a, double b) {
    return a > 0.0 && b > 0.0 ? a + b + model.breaking_gap(a, b, kernels) : 0.0;
  };
  return std::max({sum(moving[i], moving[j]), sum(moving[i], frozen[j]), sum(frozen[i], moving[j])});
}

/* ---------------------------------------------------------------------- */

void GrainRadii::remember_list()
{
  listed.resize(4 * static_cast<std::size_t>(atom->nlocal));
  for (int i = 0; i < atom->nlocal; ++i) {
    double *then = &listed[4 * static_cast<std::size_t>(i)];
    std::copy_n(atom->x[i], 3, then);
    then[3] = atom->radius[i];
  }
}

bool GrainRadii::list_is_short() const
{
  int here = 0, anywhere = 0;
  for (int i = 0; i < atom->nlocal && !here; ++i) {
    const double *then = &listed[4 * static_cast<std::size_t>(i)], *now = atom->x[i];
    double square = 0.0;
    for (int d = 0; d < 3; ++d) square += (now[d] - then[d]) * (now[d] - then[d]);
    here = std::sqrt(square) + atom->radius[i] - then[3] > 0.5 * neighbor->skin;
  }
  MPI_Allreduce(&here, &anywhere, 1, MPI_INT, MPI_MAX, world);
  return anywhere;
}

/* ---------------------------------------------------------------------- */

std::pair<tagint, double> GrainRadii::largest_grain(int itype, int jtype) const
{
  int largest = -1;
  for (int k = 0; k < atom->nlocal; ++k)
    if ((atom->type[k] == itype || atom->type[k] == jtype) && (largest < 0 || atom->radius[k] > atom->radius[largest]))
      largest = k;
  struct {
    double radius;
    int rank;
  } here{largest < 0 ? 0.0 : atom->radius[largest], comm->me}, most;
  MPI_Allreduce(&here, &most, 1, MPI_DOUBLE_INT, MPI_MAXLOC, world);
  tagint grain = largest < 0 ? 0 : atom->tag[largest];
  MPI_Bcast(&grain, 1, MPI_LMP_TAGINT, most.rank, world);
  return {grain, most.radius};
}
