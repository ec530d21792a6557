/* ----------------------------------------------------------------------
   fix wall/granular/plus: its command, restart files and the functions that LAMMPS calls. Other classes handle the
   position and motion of the wall (WallSurface), its contacts (WallContacts), its output (WallReport) and its ledger
   (WallLedger).
------------------------------------------------------------------------- */

#include "fix_wall_granular_plus.h"

#include "../core/model/parse.h"
#include "../glue/over_ranks.h"
#include "../grains/pair_granular_plus.h"

#include "atom.h"
#include "comm.h"
#include "error.h"
#include "force.h"
#include "input.h"
#include "modify.h"
#include "update.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>

using namespace LAMMPS_NS;
using namespace FixConst;
using namespace granular_plus;

// If a wall is defined again with the same ID, LAMMPS deletes the old wall before it creates the new wall. Meanwhile,
// the state of the old wall is stored here.
namespace {

struct SavedState {
  std::string occasion;
  std::string contents;
  int volume;    // index of a bridge's volume in a row; -1 if bridges take no liquid from films
  ContactLinks contacts{0};
  std::optional<double> held;
  EnergyLedger ledger;
  std::vector<double> motion;
};

std::map<LAMMPS *, SavedState> saved_states;

std::string occasion(const LAMMPS *lmp, int narg, char **arg)
{
  return fmt::format("fix {} at step {} with {} particles", utils::join_words({arg, arg + narg}, " "),
                     lmp->update->ntimestep, lmp->atom->nlocal);
}

}    // namespace

FixWallGranularPlus::FixWallGranularPlus(LAMMPS *lmp, int narg, char **arg)
    : FixWallGranularPlus(lmp, narg, arg, {arg + 3, arg + narg})
{
}

FixWallGranularPlus::FixWallGranularPlus(LAMMPS *lmp, int narg, char **arg, std::vector<std::string> words)
    : Fix(lmp, narg, arg), message_prefix(fmt::format("granular/plus: fix {}", id))
{
  // In commands of fix wall/gran, this word precedes the model.
  if (!words.empty() && words[0] == "granular") words.erase(words.begin());
  const auto style = std::find_if(words.begin(), words.end(), WallSurface::is_style);
  if (style == words.begin() && style != words.end())
    error->all(FLERR, "granular/plus: fix {}: the contact model must come before {}", id, *style);
  try {
    kernels();
    model = std::make_unique<ContactModel>(ContactModel::against_wall({words.begin(), style}, WallSurface::styles()));
  } catch (std::exception &e) {
    error->all(FLERR, "granular/plus: fix {}: " + std::string(e.what()), id);
  }
  if (style == words.end())
    error->all(FLERR, "granular/plus: fix {} needs a wall style: xplane, yplane, zplane, zcylinder, mesh or region",
               id);
  std::size_t next_word = style - words.begin();
  surface = WallSurface::create(lmp, message_prefix, words, next_word);
  contacts = std::make_unique<WallContacts>(lmp, message_prefix, *model, *surface, ledger, process_batch, this);
  report = std::make_unique<WallReport>(lmp, *contacts, *surface, load);
  wall_ledger = std::make_unique<WallLedger>(lmp, *contacts, *surface, load, ledger);
  if (surface->has_patches() && model->law(NORMAL).pulls_at_touch)
    error->all(FLERR,
               "granular/plus: fix {}: normal {} attracts at zero overlap and cannot be combined with wall style mesh; "
               "use normal luding, keyword bridge or keyword van_der_waals",
               id, model->law(NORMAL).name);
  parse_options(words, next_word);

  vector_flag = 1;
  size_vector = wall_output::COUNT;
  global_freq = 1;
  extvector = 0;    // LAMMPS must not divide the force on a wall by the number of grains
  virial_global_flag = virial_peratom_flag = 1;
  restart_global = restart_peratom = 1;
  create_attribute = 1;
  report->has_grains = peratom_flag != 0;
  report->has_contacts = local_flag != 0;
  report->has_heat = model->conducts();
  size_peratom_cols = report->columns_of_grain();
  size_local_cols = wall_local_output::COUNT;
  peratom_freq = local_freq = 1;
  publish_local();

  if (!model->advice().empty() && comm->me == 0)
    error->warning(FLERR, "granular/plus: fix {}: {}", id, model->advice());
  set_layout();
  FixWallGranularPlus::grow_arrays(atom->nmax);
  atom->add_callback(Atom::GROW);
  atom->add_callback(Atom::RESTART);
  for (int i = 0; i < atom->nlocal; ++i) FixWallGranularPlus::set_arrays(i);
  restore_saved_state(narg, arg);
}

