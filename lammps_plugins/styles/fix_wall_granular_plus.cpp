/* ----------------------------------------------------------------------
   fix wall/granular/plus: glue between LAMMPS and the contact laws, which are those of pair granular/plus
   wall_surface.cpp knows where the wall is and how it moves
------------------------------------------------------------------------- */

#include "fix_wall_granular_plus.h"

#include "compute_granular_dissipation.h"
#include "pair_granular_plus.h"
#include "restart_header.h"
#include "stand_in.h"

#include "../contacts/dissipation.h"
#include "../model/guess.h"
#include "../used_computes.h"

#include "atom.h"
#include "comm.h"
#include "error.h"
#include "force.h"
#include "input.h"
#include "memory.h"
#include "modify.h"
#include "neighbor.h"
#include "update.h"
#include "variable.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace LAMMPS_NS;
using namespace FixConst;
using namespace granular_plus;

/* ----------------------------------------------------------------------
   If a fix is given again with the same ID, LAMMPS deletes the old one before it makes the new one: what continues is kept here
------------------------------------------------------------------------- */

struct FixWallGranularPlus::Handover {
  std::string command;    // that deletes the one and makes the other
  bigint step;
  int particles;
  std::string contents;
  WallMemory contacts;
  EnergyLedger ledger;
  std::vector<double> motion;
};

std::map<LAMMPS *, FixWallGranularPlus::Handover> FixWallGranularPlus::handovers;

namespace {

constexpr int ANY_NUMBER = 2;    // of contacts that a particle had before

// of those from `first` on
std::size_t nearest_of(const std::vector<WallPoint> &points, std::size_t first)
{
  return std::min_element(points.begin() + static_cast<std::ptrdiff_t>(first), points.end(),
                          [](const WallPoint &a, const WallPoint &b) { return a.distance < b.distance; }) -
      points.begin();
}

std::string words_of(int narg, char **arg) { return utils::join_words(std::vector<std::string>(arg, arg + narg), " "); }

}    // namespace

FixWallGranularPlus::FixWallGranularPlus(LAMMPS *lmp, int narg, char **arg, const char *slider)
    : Fix(lmp, narg, arg), work(std::make_unique<LoopWork>()), moves(std::make_shared<GrainMoves>(lmp)), shapes(lmp)
{
  std::vector<std::string> words(arg + 3, arg + narg);
  const bool of_lammps = has_words_of_wall_gran(arg[2]);
  if (!of_lammps && !words.empty() && words[0] == "granular") words.erase(words.begin());    // of fix wall/gran
  try {
    if (of_lammps) words = words_of_wall(words, slider);
  } catch (InputError &e) {
    error->all(FLERR, "granular/plus: fix {}: {}", id, e.what());
  }
  const auto style = std::find_if(words.begin(), words.end(), WallSurface::is_style);
  try {
    kernels = &granular_plus::kernels();
    model = std::make_unique<ContactModel>(ContactModel::against_wall({words.begin(), style}, WallSurface::styles()));
  } catch (std::exception &e) {
    error->all(FLERR, "granular/plus: fix {}: " + std::string(e.what()), id);
  }
  if (style == words.end())
    error->all(FLERR, "granular/plus: fix {} needs a wall style: xplane, yplane, zplane, zcylinder, mesh or region",
               id);
  std::size_t next_word = style - words.begin();
  surface = WallSurface::create(lmp, words, next_word);
  has_patches = surface->has_patches();
  if (has_patches && model->law(NORMAL).pulls_at_touch)
    error->all(
        FLERR,
        "granular/plus: fix {}: normal {} must not be used at a mesh, whose overlap is that of elastic surfaces; "
        "of cohesion a mesh knows bridge",
        id, model->law(NORMAL).name);
  parse_options(words, next_word);

  vector_flag = 1;
  size_vector = WALL_OUTPUTS;
  global_freq = 1;
  extvector = 0;    // a force on a wall is not to be divided by the number of grains
  virial_global_flag = virial_peratom_flag = 1;
  restart_global = restart_peratom = 1;
  create_attribute = 1;
  if (peratom_flag) {
    size_peratom_cols = model->conducts() ? WALL_ATOM_OUTPUTS : WALL_ATOM_HEAT;
    peratom_freq = 1;
  }
  if (local_flag) {
    size_local_cols = WALL_LOCAL_OUTPUTS;
    local_freq = 1;
    put_out_contacts();
  }

  if (!model->advice().empty() && comm->me == 0)
    error->warning(FLERR, "granular/plus: fix {}: {}", id, model->advice());
  set_layout();
  FixWallGranularPlus::grow_arrays(atom->nmax);
  atom->add_callback(Atom::GROW);
  atom->add_callback(Atom::RESTART);
  for (int i = 0; i < atom->nlocal; ++i) FixWallGranularPlus::set_arrays(i);
  take_over(words_of(narg, arg));
}

/* ---------------------------------------------------------------------- */

FixWallGranularPlus::~FixWallGranularPlus()
{
  // LAMMPS itself may be coming to its end
  const bool is_replaced = update && input && input->command && strcmp(input->command, "fix") == 0 && input->narg > 2 &&
      strcmp(input->arg[0], id) == 0;
  if (is_replaced)
    handovers[lmp] = {words_of(input->narg, input->arg),
                      update->ntimestep,
                      atom->nlocal,
                      layout.contents,
                      std::move(contacts),
                      ledger,
                      surface->state()};
  atom->delete_callback(id, Atom::GROW);
  atom->delete_callback(id, Atom::RESTART);
  memory->destroy(array_atom);
}

