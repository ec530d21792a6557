/* ----------------------------------------------------------------------
   pair_style granular/plus: glue between LAMMPS and the contact laws
   physics is in laws/, the loop over contacts in kernels/, the grammar in model/
------------------------------------------------------------------------- */

#include "pair_granular_plus.h"

#include "compute_granular_dissipation.h"
#include "fix_contact_history.h"
#include "restart_header.h"

#include "../contacts/outputs.h"
#include "../sources/single_contact.h"
#include "../model/guess.h"
#include "../pair_share.h"

#include "atom.h"
#include "comm.h"
#include "domain.h"
#include "error.h"
#include "fix.h"
#include "force.h"
#include "input.h"
#include "memory.h"
#include "modify.h"
#include "neigh_list.h"
#include "neighbor.h"
#include "update.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

using namespace LAMMPS_NS;
using granular_plus::BRIDGE;
using granular_plus::ContactModel;
using granular_plus::InputError;
using granular_plus::Ledger;
using granular_plus::LoopWork;

namespace {

// LAMMPS may know them by the names of its own styles
std::vector<PairGranularPlus *> instances;

// Restart files call a style by its name without suffix. LAMMPS's pair granular reads this as the name of its first model
// and stops with an error that shows it.
constexpr char RESTART_NAME[] = "of granular/plus (read this restart file with -sf plus)";
constexpr int RESTART_BEGINNING[] = {1, sizeof RESTART_NAME - 1};    // one model, the length of its name

// The name must be the same when a restarted script gives the pair style again: history is found by it.
std::string name_of_history(const Modify &modify)
{
  for (int instance = 0;; ++instance) {
    std::string name = "GRANULAR_PLUS_HISTORY_" + std::to_string(instance);
    if (!modify.get_fix_by_id(name) && !modify.get_fix_by_id(name + "_PLACE")) return name;
  }
}

granular_plus::LoopOptions of_ended(granular_plus::LoopOptions options)
{
  options.mode = granular_plus::Mode::END;
  return options;
}

}    // namespace

PairGranularPlus::PairGranularPlus(LAMMPS *lmp, const char *style)
    : Pair(lmp), style(style), history_id(name_of_history(*modify)), dummy_id(history_id + "_PLACE"),
      bonds(lmp, this, this->style, models, "GRANULAR_PLUS_BONDS" + history_id.substr(history_id.rfind('_'))),
      work(std::make_unique<LoopWork>()), liquid(lmp, this), radii(lmp), shapes(lmp)
{
  single_enable = 1;
  no_virial_fdotr_compute = 1;
  centroidstressflag = CENTROID_NOTAVAIL;
  finitecutflag = 1;
  comm_forward = 3;    // a mass, or film and number of bridges, or a place
  comm_reverse = 1;
  // with newton off LAMMPS makes room for what this asks only: forces of bonds on ghosts, and what ghosts dissipate
  comm_reverse_off = std::max<int>(FixBondHistory::REVERSE, granular_plus::DISSIPATION_OUTPUTS);

  single_extra = granular_plus::PAIR_OUTPUTS;
  svector = new double[single_extra];

  try {
    kernels = kernels_for_many = &granular_plus::kernels();
    kernels_for_few = &granular_plus::kernels_for_few();
  } catch (std::exception &e) {
    error->all(FLERR, std::string(e.what()));
  }

  modify->add_fix(dummy_id + " all DUMMY");
  instances.push_back(this);
}

PairGranularPlus::~PairGranularPlus()
{
  instances.erase(std::find(instances.begin(), instances.end(), this));
  delete[] svector;
  for (const auto &fix : {history_id, dummy_id})
    if (modify->get_fix_by_id(fix)) modify->delete_fix(fix);
  if (allocated) {
    memory->destroy(setflag);
    memory->destroy(cutsq);
  }
}

void PairGranularPlus::compute(int eflag, int vflag)
{
  ev_init(eflag, vflag);
  if (neighbor->ago == 0 || radii_vary || (masses_differ() && static_cast<int>(masses.size()) < atom->nmax))
    update_masses();
  if (step_check.due) check_step();
  if (radii_vary && radii.follow_growth(models, beyond_contact)) {
    history->ask_for_list(update->ntimestep + 1);
    if (update->setupflag && comm->me == 0)
      error->warning(FLERR,
                     "{}: radii have changed since the neighbour list of this run was made: contacts may be missing "
                     "until its first step makes another",
                     style);
  }
  if (neighbor->ago == 0) choose_kernels();
  history->mark_ahead();
  bonds.mark_ahead();
  auto &ledger = history->ledger;
  const bool began = ledger.started && update->setupflag != 0;
  dissipation.clear();
  if (has_ledger()) {
    ledger.begin_evaluation();
    dissipation = ComputeGranularDissipation::asking(lmp);
  }
  for (auto *compute : dissipation) compute->begin_pairs();
  if (began) ledger.exchanged -= energy_of_contacts();    // what commands have done to them since the last run
  start_check.begin();
  if (history->contacts.size() > 0)
    evaluate_pairs();
  else if (from_films)
    liquid.move_that_of_others(history->contacts, update->setupflag == 0);
  if (bonds.any()) evaluate_bonds();
  if (has_ledger()) ledger.end_evaluation(update->setupflag == 0);
  for (auto *compute : dissipation) compute->end_pairs(force->newton_pair || bonds.any());
  if (began) ledger.exchanged += energy_of_contacts();
  if (update->setupflag) start_check.end(lmp, style);
  if (softens && (neighbor->ago == 0 || update->ntimestep == update->laststep)) warn_of_overlaps();
  if (shaped_pairs && update->ntimestep == update->laststep)
    shapes.watch(style, shaped_pairs->weighted_nodes, shaped_pairs->weight);

  if (has_ledger() && !ledger.started) {
    knows_energy_before = false;
    ledger.open(particle_energy(lmp).sum() + ledger.held());
  }
}

