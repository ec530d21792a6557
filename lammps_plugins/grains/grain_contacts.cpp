#include "grain_contacts.h"

#include "../core/laws/capillary/film.h"
#include "../core/laws/heat/gap.h"

#include "../core/ledger/pair_report.h"

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

// Values of a particle that a contact reads and writes, and the cache of a core. Prefetching data in the cache costs up to 5 %.
constexpr std::size_t PARTICLE_BYTES = 17 * sizeof(double), CORE_CACHE = std::size_t{1} << 20;

}    // namespace

GrainContacts::GrainContacts(LAMMPS *lmp, Pair *pair, const std::string &who, const ModelTable &models,
                             const GrainNeighbors &neighbors)
    : Pointers(lmp), liquid(lmp, pair, groups), nonlocal(lmp, pair, who), shapes(lmp),
      work(std::make_unique<LoopWork>()), pair(pair), who(who), models(models), neighbors(neighbors)
{
  try {
    suited = for_many = &granular_plus::kernels();
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
  passes_heat = models.any([](const ContactModel &model) { return model.conducts() || model.warms(); });
  if (passes_heat) {
    check_temperatures(lmp, who);
    warn_of_constant_temperatures(lmp, who);
  }
  liquid.init(who, models.any([](const ContactModel &model) { return model.from_films(); }));

  nonlocal.init(models);

  groups.clear();
  shapes.find();
  shapes.find_types();
  shaped_pairs = shapes.any() ? std::make_unique<ShapedPairs>() : nullptr;
  layout = common_layout(models.list(), ledger_kept, shapes.any());

  const auto freezes = modify->get_fix_by_style("^freeze");
  if (freezes.size() > 1) error->all(FLERR, "Pair {} allows only one fix freeze", who);
  frozen = freezes.empty() ? 0 : freezes.front()->groupbit;
  rigid_bodies.find(lmp);
}

void GrainContacts::serve(ContactList &new_list, EnergyLedger &new_ledger)
{
  list = &new_list;
  ledger = &new_ledger;
  liquid.serve(new_list);
}

void GrainContacts::make_groups()
{
  const std::size_t before = groups.size();
  groups.resize((shaped_pairs ? 2 : 1) * models.list().size());
  if (groups.size() == before) return;
  compile_all();    // new models change the numbers of groups of shapes
  nonlocal.set_laws(models);
}

void GrainContacts::compile_all()
{
  const auto &all = models.list();
  for (std::size_t group = 0; group < groups.size() && !all.empty(); ++group)
    all[group % all.size()].compile(groups[group], layout, *suited, update->dt,
                                    is_shaped(group) ? Surfaces::SHAPES : Surfaces::ROUND);
}

// arguments given in time steps depend on the time step

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

/* ----------------------------------------------------------------------
   a particle in a rigid body collides with the mass of its body; a frozen one cannot be moved
------------------------------------------------------------------------- */

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

// called on all ranks, which may have to send masses of bodies

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

/* ----------------------------------------------------------------------
   whether the time step resolves collisions, with the present masses and speeds
------------------------------------------------------------------------- */

void GrainContacts::check_step()
{
  Colliders colliders(atom->ntypes);
  const double *mass = masses.empty() ? atom->rmass : masses.data();
  for (int i = 0; i < atom->nlocal; ++i)
    colliders.add(atom->type[i], std::fabs(mass[i]), (atom->mask[i] & frozen) != 0, atom->radius[i], atom->v[i]);
  colliders.sum_up(world);
  if (!step_check.begin(colliders, atom->natoms)) return;
  for (int i = 1; i <= atom->ntypes; ++i)
    for (int j = i; j <= atom->ntypes; ++j) {
      if (!models.has(i, j)) continue;    // belongs to another sub-style of hybrid
      const ContactModel &model = models.of(i, j);
      step_check.consider(fmt::format("{}: types {} {}", who, i, j), model, colliders.shortest(model, i, j, update->dt),
                          update->dt);
    }
  step_check.judge(lmp);
}

// chooses kernels for the new list

void GrainContacts::choose_kernels()
{
  has_few = list->size() <= FEW_CONTACTS;
  const auto *wanted = has_few ? for_few : for_many;
  if (suited != wanted) {
    suited = wanted;
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

// A row is read together with the value behind it, which does not exist behind the last row of LAMMPS's arrays.

const Kernels &GrainContacts::reader() const
{
  const bool full = atom->nlocal + atom->nghost >= atom->nmax;
  return full && suited->reads_past_end ? in_bounds_kernels() : *suited;
}

void GrainContacts::evaluate(Report report, void *receiver)
{
  const bool is_step = contacts_go_on(*update);
  work->heat_made = 0.0;
  start_check.begin();
  if (list->size() == 0) {
    if (liquid.any()) liquid.move_that_of_others(is_step);
    if (nonlocal.any()) {    // for walls
      nonlocal.begin_contacts();
      nonlocal.press(is_step);
    }
  } else if (is_step && has_few) {
    evaluate_few(report, receiver);
  } else {
    evaluate_groups(is_step, report, receiver);
  }
  if (ledger->started && time_passes(*update)) ledger->heat_made += update->dt * work->heat_made;
}

LoopOptions GrainContacts::begin(bool is_step, Report report, void *receiver)
{
  auto options = LoopOptions::of(is_step, update->dt, layout.ledger_kept());
  options.force_factors = force->special_lj;
  options.report = report;
  options.receiver = receiver;
  list->begin_evaluation(options);
  return options;
}

/* ----------------------------------------------------------------------
   evaluation of a step; for two or three grains, the steps before the loop would take longer than the contacts
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
    reader().evaluate_pairs(particles(), pairs, touching, count, list->history(), groups[group], groups[group].touching,
                            options, *work);
  }
}

/* ----------------------------------------------------------------------
   liquid moves first; then the contacts of each group are evaluated, and the losses of those that have ended
------------------------------------------------------------------------- */

void GrainContacts::evaluate_groups(bool is_step, Report report, void *receiver)
{
  Particles view = particles();
  view.prefetch = PARTICLE_BYTES * (atom->nlocal + atom->nghost) > CORE_CACHE;
  const auto &reader = this->reader();
  auto pairs = list->near_pairs(reader, view, atom->nlocal + atom->nghost, groups, neighbor->skin, sizes_changed,
                                layout.has_ledger, *work);
  const auto options = begin(is_step, report, receiver);
  auto of_ended = options;
  of_ended.mode = Mode::END;
  if (shaped_pairs) {
    if (neighbor->ago == 0 || shaped_pairs->listed() != list->size()) shaped_pairs->begin_list(list->size());
    shapes.list(shaped_pairs->bodies, shaped_pairs->inertias);
  }
  if (nonlocal.any()) press(pairs, view.packed_mass, options.stamp_before, is_step);
  if (liquid.any()) liquid.find_and_move(reader, view, pairs, options, *work);
  if (liquid.any() && keeps_ledger && !is_step) ledger->tally(BRIDGE_VOLUME, liquid.waiting(pairs));
  for (std::size_t k = 0; k < groups.size(); ++k) {
    const auto &group = groups[k];
    if (is_shaped(k)) {
      evaluate_shaped(static_cast<int>(k), view, pairs, options, of_ended);
      continue;
    }
    if (update->setupflag) check_start(pairs, group);
    const int *ended = pairs.ended, *ended_count = &work->ended_count;
    if (group.film) {
      liquid.evaluate(k, reader, view, pairs, options, *work);
      ended = liquid.found(k).ended;
      ended_count = &liquid.found(k).ended_count;
    } else {
      reader.loop(view, pairs, list->history(), group, options, *work);
    }
    if (group.heat_crosses_gaps) pass_heat(reader, view, pairs, group);
    if (is_step && layout.has_ledger)
      reader.evaluate_pairs(view, pairs, ended, *ended_count, list->history(), group, group.ending, of_ended, *work);
  }
  if (!is_step && layout.has_ledger) list->discard_near_pairs();
}

// computes normal forces that depend on all contacts of a grain, and stores them in the rows of the contacts

void GrainContacts::press(const Pairs &pairs, const double *packed_mass, int stamp, bool is_step)
{
  nonlocal.begin_contacts();
  for (std::size_t k = 0; k < groups.size(); ++k)
    nonlocal.find_contacts(pairs, groups[k], static_cast<int>(k), packed_mass, *list, stamp, layout.first[NORMAL]);
  nonlocal.press(is_step);
}

void GrainContacts::pass_heat(const Kernels &reader, const Particles &view, const Pairs &pairs, const PairGroup &group)
{
  const int cold = reader.pass_heat(view, pairs, group);
  if (cold >= 0)
    error->one(FLERR, "{}: temperature of grain {} = {:g} must be > 0: radiation needs absolute temperatures", who,
               atom->tag[cold], atom->temperature[cold]);
}

void GrainContacts::evaluate_shaped(int k, const Particles &view, const Pairs &pairs, const LoopOptions &options,
                                    const LoopOptions &of_ended)
{
  const auto &group = groups[k];
  shaped_pairs->loop(*suited, view, pairs, list->history(), group, options, *work);
  const auto &[i, j, overlap] = shaped_pairs->too_deep;
  if (i >= 0)
    error->one(FLERR,
               "{}: overlap of grains {} and {} = {:.4g} must be < {:.4g}, the sum of their radii of equal volume", who,
               atom->tag[i], atom->tag[j], overlap,
               shaped_pairs->bodies[i].volume_radius() + shaped_pairs->bodies[j].volume_radius());
  if (const auto &pair = shaped_pairs->deepest; pair.i >= 0)
    start_check.add(pair.overlap, 1.0, atom->tag[pair.i], atom->tag[pair.j]);
  if (options.mode == Mode::STEP && layout.has_ledger)
    shaped_pairs->evaluate_ended(*suited, view, pairs, list->ended_pairs(k), list->history(), group, of_ended, *work);
}

// measures the overlap of spheres

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
  if (update->setupflag) start_check.end(lmp, who);
  if (softens && (neighbor->ago == 0 || is_last)) {
    double shortest = INFINITY;
    for (const ContactModel &model : models.list()) shortest = std::min(shortest, model.prescribed_time(update->dt));
    softens = !warn_of_overlap(lmp, "granular/plus", work->batch.excess_overlap, shortest);
  }
  if (shaped_pairs && is_last) shapes.watch(who, shaped_pairs->weighted_nodes, shaped_pairs->weight);
}

// LAMMPS may query pairs that do not exist

bool GrainContacts::pair_exists(int i, int j, double squared) const
{
  const int all = atom->nlocal + atom->nghost;
  if (i >= all || j >= all || (!masses.empty() && static_cast<int>(masses.size()) < all)) return false;
  constexpr double SAME = 1.0e-6;    // relative: callers may sum the components in another order
  return std::fabs(squared_distance(atom->x[i], atom->x[j]) - squared) <= SAME * squared;
}

std::string GrainContacts::beyond_forces() const
{
  if (passes_heat) return "heat";
  if (liquid.any()) return "bridges from films";
  if (shaped_pairs) return "grains with a shape";
  if (!rigid_bodies.empty()) return "rigid bodies";
  if (softens) return "a normal law that adapts to a prescribed collision time";
  if (nonlocal.any()) return "a normal law that depends on all contacts of a grain";
  return "";
}

double GrainContacts::memory_usage() const
{
  return static_cast<double>(masses.capacity()) * sizeof(double) + sizeof(LoopWork) +
      (shaped_pairs ? shaped_pairs->memory_usage() : 0.0) + liquid.memory_usage();
}

/* ----------------------------------------------------------------------
   inspects one contact: its present force and history, with the names of outputs.h; nothing changes
------------------------------------------------------------------------- */

double GrainContacts::inspect_pair(int i, int j, const ContactModel &model, double *values)
{
  std::fill_n(values, static_cast<int>(pair_output::COUNT), 0.0);
  const auto [listed, swapped] = neighbors.find(*list, i, j);
  PairGroup pair_group;
  evaluate_alone(i, j, model, listed >= 0 && list->alive(listed) ? list->row(listed) : nullptr, pair_group);
  const double sign = swapped ? -1.0 : 1.0;
  const double force = work->batch.count > 0 ? report(i, j, model, sign, pair_group, values) : 0.0;
  if (pair_group.heat_crosses_gaps) {
    const double distance = std::sqrt(squared_distance(atom->x[i], atom->x[j]));
    const auto conductance =
        heat::Gap::between_spheres(pair_group.constants.gap_heat, atom->radius[i], atom->radius[j], distance);
    values[pair_output::heat] += sign * heat::Gap::flow(conductance, atom->temperature[i], atom->temperature[j]);
  }
  return force;
}

bool GrainContacts::pairs_shape(int i, int j) const
{
  return shaped_pairs && (shaped_pairs->bodies[i].shape || shaped_pairs->bodies[j].shape);
}

/* ----------------------------------------------------------------------
   Passes a list of this pair alone through the loop; its history, null for none, is a copy.
------------------------------------------------------------------------- */

void GrainContacts::evaluate_alone(int i, int j, const ContactModel &model, const double *remembered,
                                   PairGroup &pair_group)
{
  double row[MAX_HISTORY + History::READ_AHEAD] = {};
  if (remembered) {
    std::copy_n(remembered, layout.size, row);
    row[layout.size] = list->evaluation();
  }
  PairIndex slot = 0;
  int slots_used = 1;
  const History memory{&slot, row, layout.size, &slots_used};

  // observing stages compute more; without a ledger their values are not stored
  HistoryLayout observing = layout;
  observing.has_ledger = true;
  observing.observables = OBSERVABLES;
  const bool has_shape = pairs_shape(i, j);
  model.compile(pair_group, observing, *suited, update->dt, has_shape ? Surfaces::SHAPES : Surfaces::ROUND);
  pair_group.begin = 0;
  pair_group.end = 1;

  const double radius_i = atom->radius[i], radius_j = atom->radius[j];
  const double touch = radius_i + radius_j, touching_squared = touch * touch;
  const auto touching_rounded = static_cast<float>(touching_squared);
  double gap = pair_group.breaking_gap ? pair_group.breaking_gap(pair_group.constants, radius_i, radius_j) : 0.0;
  const double volume = row[layout.first[BRIDGE]];
  if (pair_group.film)
    gap = volume > 0.0 ? capillary::Films::breaking_gap(pair_group.constants.film, radius_i, radius_j, volume) : 0.0;
  double cutoff_squared = (touch + gap) * (touch + gap);
  const PairIndex number = 0;
  const RowOffset row_i = Pairs::row_of(i), row_j = Pairs::row_of(j);
  unsigned char bridged = remembered != nullptr;
  int separated[1 + Pairs::LIST_AHEAD] = {};
  const Pairs pairs{&row_i,          &row_j,   nullptr,  &number, &touching_rounded, &touching_squared,
                    &cutoff_squared, &bridged, separated};

  Particles view = particles();
  view.force = view.torque = view.heatflow = nullptr;
  const LoopOptions options = LoopOptions::read_only(list->evaluation());
  work->batch.count = 0;
  if (has_shape)
    shaped_pairs->loop(*suited, view, pairs, memory, pair_group, options, *work);
  else
    in_bounds_kernels().loop(view, pairs, memory, pair_group, options, *work);
}

/* ----------------------------------------------------------------------
   the sign depends on the order in which the two were requested
------------------------------------------------------------------------- */

double GrainContacts::report(int i, int j, const ContactModel &model, double sign, const PairGroup &pair_group,
                             double *values) const
{
  const Batch &b = work->batch;
  const auto observed = [&b](Observed what) { return b.observed[what][0]; };
  const double central =
      b.normal_force[0] - observed(CAPILLARY_FORCE) - observed(VISCOUS_FORCE) - observed(ATTRACTION_FORCE);
  const bool touches = observed(TOUCHING) != 0.0;
  // stages leave the present forces where the ledger stores them, none for a contact across a gap only
  const auto remembered = [&](RememberedPart part, int what) { return b.history[layout.remembered[part] + what][0]; };
  const bool rolls = touches && model.law(ROLLING).history > 0;
  const bool twists = touches && model.law(TWISTING).history > 0;
  const bool has_spring = model.law(TANGENTIAL).history > 0;
  double distance_squared = 0.0;
  for (int d = 0; d < 3; ++d) {
    distance_squared += b.separation[d][0] * b.separation[d][0];
    values[pair_output::friction_x + d] = sign * (b.force[d][0] - central * b.normal[d][0]);
    values[pair_output::rolling_x + d] =
        rolls ? remembered(OF_ROLLING, ROLLING_FORCE_BEFORE + d) : 0.0;    // the same from either side
    values[pair_output::spring_x + d] = has_spring ? sign * b.history[layout.first[TANGENTIAL] + d][0] : 0.0;
  }
  const Vector point = pairs_shape(i, j) ? shaped_pairs->inspected_point - vector_of(atom->x[i]) : point_of_spheres(b);
  report_geometry(values, b, sign, -b.overlap[0], point);
  add_force(values, b, sign);
  for (double *vector : {values + pair_output::friction_x, values + pair_output::rolling_x})
    vector[3] = length(vector_of(vector));
  values[pair_output::twisting] = twists ? remembered(OF_TWISTING, TWISTING_MOMENT_BEFORE) : 0.0;
  values[pair_output::normal_elastic] = observed(NORMAL_ELASTIC_FORCE);
  values[pair_output::normal_dashpot] = b.normal_force[0] - observed(NORMAL_ELASTIC_FORCE);
  values[pair_output::sliding] = observed(SLIDING);
  values[pair_output::elastic_normal] = observed(NORMAL_ENERGY);
  values[pair_output::elastic_tangential] = observed(TANGENTIAL_ENERGY);
  values[pair_output::elastic_rolling] = observed(ROLLING_ENERGY);
  values[pair_output::elastic_twisting] = observed(TWISTING_ENERGY);
  values[pair_output::bridge] = observed(BRIDGES);
  values[pair_output::bridge_force] = observed(CAPILLARY_FORCE);
  values[pair_output::bridge_energy] = observed(CAPILLARY_ENERGY);
  values[pair_output::bridge_volume] =
      pair_group.film ? observed(BRIDGE_VOLUME) : observed(BRIDGES) * model.bridge_volume();
  values[pair_output::van_der_waals_force] = observed(ATTRACTION_FORCE);
  values[pair_output::van_der_waals_energy] = observed(ATTRACTION_ENERGY);
  values[pair_output::viscous_force] = observed(VISCOUS_FORCE);
  const auto kept_by_normal = [&](int what) { return b.history[layout.first[NORMAL] + what][0]; };
  if (model.law(NORMAL).per_collision) {
    values[pair_output::stiffness] = kept_by_normal(0);
    values[pair_output::damping] = kept_by_normal(1);
  }
  if (layout.has_ledger && layout.remembered[OF_COLLISION] >= 0) {
    values[pair_output::approach_speed] = remembered(OF_COLLISION, APPROACH_SPEED);
    values[pair_output::contact_time] = remembered(OF_COLLISION, CONTACT_TIME);
    values[pair_output::largest_overlap] = remembered(OF_COLLISION, COLLISION_OVERLAP);
  }
  if (model.law(NORMAL).yields && touches) {
    values[pair_output::largest_overlap] = kept_by_normal(0);
    values[pair_output::plastic_overlap] = kept_by_normal(1);
  }
  if (pair_group.passes_heat)
    values[pair_output::heat] = sign * b.conductance[0] * (atom->temperature[j] - atom->temperature[i]);
  return distance_squared > 0.0 ? central / std::sqrt(distance_squared) : 0.0;    // otherwise it has no direction
}