FixWallGranularPlusDsds::~FixWallGranularPlusDsds() = default;

/* ---------------------------------------------------------------------- */

void FixWallGranularPlus::take_over(const std::string &command)
{
  const auto found = handovers.find(lmp);
  if (found == handovers.end()) return;
  Handover before = std::move(found->second);
  handovers.erase(found);
  // an error may have come between
  const int suits = command == before.command && update->ntimestep == before.step && atom->nlocal == before.particles;
  int suits_all;
  MPI_Allreduce(&suits, &suits_all, 1, MPI_INT, MPI_MIN, world);
  if (!suits_all) return;

  restore_motion(before.motion.data(), static_cast<int>(before.motion.size()), "before");
  ledger = before.ledger;
  if (before.contents == layout.contents) {
    contacts = std::move(before.contacts);
  } else {
    if (comm->me == 0)
      error->warning(
          FLERR,
          "granular/plus: fix {}: its models before differ from those now in use ({}): contacts start without "
          "history",
          id, layout.contents);
    ledger.exchanged -= ledger.held();
  }
  set_layout();
}

void FixWallGranularPlus::restore_motion(const double *state, int size, const char *when)
{
  if (!surface->restore(state, size) && comm->me == 0)
    error->warning(FLERR, "granular/plus: fix {}: the wall differs from that {}, its motion starts anew", id, when);
}

/* ---------------------------------------------------------------------- */

void FixWallGranularPlus::parse_options(const std::vector<std::string> &words, std::size_t next_word)
{
  bool has_temperature = false;
  while (next_word < words.size()) {
    const std::string &keyword = words[next_word++];
    if (keyword == "contacts") {
      peratom_flag = 1;
      continue;
    }
    if (keyword == "local") {
      local_flag = 1;
      continue;
    }
    if (keyword == "temperature") {
      if (next_word >= words.size()) error->all(FLERR, "granular/plus: keyword temperature needs a number or v_name");
      const std::string &word = words[next_word++];
      has_temperature = true;
      if (utils::strmatch(word, "^v_"))
        temperature_variable = word.substr(2);
      else
        temperature = utils::numeric(FLERR, word, false, lmp);
      continue;
    }
    --next_word;
    if (surface->take_option(words, next_word)) continue;
    std::vector<std::string> known = surface->options();
    for (const char *word : {"contacts", "local", "temperature"}) known.push_back(word);
    std::string list;
    for (const std::string &word : known) list += (list.empty() ? "" : ", ") + word;
    error->all(FLERR, "granular/plus: unknown word {} after the wall style; known are {}{}", keyword, list,
               did_you_mean(keyword, known));
  }
  surface->complete();
  if (model->conducts() && !has_temperature)
    error->all(FLERR, "granular/plus: fix {}: a wall that conducts heat needs keyword temperature", id);
  if (has_temperature && std::find(words.begin(), words.end(), "heat") == words.end())
    error->all(FLERR, "granular/plus: fix {}: keyword temperature needs a heat model", id);
}

/* ---------------------------------------------------------------------- */

void FixWallGranularPlus::find_temperature()
{
  if (!pair_group.passes_heat) return;
  if (!temperature_variable.empty()) {
    modify->clearstep_compute();
    temperature = input->variable->compute_equal(input->variable->find(temperature_variable.c_str()));
    use_again(lmp);
  }
}

/* ---------------------------------------------------------------------- */

int FixWallGranularPlus::setmask() { return POST_FORCE; }

/* ---------------------------------------------------------------------- */

void FixWallGranularPlus::init()
{
  if (!atom->radius_flag || !atom->rmass_flag || !atom->omega_flag || !atom->torque_flag)
    error->all(FLERR, "Fix wall/granular/plus requires atom attributes radius, rmass, omega (atom_style sphere)");
  const std::string who = fmt::format("granular/plus: fix {}", id);
  check_surroundings(lmp, who);
  if (update->whichflag == 2 && !warned_of_minimize) {
    warned_of_minimize = true;
    if (comm->me == 0)
      error->warning(FLERR, "{}: the wall does not act during minimize: grains may pass through it", who);
  }
  check_prescribed_time(lmp, who, *model);
  step_check.due = true;
  rigid_bodies.find(lmp);
  for (Fix *other : modify->get_fix_list())
    if (auto *wall = dynamic_cast<FixWallGranularPlus *>(other)) {    // the first of all walls
      moves = wall->moves;
      break;
    }
  moves->begin_run();
  near.forget_all();
  way = 0.0;

  if (model->conducts() || model->warms()) {
    check_temperatures(lmp, who);
    const int variable = temperature_variable.empty() ? 0 : input->variable->find(temperature_variable.c_str());
    if (variable < 0 || (!temperature_variable.empty() && !input->variable->equalstyle(variable)))
      error->all(FLERR, "granular/plus: fix {}: keyword temperature: v_{} must be an equal-style variable", id,
                 temperature_variable);
  }

  if (model->friction() > 0.0 && !force->pair_match("granular/plus", 0))
    warn_of_grains_that_do_not_turn(lmp, who);    // else the pair style does
  check_bridges();
  surface->init();
  shapes.init(who, igroup, *model, *surface);
  set_layout();
  compile();
  softens = model->law(NORMAL).per_collision;
  work->batch.excess_overlap = 0.0;
}

/* ---------------------------------------------------------------------- */