// for the new list

void PairGranularPlus::choose_kernels()
{
  has_few = history->contacts.size() <= granular_plus::FEW_CONTACTS;
  const auto *suited = has_few ? kernels_for_few : kernels_for_many;
  if (kernels != suited) {
    kernels = suited;
    for (std::size_t group = 0; group < pair_groups.size(); ++group) compile(group);
  }
  has_few = has_few && !has_ledger() && !shaped_pairs &&
      std::none_of(pair_groups.begin(), pair_groups.end(), [](const auto &group) { return group.breaking_gap; });
}

granular_plus::LoopOptions PairGranularPlus::begin_loop(bool is_step)
{
  auto &contacts = history->contacts;
  auto options = granular_plus::LoopOptions::of(is_step, update->dt, layout.ledger_kept());
  options.force_factors = force->special_lj;
  options.report = evflag || has_ledger() ? receive : nullptr;
  options.receiver = this;
  contacts.begin_evaluation(options);
  return options;
}

/* ----------------------------------------------------------------------
   of a step; of two or three grains, what precedes the loop would take longer than the contacts
------------------------------------------------------------------------- */

void PairGranularPlus::evaluate_few()
{
  static constexpr granular_plus::PairIndex ALL[granular_plus::FEW_CONTACTS] = {0, 1, 2};
  auto &contacts = history->contacts;
  const auto options = begin_loop(true);
  for (int group = 0; group < contacts.groups(); ++group) {
    int touching[granular_plus::FEW_CONTACTS];
    const int count = contacts.find_touching(group, atom->x, atom->radius, touching);
    if (count == 0) continue;
    auto pairs = contacts.listed_pairs();
    pairs.number = ALL;
    reader().evaluate_pairs(particles(), pairs, touching, count, contacts.history(), pair_groups[group],
                            pair_groups[group].touching, options, *work);
  }
}

void PairGranularPlus::evaluate_pairs()
{
  const bool is_step = update->setupflag == 0;
  if (is_step && has_few) return evaluate_few();
  auto &contacts = history->contacts;
  granular_plus::Particles view = particles();
  view.prefetch = prefetch_choice.begin();
  const auto &reader = this->reader();
  auto pairs = contacts.near_pairs(reader, view, atom->nlocal + atom->nghost, pair_groups, neighbor->skin, radii_vary,
                                   layout.has_ledger, *work);

  const auto options = begin_loop(is_step);
  if (shaped_pairs) {
    if (neighbor->ago == 0 || shaped_pairs->listed() != contacts.size()) shaped_pairs->begin_list(contacts.size());
    shapes.list(shaped_pairs->bodies, shaped_pairs->inertias);
  }
  if (from_films) liquid.find_and_move(reader, view, pairs, pair_groups, contacts, options, *work);
  if (from_films && has_ledger() && !is_step)
    history->ledger.tally(granular_plus::BRIDGE_VOLUME, liquid.waiting(contacts, pairs));
  for (std::size_t k = 0; k < pair_groups.size(); ++k) {
    const auto &group = pair_groups[k];
    if (is_shaped(k)) {
      evaluate_shaped(static_cast<int>(k), view, pairs, options);
      continue;
    }
    if (!is_step) look_at_start(pairs, group);
    const int *ended = pairs.ended, *ended_count = &work->ended_count;
    if (group.film) {
      const auto &found = liquid.groups[k].found;
      evaluate_found(reader, view, pairs, group, found, options);
      ended = found.ended;
      ended_count = &found.ended_count;
    } else {
      reader.loop(view, pairs, contacts.history(), group, options, *work);
    }
    if (is_step && layout.has_ledger)
      reader.evaluate_pairs(view, pairs, ended, *ended_count, contacts.history(), group, group.ending,
                            of_ended(options), *work);
  }
  prefetch_choice.end();
  if (!is_step && layout.has_ledger) contacts.select_anew();
}

void PairGranularPlus::evaluate_shaped(int k, const granular_plus::Particles &view, const granular_plus::Pairs &pairs,
                                       const granular_plus::LoopOptions &options)
{
  auto &contacts = history->contacts;
  const auto &group = pair_groups[k];
  shaped_pairs->loop(*kernels, view, pairs, contacts.history(), group, options, *work);
  const auto &[i, j, overlap] = shaped_pairs->too_deep;
  if (i >= 0)
    error->one(FLERR,
               "{}: overlap of grains {} and {} = {:.4g} must be < {:.4g}, the sum of their radii of equal volume",
               style, atom->tag[i], atom->tag[j], overlap,
               shaped_pairs->bodies[i].volume_radius() + shaped_pairs->bodies[j].volume_radius());
  if (options.mode == granular_plus::Mode::STEP && layout.has_ledger)
    shaped_pairs->evaluate_ended(*kernels, view, pairs, contacts.ended_pairs(k), contacts.history(), group,
                                 of_ended(options), *work);
}

