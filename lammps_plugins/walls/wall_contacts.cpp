#include "wall_contacts.h"

#include "../core/laws/heat/gap.h"
#include "../glue/over_ranks.h"

#include "comm.h"
#include "error.h"
#include "group.h"
#include "neighbor.h"
#include "update.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

using namespace LAMMPS_NS;
using namespace granular_plus;

namespace {

std::size_t nearest_of(const std::vector<WallPoint> &points, std::size_t first)
{
  return std::min_element(points.begin() + static_cast<std::ptrdiff_t>(first), points.end(),
                          [](const WallPoint &a, const WallPoint &b) { return a.distance < b.distance; }) -
      points.begin();
}

}    // namespace

WallContacts::WallContacts(LAMMPS *lmp, std::string message_prefix, const ContactModel &model, WallSurface &surface,
                           EnergyLedger &ledger, WallBatches::Report report, void *receiver)
    : Pointers(lmp), moves(std::make_shared<GrainMoves>(lmp)),
      batches(lmp, model, surface, links, layout, shapes, nonlocal, report, receiver),
      liquid(lmp, message_prefix, model, links, layout, batches.pair_group, ledger), heat(lmp, message_prefix, surface),
      nonlocal(lmp, message_prefix, model, surface, links), message_prefix(std::move(message_prefix)), model(model),
      surface(surface), has_patches(surface.has_patches()), ledger(ledger), shapes(lmp), pair_group(batches.pair_group),
      points(batches.points)
{
  surface.curvature_as_lammps = model.law(SLIDER).lammps_geometry && !model.attracts();
}

void WallContacts::init(int igroup, std::shared_ptr<GrainMoves> shared_moves)
{
  moves = std::move(shared_moves);
  moves->begin_run();
  near.forget_all();
  wall_path = 0.0;
  batches.rigid_bodies.find(lmp);
  groupbit = group->bitmask[igroup];
  check_bridges();
  liquid.init();
  shapes.init(message_prefix, igroup, model, surface);
  nonlocal.init(layout.first[NORMAL]);
  softens = model.law(NORMAL).per_collision;
  is_plain = !has_patches && !liquid.uses_films && !model.attracts();
  batches.work->batch.excess_overlap = 0.0;
}

void WallContacts::check_bridges() const
{
  double here[2] = {0.0, 0.0}, most[2];
  for (int i = 0; i < atom->nlocal; ++i) {
    if (!(atom->mask[i] & groupbit) || !(atom->radius[i] > 0.0)) continue;
    here[0] = std::max(here[0], 1.0 / atom->radius[i]);
    here[1] = std::max(here[1], atom->radius[i]);
  }
  MPI_Allreduce(here, most, 2, MPI_DOUBLE, MPI_MAX, world);
  if (most[1] == 0.0) return;
  // Derjaguin's radius of a grain of radius R and a plane is 2 R
  const std::string problem = model.outside_fit(2.0 / most[0], 2.0 * most[1]);
  if (!problem.empty() && comm->me == 0) error->warning(FLERR, "{}: bridge: {}", message_prefix, problem);
}

void WallContacts::set_layout(bool keeps_ledger)
{
  layout = common_layout({model}, keeps_ledger ? Ledger::YES : Ledger::NO);
  const bool springs_turn =
      (surface.normals_turn() || shapes.any()) && !model.law(SLIDER).lammps_geometry && layout.ledger_index > 0;
  links.set_extra_values(springs_turn || has_patches ? NORMAL_AND_DISTANCE : 0);
  if (links.row_size() == layout.size) return;
  const auto none = part_offsets(0, 0);
  links.resize_rows(layout.size, layout.ledger_index, none, none);
  if (last_stored_energy) last_stored_energy = 0.0;
}

void WallContacts::compile()
{
  batches.compile();
  step_check.due = true;
}