void FixWallGranularPlus::check_bridges() const
{
  double here[2] = {0.0, 0.0}, most[2];    // least radius, as what is largest of its inverse, and largest
  for (int i = 0; i < atom->nlocal; ++i) {
    if (!(atom->mask[i] & groupbit) || !(atom->radius[i] > 0.0)) continue;
    here[0] = std::max(here[0], 1.0 / atom->radius[i]);
    here[1] = std::max(here[1], atom->radius[i]);
  }
  MPI_Allreduce(here, most, 2, MPI_DOUBLE, MPI_MAX, world);
  if (most[1] == 0.0) return;
  const std::string problem = model->outside_fit(2.0 / most[0], 2.0 * most[1]);    // Derjaguin's radius is 2 R
  if (!problem.empty() && comm->me == 0) error->warning(FLERR, "granular/plus: fix {}: bridge: {}", id, problem);
}

/* ----------------------------------------------------------------------
   A wall keeps a ledger if the pair style does.
------------------------------------------------------------------------- */

void FixWallGranularPlus::set_layout()
{
  const auto *pair = granular_pair(lmp);
  keeps_ledger = pair && pair->has_ledger();
  if (!keeps_ledger) ledger.reset();    // the next one begins anew
  layout = common_layout({*model}, keeps_ledger ? Ledger::YES : Ledger::NO);
  const bool springs_turn =
      (surface->normals_turn() || shapes.any()) && !model->law(SLIDER).lammps_geometry && layout.ledger > 0;
  contacts.resize_rows(layout.size, layout.ledger, springs_turn || has_patches);
  maxexchange = contacts.packed_size(surface->max_points());
}

/* ---------------------------------------------------------------------- */

void FixWallGranularPlus::setup(int vflag)
{
  if (is_frame_of_rerun(*update)) contacts.forget_all();
  post_force(vflag);
}

void FixWallGranularPlus::compile()
{
  model->compile(pair_group, layout, *kernels, update->dt, has_patches ? Surfaces::PATCHES : Surfaces::ROUND);
  if (shapes.any()) model->compile(shapes.pair_group, layout, *kernels, update->dt, Surfaces::SHAPES);
}

void FixWallGranularPlus::reset_dt()
{
  surface->reset_timestep();
  compile();
  step_check.due = true;
  if (update->whichflag != 0) check_prescribed_time(lmp, fmt::format("granular/plus: fix {}", id), *model);
}

/* ----------------------------------------------------------------------
   does the time step resolve collisions? With the masses and speeds that there are
------------------------------------------------------------------------- */

void FixWallGranularPlus::check_step()
{
  Colliders colliders(atom->ntypes);
  for (int i = 0; i < atom->nlocal; ++i)
    if (atom->mask[i] & groupbit)
      colliders.add(atom->type[i], rigid_bodies.mass(i, atom->rmass[i]), false, atom->radius[i], atom->v[i]);
  colliders.sum_up(world);
  double wall_speed = 0.0;
  for (const WallBody &body : surface->bodies)
    wall_speed = std::max(wall_speed,
                          std::sqrt(body.velocity[0] * body.velocity[0] + body.velocity[1] * body.velocity[1] +
                                    body.velocity[2] * body.velocity[2]));
  // a wall under load swings on the springs of all its contacts together: each of them has its share of the mass
  MPI_Allreduce(&touching, &contacts_checked, 1, MPI_INT, MPI_SUM, world);
  const double wall_mass = surface->mass() / std::max(1, contacts_checked);
  Collision shortest;
  std::string which;
  for (int type = 1; type <= atom->ntypes; ++type) {
    const Collision other = colliders.shortest_at_wall(*model, type, wall_mass, wall_speed, update->dt);
    if (!(other.time < shortest.time)) continue;
    shortest = other;
    which = fmt::format("granular/plus: fix {}, grains of type {}", id, type);
    if (surface->bears_load())
      which += fmt::format(" at the loaded wall, mass {:g} on {} contacts", surface->mass(), contacts_checked);
  }
  step_check.judge(lmp, which, *model, shortest);
}

// A wall under load swings faster on more contacts, which the time step must resolve.

void FixWallGranularPlus::watch_contacts()
{
  int all;
  MPI_Allreduce(&touching, &all, 1, MPI_INT, MPI_SUM, world);
  if (all > 2 * contacts_checked) step_check.due = true;
}

/* ---------------------------------------------------------------------- */