void PairGranularPlus::evaluate_bonds()
{
  if (!force->newton_pair && (vflag_atom || cvflag_atom))
    error->all(FLERR, "{}: with bonds, stress per atom needs newton on", style);
  bonds.evaluate(particles(), reader(), receive_bonds, this, *work);
}

// a finished batch of bonds: virial, ledger and what breaks

void PairGranularPlus::receive_bonds(void *receiver, const LoopWork &work, granular_plus::Mode mode)
{
  auto *pair = static_cast<PairGranularPlus *>(receiver);
  pair->tally_virial(work, true);
  if (pair->has_ledger()) pair->history->ledger.tally(*pair->kernels, work.batch, true);
  if (mode == granular_plus::Mode::STEP)
    for (auto *compute : pair->dissipation) compute->add(work, false);
  pair->bonds.note_broken(work);
}

// pairs of a group with a film law

void PairGranularPlus::evaluate_found(const granular_plus::Kernels &reader, const granular_plus::Particles &view,
                                      const granular_plus::Pairs &pairs, const granular_plus::PairGroup &group,
                                      const granular_plus::Found &found, const granular_plus::LoopOptions &options)
{
  const auto memory = history->contacts.history();
  reader.evaluate_pairs(view, pairs, found.touching, found.touching_count, memory, group, group.touching, options,
                        *work);
  reader.evaluate_pairs(view, pairs, found.separated, found.separated_count, memory, group, group.separated, options,
                        *work);
}

/* ----------------------------------------------------------------------
   at the end of a step, by fix granular/film; the change of the energy of bridges is tallied
------------------------------------------------------------------------- */

double PairGranularPlus::evaporate_bridges(double depth, int groupbit)
{
  for (auto *compute : dissipation) compute->begin_pairs();
  const double gone = dry_bridges(depth, groupbit);
  for (auto *compute : dissipation) compute->end_pairs(force->newton_pair);
  return gone;
}

double PairGranularPlus::dry_bridges(double depth, int groupbit)
{
  auto &contacts = history->contacts;
  if (contacts.size() == 0) return 0.0;
  auto pairs = contacts.listed_pairs();
  auto &ledger = history->ledger;
  const auto dry = liquid.evaporate(contacts, pairs, depth, groupbit);
  if (!has_ledger()) return dry.volume;
  ledger.now[granular_plus::BRIDGE_VOLUME] -= dry.volume;
  ledger.now[granular_plus::BRIDGES] -= dry.bridges;
  ledger.total[granular_plus::RUPTURES] += dry.bridges;

  auto view = particles();
  view.force = view.heatflow = nullptr;
  auto options = granular_plus::LoopOptions::to_look(contacts.evaluation());
  options.ledger = layout.ledger;
  options.force_factors = force->special_lj;
  options.receiver = this;
  options.report = [](void *receiver, const LoopWork &looked_at, granular_plus::Mode) {
    static_cast<PairGranularPlus *>(receiver)->tally_drying(looked_at);
  };
  for (const auto &group : liquid.groups)
    if (group.pairs->film)
      evaluate_found(granular_plus::in_bounds_kernels(), view, pairs, *group.pairs, group.found, options);
  return dry.volume;
}

void PairGranularPlus::tally_drying(const LoopWork &looked_at)
{
  using namespace granular_plus;
  auto &ledger = history->ledger;
  for (int l = 0; l < looked_at.batch.count; ++l) {
    double *of_bridge = history->contacts.history().row(looked_at.slot[l]) + layout.remembered[OF_BRIDGE];
    double &energy = of_bridge[BRIDGE_ENERGY_BEFORE];
    const bool is_wet = looked_at.batch.observed[BRIDGE_VOLUME][l] > 0.0;
    const double left = is_wet ? looked_at.batch.observed[CAPILLARY_ENERGY][l] : 0.0;
    const double freed = share_of_pair(lmp, looked_at.j(l)) * (energy - left);
    ledger.total[VOLUME_LOSS] += freed;
    for (auto *compute : dissipation) compute->add_to_bridge(looked_at.i(l), looked_at.j(l), energy - left);
    ledger.now[CAPILLARY_ENERGY] -= freed;
    energy = left;
  }
}

granular_plus::Particles PairGranularPlus::particles()
{
  granular_plus::Particles p;
  p.position = atom->x[0];
  p.velocity = atom->v[0];
  p.spin = atom->omega[0];
  p.radius = atom->radius;
  p.packed_mass = masses.empty() ? atom->rmass : masses.data();
  p.force = atom->f[0];
  p.torque = atom->torque[0];
  p.temperature = atom->temperature;
  p.heatflow = passes_heat ? atom->heatflow : nullptr;
  p.force_end = force->newton_pair ? atom->nlocal + atom->nghost : atom->nlocal;
  return p;
}

// A row is read with one value behind it, which the last row of LAMMPS's arrays may lack.

const granular_plus::Kernels &PairGranularPlus::reader() const
{
  const bool full = atom->nlocal + atom->nghost >= atom->nmax;
  return full && kernels->reads_past_end ? granular_plus::in_bounds_kernels() : *kernels;
}