bool WallContacts::prepare()
{
  batches.rigid_bodies.refresh();
  if (surface.bears_load() && neighbor->ago == 0 && sum_over_ranks(world, touching_count) > 2 * contacts_checked)
    step_check.due = true;
  if (step_check.due || (neighbor->ago == 0 && step_check.must_look(atom->natoms))) check_step();
  moves->check_motion();
  double furthest = 0.0;
  for (WallBody &body : surface.bodies) furthest = std::max(furthest, body.distance_moved(moves->extent()));
  wall_path += furthest;
  const double attraction = pair_group.attracts ? pair_group.breaking_gap(pair_group.constants, 0.0, FLAT) : 0.0;
  const auto reach = [this, attraction](double radius) {
    return pair_group.heat_crosses_gaps
        ? std::max(attraction, heat::Gap::reach(pair_group.constants.gap_heat, radius, 0.0))
        : attraction;
  };
  const NearGrains::Grains grains{atom->x,        atom->radius,          atom->nlocal,
                                  moves->epoch(), moves->motion_bound(), moves->rounding()};
  return near.update(
      grains, wall_path, 0.5 * neighbor->skin,
      [this, &reach](int i) { return surface.clearance(atom->x[i], atom->radius[i]) - reach(atom->radius[i]); },
      [this](int i) { return links.has(i); });
}

void WallContacts::check_step()
{
  Colliders colliders(atom->ntypes);
  for (int i = 0; i < atom->nlocal; ++i)
    if (atom->mask[i] & groupbit) colliders.add(atom->type[i], batches.mass_of(i), false, atom->radius[i], atom->v[i]);
  colliders.reduce_over_ranks(world);
  if (!step_check.begin(colliders, atom->natoms)) return;
  double wall_speed = 0.0;
  for (const WallBody &body : surface.bodies) wall_speed = std::max(wall_speed, length(vector_of(body.velocity)));
  // A wall under load oscillates on the springs of all its contacts together, so each contact bears a share of the mass
  // of the wall.
  contacts_checked = sum_over_ranks(world, touching_count);
  const double wall_mass = surface.mass() / std::max(1, contacts_checked);
  for (int type = 1; type <= atom->ntypes; ++type) {
    std::string which = fmt::format("{}, grains of type {}", message_prefix, type);
    if (surface.bears_load())
      which += fmt::format(" at the wall under load, whose mass {:g} is shared by {} contacts", surface.mass(),
                           contacts_checked);
    step_check.consider(which, model, colliders.shortest_at_wall(model, type, wall_mass, wall_speed, update->dt),
                        update->dt);
  }
  step_check.judge(lmp);
}

void WallContacts::warn()
{
  const bool is_last = update->ntimestep == update->laststep;
  if (softens && (neighbor->ago == 0 || is_last))
    softens =
        !warn_of_overlap(lmp, message_prefix, batches.work->batch.excess_overlap, model.prescribed_time(update->dt));
  if (update->setupflag) start_check.end(lmp, message_prefix);
  if (shapes.any() && is_last) shapes.watch();
}

void WallContacts::evaluate()
{
  is_step = is_time_step(*update);
  if (neighbor->ago == 0) links.compact(atom->nlocal);
  ended_links.clear();
  most_contacts = surface.max_points();
  start_check.begin();
  liquid.begin(is_step);
  touching_count = 0;
  batches.begin(is_step);
  heat.flows.clear();
  if (neighbor->ago == 0) shapes.begin_list();
  const bool has_shapes = shapes.any();
  for (int k = 0; k < near.size(); ++k) {
    if (!near.must_inspect(k, atom->x, atom->radius)) continue;
    const int i = near.grain(k);
    if (atom->mask[i] & groupbit) {
      (has_shapes && shapes.has(i)) ? collect_of_shape(i) : collect(i);
      if (pair_group.heat_crosses_gaps) heat.find(pair_group.constants.gap_heat, i, batches.temperature);
    } else {
      end_all(i);
    }
    near.set_has_contact(k, links.has(i));
  }
  batches.evaluate_all();
  liquid.end();
  // Heat flows across gaps are added last, so that the sums do not depend on the batches.
  for (const WallHeat::Flow &flow : heat.flows) {
    atom->heatflow[flow.grain] += flow.heat;
    batches.work->heat_of_wall += flow.heat;
  }
  if (ledger.started && is_step) {
    ledger.heat_made += update->dt * batches.work->heat_made;
    ledger.heat_of_walls += update->dt * batches.work->heat_of_wall;
  }
  for (const Link link : ended_links) links.recycle(link);
  double &energy = last_stored_energy.emplace(0.0);
  if (layout.has_ledger)
    for_each_row([&](const double *row) { energy += stored_energy_in_row(row, layout.remembered); });
}