void FixWallGranularPlus::post_force(int vflag)
{
  v_init(vflag);
  surface->move();
  find_near();
  find_temperature();

  keeps_history = update->setupflag == 0;
  output_is_summed = false;
  rigid_bodies.refresh();
  if (surface->bears_load() && neighbor->ago == 0) watch_contacts();
  if (step_check.due) check_step();
  const bool goes_on = layout.has_ledger && ledger.started && contacts.evaluated() >= 0;
  if (goes_on && !keeps_history) ledger.exchanged -= energy_of_contacts();    // what commands have done to them
  if (goes_on && keeps_history && neighbor->ago == 0) tally_exchange();

  if (keeps_ledger) ledger.begin_evaluation();
  dissipation.clear();
  if (keeps_ledger && keeps_history) dissipation = ComputeGranularDissipation::asking(lmp);
  contact_rows.clear();
  load.begin_evaluation(surface->bodies);
  contacts.begin_evaluation();
  most_contacts = surface->max_points();
  start_check.begin();
  jumped.clear();
  touching = 0;
  if (neighbor->ago == 0) shapes.begin_list();
  const bool has_shapes = shapes.any();
  for (int k = 0; k < near.listed(); ++k) {
    const int i = near.grain(k);
    if (peratom_flag) std::fill_n(array_atom[i], size_peratom_cols, 0.0);
    if (!near.has_to_be_looked_at(k, atom->x)) continue;
    if (atom->mask[i] & groupbit)
      (has_shapes && shapes.has(i)) ? collect_shape_contacts(i) : collect_contacts(i);
    else
      contacts.forget(i);
    near.look_at_again(k, contacts.has(i));
  }
  for (int kind = 0; kind < KINDS; ++kind)
    if (count_of(static_cast<Kind>(kind)) > 0) evaluate(static_cast<Kind>(kind));
  contacts.end_evaluation();
  if (local_flag) put_out_contacts();
  if (keeps_ledger) ledger.end_evaluation(keeps_history);
  if (goes_on && !keeps_history) ledger.exchanged += energy_of_contacts();
  if (keeps_history) ledger.work += load.work(surface->bodies, update->dt);
  if (surface->bears_load()) {
    double force[3] = {}, torque[3] = {};
    load.add_to(force, torque, surface->bodies);
    surface->bear(force);
  }
  surface->end_of_step();

  if (softens && (neighbor->ago == 0 || update->ntimestep == update->laststep)) warn_of_overlaps();
  if (!keeps_history) start_check.end(lmp, fmt::format("granular/plus: fix {}", id));
  if (shapes.any() && update->ntimestep == update->laststep) shapes.watch();
  if (keeps_ledger && !ledger.started) ledger.open(ledger.held());
}

/* ----------------------------------------------------------------------
   the grains that may touch the wall before the next list, and those that already do
------------------------------------------------------------------------- */

void FixWallGranularPlus::find_near()
{
  moves->follow();
  way += surface->way_moved(moves->extent());
  const double reach = pair_group.attracts ? pair_group.breaking_gap(pair_group.constants, 0.0, FLAT) : 0.0;
  const NearGrains::Grains grains{atom->x,        atom->radius,    atom->nlocal,     moves->epoch(),
                                  moves->spare(), moves->growth(), moves->rounding()};
  const bool is_new = near.update(
      grains, way, 0.5 * neighbor->skin,
      [this, reach](int i) { return surface->clearance(atom->x[i], atom->radius[i]) - reach; },
      [this](int i) { return contacts.has(i); });
  // after that, those of the listed particles alone
  if (is_new && peratom_flag && atom->nlocal) std::fill_n(array_atom[0], atom->nlocal * size_peratom_cols, 0.0);
}

/* ----------------------------------------------------------------------
   the energy in contacts of particles that are gone; particles that moved to another processor cancel in the sum
------------------------------------------------------------------------- */

void FixWallGranularPlus::tally_exchange()
{
  ledger.exchanged -= energy_of_contacts();
  for (int n = 0; n < near.listed(); ++n) {    // all that have contacts are there
    const auto range = contacts.contacts_of(near.grain(n));
    for (int k = range.begin; k < range.end; ++k)
      ledger.exchanged += energy_remembered(contacts.row(k), layout.remembered);
  }
}

// at the last evaluation

double FixWallGranularPlus::energy_of_contacts() const
{
  double sum = 0.0;
  for (int k = 0; k < contacts.evaluated(); ++k) sum += energy_remembered(contacts.row(k), layout.remembered);
  return sum;
}

/* ----------------------------------------------------------------------
   the wall's contacts with a particle; a batch that is full is evaluated
------------------------------------------------------------------------- */

void FixWallGranularPlus::collect_contacts(int i)
{
  const auto before = contacts.begin_particle(i);
  const double radius = atom->radius[i];

  if (waiting_in_all == 0) points.clear();
  // contacts from before may live on across a gap, in any number
  const std::size_t first = points.size();
  const bool lives_on = pair_group.breaking_gap && !pair_group.attracts;
  double within = radius;
  if (before.begin < before.end) {
    const bool asks_for_ended = layout.has_ledger || has_patches;
    within += std::max(asks_for_ended ? surface->beyond_contact(radius) : 0.0,
                       lives_on ? 2.0 * pair_group.breaking_gap(pair_group.constants, radius, FLAT) : 0.0);
  }
  const int known = lives_on ? ANY_NUMBER : before.end - before.begin;
  surface->points_near(i, atom->x[i], radius, within, known, points);
  if (points.size() == first && before.begin == before.end) {    // as of most particles
    if (pair_group.attracts) collect_attraction(i);
    return;
  }
  if (has_patches) number_patches(i, first, before);
  const std::size_t deepest = has_patches ? nearest_of(points, first) : points.size();
  bool any_touches = false;
  for (std::size_t k = first; k < points.size(); ++k) {
    const WallPoint &point = points[k];
    if (point.radius < 0.0 && radius >= -point.radius)
      error->one(FLERR, "granular/plus: fix {}: a particle of radius {} does not fit into a hollow of radius {}", id,
                 radius, -point.radius);
    const bool has_bridge = lives_on && !point.hidden && contacts.find(before, point.surface) >= 0;
    const double gap = has_bridge ? pair_group.breaking_gap(pair_group.constants, radius, point.radius) : 0.0;
    if (!(point.distance < radius + gap)) continue;    // false for NaN, too
    if (!keeps_history) start_check.look_at(radius - point.distance, radius, atom->tag[i], 0);
    const Kind kind = point.distance < radius || pair_group.separated.count == 0 ? TOUCHING : SEPARATED;
    touching += kind == TOUCHING;
    any_touches = any_touches || kind == TOUCHING;
    auto &list = waiting[kind];
    auto &contact = list.emplace_back();
    contact.particle = i;
    contact.point = k;
    contact.attracts = deepest == points.size() || k == deepest;
    remember(contact, point.surface, before);
    wait(kind, list);
  }
  if (layout.has_ledger && keeps_history)
    for (int k = before.begin; k < before.end; ++k)
      if (!contacts.goes_on(i, contacts.surface(k))) note_ended(i, k, first);
  if (pair_group.attracts && !(any_touches && has_patches)) collect_attraction(i);
}

