#include "grain_bonds.h"

#include "../core/ledger/pair_report.h"
#include "../glue/share_of_pair.h"
#include "../glue/over_ranks.h"

#include "atom.h"
#include "comm.h"
#include "domain.h"
#include "error.h"
#include "force.h"
#include "modify.h"
#include "update.h"

#include <algorithm>
#include <cmath>
#include <utility>

using namespace LAMMPS_NS;
using namespace granular_plus;

GrainBonds::GrainBonds(LAMMPS *lmp, GrainNeighbors &neighbors, const std::string &style, const ModelTable &models,
                       int number)
    : Pointers(lmp), neighbors(neighbors), style(style), models(models), place(lmp, "BONDS", number)
{
}

void GrainBonds::init(bool keeps_ledger, bool any_shapes)
{
  history = dynamic_cast<FixGranularBondHistory *>(place.find());
  if (!models.any([](const ContactModel &model) { return model.bonds(); })) {
    if (history) history->store_contacts_with_atoms();
    const bool lost = history && history->has_history();
    if (lost && comm->me == 0)
      error->warning(FLERR, "{}: the models have changed and none of them has a bond law: all bonds were removed",
                     style);
    if (history) place.release();
    history = nullptr;
    groups.clear();
    return;
  }
  if (!atom->quat_flag)
    error->all(FLERR, "{}: bonds need the orientations of grains; use atom_style bpm/sphere", style);
  if (comm->style == Comm::TILED)
    error->all(FLERR,
               "{}: bonds cannot be combined with comm_style tiled, for which LAMMPS has no reverse communication of "
               "variable size; use comm_style brick",
               style);
  if (any_shapes)
    error->all(FLERR, "{}: bonds are not available for grains with a shape (fix shape/granular/plus)", style);
  layout = bond_layout(models.list(), keeps_ledger);
  if (history) history->store_contacts_with_atoms();
  history = dynamic_cast<FixGranularBondHistory *>(place.fill(style, layout));
  step_check.due = true;
  warn_if_none_form();
}

void GrainBonds::warn_if_none_form() const
{
  const bool are_there = history->has_history();    // must be called on all ranks
  if (!are_there && modify->get_fix_by_style("^granular/bond$").empty() && comm->me == 0)
    error->warning(FLERR, "{}: keyword bond has no effect: there are no bonds, and no fix granular/bond forms bonds",
                   style);
}

void GrainBonds::set_groups()
{
  groups.resize(models.list().size());
  GrainHistory::Groups of_bonds;
  of_bonds.of_types = models.numbers();
  for (std::size_t group = 0; group < groups.size(); ++group) {
    compile(group);
    of_bonds.signs.push_back(models.list()[group].signs_of_bond(layout));
    of_bonds.acts_across_gap.push_back(models.list()[group].bonds());
  }
  history->set_groups(&neighbors, of_bonds);
}

void GrainBonds::compile(std::size_t group)
{
  models.list()[group].compile_bond(groups[group], layout, kernels(), update->dt);
}

void GrainBonds::reset_timestep()
{
  // between pair_coeff and the next run, there may be fewer models than groups
  for (std::size_t group = 0; group < std::min(groups.size(), models.list().size()); ++group) compile(group);
  step_check.due = true;
}

double GrainBonds::reach(double radii) const
{
  double gap = history->widest_gap();
  int dimension;
  for (Fix *former : modify->get_fix_by_style("^granular/bond"))
    if (const void *largest = former->extract("gap", dimension))
      gap = std::max(gap, *static_cast<const double *>(largest));
  // largest length of a bond before it breaks, divided by its initial length
  constexpr double STRETCH = 1.02;
  return STRETCH * (radii + gap);
}

Pairs GrainBonds::listed() const
{
  Pairs pairs = history->contacts.listed_pairs();
  pairs.special = nullptr;
  pairs.number = history->numbers.data();
  return pairs;
}

