#include "grain_radii.h"

#include "../glue/share_of_pair.h"
#include "../glue/surroundings.h"
#include "../glue/over_ranks.h"

#include "atom.h"
#include "comm.h"
#include "domain.h"
#include "error.h"
#include "fix.h"
#include "modify.h"
#include "neighbor.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

using namespace LAMMPS_NS;
using granular_plus::BRIDGE;
using granular_plus::ContactModel;
using granular_plus::ModelTable;

constexpr double ROUNDING = 1.0e-10;

void GrainRadii::init(const std::string &new_prefix, const granular_plus::Kernels &new_kernels, int new_frozen_groupbit)
{
  message_prefix = new_prefix;
  kernels = &new_kernels;
  frozen_groupbit = new_frozen_groupbit;
  warned_of_fit = warned_of_leap = varying = false;
  approach = fastest = fastest_before = 0.0;
  cutoffs.assign(atom->ntypes + 1, std::vector<double>(atom->ntypes + 1, 0.0));
  find();
  largest_at_start = largest();
}

void GrainRadii::find()
{
  of_type.assign(atom->ntypes + 1, {0.0, 0.0, -std::numeric_limits<double>::max()});
  for (Fix *source : inserting_fixes(lmp))
    for (int type = 1; type <= atom->ntypes; ++type) {
      int itype = type;
      const auto *radius = static_cast<double *>(source->extract("radius", itype));
      if (radius) of_type[type][MOVING] = std::max(of_type[type][MOVING], *radius);
    }
  for (int i = 0; i < atom->nlocal; ++i) {
    auto &radii = of_type[atom->type[i]];
    double &most = radii[atom->mask[i] & frozen_groupbit ? FROZEN : MOVING];
    most = std::max(most, atom->radius[i]);
    radii[MINUS_LEAST] = std::max(radii[MINUS_LEAST], -atom->radius[i]);
  }
  MPI_Allreduce(MPI_IN_PLACE, of_type.data()->data(), static_cast<int>(RADII * of_type.size()), MPI_DOUBLE, MPI_MAX,
                world);
  for (int type = 1; type <= atom->ntypes; ++type)
    of_type[type][MINUS_LEAST] = std::max(of_type[type][MINUS_LEAST], -largest(type));
}

double GrainRadii::widest_gap(int i, int j, const ContactModel &model) const
{
  double widest = 0.0;
  for (const double a : {smallest(i), largest(i)})
    for (const double b : {smallest(j), largest(j)})
      if (a > 0.0 && b > 0.0) widest = std::max(widest, model.acting_gap(a, b, *kernels));
  return widest;
}

double GrainRadii::largest(int type) const { return std::max(of_type[type][MOVING], of_type[type][FROZEN]); }

double GrainRadii::largest() const
{
  double most = 0.0;
  for (int type = 1; type <= atom->ntypes; ++type) most = std::max(most, largest(type));
  return most;
}

double GrainRadii::reach(int i, int j, const ContactModel &model) const
{
  const auto sum = [&](double a, double b) {
    return a > 0.0 && b > 0.0 ? a + b + model.acting_gap(a, b, *kernels) : 0.0;
  };
  const auto &of_i = of_type[i], &of_j = of_type[j];
  return std::max({sum(of_i[MOVING], of_j[MOVING]), sum(of_i[MOVING], of_j[FROZEN]), sum(of_i[FROZEN], of_j[MOVING])});
}

double GrainRadii::cutoff(int i, int j, const ContactModel &model, double wanted)
{
  const double needed = reach(i, j, model);
  if (!(wanted > 0.0)) wanted = needed > 0.0 ? needed : 2.0 * largest();
  cutoffs[i][j] = cutoffs[j][i] = wanted;
  if (wanted >= needed * (1.0 - ROUNDING)) return wanted;
  const char *what = model.law(BRIDGE).acts_across_gap ? "liquid bridges rupture"
      : model.attracts()                               ? "van der Waals attraction ends"
      : model.heat_crosses_gaps()                      ? "heat begins to cross the gap"
      : model.acts_across_gap()                        ? "adhesive contacts of the largest grains break"
                                                       : "the largest grains touch";
  error->all(FLERR, "{}: types {} {}: cutoff = {:.8g} must be >= {:.8g}, the distance at which {}", message_prefix, i,
             j, wanted, needed, what);
  return wanted;
}

void GrainRadii::warn_of_bridges(int i, int j, const ContactModel &model)
{
  if (warned_of_fit || comm->me != 0 || !model.law(BRIDGE).acts_across_gap) return;
  if (!(largest(i) > 0.0 && largest(j) > 0.0)) return;
  const auto derjaguin = [](double a, double b) { return 2.0 * a * b / (a + b); };
  const std::string problem = model.outside_fit(derjaguin(smallest(i), smallest(j)), derjaguin(largest(i), largest(j)));
  if (problem.empty()) return;
  error->warning(FLERR, "{}: types {} {}: bridge {}: {}", message_prefix, i, j, model.law(BRIDGE).name, problem);
  warned_of_fit = true;
}

bool GrainRadii::radii_differ_from_last() const { return differ(last_radii, atom->radius); }

bool GrainRadii::masses_differ_from_last() const { return differ(last_masses, atom->rmass); }