/* ----------------------------------------------------------------------
   Each plane or part of a region attracts for itself. Of a mesh the nearest patch does, so that the energy is that of the
   distance alone, wherever patches meet.
------------------------------------------------------------------------- */

void FixWallGranularPlus::collect_attraction(int i)
{
  const double radius = atom->radius[i], gap = pair_group.breaking_gap(pair_group.constants, radius, FLAT);
  const std::size_t first = points.size();
  surface->points_near(i, atom->x[i], radius, radius + gap, ANY_NUMBER, points);
  const std::size_t nearest = has_patches ? nearest_of(points, first) : points.size();
  const std::size_t found = points.size();
  for (std::size_t k = first; k < found; ++k) {
    const double distance = points[k].distance;
    if (!(distance >= radius && distance < radius + gap)) continue;
    if (nearest != found && k != nearest) continue;
    waiting[ATTRACTED].push_back({{i, -1, 0}, k});
    wait(ATTRACTED, waiting[ATTRACTED]);
  }
}

/* ---------------------------------------------------------------------- */

void FixWallGranularPlus::collect_shape_contacts(int i)
{
  const auto before = contacts.begin_particle(i);
  shape_contacts.clear();
  shapes.find(i, *surface, shape_contacts);
  for (ShapedWallContact &contact : shape_contacts) {
    ++touching;
    remember(contact, contact.point.surface, before);
    waiting_shapes[SHAPES_TOUCHING].push_back(contact);
    wait(SHAPES_TOUCHING, waiting_shapes[SHAPES_TOUCHING]);
  }
  if (!layout.has_ledger || !keeps_history) return;
  for (int k = before.begin; k < before.end; ++k) {
    ShapedWallContact contact;
    if (contacts.goes_on(i, contacts.surface(k)) || !shapes.ended(i, k, contacts, contact)) continue;
    waiting_shapes[SHAPES_ENDED].push_back(contact);
    wait(SHAPES_ENDED, waiting_shapes[SHAPES_ENDED]);
  }
}

/* ---------------------------------------------------------------------- */

void FixWallGranularPlus::remember(WallContact &contact, int surface_number, WallMemory::Range before)
{
  const int i = contact.particle;
  contact.remembered = contacts.find(before, surface_number);
  contact.place = contacts.add(i, surface_number, contact.remembered);
  const auto now = contacts.contacts_of(i);
  if (now.end - now.begin > most_contacts)
    error->one(FLERR, "granular/plus: fix {}: the number of contacts of grain {} must be <= {}; make the mesh smoother",
               id, atom->tag[i], most_contacts);
}

template <class Contact> void FixWallGranularPlus::wait(Kind kind, std::vector<Contact> &list)
{
  ++waiting_in_all;
  if (list.size() == LANES) evaluate(kind);
}

/* ----------------------------------------------------------------------
   of a point that is gone, past an edge or out of the region, only the energy of its springs is known
------------------------------------------------------------------------- */

void FixWallGranularPlus::note_ended(int i, int remembered, std::size_t first_point)
{
  const int number = contacts.surface(remembered);
  std::size_t k = first_point;
  while (k < points.size() && points[k].surface != number) ++k;
  if (k == points.size()) {
    points.emplace_back();
    points[k].surface = number;
    points[k].radius = FLAT;
  }
  waiting[ENDED].push_back({{i, remembered, -1}, k});
  wait(ENDED, waiting[ENDED]);
}

/* ----------------------------------------------------------------------
   A contact whose energy may jump starts anew in the ledger: its energy before is tallied as lost, that after as gained.
------------------------------------------------------------------------- */

void FixWallGranularPlus::number_patches(int i, std::size_t first_point, WallMemory::Range before)
{
  const auto depth_of_a_step = [&](const WallPoint &point) {
    return 2.0 * update->dt * std::fabs(normal_speed(i, point));
  };
  for (const auto &jump : patch_numbers.number({points.data() + first_point, points.data() + points.size()}, contacts,
                                               before, atom->radius[i], depth_of_a_step)) {
    if (jump.merged) surface->note_merger(i, *jump.point);
    const int k = jump.remembered;
    if (!layout.has_ledger || !keeps_history || k < 0 || std::find(jumped.begin(), jumped.end(), k) != jumped.end())
      continue;
    const double *row = contacts.row(k) + layout.remembered[OF_CONTACT];
    ledger.total[NUMERICAL_LOSS] +=
        row[NORMAL_ENERGY_BEFORE] - 0.5 * update->dt * row[ELASTIC_FORCE_BEFORE] * normal_speed(i, *jump.point);
    jumped.push_back(k);
  }
}

/* ---------------------------------------------------------------------- */