std::string WallContacts::obstacle_on_gpu() const
{
  if (shapes.any()) return "grains with a shape";
  if (!batches.rigid_bodies.empty()) return "rigid bodies";
  if (softens) return "a normal model that adapts to a prescribed collision time";
  if (nonlocal.any) return "a normal model whose force depends on all contacts of a grain";
  return "";
}

template <class See> void WallContacts::for_each_row(const See &see) const
{
  for (int n = 0; n < near.size(); ++n)
    for (Link link = links.first(near.grain(n)); link != Link::NONE; link = links.next(link)) see(links.own_row(link));
}

void WallContacts::add_engine_results(const std::vector<double> &lost, double heat_made, double heat_given)
{
  if (ledger.started) {
    std::transform(lost.begin(), lost.end(), ledger.total, ledger.total, std::plus<>());
    ledger.heat_made += heat_made;
    ledger.heat_of_walls += heat_given;
  }
  near.forget_all();
  surface.refresh();
  if (!last_stored_energy || !layout.has_ledger) return;
  double &energy = last_stored_energy.emplace(0.0);
  for (int i = 0; i < atom->nlocal; ++i)
    for (Link link = links.first(i); link != Link::NONE; link = links.next(link))
      energy += stored_energy_in_row(links.own_row(link), layout.remembered);
}

void WallContacts::tally_exchange()
{
  ledger.exchanged -= *last_stored_energy;
  for_each_row([this](const double *row) { ledger.exchanged += stored_energy_in_row(row, layout.remembered); });
}

void WallContacts::collect(int i)
{
  const double radius = atom->radius[i];
  const Link link = links.first(i);
  const bool had_any = link != Link::NONE, had_one = had_any && links.next(link) == Link::NONE;
  double within = radius;
  if (had_any) {
    const bool asks_for_ended = layout.has_ledger || has_patches;
    within += std::max(asks_for_ended ? surface.gap_after_contact(radius) : 0.0,
                       contacts_persist_across_gap() ? 2.0 * pair_group.breaking_gap(pair_group.constants, radius, FLAT)
                                                     : 0.0);
  }
  const int previous_contacts =
      contacts_persist_across_gap() || (had_any && !had_one) ? WallSurface::ALL_POINTS : had_one;
  if (batches.is_empty()) points.clear();
  const std::size_t first = points.size();
  surface.points_near(i, atom->x[i], radius, within, previous_contacts, points);
  const bool has_one = points.size() == first + 1;
  // The only point may belong to a new contact, while the earlier contact has ended.
  if (has_patches && previous_contacts == 1 && has_one && !PatchNumbers::looks_alike(points[first], links, link)) {
    points.resize(first);
    surface.points_near(i, atom->x[i], radius, within, WallSurface::ALL_POINTS, points);
  }
  if (points.size() == first && !had_any) {
    if (pair_group.attracts) collect_attraction(i);
  } else if (!(is_plain && is_step && had_one && has_one && add_continuing_contact(i, link, points[first]))) {
    collect_contacts(i, first);
  }
}

/* ----------------------------------------------------------------------
   Fast path for a grain that has only one contact, if this contact is not new.
------------------------------------------------------------------------- */

bool WallContacts::add_continuing_contact(int i, Link link, const WallPoint &only_point)
{
  if (links.partner(link) != only_point.surface || !(only_point.distance < atom->radius[i])) return false;
  check_that_it_fits(atom->radius[i], only_point);
  ++touching_count;
  batches.add(WallBatches::TOUCHING, RoundWallContact{{i, link, link}, points.size() - 1});
  return true;
}

