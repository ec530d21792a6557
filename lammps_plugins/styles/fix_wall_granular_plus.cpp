/* ----------------------------------------------------------------------
   fix wall/granular/plus: glue between LAMMPS and the contact laws, which are those of pair granular/plus
   wall_surface.cpp knows where the wall is and how it moves
------------------------------------------------------------------------- */

#include "fix_wall_granular_plus.h"

#include "pair_granular_plus.h"

#include "../contacts/outputs.h"
#include "../model/guess.h"

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

using namespace LAMMPS_NS;
using namespace FixConst;
using granular_plus::ContactModel;
using granular_plus::InputError;
using granular_plus::LANES;

// of the restart file, before totals and motion
enum Header {
  FORMAT,
  CONTENTS,
  VALUES,
  NORMALS,
  LEDGER_STARTED,
  LEDGER_REFERENCE,
  WORK_DONE,
  WORK_BEFORE,
  EXCHANGED,
  TOTALS
};

/* ---------------------------------------------------------------------- */

FixWallGranularPlus::FixWallGranularPlus(LAMMPS *lmp, int narg, char **arg)
    : Fix(lmp, narg, arg), batch(std::make_unique<granular_plus::Batch>())
{
  std::vector<std::string> words(arg + 3, arg + narg);
  if (!words.empty() && words[0] == "granular") words.erase(words.begin());    // of fix wall/gran
  const auto style = std::find_if(words.begin(), words.end(), WallSurface::is_style);
  try {
    kernels = &granular_plus::kernels();
    model = std::make_unique<ContactModel>(ContactModel::against_wall({words.begin(), style}, WallSurface::styles()));
  } catch (std::exception &e) {
    error->all(FLERR, "granular/plus: fix {}: " + std::string(e.what()), id);
  }
  if (style == words.end())
    error->all(FLERR, "granular/plus: fix {} needs a wall style: xplane, yplane, zplane, zcylinder or region", id);
  std::size_t next_word = style - words.begin();
  surface = WallSurface::create(lmp, words, next_word);
  parse_options(words, next_word);

  vector_flag = 1;
  size_vector = granular_plus::WALL_OUTPUTS;
  global_freq = 1;
  extvector = 0;    // a force on a wall is not to be divided by the number of grains
  virial_global_flag = virial_peratom_flag = 1;
  restart_global = restart_peratom = 1;
  create_attribute = 1;
  if (peratom_flag) {
    size_peratom_cols = model->conducts() ? granular_plus::WALL_ATOM_OUTPUTS : granular_plus::WALL_ATOM_HEAT;
    peratom_freq = 1;
  }

  if (!model->advice().empty() && comm->me == 0)
    error->warning(FLERR, "granular/plus: fix {}: {}", id, model->advice());
  set_layout();
  loads.resize(surface->bodies.size());
  FixWallGranularPlus::grow_arrays(atom->nmax);
  atom->add_callback(Atom::GROW);
  atom->add_callback(Atom::RESTART);
  for (int i = 0; i < atom->nlocal; ++i) FixWallGranularPlus::set_arrays(i);
}

/* ---------------------------------------------------------------------- */

FixWallGranularPlus::~FixWallGranularPlus()
{
  atom->delete_callback(id, Atom::GROW);
  atom->delete_callback(id, Atom::RESTART);
  memory->destroy(first);
  memory->destroy(count);
  memory->destroy(array_atom);
}

/* ---------------------------------------------------------------------- */