void PairGranularPlus::tally_virial(const LoopWork &work, bool newton)
{
  if (!evflag) return;
  const auto &b = work.batch;
  for (int l = 0; l < b.count; ++l)
    ev_tally_xyz(work.i(l), work.j(l), atom->nlocal, newton, 0.0, 0.0, b.force[0][l], b.force[1][l], b.force[2][l],
                 b.separation[0][l], b.separation[1][l], b.separation[2][l]);
}

/* ----------------------------------------------------------------------
   a finished batch: virial and ledger
------------------------------------------------------------------------- */

void PairGranularPlus::receive(void *receiver, const LoopWork &work, granular_plus::Mode mode)
{
  auto *pair = static_cast<PairGranularPlus *>(receiver);
  const auto &b = work.batch;
  const bool goes_on = mode != granular_plus::Mode::END;
  const bool newton = pair->force->newton_pair;
  if (goes_on) pair->tally_virial(work, newton);
  if (mode == granular_plus::Mode::STEP || mode == granular_plus::Mode::END)
    for (auto *compute : pair->dissipation) compute->add(work, !newton);
  // with newton off a contact that crosses a processor's border is seen from both sides
  if (pair->has_ledger())
    pair->history->ledger.tally(*pair->kernels, b, goes_on, newton ? nullptr : work.row_j,
                                granular_plus::Pairs::row_of(pair->atom->nlocal));
}

/* ----------------------------------------------------------------------
   once per run; called on all processors at the same time
------------------------------------------------------------------------- */

void PairGranularPlus::warn_of_overlaps()
{
  double shortest = INFINITY;
  for (const ContactModel &model : models.list()) shortest = std::min(shortest, model.prescribed_time(update->dt));
  softens = !warn_of_overlap(lmp, "granular/plus", work->batch.excess_overlap, shortest);
}

/* ----------------------------------------------------------------------
   of this processor's particles and living contacts, as the ledger knows them
------------------------------------------------------------------------- */

double PairGranularPlus::energy_at_hand(double ahead) const
{
  return particle_energy(lmp, ahead).sum() + energy_of_contacts();
}

double PairGranularPlus::energy_of_contacts() const
{
  using namespace granular_plus;
  double sum = 0.0;
  const auto &contacts = history->contacts;
  if (contacts.row_size() < layout.size) return sum;    // of a run without ledger
  for (int p = 0; p < contacts.size(); ++p)
    if (contacts.alive(p))
      sum += share_of_pair(lmp, contacts.j(p)) * energy_remembered(contacts.row(p), layout.remembered);
  bonds.add_energy(sum);
  return sum;
}

// by fix granular/film; with grains that come in, while others may be going out

void PairGranularPlus::liquid_comes_in(double volume)
{
  if (!from_films || !history) return;
  history->ledger.liquid_supplied += volume;
  liquid_before += volume;
}

void PairGranularPlus::liquid_goes_out(double volume)
{
  if (from_films && history) history->ledger.liquid_evaporated += volume;
}

double PairGranularPlus::liquid_at_hand() const
{
  double sum = liquid_in_films();
  for_each_bridge([&](int, int j, double volume) { sum += share_of_pair(lmp, j) * volume; });
  return sum;
}

void PairGranularPlus::for_each_bridge(const std::function<void(int i, int j, double volume)> &see) const
{
  if (!history) return;
  const auto &contacts = history->contacts;
  for (int group = 0; group < contacts.groups(); ++group) {
    if (!pair_groups[group].film) continue;
    for (int p = contacts.begin(group); p < contacts.end(group); ++p)
      if (contacts.alive(p))
        see(contacts.i(p), contacts.j(p), contacts.row(p)[pair_groups[group].constants.bridge_history]);
  }
}

PairGranularPlus *LAMMPS_NS::granular_pair(LAMMPS *lmp)
{
  PairGranularPlus *found = nullptr;
  for (PairGranularPlus *pair : instances) {
    if (!pair->belongs_to(lmp) || pair->style == "capillary/willett") continue;
    if (found) return nullptr;
    found = pair;
  }
  return found;
}

PairGranularPlus *LAMMPS_NS::liquid_pair(LAMMPS *lmp)
{
  for (PairGranularPlus *pair : instances)
    if (pair->belongs_to(lmp) && pair->liquid_from_films()) return pair;
  return nullptr;
}

/* ----------------------------------------------------------------------
   a particle in a rigid body collides with the mass of its body; a frozen one cannot be moved
------------------------------------------------------------------------- */

void PairGranularPlus::update_masses()
{
  masses.clear();
  if (!masses_differ()) return;
  masses.assign(atom->rmass, atom->rmass + atom->nmax);
  if (!rigid_bodies.empty()) {
    rigid_bodies.refresh();
    for (int i = 0; i < atom->nlocal; ++i) masses[i] = rigid_bodies.mass(i, atom->rmass[i]);
    comm->forward_comm(this, 1);
  }
  for (int i = 0; i < atom->nlocal + atom->nghost; ++i)
    if (atom->mask[i] & frozen) masses[i] = -masses[i];
}

int PairGranularPlus::pack_forward_comm(int n, int *atoms, double *buf, int /*pbc_flag*/, int * /*pbc*/)
{
  if (liquid.communicates()) return liquid.pack_forward(n, atoms, buf);
  for (int k = 0; k < n; ++k) buf[k] = masses[atoms[k]];
  return n;
}