void GrainBonds::evaluate(Particles view, const Kernels &reader, Report report, void *receiver, LoopWork &work)
{
  auto &contacts = history->contacts;
  const int particle_count = atom->nlocal + atom->nghost;
  view.orientation = atom->quat[0];
  view.heatflow = nullptr;
  view.force_end = particle_count;
  const bool newton = force->newton_pair;
  if (!newton) {
    force_on_all.assign(3L * particle_count, 0.0);
    torque_on_all.assign(3L * particle_count, 0.0);
    view.force = force_on_all.data();
    view.torque = torque_on_all.data();
  }
  if (is_frame_of_rerun(*update))
    error->all(
        FLERR,
        "{}: a dump contains no bonds: use rerun without keyword bond in pair_coeff and without fix granular/bond",
        style);
  LoopOptions options = LoopOptions::of(is_time_step(*update), update->dt, layout.ledger_index_or_none());
  options.report = report;
  options.receiver = receiver;
  std::vector<const std::vector<int> *> living;
  for (int group = 0; group < contacts.groups(); ++group)
    living.push_back(&history->living(group, contacts_go_on(*update)));
  contacts.begin_evaluation(options);
  history->broken_now.clear();
  const Pairs pairs = listed();
  for (int group = 0; group < contacts.groups(); ++group)
    reader.evaluate_pairs(view, pairs, living[group]->data(), static_cast<int>(living[group]->size()),
                          contacts.history(), groups[group], groups[group].touching, options, work);
  if (!newton) {
    history->return_forces(force_on_all, torque_on_all);
    for (long k = 0; k < 3L * atom->nlocal; ++k) {
      atom->f[0][k] += force_on_all[k];
      atom->torque[0][k] += torque_on_all[k];
    }
  }
  if (step_check.due) check_step();
}

void GrainBonds::note_broken(const LoopWork &work)
{
  const Batch &b = work.batch;
  for (int l = 0; l < b.count; ++l) {
    if (b.breaks[l] == 0.0) continue;
    const int i = work.i(l), j = work.j(l);
    BrokenBond bond{};
    bond.step = update->ntimestep;
    bond.time = update->atime + static_cast<double>(update->ntimestep - update->atimestep) * update->dt;
    bond.first = std::min(atom->tag[i], atom->tag[j]);
    bond.second = std::max(atom->tag[i], atom->tag[j]);
    bond.energy = b.bond_energy[l];
    bond.in_tension = b.breaks[l] == BREAKS_IN_TENSION;
    for (int d = 0; d < 3; ++d) bond.place[d] = atom->x[i][d] - 0.5 * b.separation[d][l];
    domain->remap(bond.place);
    for (int s = 0; s < BOND_STRESSES; ++s) bond.stress[s] = b.bond_stress[s][l];
    history->broken_now.push_back(bond);
  }
}

double GrainBonds::inspect_pair(int i, int j, Particles view, double *values, LoopWork &work) const
{
  auto &contacts = history->contacts;
  const auto [bond, swapped] = neighbors.find(contacts, i, j);
  if (bond < 0 || !contacts.is_alive(bond) || history->is_broken(bond)) return 0.0;
  const int place = bond;
  view.orientation = atom->quat[0];
  view.force = view.torque = view.heatflow = nullptr;
  const LoopOptions options = LoopOptions::read_only(contacts.evaluation());
  const PairGroup &group = groups[contacts.group_before(bond)];
  in_bounds_kernels().evaluate_pairs(view, listed(), &place, 1, contacts.history(), group, group.touching, options,
                                     work);
  const Batch &b = work.batch;
  const double sign = swapped ? -1.0 : 1.0;
  const bool in_contact = length(vector_of(values + pair_output::normal_x)) > 0.0;
  if (!in_contact) report_geometry(values, b, sign, gap_of_spheres(b), point_of_spheres(b));
  add_force(values, b, sign);
  values[pair_output::bond] = 1.0;
  values[pair_output::bond_energy] = b.bond_energy[0];
  for (int s = 0; s < BOND_STRESSES; ++s) values[pair_output::bond_axial_stress + s] = b.bond_stress[s][0];
  const double distance = length(first_lane(b.separation));
  return distance > 0.0 ? b.normal_force[0] / distance : 0.0;
}

