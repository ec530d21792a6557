#include "grain_contacts.h"

#include "single_contact.h"

#include "../glue/over_ranks.h"
#include "../glue/share_of_pair.h"

#include "atom.h"
#include "comm.h"
#include "error.h"
#include "fix.h"
#include "force.h"
#include "modify.h"
#include "pair.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace LAMMPS_NS;
using namespace granular_plus;

namespace {

// PARTICLE_BYTES: number of bytes of a particle that a contact reads and writes. CORE_CACHE: size of a core's cache. If
// all particles fit into the cache, they are not prefetched, because prefetching would cost up to 5 % of the time.
constexpr std::size_t PARTICLE_BYTES = 17 * sizeof(double), CORE_CACHE = std::size_t{1} << 20;

}    // namespace

GrainContacts::GrainContacts(LAMMPS *lmp, Pair *pair, const std::string &message_prefix, const ModelTable &models,
                             const GrainNeighbors &neighbors)
    : Pointers(lmp), liquid(lmp, pair, groups), nonlocal(lmp, pair, message_prefix), shapes(lmp),
      work(std::make_unique<LoopWork>()), pair(pair), message_prefix(message_prefix), models(models),
      neighbors(neighbors)
{
  try {
    chosen_kernels = for_many = &granular_plus::kernels();
    for_few = &kernels_for_few();
  } catch (std::exception &e) {
    error->all(FLERR, std::string(e.what()));
  }
}

void GrainContacts::init(Ledger ledger_kept)
{
  keeps_ledger = ledger_kept != Ledger::NO;
  step_check.due = true;
  softens = models.any([](const ContactModel &model) { return model.law(NORMAL).per_collision; });
  work->batch.excess_overlap = 0.0;
  passes_heat = models.any([](const ContactModel &model) { return model.conducts() || model.dissipation_heats(); });
  if (passes_heat) {
    check_temperatures(lmp, message_prefix);
    warn_of_constant_temperatures(lmp, message_prefix);
  }
  liquid.init(message_prefix, models.any([](const ContactModel &model) { return model.from_films(); }));

  nonlocal.init(models);

  groups.clear();
  shapes.find();
  shapes.find_types();
  shaped_pairs = shapes.any() ? std::make_unique<ShapedPairs>() : nullptr;
  layout = common_layout(models.list(), ledger_kept, shapes.any());

  const auto freezes = modify->get_fix_by_style("^freeze");
  if (freezes.size() > 1) error->all(FLERR, "Pair {} allows at most one fix freeze", message_prefix);
  frozen = freezes.empty() ? 0 : freezes.front()->groupbit;
  rigid_bodies.find(lmp);
}

void GrainContacts::set_list_and_ledger(ContactList &new_list, EnergyLedger &new_ledger)
{
  list = &new_list;
  ledger = &new_ledger;
  liquid.set_contacts(new_list);
}

void GrainContacts::make_groups()
{
  const std::size_t before = groups.size();
  groups.resize((shaped_pairs ? 2 : 1) * models.list().size());
  if (groups.size() == before) return;
  compile_all();
  nonlocal.set_laws(models);
}

void GrainContacts::compile_all()
{
  const auto &all = models.list();
  for (std::size_t group = 0; group < groups.size() && !all.empty(); ++group)
    all[group % all.size()].compile(groups[group], layout, *chosen_kernels, update->dt,
                                    is_shaped(group) ? Surfaces::SHAPES : Surfaces::ROUND);
}

void GrainContacts::reset_timestep()
{
  compile_all();
  step_check.due = true;
}

void GrainContacts::refresh()
{
  const bool is_new_list = neighbor->ago == 0;
  if (is_new_list || (masses_differ() && own_masses_changed())) update_masses();
  if (step_check.due || (is_new_list && step_check.must_look(atom->natoms))) check_step();
  if (is_new_list) choose_kernels();
}

void GrainContacts::update_masses()
{
  masses.clear();
  if (!masses_differ()) return;
  own_masses.assign(atom->rmass, atom->rmass + atom->nlocal + atom->nghost);
  masses.assign(atom->rmass, atom->rmass + atom->nmax);
  if (!rigid_bodies.empty()) {
    rigid_bodies.refresh();
    for (int i = 0; i < atom->nlocal; ++i) masses[i] = rigid_bodies.mass(i, atom->rmass[i]);
    comm->forward_comm(pair, 1);
  }
  for (int i = 0; i < atom->nlocal + atom->nghost; ++i)
    if (atom->mask[i] & frozen) masses[i] = -masses[i];
}