void FixWallGranularPlus::parse_options(const std::vector<std::string> &words, std::size_t next_word)
{
  bool moves = false, has_temperature = false;
  while (next_word < words.size()) {
    const std::string &keyword = words[next_word++];
    if (keyword == "contacts") {
      peratom_flag = 1;
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
    if (keyword != "wiggle" && keyword != "shear")
      error->all(
          FLERR,
          "granular/plus: unknown word {} after the wall style; known are wiggle, shear, contacts, temperature{}",
          keyword, granular_plus::did_you_mean(keyword, {"wiggle", "shear", "contacts", "temperature"}));
    if (moves)
      error->all(FLERR, "granular/plus: only one of the keywords wiggle and shear may be given, and only once");
    moves = true;
    const std::size_t numbers = keyword == "wiggle" ? 2 : 1;
    if (next_word + numbers >= words.size())
      error->all(FLERR, "granular/plus: keyword {} needs a dimension and {}", keyword,
                 numbers == 2 ? "amplitude and period" : "a speed");
    const std::string &dimension = words[next_word++];
    const std::size_t axis = std::string("xyz").find(dimension);
    if (dimension.size() != 1 || axis == std::string::npos)
      error->all(FLERR, "granular/plus: keyword {}: dimension = {} must be x, y or z", keyword, dimension);
    double number[2];
    for (std::size_t k = 0; k < numbers; ++k) number[k] = utils::numeric(FLERR, words[next_word++], false, lmp);
    if (numbers == 2 && !(number[1] > 0.0))
      error->all(FLERR, "granular/plus: keyword wiggle: period = {} must be > 0", number[1]);
    if (numbers == 2)
      surface->wiggle(axis, number[0], number[1]);
    else
      surface->shear(axis, number[0]);
  }
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
    modify->addstep_compute(update->ntimestep + 1);
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
  check_prescribed_time(lmp, who, *model);
  step_check.due = true;
  rigid_bodies.find(lmp);

  if (model->conducts() || model->warms()) {
    if (!atom->temperature_flag || !atom->heatflow_flag)
      error->all(FLERR,
                 "granular/plus: fix {}: keyword heat needs temperature and heatflow of atoms: fix property/atom "
                 "temperature heatflow",
                 id);
    const int variable = temperature_variable.empty() ? 0 : input->variable->find(temperature_variable.c_str());
    if (variable < 0 || (!temperature_variable.empty() && !input->variable->equalstyle(variable)))
      error->all(FLERR, "granular/plus: fix {}: keyword temperature: v_{} must be an equal-style variable", id,
                 temperature_variable);
  }

  check_bridges();
  surface->init();
  loads.assign(surface->bodies.size(), Load{});
  set_layout();
  model->compile(pair_group, layout, *kernels, update->dt);
  softens = model->law(granular_plus::NORMAL).per_collision;
  batch->excess_overlap = 0.0;
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
   a wall keeps a ledger when the pair style does; contacts keep what the laws remember
------------------------------------------------------------------------- */

void FixWallGranularPlus::set_layout()
{
  const auto *pair = dynamic_cast<PairGranularPlus *>(force->pair_match("granular/plus", 1, 0));
  const auto before = layout;
  keeps_ledger = pair && pair->has_ledger();
  layout = granular_plus::common_layout({*model}, keeps_ledger);
  keeps_normals = surface->normals_turn() && !model->law(granular_plus::SLIDER).lammps_geometry && layout.ledger > 0;
  maxexchange = 1 + surface->max_points() * packed_size();
  if (layout.size == before.size) return;
  std::vector<double> values(kept.surface.size() * layout.size, 0.0);
  for (std::size_t k = 0; k < kept.surface.size(); ++k)
    std::copy_n(kept.values.begin() + k * before.size, layout.ledger, values.begin() + k * layout.size);
  kept.values = std::move(values);
}

/* ---------------------------------------------------------------------- */

void FixWallGranularPlus::setup(int vflag) { post_force(vflag); }

void FixWallGranularPlus::reset_dt()
{
  surface->reset_timestep();
  model->compile(pair_group, layout, *kernels, update->dt);
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
      colliders.add(atom->type[i], rigid_bodies.mass(i, atom->rmass[i]), atom->radius[i], atom->v[i]);
  colliders.sum_up(world);
  double wall_speed = 0.0, shortest = INFINITY;
  for (const WallBody &body : surface->bodies)
    wall_speed = std::max(wall_speed,
                          std::sqrt(body.velocity[0] * body.velocity[0] + body.velocity[1] * body.velocity[1] +
                                    body.velocity[2] * body.velocity[2]));
  std::string which;
  for (int type = 1; type <= atom->ntypes; ++type) {
    const double time = colliders.shortest_at_wall(*model, type, wall_speed, update->dt);
    if (!(time < shortest)) continue;
    shortest = time;
    which = fmt::format("granular/plus: fix {}, grains of type {}", id, type);
  }
  step_check.judge(lmp, which, shortest);
}

/* ---------------------------------------------------------------------- */

void FixWallGranularPlus::post_force(int vflag)
{
  v_init(vflag);
  surface->move();
  find_temperature();

  keeps_history = update->setupflag == 0;
  batch->timestep = keeps_history ? update->dt : 0.0;
  std::fill_n(ledger.now, static_cast<int>(granular_plus::OBSERVABLES), 0.0);
  std::fill(loads.begin(), loads.end(), Load{});
  growth_power = 0.0;
  output_is_summed = false;
  rigid_bodies.refresh();
  if (step_check.due) check_step();

  if (layout.has_ledger && ledger.started && kept_then >= 0 && (neighbor->ago == 0 || !keeps_history)) book_exchange();
  next.surface.clear();
  next.values.clear();
  next.normals.clear();
  touching = 0;
  for (int i = 0; i < atom->nlocal; ++i) {
    if (peratom_flag) std::fill_n(array_atom[i], size_peratom_cols, 0.0);
    if (atom->mask[i] & groupbit)
      collect_contacts(i);
    else
      count[i] = 0;
  }
  evaluate(waiting, pair_group.stages, pair_group.stage_count);
  evaluate(apart, pair_group.separated_stages, pair_group.separated_stage_count);
  tally_ended();
  std::swap(kept, next);
  kept_then = static_cast<int>(kept.surface.size());

  if (softens && (neighbor->ago == 0 || update->ntimestep == update->laststep)) warn_of_overlaps();
  if (keeps_history) do_work();
  loads_before = loads;
  if (keeps_ledger && !ledger.started) {
    using namespace granular_plus;
    ledger.reference = ledger.now[NORMAL_ENERGY] + ledger.now[TANGENTIAL_ENERGY] + ledger.now[ROLLING_ENERGY] +
        ledger.now[TWISTING_ENERGY] + ledger.now[CAPILLARY_ENERGY];
    ledger.work_before = work;
    ledger.started = true;
  }
}

/* ----------------------------------------------------------------------
   what was in the contacts of particles that are gone; those that have moved to another processor cancel in the sum
------------------------------------------------------------------------- */

void FixWallGranularPlus::book_exchange()
{
  const auto energy = [this](int k) {
    return granular_plus::energy_remembered(kept.values.data() + static_cast<std::size_t>(k) * layout.size +
                                            layout.ledger);
  };
  for (int k = 0; k < kept_then; ++k) ledger.exchanged -= energy(k);
  for (int i = 0; i < atom->nlocal; ++i)
    for (int k = first[i]; k < first[i] + count[i]; ++k) ledger.exchanged += energy(k);
}

/* ----------------------------------------------------------------------
   the wall's contacts with a particle; a batch that is full is evaluated
------------------------------------------------------------------------- */

void FixWallGranularPlus::collect_contacts(int i)
{
  const int begin = first[i], end = begin + count[i];
  first[i] = static_cast<int>(next.surface.size());
  count[i] = 0;
  const double radius = atom->radius[i];

  // a contact that there was may live on across a gap

  points.clear();
  double within = radius;
  if (begin < end)
    within += std::max(radius,
                       pair_group.breaking_gap
                           ? 2.0 * pair_group.breaking_gap(pair_group.constants, radius, granular_plus::FLAT)
                           : 0.0);
  surface->points_near(atom->x[i], within, points);
  for (const WallPoint &point : points) {
    if (point.radius < 0.0 && radius >= -point.radius)
      error->one(FLERR, "granular/plus: fix {}: a particle of radius {} does not fit into a hollow of radius {}", id,
                 radius, -point.radius);
    const auto known = std::find(kept.surface.begin() + begin, kept.surface.begin() + end, point.surface);
    const int remembered = known - kept.surface.begin() < end ? static_cast<int>(known - kept.surface.begin()) : -1;
    const double gap = remembered >= 0 && pair_group.breaking_gap
        ? pair_group.breaking_gap(pair_group.constants, radius, point.radius)
        : 0.0;
    if (!(point.distance < radius + gap)) continue;    // not a position that is no number either
    const bool touches = point.distance < radius || pair_group.separated_stage_count == 0;
    (touches ? waiting : apart).push_back({i, remembered, static_cast<int>(next.surface.size()), point});
    next.surface.push_back(point.surface);
    ++count[i];
    touching += touches;
    if (waiting.size() == LANES) evaluate(waiting, pair_group.stages, pair_group.stage_count);
    if (apart.size() == LANES) evaluate(apart, pair_group.separated_stages, pair_group.separated_stage_count);
  }
  if (layout.has_ledger && keeps_history)
    for (int k = begin; k < end; ++k) note_if_ended(i, k);
}

/* ----------------------------------------------------------------------
   of a point that is gone, past an edge or out of the region, nothing is known but what its springs held
------------------------------------------------------------------------- */

void FixWallGranularPlus::note_if_ended(int i, int remembered)
{
  const int number = kept.surface[remembered];
  if (std::find(next.surface.begin() + first[i], next.surface.end(), number) != next.surface.end()) return;
  const auto point =
      std::find_if(points.begin(), points.end(), [number](const WallPoint &p) { return p.surface == number; });
  WallPoint unknown{};
  unknown.radius = granular_plus::FLAT;
  ended.push_back({i, remembered, -1, point != points.end() ? *point : unknown});
  if (ended.size() == LANES) tally_ended();
}

/* ---------------------------------------------------------------------- */

void FixWallGranularPlus::evaluate(std::vector<Contact> &contacts, const granular_plus::Stage *stages, int stage_count)
{
  if (contacts.empty()) return;
  fill_batch(contacts);
  for (int s = 0; s < stage_count; ++s) stages[s](*batch, pair_group.constants);
  next.values.resize(next.surface.size() * layout.size);
  if (keeps_normals) next.normals.resize(3 * next.surface.size());
  for (int l = 0; l < batch->count; ++l) {
    apply(contacts[l], l, &contacts == &waiting);
    remember(contacts[l], l);
  }
  if (keeps_ledger) tally_batch(true);
  contacts.clear();
}

/* ---------------------------------------------------------------------- */

void FixWallGranularPlus::tally_ended()
{
  if (ended.empty()) return;
  fill_batch(ended);
  for (int s = 0; s < pair_group.ending_stage_count; ++s) pair_group.ending_stages[s](*batch, pair_group.constants);
  if (pair_group.passes_heat)
    for (int l = 0; l < batch->count; ++l) pass_heat(ended[l].particle, l);
  if (keeps_ledger) tally_batch(false);
  ended.clear();
}

/* ---------------------------------------------------------------------- */

void FixWallGranularPlus::fill_batch(const std::vector<Contact> &contacts)
{
  auto &b = *batch;
  b.count = static_cast<int>(contacts.size());
  for (int l = 0; l < b.count; ++l) {
    const int i = contacts[l].particle;
    const WallPoint &point = contacts[l].point;
    const WallBody &body = surface->bodies[point.body];
    double place[3], wall_velocity[3];
    for (int d = 0; d < 3; ++d) place[d] = atom->x[i][d] - point.separation[d];
    body.velocity_at(place, wall_velocity);
    for (int d = 0; d < 3; ++d) {
      b.separation[d][l] = point.separation[d];
      b.velocity[d][l] = atom->v[i][d] - wall_velocity[d] - point.wall_growth[d];
      b.spin_i[d][l] = atom->omega[i][d];
      b.spin_j[d][l] = body.spin[d];
    }
    b.radius_i[l] = atom->radius[i];
    b.radius_j[l] = 0.0;
    b.surface_radius[l] = point.radius;
    b.mass_i[l] = rigid_bodies.mass(i, atom->rmass[i]);
    b.mass_j[l] = -1.0;    // cannot be moved
    for (int h = 0; h < layout.size; ++h) b.history[h][l] = value_before(contacts[l].remembered, h);
    find_turn(contacts[l], l);
  }
}

/* ----------------------------------------------------------------------
   from the normal n0 of the step before to the present one n, unless an edge has been passed
------------------------------------------------------------------------- */

void FixWallGranularPlus::find_turn(const Contact &contact, int l)
{
  for (int d = 0; d < 3; ++d) batch->turning_velocity[d][l] = 0.0;
  if (!keeps_normals || contact.remembered < 0 || !(batch->timestep > 0.0) || !(contact.point.distance > 0.0)) return;
  const double *before = kept.normals.data() + 3 * static_cast<std::size_t>(contact.remembered);
  double normal[3], cosine = 0.0;
  for (int d = 0; d < 3; ++d) {
    normal[d] = contact.point.separation[d] / contact.point.distance;
    cosine += normal[d] * before[d];
  }
  if (cosine < 0.5) return;
  const double speed = contact.point.distance / batch->timestep;
  for (int d = 0; d < 3; ++d) batch->turning_velocity[d][l] = speed * (normal[d] - before[d] / cosine);
}

/* ---------------------------------------------------------------------- */

double FixWallGranularPlus::value_before(int remembered, int h) const
{
  return remembered < 0 ? 0.0 : kept.values[static_cast<std::size_t>(remembered) * layout.size + h];
}

/* ----------------------------------------------------------------------
   force and torque on the particle, and what the wall bears
------------------------------------------------------------------------- */

void FixWallGranularPlus::apply(const Contact &contact, int l, bool touches)
{
  const auto &b = *batch;
  const int i = contact.particle;
  const WallPoint &point = contact.point;
  const double *centre = surface->bodies[point.body].centre;
  Load &load = loads[point.body];
  double force[3], place[3];
  for (int d = 0; d < 3; ++d) {
    force[d] = b.force[d][l];
    place[d] = atom->x[i][d] - point.separation[d];
    atom->f[i][d] += force[d];
    atom->torque[i][d] += b.torque_i[d][l];
    load.force[d] += force[d];
    growth_power += force[d] * point.wall_growth[d];
  }
  for (int d = 0; d < 3; ++d) {
    const int e = (d + 1) % 3, f = (d + 2) % 3;
    load.torque[d] += (place[e] - centre[e]) * force[f] - (place[f] - centre[f]) * force[e] - b.torque_j[d][l];
  }

  const double conducted = pair_group.passes_heat ? pass_heat(i, l) : 0.0;

  if (evflag) {
    const double *r = point.separation;
    double v[6] = {r[0] * force[0], r[1] * force[1], r[2] * force[2],
                   r[0] * force[1], r[0] * force[2], r[1] * force[2]};
    v_tally(i, v);
  }

  if (peratom_flag) {
    double *row = array_atom[i];
    double deepest = 0.0, here = 0.0;    // squared distances of the places
    for (int d = 0; d < 3; ++d) {
      row[granular_plus::WALL_ATOM_FORCE + d] += force[d];
      deepest += (atom->x[i][d] - row[granular_plus::WALL_ATOM_PLACE + d]) * (atom->x[i][d] - row[granular_plus::WALL_ATOM_PLACE + d]);
      here += point.separation[d] * point.separation[d];
    }
    if (row[granular_plus::WALL_ATOM_CONTACTS] == 0.0 || here < deepest) std::copy_n(place, 3, row + granular_plus::WALL_ATOM_PLACE);
    row[granular_plus::WALL_ATOM_CONTACTS] += touches;
    if (size_peratom_cols > granular_plus::WALL_ATOM_HEAT) row[granular_plus::WALL_ATOM_HEAT] += conducted;
    row[granular_plus::WALL_ATOM_RADIUS] = atom->radius[i];
  }
}

/* ----------------------------------------------------------------------
   to the particle, with the heat that its half of the contact's dissipation makes; the other half leaves with the wall.
   Returns what is conducted.
------------------------------------------------------------------------- */

double FixWallGranularPlus::pass_heat(int i, int l)
{
  const double conducted = batch->conductance[l] * (temperature - atom->temperature[i]);
  atom->heatflow[i] += conducted + batch->warming[l];
  return conducted;
}

/* ----------------------------------------------------------------------
   in setup springs stay as they are, but the ledger remembers the forces, which act over half a step
------------------------------------------------------------------------- */

void FixWallGranularPlus::remember(const Contact &contact, int l)
{
  double *row = next.values.data() + static_cast<std::size_t>(contact.place) * layout.size;
  for (int h = 0; h < layout.size; ++h) {
    const bool changes = keeps_history || h >= layout.ledger;
    row[h] = changes ? batch->history[h][l] : value_before(contact.remembered, h);
  }
  if (keeps_normals)
    for (int d = 0; d < 3; ++d) next.normals[3 * static_cast<std::size_t>(contact.place) + d] = batch->normal[d][l];
}

/* ---------------------------------------------------------------------- */

void FixWallGranularPlus::tally_batch(bool alive)
{
  for (int k = 0; k < granular_plus::OBSERVABLES; ++k) {
    double sum = 0.0;
    for (int l = 0; l < batch->count; ++l) sum += batch->observed[k][l];
    if (alive) ledger.now[k] += sum;
    if (keeps_history) ledger.total[k] += sum;
  }
}

/* ---------------------------------------------------------------------- */

void FixWallGranularPlus::warn_of_overlaps()
{
  double excess;
  MPI_Allreduce(&batch->excess_overlap, &excess, 1, MPI_DOUBLE, MPI_MAX, world);
  if (excess <= 0.0) return;
  softens = false;
  if (comm->me == 0)
    error->warning(FLERR, "granular/plus: fix {}: contacts of normal actm overlap by more than 5 % of the radius; {}",
                   id, advice_on_overlap(model->prescribed_time(update->dt) / update->dt));
}

/* ----------------------------------------------------------------------
   over a step, with the mean of the forces before and after it, as the particles receive them
------------------------------------------------------------------------- */

void FixWallGranularPlus::do_work()
{
  loads_before.resize(loads.size());
  for (std::size_t k = 0; k < loads.size(); ++k) {
    const WallBody &body = surface->bodies[k];
    for (int d = 0; d < 3; ++d)
      work += 0.5 * update->dt *
          ((loads[k].force[d] + loads_before[k].force[d]) * body.velocity[d] +
           (loads[k].torque[d] + loads_before[k].torque[d]) * body.spin[d]);
  }
  work += update->dt * growth_power;
}

/* ----------------------------------------------------------------------
   force and torque are those on the wall, the torque about the point that the axis of rotation runs through, of a wall
   that does not rotate or has several parts about the origin
------------------------------------------------------------------------- */

double FixWallGranularPlus::compute_vector(int n)
{
  if (!output_is_summed) {
    double here[granular_plus::WALL_OUTPUTS] = {};
    for (std::size_t k = 0; k < loads.size(); ++k) {
      const double *centre = surface->bodies[k].centre, *force_k = loads[k].force;
      const double several = loads.size() > 1 ? 1.0 : 0.0;
      for (int d = 0; d < 3; ++d) {
        const int e = (d + 1) % 3, f = (d + 2) % 3;
        here[granular_plus::WALL_FORCE + d] -= force_k[d];
        here[granular_plus::WALL_TORQUE + d] -= loads[k].torque[d] + several * (centre[e] * force_k[f] - centre[f] * force_k[e]);
      }
    }
    here[granular_plus::WALL_CONTACTS] = touching;
    here[granular_plus::WALL_WORK] = work;
    MPI_Allreduce(here, output, granular_plus::WALL_OUTPUTS, MPI_DOUBLE, MPI_SUM, world);
    output_is_summed = true;
  }
  return output[n];
}

/* ----------------------------------------------------------------------
   arrays that go with the atoms
------------------------------------------------------------------------- */

void FixWallGranularPlus::grow_arrays(int nmax)
{
  memory->grow(first, nmax, "wall/granular/plus:first");
  memory->grow(count, nmax, "wall/granular/plus:count");
  if (peratom_flag) memory->grow(array_atom, nmax, size_peratom_cols, "wall/granular/plus:array_atom");
}

void FixWallGranularPlus::copy_arrays(int from, int to, int /*delflag*/)
{
  first[to] = first[from];
  count[to] = count[from];
  if (peratom_flag) std::copy_n(array_atom[from], size_peratom_cols, array_atom[to]);
}

void FixWallGranularPlus::set_arrays(int i)
{
  first[i] = count[i] = 0;
  if (peratom_flag) std::fill_n(array_atom[i], size_peratom_cols, 0.0);
}

int FixWallGranularPlus::pack_exchange(int i, double *buf)
{
  int m = 0;
  buf[m++] = count[i];
  for (int k = first[i]; k < first[i] + count[i]; ++k) {
    buf[m++] = kept.surface[k];
    for (int h = 0; h < layout.size; ++h) buf[m++] = value_before(k, h);
    for (int d = 0; keeps_normals && d < 3; ++d) buf[m++] = kept.normals[3 * static_cast<std::size_t>(k) + d];
  }
  return m;
}

int FixWallGranularPlus::unpack_exchange(int i, double *buf)
{
  return unpack_contacts(i, buf, layout.size, layout.size, keeps_normals);
}

/* ----------------------------------------------------------------------
   rows of `size` values, of which the leading ones are taken
------------------------------------------------------------------------- */

int FixWallGranularPlus::unpack_contacts(int i, const double *buf, int size, int taken, bool with_normals)
{
  set_arrays(i);
  first[i] = static_cast<int>(kept.surface.size());
  int m = 0;
  count[i] = static_cast<int>(buf[m++]);
  for (int k = 0; k < count[i]; ++k) {
    kept.surface.push_back(static_cast<int>(buf[m++]));
    kept.values.insert(kept.values.end(), buf + m, buf + m + taken);
    kept.values.resize(kept.surface.size() * layout.size, 0.0);
    m += size;
    for (int d = 0; keeps_normals && d < 3; ++d) kept.normals.push_back(with_normals ? buf[m + d] : 0.0);
    m += with_normals ? 3 : 0;
  }
  return m;
}

/* ----------------------------------------------------------------------
   restart: the contacts with their particles; totals of all processors, which go on on the first one, and the motion
------------------------------------------------------------------------- */

void FixWallGranularPlus::write_restart(FILE *fp)
{
  constexpr int LOSSES = granular_plus::OBSERVABLES;
  double here[LOSSES + 4], sum[LOSSES + 4];
  std::copy_n(ledger.total, LOSSES, here);
  here[LOSSES] = ledger.reference;
  here[LOSSES + 1] = work;
  here[LOSSES + 2] = ledger.work_before;
  here[LOSSES + 3] = ledger.exchanged;
  MPI_Reduce(here, sum, LOSSES + 4, MPI_DOUBLE, MPI_SUM, 0, world);
  if (comm->me != 0) return;
  std::vector<double> state(TOTALS);
  state[FORMAT] = granular_plus::RESTART_FORMAT;
  state[CONTENTS] = granular_plus::fingerprint(layout.contents);
  state[VALUES] = layout.size;
  state[NORMALS] = keeps_normals;
  state[LEDGER_STARTED] = ledger.started;
  state[LEDGER_REFERENCE] = sum[LOSSES];
  state[WORK_DONE] = sum[LOSSES + 1];
  state[WORK_BEFORE] = sum[LOSSES + 2];
  state[EXCHANGED] = sum[LOSSES + 3];
  state.insert(state.end(), sum, sum + LOSSES);
  const auto motion = surface->state();
  state.push_back(static_cast<double>(motion.size()));
  state.insert(state.end(), motion.begin(), motion.end());
  const int bytes = static_cast<int>(state.size() * sizeof(double));
  fwrite(&bytes, sizeof(int), 1, fp);
  fwrite(state.data(), sizeof(double), state.size(), fp);
}

void FixWallGranularPlus::restart(char *buf)
{
  const auto *state = reinterpret_cast<double *>(buf);
  if (state[FORMAT] != granular_plus::RESTART_FORMAT)
    error->all(FLERR, "granular/plus: fix {}: the restart file has another version, format {} instead of {}", id,
               state[FORMAT], granular_plus::RESTART_FORMAT);
  values_in_restart = static_cast<int>(state[VALUES]);
  normals_in_restart = state[NORMALS] != 0.0;
  if (state[CONTENTS] != granular_plus::fingerprint(layout.contents)) {
    values_taken = -1;
    if (comm->me == 0)
      error->warning(
          FLERR,
          "granular/plus: fix {}: the models differ from those in the restart file, contacts start without history",
          id);
  } else {
    values_taken = values_in_restart == layout.size ? layout.size : layout.ledger;
  }
  ledger.started = state[LEDGER_STARTED] != 0.0;
  const double *totals = state + TOTALS, *motion = totals + granular_plus::OBSERVABLES;
  if (comm->me == 0) {
    ledger.reference = state[LEDGER_REFERENCE];
    work = state[WORK_DONE];
    ledger.work_before = state[WORK_BEFORE];
    ledger.exchanged = state[EXCHANGED];
    std::copy(totals, motion, ledger.total);
  }
  if (!surface->restore(motion + 1, static_cast<int>(motion[0])) && comm->me == 0)
    error->warning(FLERR,
                   "granular/plus: fix {}: the wall differs from that in the restart file, its motion starts anew", id);
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
  if (values_taken >= 0) unpack_contacts(i, extra + m + 1, values_in_restart, values_taken, normals_in_restart);
}

int FixWallGranularPlus::size_restart(int i) { return 2 + count[i] * packed_size(); }

int FixWallGranularPlus::maxsize_restart() { return 2 + surface->max_points() * packed_size(); }

/* ---------------------------------------------------------------------- */

double FixWallGranularPlus::memory_usage()
{
  const double per_atom = 2.0 * sizeof(int) + (peratom_flag ? size_peratom_cols * sizeof(double) : 0.0);
  return atom->nmax * per_atom + sizeof(granular_plus::Batch) +
      static_cast<double>(kept.values.capacity() + next.values.capacity()) * sizeof(double) +
      static_cast<double>(kept.surface.capacity() + next.surface.capacity()) * sizeof(int);
}