void PairGranularPlus::unpack_forward_comm(int n, int start, double *buf)
{
  if (liquid.communicates()) return liquid.unpack_forward(n, start, buf);
  for (int k = 0; k < n; ++k) masses[start + k] = buf[k];
}

int PairGranularPlus::pack_reverse_comm(int n, int start, double *buf) { return liquid.pack_reverse(n, start, buf); }

void PairGranularPlus::unpack_reverse_comm(int n, int *atoms, double *buf) { liquid.unpack_reverse(n, atoms, buf); }

/* ----------------------------------------------------------------------
   input
------------------------------------------------------------------------- */

void PairGranularPlus::allocate()
{
  allocated = 1;
  const int n = atom->ntypes + 1;
  memory->create(setflag, n, n, "pair:setflag");
  memory->create(cutsq, n, n, "pair:cutsq");
  for (int i = 0; i < n; ++i) std::fill_n(setflag[i], n, 0);
  models.clear(atom->ntypes);
}

// What stands in for a style of LAMMPS has been chosen by its suffix: the script has LAMMPS's name.

void PairGranularPlus::begin_commands(int narg, char **arg)
{
  commands = {{arg, arg + narg}};
  stands_in = StandsIn::NO;
  has_said_so = false;
  const std::string theirs = style_of_lammps(style);
  if (theirs.empty() || !input->command || strcmp(input->command, "pair_style") != 0 || input->narg < 1) return;
  if (input->arg[0] == theirs)
    stands_in = StandsIn::YES;
  else if (utils::strmatch(input->arg[0], "^hybrid") &&
           std::find(input->arg + 1, input->arg + input->narg, theirs) != input->arg + input->narg)
    stands_in = StandsIn::IN_HYBRID;
}

void PairGranularPlus::leave_to_lammps(const std::string &why)
{
  if (stands_in == StandsIn::NO) error->all(FLERR, "{}: {}", style, why);
  const std::string theirs = style_of_lammps(style);
  if (stands_in == StandsIn::IN_HYBRID || force->pair != this)
    error->all(
        FLERR,
        "{}: {}. To leave {} to LAMMPS, put `suffix off` before the pair_style command and `suffix on` behind it",
        style, why, theirs);
  say_left_to_lammps(lmp, "pair_style " + theirs, why);
  Pair *pair = (*force->pair_map)[theirs](lmp);
  force->pair = pair;
  delete[] force->pair_style;
  force->pair_style = utils::strdup(theirs);
  auto given = std::move(commands);
  delete this;
  for (std::size_t k = 0; k < given.size(); ++k) {
    std::vector<char *> arg;
    for (std::string &word : given[k]) arg.push_back(&word[0]);
    const int narg = static_cast<int>(arg.size());
    k == 0 ? pair->settings(narg, arg.data()) : pair->coeff(narg, arg.data());
  }
}

void PairGranularPlus::settings(int narg, char **arg)
{
  begin_commands(narg, arg);
  global_cutoff = -1.0;
  ledger_kept = Ledger::NO;
  int next = 0;
  if (next < narg && utils::is_double(arg[next])) {
    global_cutoff = utils::numeric(FLERR, arg[next], false, lmp);
    if (!(global_cutoff > 0.0 && std::isfinite(global_cutoff)))
      error->all(FLERR, "granular/plus: cutoff = {} must be > 0", arg[next]);
    ++next;
  }
  if (next < narg) {
    if (strcmp(arg[next], "ledger") != 0)
      error->all(FLERR, "granular/plus: unknown pair_style keyword {}; known is ledger{}", arg[next],
                 granular_plus::did_you_mean(arg[next], {"ledger"}));
    if (next + 1 == narg) error->all(FLERR, "granular/plus: keyword ledger needs yes, no or collisions");
    const std::map<std::string, Ledger> known{{"no", Ledger::NO},
                                              {"off", Ledger::NO},
                                              {"false", Ledger::NO},
                                              {"yes", Ledger::YES},
                                              {"on", Ledger::YES},
                                              {"true", Ledger::YES},
                                              {"collisions", Ledger::COLLISIONS}};
    const auto found = known.find(arg[next + 1]);
    if (found == known.end())
      error->all(FLERR, "granular/plus: ledger = {} must be yes, no or collisions", arg[next + 1]);
    ledger_kept = found->second;
    next += 2;
  }
  if (next < narg) error->all(FLERR, "granular/plus: unexpected word {} in pair_style", arg[next]);
}

void PairGranularPlus::coeff(int narg, char **arg)
{
  if (narg < 3) error->all(FLERR, "granular/plus: pair_coeff needs two types and a normal model");
  commands.emplace_back(arg, arg + narg);
  set_coefficients(arg[0], arg[1], std::vector<std::string>(arg + 2, arg + narg));
}

void PairGranularPlus::set_coefficients(const char *itypes, const char *jtypes, std::vector<std::string> words)
{
  add_slider(words, slider_of_style(style));
  if (!allocated) allocate();

  int ilo, ihi, jlo, jhi;
  try {
    utils::bounds(FLERR, itypes, 1, atom->ntypes, ilo, ihi, error);
    utils::bounds(FLERR, jtypes, 1, atom->ntypes, jlo, jhi, error);
  } catch (std::logic_error &) {    // of std::stol, which LAMMPS lets pass
    error->all(FLERR, "{}: pair_coeff {} {}: types must be numbers or ranges", style, itypes, jtypes);
  }
  if (ilo > ihi || jlo > jhi || ilo > jhi)
    error->all(FLERR, "{}: pair_coeff {} {} selects no pair of types I <= J", style, itypes, jtypes);

  try {
    const ContactModel model(words);
    if (!model.advice().empty() && comm->me == 0) error->warning(FLERR, style + ": " + model.advice());
    give_model(ilo, ihi, jlo, jhi, model);
  } catch (InputError &e) {
    leave_to_lammps(e.what());
  }
}