// called on all ranks

bool GrainContacts::own_masses_changed() const
{
  const std::size_t count = atom->nlocal + atom->nghost;
  const bool here = static_cast<int>(masses.size()) < atom->nmax || own_masses.size() != count ||
      (count > 0 && std::memcmp(own_masses.data(), atom->rmass, count * sizeof(double)) != 0);
  return rigid_bodies.empty() ? here : any_over_ranks(world, here);
}

void GrainContacts::send_sizes()
{
  sends_sizes = true;
  comm->forward_comm(pair, 2);
  sends_sizes = false;
}

int GrainContacts::pack_forward(int n, const int *atoms, double *buf) const
{
  if (sends_sizes) {
    for (int k = 0; k < n; ++k) {
      buf[2 * k] = atom->radius[atoms[k]];
      buf[2 * k + 1] = atom->rmass[atoms[k]];
    }
    return 2 * n;
  }
  if (liquid.communicates()) return liquid.pack_forward(n, atoms, buf);
  if (nonlocal.communicates()) return nonlocal.pack_forward(n, atoms, buf);
  for (int k = 0; k < n; ++k) buf[k] = masses[atoms[k]];
  return n;
}

void GrainContacts::unpack_forward(int n, int start, const double *buf)
{
  if (sends_sizes) {
    for (int k = 0; k < n; ++k) {
      atom->radius[start + k] = buf[2 * k];
      atom->rmass[start + k] = buf[2 * k + 1];
    }
    return;
  }
  if (liquid.communicates()) return liquid.unpack_forward(n, start, buf);
  if (nonlocal.communicates()) return nonlocal.unpack_forward(n, start, buf);
  std::copy_n(buf, n, masses.begin() + start);
}

void GrainContacts::check_step()
{
  Colliders colliders(atom->ntypes);
  const double *mass = masses.empty() ? atom->rmass : masses.data();
  for (int i = 0; i < atom->nlocal; ++i)
    colliders.add(atom->type[i], std::fabs(mass[i]), (atom->mask[i] & frozen) != 0, atom->radius[i], atom->v[i]);
  colliders.reduce_over_ranks(world);
  if (!step_check.begin(colliders, atom->natoms)) return;
  for (int i = 1; i <= atom->ntypes; ++i)
    for (int j = i; j <= atom->ntypes; ++j) {
      if (!models.has(i, j)) continue;
      const ContactModel &model = models.of(i, j);
      step_check.consider(fmt::format("{}: types {} {}", message_prefix, i, j), model,
                          colliders.shortest(model, i, j, update->dt), update->dt);
    }
  step_check.judge(lmp);
}

void GrainContacts::choose_kernels()
{
  has_few = list->size() <= FEW_CONTACTS;
  const auto *wanted = has_few ? for_few : for_many;
  if (chosen_kernels != wanted) {
    chosen_kernels = wanted;
    compile_all();
  }
  has_few = has_few && !layout.has_ledger && !shaped_pairs && !nonlocal.any() &&
      std::none_of(groups.begin(), groups.end(),
                   [](const PairGroup &group) { return group.breaking_gap || group.heat_crosses_gaps; });
}

Particles GrainContacts::particles() const
{
  Particles p;
  p.position = atom->x[0];
  p.velocity = atom->v[0];
  p.spin = atom->omega[0];
  p.radius = atom->radius;
  p.packed_mass = masses.empty() ? atom->rmass : masses.data();
  p.force = atom->f[0];
  p.torque = atom->torque[0];
  p.temperature = atom->temperature;
  p.heatflow = passes_heat ? atom->heatflow : nullptr;
  p.force_end = see_pairs_once() ? atom->nlocal + atom->nghost : atom->nlocal;
  return p;
}

// Some kernels read one value beyond each row. Beyond the last row of a full array, there is no value to read.

const Kernels &GrainContacts::bounds_safe_kernels() const
{
  const bool full = atom->nlocal + atom->nghost >= atom->nmax;
  return full && chosen_kernels->reads_past_end ? in_bounds_kernels() : *chosen_kernels;
}

