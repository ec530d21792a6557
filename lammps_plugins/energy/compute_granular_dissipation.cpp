#include "compute_granular_dissipation.h"

#include "../grains/pair_granular_plus.h"

#include "../glue/share_of_pair.h"

#include "atom.h"
#include "comm.h"
#include "error.h"
#include "force.h"
#include "memory.h"
#include "modify.h"
#include "update.h"

#include <algorithm>
#include <cstring>
#include <numeric>

using namespace LAMMPS_NS;
using namespace granular_plus;

ComputeGranularDissipation::ComputeGranularDissipation(LAMMPS *lmp, int narg, char **arg)
    : DissipationReceiver(lmp, narg, arg)
{
  std::vector<std::string> names;
  for (const auto &output : dissipation_output::TABLE) names.emplace_back(output.name);
  int next = 3;
  const std::string mode = next < narg ? arg[next] : "";
  sums = mode == "sums";
  pairs = mode == "pairs";
  if (sums || pairs || mode == "rates") ++next;
  for (; next < narg; ++next) {
    const auto found = std::find(names.begin(), names.end(), arg[next]);
    if (found == names.end())
      error->all(FLERR, "compute granular/dissipation: unknown word {}; known are {}{}", arg[next],
                 utils::join_words(names, ", "), did_you_mean(arg[next], names));
    columns.push_back(static_cast<int>(found - names.begin()));
  }
  if (columns.empty()) {
    columns.resize(dissipation_output::COUNT);
    std::iota(columns.begin(), columns.end(), 0);
  }
  const int width = static_cast<int>(columns.size());
  peratom_flag = !pairs;
  size_peratom_cols = width == 1 ? 0 : width;
  local_flag = pairs;
  size_local_cols = pairs ? loss_output::COUNT + width : 0;
  timeflag = 1;
  comm_reverse = dissipation_output::COUNT;
  create_attribute = sums;
  if (sums) {
    store = fmt::format("{}_granular_dissipation", id);
    modify->add_fix(fmt::format("{0} all property/atom d2_{0} {1} ghost no writedata no", store,
                                static_cast<int>(dissipation_output::COUNT)));
  }
}

ComputeGranularDissipation::~ComputeGranularDissipation()
{
  if (sums && modify->get_fix_by_id(store)) modify->delete_fix(store);
  memory->destroy(array_atom);
  memory->destroy(of_step);
}

void ComputeGranularDissipation::init()
{
  const PairGranularPlus *pair = granular_pair(lmp);
  if (!pair) error->all(FLERR, "compute granular/dissipation needs exactly one pair_style granular/plus");
  if (!pair->has_ledger()) error->all(FLERR, "compute granular/dissipation needs pair_style granular/plus ledger yes");
}

double **ComputeGranularDissipation::rows() const
{
  if (!sums) return of_step;
  int flag, size;
  const int index = atom->find_custom(store.c_str(), flag, size);
  if (index < 0)
    error->one(
        FLERR,
        "compute granular/dissipation: fix {}, which this compute needs, has been deleted; define the compute again",
        store);
  return atom->darray[index];
}

// The row may contain values of an earlier atom.
void ComputeGranularDissipation::set_arrays(int i)
{
  std::fill_n(rows()[i], static_cast<int>(dissipation_output::COUNT), 0.0);
}

void ComputeGranularDissipation::begin_pairs()
{
  bool begins = counted_step != update->ntimestep || update->setupflag;    // a setup may repeat a step
  if (pairs) {
    if (begins) losses.clear();
    counted_step = update->ntimestep;
    return;
  }
  if (!sums && of_step_rows < atom->nmax) {
    memory->destroy(of_step);
    of_step_rows = atom->nmax;
    memory->create(of_step, of_step_rows, dissipation_output::COUNT, "granular/dissipation:of_step");
    begins = true;
  }
  double **lost = rows();
  for (int i = begins && !sums ? 0 : atom->nlocal; i < atom->nlocal + atom->nghost; ++i)
    std::fill_n(lost[i], static_cast<int>(dissipation_output::COUNT), 0.0);
  counted_step = update->ntimestep;
}

void ComputeGranularDissipation::end_pairs(bool ghosts_have_got)
{
  if (ghosts_have_got && !pairs) comm->reverse_comm(this);
}