double FixWallGranularPlus::normal_speed(int i, const WallPoint &point) const
{
  double place[3], velocity[3], speed = 0.0;
  for (int d = 0; d < 3; ++d) place[d] = atom->x[i][d] - point.separation[d];
  surface->bodies[point.body].velocity_at(place, velocity);
  for (int d = 0; d < 3; ++d)
    speed += (atom->v[i][d] - velocity[d] - point.surface_velocity[d]) * point.separation[d] / point.distance;
  return speed;
}

/* ---------------------------------------------------------------------- */

void FixWallGranularPlus::evaluate(Kind kind)
{
  const int count = count_of(kind);
  evaluated = kind;
  const bool has_ended = kind == ENDED || kind == SHAPES_ENDED;
  const auto &group = is_of_shapes(kind) ? shapes.pair_group : pair_group;
  if (kind == ATTRACTED) no_history.assign(layout.size + 1 + History::READ_AHEAD, 0.0);
  FoundContact found[LANES];
  for (int l = 0; l < count; ++l) {
    const WallContact &contact = in_batch(l);
    found[l] = {contact.particle, -1, 0, has_ended ? contact.remembered : contact.place};
  }

  Particles particles;    // what is read of it where there are no pairs
  particles.force_end = 0;
  particles.force = atom->f[0];
  particles.torque = atom->torque[0];
  particles.temperature = atom->temperature;
  particles.heatflow = group.passes_heat ? atom->heatflow : nullptr;
  particles.wall_temperature = temperature;
  LoopOptions options{};
  options.mode = has_ended ? Mode::END : kind == ATTRACTED ? Mode::LOOK : keeps_history ? Mode::STEP : Mode::SETUP;
  options.timestep = keeps_history ? update->dt : 0.0;
  options.stamp_before = options.stamp_now = WallMemory::ALIVE;
  options.ledger = layout.has_ledger ? layout.ledger : -1;
  options.receiver = this;
  options.report = [](void *wall, const LoopWork &, Mode mode) {
    static_cast<FixWallGranularPlus *>(wall)->report(mode != Mode::END);
  };
  kernels->evaluate_contacts(particles, nullptr, found, count, *this,
                             has_ended               ? contacts.history_before()
                                 : kind == ATTRACTED ? History{nullptr, no_history.data(), layout.size, nullptr}
                                                     : contacts.history_now(),
                             group,
                             has_ended            ? group.ending
                                 : touches_wall() ? group.touching
                                                  : group.separated,
                             options, *work);
  waiting[kind].clear();
  waiting_shapes[kind].clear();
  waiting_in_all -= count;
}

/* ----------------------------------------------------------------------
   At most one batch of contacts waits, so `first` is 0.
------------------------------------------------------------------------- */

void FixWallGranularPlus::fill(LoopWork &lanes, int /*first*/)
{
  const int count = lanes.batch.count;
  if (is_of_shapes(evaluated))
    for (int l = 0; l < count; ++l) shapes.fill_lane(lanes.batch, l, waiting_shapes[evaluated][l], contacts, *surface);
  else
    for (int l = 0; l < count; ++l) fill_lane(waiting[evaluated][l], l);
}

void FixWallGranularPlus::finish(LoopWork &lanes, int /*first*/)
{
  if (evaluated == ENDED || evaluated == SHAPES_ENDED || evaluated == ATTRACTED) return;
  auto &b = lanes.batch;
  for (int l = 0; l < b.count; ++l) {
    if (is_of_shapes(evaluated)) shapes.finish_lane(b, l, waiting_shapes[evaluated][l], *surface);
    if (!contacts.has_normals()) continue;
    const double normal[3] = {b.normal[0][l], b.normal[1][l], b.normal[2][l]};
    contacts.set_normal(in_batch(l).place, normal, point_in_batch(l).distance);
  }
}

void FixWallGranularPlus::report(bool goes_on)
{
  const int count = goes_on ? work->batch.count : 0;
  for (int l = 0; l < count; ++l) tell_wall(l);
  if (keeps_ledger) ledger.tally(*kernels, work->batch, goes_on);
  for (auto *compute : dissipation) compute->add(*work);
}

/* ---------------------------------------------------------------------- */

void FixWallGranularPlus::fill_lane(const RoundWallContact &contact, int l)
{
  auto &b = work->batch;
  const int i = contact.particle;
  const WallPoint &point = points[contact.point];
  const WallBody &body = surface->bodies[point.body];
  const double *x = atom->x[i], *v = atom->v[i], *omega = atom->omega[i];
  double place[3], wall_velocity[3];
  for (int d = 0; d < 3; ++d) place[d] = x[d] - point.separation[d];
  body.velocity_at(place, wall_velocity);
  for (int d = 0; d < 3; ++d) {
    b.separation[d][l] = point.separation[d];
    b.velocity[d][l] = v[d] - wall_velocity[d] - point.surface_velocity[d];
    b.spin_i[d][l] = omega[d];
    b.spin_j[d][l] = body.spin[d];
  }
  b.radius_i[l] = atom->radius[i];
  b.radius_j[l] = 0.0;
  b.surface_radius[l] = point.radius;
  b.gradient[l] = point.gradient;
  b.attracts[l] = contact.attracts ? point.gradient : 0.0;
  b.mass_i[l] = rigid_bodies.mass(i, atom->rmass[i]);
  b.mass_j[l] = HELD_MASS;
  b.held_i[l] = 0.0;
  b.held_j[l] = 1.0;
  if (!jumped.empty() && std::find(jumped.begin(), jumped.end(), contact.remembered) != jumped.end())
    for (const int what : {ELASTIC_FORCE_BEFORE, NORMAL_ENERGY_BEFORE})
      b.history[layout.remembered[OF_CONTACT] + what][l] = 0.0;
  find_turn(contact.remembered, point, l);
}