void GrainContacts::evaluate(Report report, void *receiver)
{
  const bool is_step = contacts_go_on(*update);
  work->heat_made = 0.0;
  start_check.begin();
  if (list->size() == 0) {
    if (liquid.any()) liquid.move_without_pairs(is_step);
    if (nonlocal.any()) {    // contacts with walls need these calls even if there are no pairs
      nonlocal.begin_contacts();
      nonlocal.compute_forces(is_step);
    }
  } else if (is_step && has_few) {
    evaluate_few(report, receiver);
  } else {
    evaluate_groups(is_step, report, receiver);
  }
  if (ledger->started && is_time_step(*update)) ledger->heat_made += update->dt * work->heat_made;
}

LoopOptions GrainContacts::begin(bool is_step, Report report, void *receiver)
{
  auto options = LoopOptions::of(is_step, update->dt, layout.ledger_index_or_none());
  options.force_factors = force->special_lj;
  options.report = report;
  options.receiver = receiver;
  list->begin_evaluation(options);
  return options;
}

/* ----------------------------------------------------------------------
   Evaluates a few contacts without the preparations of the full loop, which would take longer than the evaluation.
------------------------------------------------------------------------- */

void GrainContacts::evaluate_few(Report report, void *receiver)
{
  static constexpr PairIndex ALL[FEW_CONTACTS] = {0, 1, 2};
  const auto options = begin(true, report, receiver);
  for (int group = 0; group < list->groups(); ++group) {
    int touching[FEW_CONTACTS];
    const int count = list->find_touching(group, atom->x, atom->radius, touching);
    if (count == 0) continue;
    auto pairs = list->listed_pairs();
    pairs.number = ALL;
    bounds_safe_kernels().evaluate_pairs(particles(), pairs, touching, count, list->history(), groups[group],
                                         groups[group].touching, options, *work);
  }
}

void GrainContacts::evaluate_groups(bool is_step, Report report, void *receiver)
{
  Particles view = particles();
  view.prefetch = PARTICLE_BYTES * (atom->nlocal + atom->nghost) > CORE_CACHE;
  const auto &bounds_safe_kernels = this->bounds_safe_kernels();
  auto pairs = list->select_near_pairs(bounds_safe_kernels, view, atom->nlocal + atom->nghost, groups, neighbor->skin,
                                       sizes_changed, layout.has_ledger, *work);
  const auto options = begin(is_step, report, receiver);
  auto of_ended = options;
  of_ended.mode = Mode::ENDED_CONTACTS;
  if (shaped_pairs) {
    if (neighbor->ago == 0 || shaped_pairs->listed() != list->size()) shaped_pairs->begin_list(list->size());
    shapes.list(shaped_pairs->bodies, shaped_pairs->inertias);
  }
  if (nonlocal.any()) compute_nonlocal_forces(pairs, view.packed_mass, options.stamp_before, is_step);
  if (liquid.any()) liquid.find_and_move(bounds_safe_kernels, view, pairs, options, *work);
  if (liquid.any() && keeps_ledger && !is_step) ledger->tally(BRIDGE_VOLUME, liquid.volume_to_rupture(pairs));
  for (std::size_t k = 0; k < groups.size(); ++k) {
    const auto &group = groups[k];
    if (is_shaped(k)) {
      evaluate_shaped(static_cast<int>(k), view, pairs, options, of_ended);
      continue;
    }
    if (update->setupflag) check_start(pairs, group);
    const int *ended = pairs.ended, *ended_count = &work->ended_count;
    if (group.film) {
      liquid.evaluate(k, bounds_safe_kernels, view, pairs, options, *work);
      ended = liquid.found(k).ended;
      ended_count = &liquid.found(k).ended_count;
    } else {
      bounds_safe_kernels.loop(view, pairs, list->history(), group, options, *work);
    }
    if (group.heat_crosses_gaps) pass_heat(bounds_safe_kernels, view, pairs, group);
    if (is_step && layout.has_ledger)
      bounds_safe_kernels.evaluate_pairs(view, pairs, ended, *ended_count, list->history(), group, group.ending,
                                         of_ended, *work);
  }
  if (!is_step && layout.has_ledger) list->discard_near_pairs();
}

void GrainContacts::compute_nonlocal_forces(const Pairs &pairs, const double *packed_mass, int stamp, bool is_step)
{
  nonlocal.begin_contacts();
  for (std::size_t k = 0; k < groups.size(); ++k)
    nonlocal.find_contacts(pairs, groups[k], static_cast<int>(k), packed_mass, *list, stamp, layout.first[NORMAL]);
  nonlocal.compute_forces(is_step);
}