void ComputeGranularDissipation::add(const LoopWork &work, bool seen_from_both)
{
  double **lost = pairs ? nullptr : rows();
  for (int l = 0; l < work.batch.count; ++l) {
    const bool at_wall = work.row_j[l] == LoopWork::WALL;
    give(lost, work.i(l), at_wall ? NOBODY : work.j(l), dissipation_of(work.batch, l, at_wall), seen_from_both);
  }
}

void ComputeGranularDissipation::add_bridge_loss(int i, int j, double energy)
{
  Dissipation here{};
  here[dissipation_output::bridge] = here[dissipation_output::total] = energy;
  if (j == NOBODY) here[dissipation_output::walls] = energy;
  give(pairs ? nullptr : rows(), i, j, here, !force->newton_pair);
}

void ComputeGranularDissipation::give(double **lost, int i, int j, const Dissipation &here, bool seen_from_both)
{
  if (pairs) {
    if (j != NOBODY) add_pair(i, j, here, seen_from_both);
    return;
  }
  const int counting = seen_from_both ? atom->nlocal : atom->nlocal + atom->nghost;
  for (const int grain : {i, j})
    if (grain != NOBODY && grain < counting)
      for (int k = 0; k < dissipation_output::COUNT; ++k) lost[grain][k] += (j == NOBODY ? 1.0 : 0.5) * here[k];
}

/* ----------------------------------------------------------------------
   The position of a contact divides the line between the centres in the ratio of the radii.
------------------------------------------------------------------------- */

void ComputeGranularDissipation::add_pair(int i, int j, const Dissipation &lost, bool seen_from_both)
{
  if (!(atom->mask[i] & atom->mask[j] & groupbit) || !is_listed_here(lmp, i, j, !seen_from_both)) return;
  const double per_time = 1.0 / update->dt;
  const double part_of_j = atom->radius[i] / (atom->radius[i] + atom->radius[j]);
  losses.push_back(static_cast<double>(atom->tag[i]));
  losses.push_back(static_cast<double>(atom->tag[j]));
  for (int d = 0; d < 3; ++d) losses.push_back(atom->x[i][d] + part_of_j * (atom->x[j][d] - atom->x[i][d]));
  for (const int column : columns) losses.push_back(per_time * lost[column]);
}

void ComputeGranularDissipation::compute_local()
{
  invoked_local = update->ntimestep;
  check_counted();
  loss_rows.clear();
  for (std::size_t begin = 0; begin < losses.size(); begin += size_local_cols) loss_rows.push_back(&losses[begin]);
  array_local = loss_rows.data();
  size_local_rows = static_cast<int>(loss_rows.size());
}

void ComputeGranularDissipation::check_counted() const
{
  if (!sums && counted_step != update->ntimestep)
    error->all(
        FLERR,
        "compute granular/dissipation: the losses of step {} were not counted; losses are available only in steps "
        "that thermo output, a dump or a fix has scheduled in advance",
        update->ntimestep);
}

void ComputeGranularDissipation::compute_peratom()
{
  invoked_peratom = update->ntimestep;
  check_counted();
  const int width = static_cast<int>(columns.size());
  if (array_atom_rows < atom->nmax) {
    memory->destroy(array_atom);
    array_atom_rows = atom->nmax;
    memory->create(array_atom, array_atom_rows, width, "granular/dissipation:array_atom");
    vector_atom = array_atom[0];
  }
  const double per_time = sums ? 1.0 : 1.0 / update->dt;
  double **lost = rows();
  for (int i = 0; i < atom->nlocal; ++i)
    for (int k = 0; k < width; ++k) array_atom[i][k] = atom->mask[i] & groupbit ? per_time * lost[i][columns[k]] : 0.0;
}

int ComputeGranularDissipation::pack_reverse_comm(int n, int first, double *buf)
{
  double **lost = rows();
  for (int k = 0; k < n; ++k)
    std::copy_n(lost[first + k], static_cast<int>(dissipation_output::COUNT), buf + k * dissipation_output::COUNT);
  return n * dissipation_output::COUNT;
}

void ComputeGranularDissipation::unpack_reverse_comm(int n, int *atoms, double *buf)
{
  double **lost = rows();
  for (int k = 0; k < n; ++k)
    for (int column = 0; column < dissipation_output::COUNT; ++column)
      lost[atoms[k]][column] += buf[k * dissipation_output::COUNT + column];
}

double ComputeGranularDissipation::memory_usage()
{
  return sizeof(double) *
      (static_cast<double>(of_step_rows) * dissipation_output::COUNT +
       static_cast<double>(array_atom_rows) * columns.size() + static_cast<double>(losses.capacity()));
}