/* ----------------------------------------------------------------------
   from the normal n0 of the step before to the present one n, unless an edge has been passed
------------------------------------------------------------------------- */

void FixWallGranularPlus::find_turn(int remembered, const WallPoint &point, int l)
{
  auto &b = work->batch;
  for (int d = 0; d < 3; ++d) b.turning_velocity[d][l] = 0.0;
  if (!contacts.has_normals() || remembered < 0 || !(b.timestep > 0.0) || !(point.distance > 0.0)) return;
  const double *before = contacts.normal(remembered);
  double normal[3], cosine = 0.0;
  for (int d = 0; d < 3; ++d) {
    normal[d] = point.separation[d] / point.distance;
    cosine += normal[d] * before[d];
  }
  if (cosine < 0.5) return;
  const double speed = point.distance / b.timestep;
  for (int d = 0; d < 3; ++d) b.turning_velocity[d][l] = speed * (normal[d] - before[d] / cosine);
}

/* ----------------------------------------------------------------------
   what the wall bears of a contact, and output
------------------------------------------------------------------------- */

void FixWallGranularPlus::tell_wall(int l)
{
  const auto &b = work->batch;
  const int i = in_batch(l).particle;
  const bool touches = touches_wall();
  const WallPoint &point = point_in_batch(l);
  double force[3], place[3], torque_on_wall[3];
  for (int d = 0; d < 3; ++d) {
    force[d] = b.force[d][l];
    place[d] = atom->x[i][d] - point.separation[d];
    torque_on_wall[d] = b.torque_j[d][l];
  }
  load.add(surface->bodies[point.body], point, place, force, torque_on_wall);
  if (touches && point.patch >= 0) {
    double square = 0.0;
    for (int d = 0; d < 3; ++d) square += b.tangential_velocity[d][l] * b.tangential_velocity[d][l];
    surface->record(point, force, std::sqrt(square) * b.timestep);
  }
  if (evflag) {
    const double *r = point.separation;
    double v[6] = {r[0] * force[0], r[1] * force[1], r[2] * force[2],
                   r[0] * force[1], r[0] * force[2], r[1] * force[2]};
    v_tally(i, v);
  }
  if (local_flag) add_contact_row(l);
  if (!peratom_flag) return;
  const double conducted = pair_group.passes_heat ? b.conductance[l] * (temperature - atom->temperature[i]) : 0.0;
  add_to_output(i, point, force, touches, conducted);
}

/* ---------------------------------------------------------------------- */

void FixWallGranularPlus::add_contact_row(int l)
{
  const auto &b = work->batch;
  const int i = in_batch(l).particle;
  const WallPoint &point = point_in_batch(l);
  ContactRow row{};
  row[WALL_LOCAL_GRAIN] = static_cast<double>(atom->tag[i]);
  row[WALL_LOCAL_PATCH] = point.surface;
  for (int d = 0; d < 3; ++d) {
    row[WALL_LOCAL_PLACE + d] = atom->x[i][d] - point.separation[d];
    row[WALL_LOCAL_NORMAL + d] = b.normal[d][l];
    row[WALL_LOCAL_FORCE + d] = b.force[d][l];
    row[WALL_LOCAL_SLIP + d] = touches_wall() ? b.tangential_velocity[d][l] : 0.0;
  }
  if (layout.has_ledger && keeps_history)
    row[WALL_LOCAL_DISSIPATION] = dissipation_of(b, l, true)[DISSIPATION_TOTAL] / update->dt;
  contact_rows.push_back(row);
}

void FixWallGranularPlus::put_out_contacts()
{
  contact_row_pointers.clear();
  for (ContactRow &row : contact_rows) contact_row_pointers.push_back(row.data());
  array_local = contact_row_pointers.data();
  size_local_rows = static_cast<int>(contact_rows.size());
}

/* ----------------------------------------------------------------------
   of a particle with several contacts the place of the deepest one
------------------------------------------------------------------------- */

void FixWallGranularPlus::add_to_output(int i, const WallPoint &point, const double *force, bool touches,
                                        double conducted)
{
  double *row = array_atom[i];
  double deepest = 0.0, here = 0.0;    // squared distances of the places
  for (int d = 0; d < 3; ++d) {
    const double to_deepest = atom->x[i][d] - row[WALL_ATOM_PLACE + d];
    row[WALL_ATOM_FORCE + d] += force[d];
    deepest += to_deepest * to_deepest;
    here += point.separation[d] * point.separation[d];
  }
  if (row[WALL_ATOM_RADIUS] == 0.0 || here < deepest)    // the first, or the nearest so far
    for (int d = 0; d < 3; ++d) row[WALL_ATOM_PLACE + d] = atom->x[i][d] - point.separation[d];
  row[WALL_ATOM_CONTACTS] += touches;
  if (size_peratom_cols > WALL_ATOM_HEAT) row[WALL_ATOM_HEAT] += conducted;
  row[WALL_ATOM_RADIUS] = atom->radius[i];
}

/* ---------------------------------------------------------------------- */

void FixWallGranularPlus::warn_of_overlaps()
{
  double excess;
  MPI_Allreduce(&work->batch.excess_overlap, &excess, 1, MPI_DOUBLE, MPI_MAX, world);
  if (excess <= 0.0) return;
  softens = false;
  if (comm->me == 0)
    error->warning(FLERR, "granular/plus: fix {}: contacts of normal actm overlap by more than 5 % of the radius; {}",
                   id, advice_on_overlap(model->prescribed_time(update->dt) / update->dt));
}