void PairGranularPlus::give_model(int ilo, int ihi, int jlo, int jhi, const ContactModel &model)
{
  models.give(ilo, ihi, jlo, jhi, model);
  for (int i = ilo; i <= ihi; ++i)
    for (int j = std::max(jlo, i); j <= jhi; ++j) setflag[i][j] = 1;
  // for computes that know only touch; hybrid asks before init_style
  beyond_contact = models.any([](const ContactModel &each) { return each.acts_across_gap() || each.bonds(); });
  if (model.bonds()) bonds.hold_place();
}

void PairGranularPlus::init_style()
{
  if (!atom->radius_flag || !atom->rmass_flag || !atom->omega_flag)
    error->all(FLERR, "Pair {} requires atom attributes radius, rmass, omega (atom_style sphere)", style);
  if (comm->ghost_velocity == 0)
    error->all(FLERR, "Pair {} requires ghost atoms store velocity (comm_modify vel yes)", style);
  if (stands_in != StandsIn::NO && !has_said_so)
    say_in_place_of(lmp, "pair_style " + style_of_lammps(style), slider_of_style(style));
  has_said_so = true;
  check_surroundings(lmp, style);
  for (const ContactModel &model : models.list()) check_prescribed_time(lmp, style, model);
  step_check.due = true;
  if (models.any([](const ContactModel &model) { return model.friction() > 0.0; }))
    warn_of_grains_that_do_not_turn(lmp, style);

  history = dynamic_cast<FixContactHistory *>(modify->get_fix_by_id(history_id));
  if (history) history->settle();
  models.drop_mixed();

  softens = models.any([](const ContactModel &model) { return model.law(granular_plus::NORMAL).per_collision; });
  work->batch.excess_overlap = 0.0;

  passes_heat = models.any([](const ContactModel &model) { return model.conducts() || model.warms(); });
  if (passes_heat) check_temperatures(lmp, style);

  // a list by particle sizes ends at touch; where contacts live on across a gap the cutoffs of the types must tell

  neighbor->add_request(this, beyond_contact ? NeighConst::REQ_DEFAULT : NeighConst::REQ_SIZE);

  from_films = models.any([](const ContactModel &model) { return model.from_films(); });
  if (from_films) liquid.init(style);

  pair_groups.clear();
  shapes.find();
  shapes.find_types();
  shaped_pairs = shapes.any() ? std::make_unique<granular_plus::ShapedPairs>() : nullptr;
  layout = granular_plus::common_layout(models.list(), ledger_kept, shapes.any());

  find_history();
  bonds.init(has_ledger(), shapes.any());
  const auto freezes = modify->get_fix_by_style("^freeze");
  if (freezes.size() > 1) error->all(FLERR, "Pair {} allows only one fix freeze", style);
  frozen = freezes.empty() ? 0 : freezes.front()->groupbit;

  rigid_bodies.find(lmp);
  const auto &fixes = modify->get_fix_list();
  radii_vary = std::any_of(fixes.begin(), fixes.end(), [](const Fix *other) { return other->diam_flag != 0; });
  history->let_lists_be_asked_for(radii_vary);
  history->after_listing = nullptr;
  if (radii_vary) history->after_listing = [this] { radii.remember_list(); };

  watch_exchange();
  radii.init(style, *kernels, frozen);
}

/* ----------------------------------------------------------------------
   the fix that holds contact history stays while the laws that keep values do
------------------------------------------------------------------------- */

void PairGranularPlus::find_history()
{
  if (history && history->contents == layout.contents) history->resize_rows(layout.size, layout.parts);
  if (history && history->contents != layout.contents) {
    if (comm->me == 0)
      error->warning(FLERR, "{}: the models have changed, contacts start without history{}", style,
                     history->holds_liquid() ? "; the liquid of bridges goes back to the films" : "");
    modify->replace_fix(history_id, dummy_id + " all DUMMY", 1);
    history = nullptr;
  }
  if (!history)
    history = dynamic_cast<FixContactHistory *>(
        modify->replace_fix(dummy_id,
                            fmt::format("{} all GRANULAR_PLUS/HISTORY {} {} {} {}", history_id, layout.size,
                                        layout.parts, layout.ledger, layout.contents),
                            1));
  if (!history) error->all(FLERR, "{}: cannot create fix GRANULAR_PLUS/HISTORY", style);
}

/* ----------------------------------------------------------------------
   Atoms that come and go between the two calls are tallied. Within a step velocities are half a step behind positions;
   half a step of gravity brings them up to date.
------------------------------------------------------------------------- */