FixWallGranularPlus::~FixWallGranularPlus()
{
  save_state();
  atom->delete_callback(id, Atom::GROW);
  atom->delete_callback(id, Atom::RESTART);
}

const Options<FixWallGranularPlus> FixWallGranularPlus::OPTIONS(
    "wall/granular/plus",
    {{"contacts", {}, "per-atom output", "", [](FixWallGranularPlus &fix, const Operands &) { fix.peratom_flag = 1; }},
     {"local",
      {},
      "local output: one row for each contact",
      "",
      [](FixWallGranularPlus &fix, const Operands &) { fix.local_flag = 1; }},
     {"temperature",
      {Operand::number_or_variable("T", "temperature")},
      "temperature of the wall; required if the wall conducts heat",
      "",
      [](FixWallGranularPlus &fix, const Operands &given) { fix.temperature = given.variable(0); }},
     {"film",
      {Operand::number_or_variable("H", "distance", 0.0)},
      "thickness of the wall's own film; required if bridges take their liquid from films",
      "",
      [](FixWallGranularPlus &fix, const Operands &given) { fix.contacts->liquid.thickness = given.variable(0); }}});

void FixWallGranularPlus::parse_options(const std::vector<std::string> &words, std::size_t next_word)
{
  std::vector<OptionsOf> tables = surface->options();
  tables.push_back(OPTIONS.of(*this));
  OptionReader reader(lmp, message_prefix, tables);
  reader.refuse = [this](const std::string &keyword) {
    if (granular_plus::is_keyword(keyword))
      return "keyword " + keyword + " belongs to the contact model; put this keyword before the wall style";
    return surface->refusal(keyword);
  };
  reader.read(words, next_word);
  const bool has_temperature = reader.has("temperature"), has_film = reader.has("film");
  surface->complete();
  if (model->from_films() && !has_film)
    error->all(FLERR,
               "{}: bridges whose liquid comes from films need `film H` after the wall style; H is the thickness of "
               "the wall's own film, or 0 for a dry wall",
               message_prefix);
  if (has_film && !model->from_films())
    error->all(FLERR, "{}: keyword film after the wall style needs a bridge that takes its liquid from films",
               message_prefix);
  if (model->conducts() && !has_temperature)
    error->all(FLERR, "granular/plus: fix {}: a wall that conducts heat needs keyword temperature", id);
  if (has_temperature && std::find(words.begin(), words.end(), "heat") == words.end())
    error->all(FLERR, "granular/plus: fix {}: keyword temperature needs a heat model", id);
}

int FixWallGranularPlus::setmask() { return POST_FORCE; }

void FixWallGranularPlus::init()
{
  if (!atom->radius_flag || !atom->rmass_flag || !atom->omega_flag || !atom->torque_flag)
    error->all(FLERR,
               "Fix wall/granular/plus requires the atom attributes radius, rmass, omega and torque (atom_style "
               "sphere)");
  check_surroundings(lmp, message_prefix);
  if (update->whichflag == 2 && !warned_of_minimize) {
    warned_of_minimize = true;
    if (comm->me == 0)
      error->warning(FLERR, "{}: the wall does not act during minimization: grains may pass through it",
                     message_prefix);
  }
  check_prescribed_time(lmp, message_prefix, *model);
  if (model->conducts() || model->dissipation_heats()) {
    check_temperatures(lmp, message_prefix);
    const PairGranularPlus *pair = granular_pair(lmp);
    if (!pair || !pair->contacts.have_heat()) warn_of_constant_temperatures(lmp, message_prefix);
    temperature.init(lmp);
  }

  if (model->friction() > 0.0 && !force->pair_match("granular/plus", 0))
    warn_of_grains_that_do_not_turn(lmp, message_prefix);
  is_ready = false;    // may still be true if an error ended the last run
  surface->init();
  contacts->init(igroup, granular_walls(lmp).front()->contacts->moves);
  wall_ledger->check_liquid(message_prefix);
  set_layout();
  contacts->compile();
}

void FixWallGranularPlus::set_layout()
{
  wall_ledger->open();
  maxexchange = contacts->links.packed_size(surface->max_points());
}

void FixWallGranularPlus::setup(int vflag)
{
  if (is_frame_of_rerun(*update)) contacts->links.forget_all();
  post_force(vflag);
}

void FixWallGranularPlus::reset_dt()
{
  surface->reset_timestep();
  contacts->compile();
  if (update->whichflag != 0) check_prescribed_time(lmp, message_prefix, *model);
}