/* ----------------------------------------------------------------------
   force and torque are those on the wall, the torque about the point that the axis of rotation runs through, of a wall
   that does not rotate or has several parts about the origin
------------------------------------------------------------------------- */

double FixWallGranularPlus::compute_vector(int n)
{
  if (!output_is_summed) {
    double here[WALL_OUTPUTS] = {};
    load.add_to(here + WALL_FORCE, here + WALL_TORQUE, surface->bodies);
    here[WALL_CONTACTS] = touching;
    here[WALL_WORK] = ledger.work;
    if (comm->me == 0) {    // all processors move the wall alike
      std::copy_n(surface->displacement, 3, here + WALL_DISPLACEMENT);
      std::copy_n(surface->velocity, 3, here + WALL_VELOCITY);
      here[WALL_STOPPED] = surface->stopped_energy;
    }
    MPI_Allreduce(here, output, WALL_OUTPUTS, MPI_DOUBLE, MPI_SUM, world);
    output_is_summed = true;
  }
  return output[n];
}

/* ----------------------------------------------------------------------
   arrays that go with the atoms
------------------------------------------------------------------------- */

void FixWallGranularPlus::grow_arrays(int nmax)
{
  contacts.grow(nmax);
  near.grow(nmax);
  if (peratom_flag) memory->grow(array_atom, nmax, size_peratom_cols, "wall/granular/plus:array_atom");
}

void FixWallGranularPlus::copy_arrays(int from, int to, int /*delflag*/)
{
  contacts.copy(from, to);
  near.copy(from, to);
  if (peratom_flag) std::copy_n(array_atom[from], size_peratom_cols, array_atom[to]);
}

void FixWallGranularPlus::set_arrays(int i)
{
  contacts.forget(i);
  near.forget(i);
  if (peratom_flag) std::fill_n(array_atom[i], size_peratom_cols, 0.0);
}

int FixWallGranularPlus::pack_exchange(int i, double *buf) { return contacts.pack(i, buf); }

int FixWallGranularPlus::unpack_exchange(int i, double *buf)
{
  set_arrays(i);
  return contacts.unpack(i, buf);
}

/* ----------------------------------------------------------------------
   restart: the contacts with their particles; the ledger of all processors, which goes on on the first one, and the motion
------------------------------------------------------------------------- */

void FixWallGranularPlus::write_restart(FILE *fp)
{
  const RestartHeader header(world, layout.contents, layout.size, layout.parts, contacts.has_normals(), -1, ledger);
  const auto motion = surface->state();    // all processors together
  if (comm->me != 0) return;
  const double motion_size = static_cast<double>(motion.size());
  const int bytes = static_cast<int>(sizeof header + (1 + motion.size()) * sizeof(double));
  fwrite(&bytes, sizeof(int), 1, fp);
  fwrite(&header, sizeof header, 1, fp);
  fwrite(&motion_size, sizeof(double), 1, fp);
  fwrite(motion.data(), sizeof(double), motion.size(), fp);
}

void FixWallGranularPlus::restart(char *buf)
{
  RestartHeader header;
  std::memcpy(&header, buf, sizeof header);
  const std::string who = fmt::format("granular/plus: fix {}", id);
  values_taken = header.values_that_suit(lmp, who, layout.contents, layout.parts, layout.ledger);
  values_in_restart = static_cast<int>(header.values);
  normals_in_restart = header.vectors != 0.0;
  header.restore(ledger, comm->me == 0);
  const auto *motion = reinterpret_cast<const double *>(buf + sizeof header);
  restore_motion(motion + 1, static_cast<int>(motion[0]), "in the restart file");
}

int FixWallGranularPlus::pack_restart(int i, double *buf)
{
  const int m = 1 + pack_exchange(i, buf + 1);
  buf[0] = m;    // as all fixes do
  return m;
}

void FixWallGranularPlus::unpack_restart(int i, int nth)
{
  const double *extra = atom->extra[i];
  int m = 0;
  for (int k = 0; k < nth; ++k) m += static_cast<int>(extra[m]);
  set_arrays(i);
  if (values_taken >= 0) contacts.unpack(i, extra + m + 1, values_in_restart, values_taken, normals_in_restart);
}

int FixWallGranularPlus::size_restart(int i)
{
  const auto range = contacts.contacts_of(i);
  return 1 + contacts.packed_size(range.end - range.begin);
}

int FixWallGranularPlus::maxsize_restart() { return 1 + contacts.packed_size(surface->max_points()); }

/* ---------------------------------------------------------------------- */

double FixWallGranularPlus::memory_usage()
{
  const double per_atom = peratom_flag ? size_peratom_cols * sizeof(double) : 0.0;
  return atom->nmax * per_atom + sizeof(LoopWork) + contacts.memory_usage() + near.memory_usage() +
      surface->memory_usage();
}

/* ---------------------------------------------------------------------- */

std::vector<FixWallGranularPlus *> LAMMPS_NS::granular_walls(LAMMPS *lmp)
{
  std::vector<FixWallGranularPlus *> walls;
  for (Fix *fix : lmp->modify->get_fix_list())
    if (auto *wall = dynamic_cast<FixWallGranularPlus *>(fix)) walls.push_back(wall);
  return walls;
}