void WallContacts::collect_contacts(int i, std::size_t first)
{
  const double radius = atom->radius[i];
  links.detach_links(i, previous_links);
  if (has_patches) number_patches(i, first);
  const std::size_t deepest = has_patches ? nearest_of(points, first) : points.size();
  bool any_touches = false;
  pending_contacts.clear();
  for (std::size_t k = first; k < points.size(); ++k) {
    const WallPoint &point = points[k];
    check_that_it_fits(radius, point);
    const double gap = contacts_persist_across_gap() && !point.hidden ? reach_of_bridge(i, point) : 0.0;
    if (!(point.distance < radius + gap)) continue;    // the condition is also false for NaN
    if (!is_step) start_check.add(radius - point.distance, radius, atom->tag[i], 0);
    const WallBatches::Kind kind =
        point.distance < radius || pair_group.separated.count == 0 ? WallBatches::TOUCHING : WallBatches::SEPARATED;
    touching_count += kind == WallBatches::TOUCHING;
    any_touches = any_touches || kind == WallBatches::TOUCHING;
    RoundWallContact contact;
    contact.particle = i;
    contact.point = k;
    contact.attracts = deepest == points.size() || k == deepest;
    assign_link(contact, point.surface);
    if (liquid.uses_films)
      pending_contacts.push_back({kind, contact});
    else
      batches.add(kind, contact);
  }
  if (liquid.uses_films) form_bridges_and_queue();
  end_contacts(i, [&](Link ended) { queue_ended(i, ended, first); });
  if (pair_group.attracts && !(any_touches && has_patches)) collect_attraction(i);
}

void WallContacts::check_that_it_fits(double radius, const WallPoint &point) const
{
  if (point.surface_radius < 0.0 && radius >= -point.surface_radius)
    error->one(FLERR, "{}: a particle of radius {} does not fit into a concave wall of radius {}", message_prefix,
               radius, -point.surface_radius);
}

double WallContacts::reach_of_bridge(int i, const WallPoint &point) const
{
  const Link link = link_before(i, point.surface);
  if (link == Link::NONE) return 0.0;
  if (liquid.uses_films) return liquid.reach(i, link, point.surface_radius, batches.normal_speed(i, point));
  return pair_group.breaking_gap(pair_group.constants, atom->radius[i], point.surface_radius);
}

void WallContacts::form_bridges_and_queue()
{
  const auto forms = [this](const PendingContact &one) {
    return one.kind == WallBatches::TOUCHING && liquid.volume(one.contact.link) == 0.0;
  };
  const auto forming = std::count_if(pending_contacts.begin(), pending_contacts.end(), forms);
  if (forming > 0) liquid.begin_grain(pending_contacts[0].contact.particle, static_cast<int>(forming));
  for (const PendingContact &one : pending_contacts) {
    const auto &[kind, contact] = one;
    const WallPoint &point = points[contact.point];
    if (forms(one)) liquid.form(contact.particle, contact.link, point.surface_radius);
    liquid.note(contact.particle, contact.link, point);
    batches.add(kind, contact);
  }
}

void WallContacts::end_all(int i)
{
  links.detach_links(i, previous_links);
  ended_links.insert(ended_links.end(), previous_links.begin(), previous_links.end());
  for (const Link link : previous_links)
    if (liquid.uses_films) liquid.rupture(i, link);
}

/* ----------------------------------------------------------------------
   Each plane or part of a region attracts a grain. On a mesh, only the nearest patch attracts the grain, so that the
   energy is continuous where patches meet.
------------------------------------------------------------------------- */

void WallContacts::collect_attraction(int i)
{
  const double radius = atom->radius[i], gap = pair_group.breaking_gap(pair_group.constants, radius, FLAT);
  const std::size_t first = points.size();
  surface.points_near(i, atom->x[i], radius, radius + gap, WallSurface::ALL_POINTS, points);
  const std::size_t nearest = has_patches ? nearest_of(points, first) : points.size();
  for (std::size_t k = first; k < points.size(); ++k) {
    const double distance = points[k].distance;
    if (!(distance >= radius && distance < radius + gap)) continue;
    if (nearest != points.size() && k != nearest) continue;
    batches.add(WallBatches::ATTRACTED, RoundWallContact{{i, Link::NONE, Link::NONE}, k});
  }
}