void FixWallGranularPlus::prepare()
{
  if (is_ready) return;
  surface->move();
  near_is_new = contacts->prepare();
  is_ready = true;
}

granular_plus::WallPose FixWallGranularPlus::pose_at(bigint step)
{
  const bigint now = update->ntimestep;
  update->ntimestep = step;
  surface->follows_load = false;
  surface->move();
  surface->follows_load = true;
  update->ntimestep = now;
  return surface->pose();
}

void FixWallGranularPlus::add_engine_load(const double *force, const double *torque, double power, double work,
                                          const granular_plus::WallPose &in_first,
                                          const granular_plus::WallPose &in_next)
{
  ledger.work += work + load.half_work(in_first.velocity, in_first.spin, update->dt);
  load.set(force, torque, power);
  ledger.work -= load.half_work(in_next.velocity, in_next.spin, update->dt);
}

std::optional<LoadedWall> FixWallGranularPlus::under_load() const
{
  auto wall = surface->state_under_load();
  if (!wall) return {};
  load.get(wall->force, wall->torque, wall->power);
  wall->work = ledger.work;
  return wall;
}

void FixWallGranularPlus::set_state_under_load(const LoadedWall &wall)
{
  surface->set_state_under_load(wall);
  load.set(wall.force, wall.torque, wall.power);
  ledger.work = wall.work;
}

void FixWallGranularPlus::post_force(int vflag)
{
  v_init(vflag);
  prepare();
  is_ready = false;
  // must precede report->begin, because a variable may use the previous output
  if (contacts->batches.pair_group.passes_heat) contacts->batches.temperature = temperature.value_in_step(lmp);
  report->begin(near_is_new);
  load.begin_evaluation(surface->bodies);
  wall_ledger->evaluate();
  for (const WallHeat::Flow &flow : contacts->heat.flows) report->add_heat(flow.grain, flow.heat);
  publish_local();
  if (surface->bears_load()) {
    double force[3] = {}, torque[3] = {};
    load.add_to(force, torque, surface->bodies);
    surface->apply_force(force);
  }
  surface->end_of_step();

  contacts->warn();
}

void FixWallGranularPlus::publish_local()
{
  report->end();
  array_local = report->of_contacts.data();
  size_local_rows = static_cast<int>(report->of_contacts.size());
}

void FixWallGranularPlus::process_batch(void *receiver, const LoopWork &work, Mode mode)
{
  auto *wall = static_cast<FixWallGranularPlus *>(receiver);
  for (int l = 0; mode != Mode::ENDED_CONTACTS && l < work.batch.count; ++l) wall->record(work.batch, l);
  wall->wall_ledger->tally(work, mode);
}