bool GrainRadii::differ(const std::vector<double> &then, const double *now) const
{
  const std::size_t count = atom->nlocal + atom->nghost;
  return then.size() != count || (count > 0 && std::memcmp(then.data(), now, count * sizeof(double)) != 0);
}

void GrainRadii::update_sizes(const ModelTable &models, bool lists_by_type)
{
  changed = radii_differ_from_last();
  enum { RADIUS, MASS, SIZES };
  int differs[SIZES] = {changed, masses_differ_from_last()};
  if (comm->nprocs > 1) MPI_Allreduce(MPI_IN_PLACE, differs, SIZES, MPI_INT, MPI_MAX, world);
  const bool changed_anywhere = differs[RADIUS] != 0;
  if (changed_anywhere || differs[MASS]) {
    // LAMMPS accepts a fix that sets diam_flag only if the atom style sends radii to ghosts
    const auto &fixes = modify->get_fix_list();
    if (std::none_of(fixes.begin(), fixes.end(), [](const Fix *fix) { return fix->diam_flag != 0; })) send_to_ghosts();
    changed = radii_differ_from_last();
    remember_sizes();
  }
  begins_to_vary = changed_anywhere && !varying;
  varying = varying || changed_anywhere;
  if (neighbor->ago == 0 || begins_to_vary) check(models, lists_by_type);
}

/* ----------------------------------------------------------------------
   Bins and ghosts are set up for the cutoffs at the start of the run plus the skin, so cutoffs may grow at most by the
   width of the skin.
------------------------------------------------------------------------- */

void GrainRadii::check(const ModelTable &models, bool lists_by_type)
{
  find();
  const bool has_one_reach = comm->mode == Comm::SINGLE && neighbor->style <= Neighbor::BIN;
  list_margin = neighbor->skin;
  for (int i = 1; i <= atom->ntypes; ++i)
    for (int j = i; j <= atom->ntypes; ++j) {
      if (!models.has(i, j)) continue;
      const double needed = reach(i, j, models.of(i, j));
      double &of_types = neighbor->cutneighsq[i][j];
      const double limit = has_one_reach ? neighbor->cutneighmax : cutoffs[i][j] + neighbor->skin;
      if (limit < needed * (1.0 - ROUNDING)) refuse(i, j, needed, limit);
      list_margin = std::min(list_margin, (lists_by_type || !has_one_reach ? std::sqrt(of_types) : limit) - needed);
      if (!has_one_reach) continue;
      of_types = std::max(of_types, std::pow(std::min(limit, needed + neighbor->skin), 2));
      neighbor->cutneighsq[j][i] = of_types;
    }
}

void GrainRadii::refuse(int i, int j, double needed, double limit) const
{
  const auto [grain, radius] = largest_grain(i, j);
  error->all(FLERR,
             "{}: types {} {}: grain {} has grown to a radius of {:.8g} (the largest was {:.8g} when the run began). "
             "Grains now act on each other up to a distance of {:.8g}, but the neighbour lists of this run reach only "
             "{:.8g}. Use a wider skin (command neighbor), or split the run (run N every M NULL), so that lists are "
             "set up for "
             "the present radii",
             message_prefix, i, j, grain, radius, largest_at_start, needed, limit);
}

void GrainRadii::remember_sizes()
{
  const int count = atom->nlocal + atom->nghost;
  last_radii.assign(atom->radius, atom->radius + count);
  last_masses.assign(atom->rmass, atom->rmass + count);
}

void GrainRadii::remember_list()
{
  remember_sizes();
  listed.resize(LISTED * static_cast<std::size_t>(atom->nlocal));
  for (int i = 0; i < atom->nlocal; ++i) {
    double *then = &listed[LISTED * static_cast<std::size_t>(i)];
    std::copy_n(atom->x[i], 3, then);
    then[3] = atom->radius[i];
  }
  box.remember(*domain);
  fastest_before = fastest;
  approach = fastest = 0.0;
}

/* ----------------------------------------------------------------------
   Periodic images move with the faces of the box. As in LAMMPS's own check, the displacements of the two fastest
   corners of the box are subtracted from the skin.
------------------------------------------------------------------------- */

bool GrainRadii::may_miss_pairs()
{
  if (!varying) return false;
  const double left = 0.5 * (list_margin - box.of_images(*domain)), before = approach;
  double here = 0.0;
  for (int i = 0; i < atom->nlocal; ++i) {
    const double *then = &listed[LISTED * static_cast<std::size_t>(i)], *now = atom->x[i];
    here = std::max(here, std::sqrt(squared_distance(now, then)) + atom->radius[i] - then[3]);
  }
  approach = most_over_ranks(world, here);
  if (!begins_to_vary) fastest = std::max(fastest, approach - before);
  if (approach > left * (1.0 + ROUNDING) && !warned_of_leap) {
    warned_of_leap = true;
    if (comm->me == 0)
      error->warning(FLERR,
                     "{}: within one step, a grain has grown and moved by more than the skin of the neighbour list "
                     "allows: contacts may be missing in this step; use a larger skin (command neighbor)",
                     message_prefix);
  }
  return approach + std::max(fastest, fastest_before) > left * (1.0 - ROUNDING);
}

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