void GrainBonds::check_step()
{
  step_check.due = false;
  const auto &contacts = history->contacts;
  const int most = history->most_of_grain();
  double here[2] = {0.0, 0.0}, fastest[2];
  for (int group = 0; group < contacts.groups(); ++group)
    for (int p = contacts.begin(group); p < contacts.end(group); ++p) {
      if (!contacts.is_alive(p)) continue;
      const int i = contacts.i(p), j = contacts.j(p);
      const auto rates = models.list()[group].bond_rates(contacts.row(p), atom->rmass[i], atom->rmass[j],
                                                         atom->radius[i], atom->radius[j], most);
      here[0] = std::max(here[0], rates.frequency);
      here[1] = std::max(here[1], rates.damping);
    }
  MPI_Allreduce(here, fastest, 2, MPI_DOUBLE, MPI_MAX, world);
  step_check.judge_bonds(lmp, style, fastest[0], fastest[1]);
  check_that_grains_turn();
}

// The torque of a bond depends on the orientations of its grains. If a grain has a spin but its orientation is not
// integrated, the bond adds energy to the spin.

void GrainBonds::check_that_grains_turn() const
{
  const auto &contacts = history->contacts;
  for (const char *style_of_fix : {"^nve/sphere", "^nvt/sphere", "^npt/sphere", "^nph/sphere"})
    for (const Fix *fix : modify->get_fix_by_style(style_of_fix)) {
      bool here = false;
      for (int p = 0; p < contacts.size() && !here; ++p)
        here = contacts.is_alive(p) && ((atom->mask[contacts.i(p)] | atom->mask[contacts.j(p)]) & fix->groupbit);
      if (any_over_ranks(world, here))
        error->all(FLERR, "{}: fix {} {} does not update the orientations of bonded grains; use fix nve/bpm/sphere",
                   style, fix->id, fix->style);
    }
}

bigint GrainBonds::form(double gap, const std::function<bool(int, int)> &between)
{
  std::vector<FixGranularBondHistory::Bond> formed;
  for (int k = 0; k < neighbors.row_count(); ++k) {
    const auto [i, count, partners] = neighbors.row(k);
    for (int n = 0; n < count; ++n) {
      const int j = partners[n] & NEIGHMASK;
      const ContactModel &model = models.of(atom->type[i], atom->type[j]);
      double d[3], square = 0.0;
      for (int k = 0; k < 3; ++k) {
        d[k] = atom->x[j][k] - atom->x[i][k];
        square += d[k] * d[k];
      }
      const double reach = atom->radius[i] + atom->radius[j] + gap;
      if (!(square < reach * reach) || !model.bonds() || !between(i, j)) continue;
      if (!is_listed_here(lmp, i, j) || history->joins(i, j)) continue;
      FixGranularBondHistory::Bond bond{models.numbers()[atom->type[i]][atom->type[j]], i, j,
                                        std::vector<double>(layout.size, 0.0)};
      if (model.begin_bond(d, atom->quat[i], atom->quat[j], atom->radius[i], atom->radius[j], atom->tag[i],
                           atom->tag[j], bond.row.data()))
        formed.push_back(std::move(bond));
    }
  }
  history->add(formed, gap);
  step_check.due = true;
  return sum_over_ranks(world, static_cast<bigint>(formed.size()));
}

bigint GrainBonds::remove(const std::function<bool(int, int)> &between, EnergyLedger &ledger)
{
  const bigint before = count();
  ledger.exchanged -= history->remove(between, layout.has_ledger ? energy_at() : -1);
  return before - count();
}

bigint GrainBonds::count() const { return sum_over_ranks(world, history ? history->count() : 0); }

int GrainBonds::energy_at() const { return layout.remembered[OF_BOND] + BOND_ENERGY_BEFORE; }

// The force of a bond that broke in the last step still does work in the first half of the next step. Until then, the
// energy for this work counts as energy of the bond. If `in_step` is true, the work has been done, so energies of
// broken bonds are not added.

void GrainBonds::add_energy(bool in_step, double &sum) const
{
  if (!history) return;
  const auto &contacts = history->contacts;
  for (int p = 0; p < contacts.size(); ++p)
    if (contacts.is_alive(p) && !(in_step && history->is_broken(p))) sum += contacts.row(p)[energy_at()];
}