void FixWallGranularPlus::record(const Batch &b, int l)
{
  const int i = contacts->batches.contact(l).particle;
  const WallPoint &point = contacts->batches.point(l);
  double force[3], place[3], torque_on_wall[3];
  for (int d = 0; d < 3; ++d) {
    force[d] = b.force[d][l];
    place[d] = atom->x[i][d] - point.separation[d];
    torque_on_wall[d] = b.torque_j[d][l];
  }
  load.add(surface->bodies[point.body], point, place, force, torque_on_wall);
  if (contacts->batches.touches() && point.patch >= 0) {
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
  report->add(b, l);
}

double FixWallGranularPlus::compute_vector(int n) { return report->of_wall(n, ledger); }

void FixWallGranularPlus::grow_arrays(int nmax)
{
  contacts->links.grow(nmax);
  contacts->near.grow(nmax);
  report->grow(nmax);
  array_atom = report->of_grains;
}

void FixWallGranularPlus::copy_arrays(int from, int to, int /*delflag*/)
{
  contacts->links.copy(from, to);
  contacts->near.copy(from, to);
  report->copy(from, to);
}

void FixWallGranularPlus::set_arrays(int i)
{
  contacts->links.forget(i);
  contacts->near.forget(i);
  report->forget(i);
}

int FixWallGranularPlus::pack_exchange(int i, double *buf) { return contacts->links.pack(i, buf); }

int FixWallGranularPlus::unpack_exchange(int i, double *buf)
{
  set_arrays(i);
  return contacts->links.unpack(i, buf);
}

/* ----------------------------------------------------------------------
   Writes the motion of the wall, and the sum of the ledgers of all ranks. After a restart, the first rank continues
   this sum.
------------------------------------------------------------------------- */

void FixWallGranularPlus::write_restart(FILE *fp)
{
  const HistoryLayout &layout = contacts->layout;
  const RestartHeader header(world, layout.contents, layout.size, layout.parts, contacts->links.extra_values() > 0,
                             value_of_liquid(), ledger);
  const auto motion = surface->state();    // called on all ranks
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
  std::memcpy(&in_restart, buf, sizeof in_restart);
  const HistoryLayout &layout = contacts->layout;
  usable_values = in_restart.usable_values(lmp, message_prefix, layout.contents, layout.parts, layout.ledger_index);
  in_restart.restore(ledger, comm->me == 0);
  const auto *motion = reinterpret_cast<const double *>(buf + sizeof in_restart);
  restore_motion(motion + 1, static_cast<int>(motion[0]), "in the restart file");
}

void FixWallGranularPlus::restore_motion(const double *state, int size, const char *when)
{
  if (!surface->restore(state, size) && comm->me == 0)
    error->warning(FLERR, "granular/plus: fix {}: the wall differs from the wall {}, so its motion starts over", id,
                   when);
}

int FixWallGranularPlus::value_of_liquid() const { return model->from_films() ? contacts->layout.first[BRIDGE] : -1; }

int FixWallGranularPlus::pack_restart(int i, double *buf) { return with_size(buf, pack_exchange(i, buf + 1)); }

void FixWallGranularPlus::unpack_restart(int i, int nth)
{
  set_arrays(i);
  const double *values = values_in_restart(atom->extra[i], nth);
  const int size = static_cast<int>(in_restart.values);
  const int extra = in_restart.has_extra_values != 0.0 ? WallContacts::NORMAL_AND_DISTANCE : 0;
  if (usable_values >= 0)
    contacts->links.unpack(i, values, size, usable_values, extra);
  else if (in_restart.liquid >= 0.0)
    contacts->liquid.give_back(i, values, size, extra, static_cast<int>(in_restart.liquid));
}

int FixWallGranularPlus::size_restart(int i) { return 1 + contacts->links.packed_size(contacts->links.count(i)); }

int FixWallGranularPlus::maxsize_restart() { return 1 + contacts->links.packed_size(surface->max_points()); }

double FixWallGranularPlus::memory_usage()
{
  return report->memory_usage() + contacts->memory_usage() + surface->memory_usage();
}

std::vector<FixWallGranularPlus *> LAMMPS_NS::granular_walls(LAMMPS *lmp)
{
  std::vector<FixWallGranularPlus *> walls;
  for (Fix *fix : lmp->modify->get_fix_list())
    if (auto *wall = dynamic_cast<FixWallGranularPlus *>(fix)) walls.push_back(wall);
  return walls;
}

void FixWallGranularPlus::save_state()
{
  // LAMMPS may be about to exit, so these pointers may be null
  const auto is_due_to = [this](const char *command) {
    return update && input && input->command && strcmp(input->command, command) == 0 && input->narg > 0 &&
        strcmp(input->arg[0], id) == 0;
  };
  if (is_due_to("unfix")) {
    if (contacts->liquid.uses_films) contacts->liquid.give_back_all(contacts->links, value_of_liquid());
    wall_ledger->close();
  } else if (is_due_to("fix") && input->narg > 2)
    saved_states[lmp] = {occasion(lmp, input->narg, input->arg),
                         contacts->layout.contents,
                         value_of_liquid(),
                         std::move(contacts->links),
                         contacts->last_stored_energy,
                         ledger,
                         surface->state()};
}

void FixWallGranularPlus::restore_saved_state(int narg, char **arg)
{
  auto found = saved_states.extract(lmp);
  if (found.empty()) return;
  SavedState &before = found.mapped();
  if (any_over_ranks(world, occasion(lmp, narg, arg) != before.occasion)) return;

  restore_motion(before.motion.data(), static_cast<int>(before.motion.size()), "that it replaces");
  ledger = before.ledger;
  if (before.contents == contacts->layout.contents) {
    contacts->links = std::move(before.contacts);
    contacts->last_stored_energy = before.held;
  } else {
    const bool lost = any_over_ranks(world, before.contacts.any_has_history(atom->nlocal));
    if (lost && comm->me == 0)
      error->warning(FLERR,
                     "granular/plus: fix {}: the contact models of the wall have changed (now {}), so contacts start "
                     "without history",
                     id, contacts->layout.contents);
    if (before.volume >= 0) contacts->liquid.give_back_all(before.contacts, before.volume);
    // The energy of the old contacts is counted as exchanged, except their energy of attraction, whose change is added
    // by setup. Setup also adds the energy of the new contacts.
    ledger.exchanged -= ledger.stored_energy() - ledger.current[ATTRACTION_ENERGY];
    contacts->last_stored_energy = 0.0;
  }
  set_layout();
}