void GrainContacts::pass_heat(const Kernels &bounds_safe_kernels, const Particles &view, const Pairs &pairs,
                              const PairGroup &group)
{
  const int cold = bounds_safe_kernels.pass_heat(view, pairs, group);
  if (cold >= 0)
    error->one(FLERR, "{}: temperature of grain {} = {:g} must be > 0: radiation needs absolute temperatures",
               message_prefix, atom->tag[cold], atom->temperature[cold]);
}

void GrainContacts::evaluate_shaped(int k, const Particles &view, const Pairs &pairs, const LoopOptions &options,
                                    const LoopOptions &of_ended)
{
  const auto &group = groups[k];
  shaped_pairs->loop(*chosen_kernels, view, pairs, list->history(), group, options, *work);
  const auto &[i, j, overlap] = shaped_pairs->too_deep;
  if (i >= 0)
    error->one(
        FLERR,
        "{}: overlap of grains {} and {} = {:.4g} must be < {:.4g}, the sum of the radii of spheres of equal volume",
        message_prefix, atom->tag[i], atom->tag[j], overlap,
        shaped_pairs->bodies[i].volume_radius() + shaped_pairs->bodies[j].volume_radius());
  if (const auto &pair = shaped_pairs->deepest; pair.i >= 0)
    start_check.add(pair.overlap, 1.0, atom->tag[pair.i], atom->tag[pair.j]);
  if (options.mode == Mode::STEP && layout.has_ledger)
    shaped_pairs->evaluate_ended(*chosen_kernels, view, pairs, list->ended_pairs(k), list->history(), group, of_ended,
                                 *work);
}

void GrainContacts::check_start(const Pairs &pairs, const PairGroup &group)
{
  for (int p = group.begin; p < group.end; ++p) {
    const int i = pairs.i(p), j = pairs.j(p);
    const double ri = atom->radius[i], rj = atom->radius[j];
    start_check.add(ri + rj - std::sqrt(squared_distance(atom->x[i], atom->x[j])), std::min(ri, rj), atom->tag[i],
                    atom->tag[j]);
  }
}

void GrainContacts::check_after_step()
{
  const bool is_last = update->ntimestep == update->laststep;
  if (update->setupflag) start_check.end(lmp, message_prefix);
  if (softens && (neighbor->ago == 0 || is_last)) {
    double shortest = INFINITY;
    for (const ContactModel &model : models.list()) shortest = std::min(shortest, model.prescribed_time(update->dt));
    softens = !warn_of_overlap(lmp, "granular/plus", work->batch.excess_overlap, shortest);
  }
  if (shaped_pairs && is_last)
    shapes.warn_of_few_nodes(message_prefix, shaped_pairs->weighted_nodes, shaped_pairs->weight);
}

bool GrainContacts::pair_exists(int i, int j, double squared) const
{
  const int all = atom->nlocal + atom->nghost;
  if (i >= all || j >= all || (!masses.empty() && static_cast<int>(masses.size()) < all)) return false;
  constexpr double SAME = 1.0e-6;    // callers may have summed the squares in another order
  return std::fabs(squared_distance(atom->x[i], atom->x[j]) - squared) <= SAME * squared;
}

std::string GrainContacts::obstacle_on_gpu() const
{
  if (shaped_pairs) return "grains with a shape";
  if (!rigid_bodies.empty()) return "rigid bodies";
  if (softens) return "a normal model that adapts to a prescribed collision time";
  if (nonlocal.any()) return "a normal model whose force depends on all contacts of a grain";
  return "";
}

double GrainContacts::memory_usage() const
{
  return static_cast<double>(masses.capacity()) * sizeof(double) + sizeof(LoopWork) +
      (shaped_pairs ? shaped_pairs->memory_usage() : 0.0) + liquid.memory_usage();
}

double GrainContacts::inspect_pair(int i, int j, const ContactModel &model, double *values)
{
  const auto [listed, swapped] = neighbors.find(*list, i, j);
  const Particles view = particles();
  SingleContact contact(*atom, i, j, model, layout, update->dt, list->evaluation(), *chosen_kernels, view,
                        shaped_pairs.get(), *work);
  return contact.report(listed >= 0 && list->is_alive(listed) ? list->row(listed) : nullptr, swapped, values);
}