void PairGranularPlus::watch_exchange()
{
  history->before_exchange = nullptr;
  history->after_exchange = nullptr;
  if (bonds.any()) bonds.history->after_exchange = nullptr;
  FixContactHistory *last = bonds.any() ? bonds.history : history;    // of those that learn of a new list
  history->call_after_step(nullptr);
  if (!has_ledger()) {    // the next one begins anew
    history->ledger.reset();
    knows_energy_before = false;
    return;
  }
  history->before_exchange = [this](bool in_step) {
    energy_before = energy_at_hand(in_step ? 0.5 * update->dt : 0.0);
    liquid_before = liquid_at_hand();
    knows_energy_before = true;
  };
  last->after_exchange = [this] {
    if (update->setupflag) gravity.begin_run(lmp);
    if (knows_energy_before && history->ledger.started) {
      history->ledger.exchanged += energy_at_hand(update->setupflag ? 0.0 : 0.5 * update->dt) - energy_before;
      history->ledger.liquid_lost -= liquid_at_hand() - liquid_before;
    }
    knows_energy_before = false;
  };
  history->call_after_step([this] { history->ledger.exchanged += gravity.energy_brought_in(lmp); });
}

/* ----------------------------------------------------------------------
   arguments given in time steps follow the time step
------------------------------------------------------------------------- */

void PairGranularPlus::reset_dt()
{
  for (std::size_t group = 0; group < pair_groups.size(); ++group) compile(group);
  bonds.reset_timestep();
  step_check.due = true;
  // between runs the step may be set before the coefficients; then the next run tells
  if (update->whichflag != 0)
    for (const ContactModel &model : models.list()) check_prescribed_time(lmp, style, model);
}

void PairGranularPlus::compile(std::size_t group)
{
  const auto &list = models.list();
  if (list.empty()) return;
  list[group % list.size()].compile(pair_groups[group], layout, *kernels, update->dt,
                                    is_shaped(group) ? granular_plus::Surfaces::SHAPES
                                                     : granular_plus::Surfaces::ROUND);
}

double PairGranularPlus::init_one(int i, int j)
{
  if (!models.has(i, j)) {
    if (!models.has(i, i) || !models.has(j, j))
      error->all(FLERR, "{}: pair_coeff is missing for types {} {} and cannot be mixed", style, i, j);
    try {
      models.mix(i, j);
    } catch (InputError &e) {
      error->all(FLERR, fmt::format("{}: types {} {}: ", style, i, j) + e.what());
    }
    const std::string advice = models.of(i, j).advice_on_mixing();
    if (!advice.empty() && comm->me == 0)
      error->warning(FLERR, "granular/plus: types {} {}: {}; or give pair_coeff {} {}", i, j, advice, i, j);
  }

  // models get their final numbers once all pairs of types are known: each call brings the tables up to date

  FixContactHistory::Groups groups;
  groups.of_types = models.numbers();
  if (from_films) groups.volume = layout.first[BRIDGE];
  groups.shaped = shapes.groups();
  groups.first_of_shapes = static_cast<int>(models.list().size());
  const std::size_t compiled = pair_groups.size();
  pair_groups.resize((shaped_pairs ? 2 : 1) * models.list().size());
  // new models shift the numbers of groups of shapes
  if (compiled != pair_groups.size())
    for (std::size_t group = 0; group < pair_groups.size(); ++group) compile(group);
  for (std::size_t group = 0; group < pair_groups.size(); ++group) {
    groups.signs.push_back(models.list()[group % models.list().size()].signs(layout));
    groups.acts_across_gap.push_back(pair_groups[group].breaking_gap && !pair_groups[group].attracts);
    groups.from_films.push_back(pair_groups[group].film != nullptr);
  }
  history->serve(this, groups);
  if (bonds.any()) bonds.serve();

  const ContactModel &model = models.of(i, j);
  shapes.check(style, i, j, model);
  radii.warn_of_bridges(i, j, model);
  const double cutoff = radii.cutoff(i, j, model, model.cutoff() > 0.0 ? model.cutoff() : global_cutoff);
  return model.bonds() ? std::max(cutoff, bonds.reach(radii.sum_of_largest(i, j))) : cutoff;
}

// how far spheres overlap
void PairGranularPlus::look_at_start(const granular_plus::Pairs &pairs, const granular_plus::PairGroup &group)
{
  for (int p = group.begin; p < group.end; ++p) {
    const int i = pairs.i(p), j = pairs.j(p);
    const double ri = atom->radius[i], rj = atom->radius[j];
    start_check.look_at(ri + rj - std::sqrt(squared_distance(atom->x[i], atom->x[j])), std::min(ri, rj), atom->tag[i],
                        atom->tag[j]);
  }
}

/* ----------------------------------------------------------------------
   does the time step resolve collisions? With the masses and speeds that there are
------------------------------------------------------------------------- */

void PairGranularPlus::check_step()
{
  Colliders colliders(atom->ntypes);
  const double *mass = masses.empty() ? atom->rmass : masses.data();
  for (int i = 0; i < atom->nlocal; ++i)
    colliders.add(atom->type[i], std::fabs(mass[i]), (atom->mask[i] & frozen) != 0, atom->radius[i], atom->v[i]);
  colliders.sum_up(world);
  Collision shortest;
  const ContactModel *of_shortest = &models.list().front();
  std::string which;
  for (int i = 1; i <= atom->ntypes; ++i)
    for (int j = i; j <= atom->ntypes; ++j) {
      if (!models.has(i, j)) continue;    // of another sub-style of hybrid
      const Collision other = colliders.shortest(models.of(i, j), i, j, update->dt);
      if (!(other.time < shortest.time)) continue;
      shortest = other;
      of_shortest = &models.of(i, j);
      which = fmt::format("{}: types {} {}", style, i, j);
    }
  step_check.judge(lmp, which, *of_shortest, shortest);
}