void WallContacts::collect_of_shape(int i)
{
  links.detach_links(i, previous_links);
  shape_contacts.clear();
  shapes.find(i, surface, shape_contacts);
  for (ShapedWallContact &contact : shape_contacts) {
    if (!is_step) start_check.add(contact.shape.overlap, shapes.volume_radius(i), atom->tag[i], 0);
    ++touching_count;
    assign_link(contact, contact.point.surface);
    batches.add(WallBatches::SHAPES_TOUCHING, contact);
  }
  end_contacts(i, [&](Link ended) {
    ShapedWallContact contact;
    if (shapes.ended(i, ended, links, contact)) batches.add(WallBatches::SHAPES_ENDED, contact);
  });
}

// Several parts of a region may have the same surface number. Links that are already used in this evaluation are
// therefore skipped.

Link WallContacts::link_before(int i, int surface_number) const
{
  const auto found = std::find_if(previous_links.begin(), previous_links.end(), [&](Link link) {
    return links.partner(link) == surface_number && !links.holds(i, link);
  });
  return found == previous_links.end() ? Link::NONE : *found;
}

void WallContacts::assign_link(WallContact &contact, int surface_number)
{
  const int i = contact.particle;
  contact.previous_link = link_before(i, surface_number);
  contact.link = contact.previous_link == Link::NONE ? links.make(surface_number) : contact.previous_link;
  if (links.append(i, contact.link) > most_contacts)
    error->one(FLERR, "{}: the number of contacts of grain {} must be <= {}; make the mesh smoother", message_prefix,
               atom->tag[i], most_contacts);
}

template <class Note> void WallContacts::end_contacts(int i, const Note &note)
{
  for (const Link contact : previous_links) {
    if (links.holds(i, contact)) continue;
    if (liquid.uses_films && liquid.volume(contact) > 0.0) {
      if (!is_step) {
        liquid.defer_rupture(contact);
        links.append(i, contact);
        continue;
      }
      liquid.rupture(i, contact);
    }
    ended_links.push_back(contact);
    if (layout.has_ledger && is_step) note(contact);
  }
}

/* ----------------------------------------------------------------------
   If the wall no longer has a point for this contact, only the energy of the springs is known.
------------------------------------------------------------------------- */

void WallContacts::queue_ended(int i, Link link, std::size_t first_point)
{
  const auto number = static_cast<int>(links.partner(link));
  std::size_t k = first_point;
  while (k < points.size() && points[k].surface != number) ++k;
  if (k == points.size()) {
    points.emplace_back();
    points[k].surface = number;
    points[k].surface_radius = FLAT;
  }
  batches.add(WallBatches::ENDED, RoundWallContact{{i, link, Link::NONE}, k});
}

/* ----------------------------------------------------------------------
   A contact whose energy may jump restarts in the ledger, which counts the old energy as lost and the new energy as
   gained.
------------------------------------------------------------------------- */

void WallContacts::number_patches(int i, std::size_t first_point)
{
  const auto depth_of_a_step = [&](const WallPoint &point) {
    return 2.0 * update->dt * std::fabs(batches.normal_speed(i, point));
  };
  for (const auto &jump : patch_numbers.number({points.data() + first_point, points.data() + points.size()}, links,
                                               previous_links, atom->radius[i], depth_of_a_step)) {
    if (jump.merged) surface.note_merger(i, *jump.point);
    const Link link = jump.previous_link;
    if (!layout.has_ledger || !is_step || link == Link::NONE || !batches.restart_in_ledger(link)) continue;
    const double *row = links.own_row(link) + layout.remembered[OF_CONTACT];
    ledger.total[NUMERICAL_LOSS] +=
        row[NORMAL_ENERGY_BEFORE] - 0.5 * update->dt * row[ELASTIC_FORCE_BEFORE] * batches.normal_speed(i, *jump.point);
  }
}