/* ----------------------------------------------------------------------
   restart: models are written as the text that a user would give
------------------------------------------------------------------------- */

void PairGranularPlus::write_restart_settings(FILE *fp)
{
  fwrite(RESTART_BEGINNING, sizeof(int), 2, fp);
  fwrite(RESTART_NAME, 1, RESTART_BEGINNING[1], fp);
  const double settings[] = {granular_plus::RESTART_FORMAT, global_cutoff, static_cast<double>(ledger_kept)};
  fwrite(settings, sizeof(double), 3, fp);
}

void PairGranularPlus::read_restart_settings(FILE *fp)
{
  int is_ours = 0;
  if (comm->me == 0) {
    int beginning[2];
    char name[sizeof RESTART_NAME] = {};
    utils::sfread(FLERR, beginning, sizeof(int), 2, fp, nullptr, error);
    is_ours = std::equal(beginning, beginning + 2, RESTART_BEGINNING);
    if (is_ours) utils::sfread(FLERR, name, 1, RESTART_BEGINNING[1], fp, nullptr, error);
    is_ours = is_ours && strcmp(name, RESTART_NAME) == 0;
  }
  MPI_Bcast(&is_ours, 1, MPI_INT, 0, world);
  if (!is_ours)
    error->all(
        FLERR,
        "{}: the pair style in the restart file is LAMMPS's own or that of an older granular/plus, and cannot be "
        "read; put `suffix off` before read_restart, and `suffix on` and `pair_style none` behind it, or continue from "
        "a "
        "data file (write_data)",
        style);
  double settings[3];
  if (comm->me == 0) utils::sfread(FLERR, settings, sizeof(double), 3, fp, nullptr, error);
  MPI_Bcast(settings, 3, MPI_DOUBLE, 0, world);
  check_restart_format(lmp, style, settings[0]);
  global_cutoff = settings[1];
  ledger_kept = static_cast<Ledger>(static_cast<int>(settings[2]));
}

void PairGranularPlus::write_restart(FILE *fp)
{
  write_restart_settings(fp);
  for (int i = 1; i <= atom->ntypes; ++i)
    for (int j = i; j <= atom->ntypes; ++j) {
      const std::string text = setflag[i][j] ? models.of(i, j).text() : "";
      const int length = static_cast<int>(text.size());
      fwrite(&length, sizeof(int), 1, fp);
      fwrite(text.data(), 1, length, fp);
    }
}

void PairGranularPlus::read_restart(FILE *fp)
{
  read_restart_settings(fp);
  allocate();
  for (int i = 1; i <= atom->ntypes; ++i)
    for (int j = i; j <= atom->ntypes; ++j) {
      int length = 0;
      if (comm->me == 0) utils::sfread(FLERR, &length, sizeof(int), 1, fp, nullptr, error);
      MPI_Bcast(&length, 1, MPI_INT, 0, world);
      if (length < 0 || length > 65536) error->all(FLERR, "{}: restart file was not written by this style", style);
      if (length == 0) continue;
      std::string text(length, ' ');
      if (comm->me == 0) utils::sfread(FLERR, &text[0], 1, length, fp, nullptr, error);
      MPI_Bcast(&text[0], length, MPI_CHAR, 0, world);
      try {
        give_model(i, i, j, j, ContactModel(utils::split_words(text)));
      } catch (InputError &e) {
        error->all(FLERR, style + ": restart file: " + e.what());
      }
    }
}

/* ----------------------------------------------------------------------
   one pair for output: the force as it stands, history untouched
------------------------------------------------------------------------- */

double PairGranularPlus::single(int i, int j, int itype, int jtype, double rsq, double /*factor_coul*/,
                                double factor_lj, double &fforce)
{
  fforce = 0.0;
  std::fill_n(svector, single_extra, 0.0);
  if (factor_lj == 0.0) return 0.0;

  // pair_write makes up pairs out of nothing
  const int all = atom->nlocal + atom->nghost;
  const bool is_real = i < all && j < all && (masses.empty() || static_cast<int>(masses.size()) >= all);
  constexpr double SAME = 1.0e-6;    // relative: callers may sum the components in another order
  if (!is_real || !(std::fabs(squared_distance(atom->x[i], atom->x[j]) - rsq) <= SAME * rsq))
    error->one(FLERR,
               "{}: the force of a contact depends on two grains, their motion and the contact's past: it is known of "
               "pairs in a run only, and pair_write cannot tabulate it",
               style);

  const granular_plus::SingleContact contact{particles(), history->contacts, models.of(itype, jtype), layout,
                                             *kernels,    update->dt,        shaped_pairs.get()};
  fforce = contact.look_at(i, j, svector, *work);
  if (bonds.any()) fforce += bonds.look_at(i, j, particles(), svector, *work);
  return 0.0;
}

double PairGranularPlus::memory_usage()
{
  return static_cast<double>(masses.capacity()) * sizeof(double) + sizeof(LoopWork) +
      (shaped_pairs ? shaped_pairs->memory_usage() : 0.0) + liquid.memory_usage();
}
