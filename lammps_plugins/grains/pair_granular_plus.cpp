/* ----------------------------------------------------------------------
   pair_style granular/plus: commands, restart files and the functions that LAMMPS calls. GrainContacts computes the
   contacts, and GrainLedger keeps their ledger.
------------------------------------------------------------------------- */

#include "pair_granular_plus.h"

#include "grain_history.h"
#include "../glue/restart_header.h"

#include "../core/ledger/outputs.h"

#include "atom.h"
#include "comm.h"
#include "error.h"
#include "force.h"
#include "memory.h"
#include "neighbor.h"
#include "update.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace LAMMPS_NS;
using granular_plus::BRIDGE;
using granular_plus::ContactModel;
using granular_plus::InputError;
using granular_plus::Ledger;
using granular_plus::LoopWork;
using granular_plus::Mode;

namespace {

constexpr int SETTINGS = 6;    // number of settings in a restart file

// all pair styles of this class; LAMMPS may list them under the names of its own styles
std::vector<PairGranularPlus *> instances;

}    // namespace

const Options<PairGranularPlus> PairGranularPlus::OPTIONS(
    "pair_style granular/plus",
    {{"ledger",
      {Operand::yes_or_no("collisions")},
      "yes: keep the energy ledger for compute granular/ledger; collisions: keep the ledger and store the approach "
      "speed, duration and largest overlap of each contact",
      "no",
      [](PairGranularPlus &pair, const Operands &given) {
        pair.ledger_kept = given.word(0) == "collisions" ? Ledger::COLLISIONS : given.yes(0) ? Ledger::YES : Ledger::NO;
      }},
     {"list",
      {Operand::one_of("chosen own lammps")},
      "own: use the neighbour list of granular/plus, in which every grain has a motion budget, and log the reason if "
      "LAMMPS's list must be used instead; lammps: use LAMMPS's list; chosen: like own, but log no reason",
      "chosen",
      [](PairGranularPlus &pair, const Operands &given) {
        using List = GrainNeighbors::List;
        pair.neighbors.choice.list = given.word(0) == "own" ? List::OWN
            : given.word(0) == "lammps"                     ? List::LAMMPS
                                                            : List::CHOSEN;
      }},
     {"skin",
      {Operand::one_of("chosen given")},
      "given: use the skin of the command neighbor; chosen: if the neighbour list of granular/plus is used, set a skin "
      "that is wide enough for the fastest grain",
      "chosen",
      [](PairGranularPlus &pair, const Operands &given) {
        pair.neighbors.choice.skin_given = given.word(0) == "given";
      }}});

PairGranularPlus::PairGranularPlus(LAMMPS *lmp, const char *style)
    : Pair(lmp), style(style), history_place(lmp, "HISTORY"), radii(lmp, [this] { contacts.send_sizes(); }),
      neighbors(lmp, this, radii), bonds(lmp, neighbors, this->style, models, history_place.number),
      contacts(lmp, this, this->style, models, neighbors), grain_ledger(lmp, contacts, bonds, history),
      stand_in(lmp, this, this->style), list_check(lmp)
{
  single_enable = 1;
  no_virial_fdotr_compute = 1;
  centroidstressflag = CENTROID_NOTAVAIL;
  finitecutflag = 1;
  comm_forward = NonlocalForces::MOST_SENT;    // also suffices for masses, films and positions
  comm_reverse = 1;
  // With newton off, the buffer is used for the forces of bonds on ghosts and for the dissipation of ghosts.
  comm_reverse_off = std::max<int>(FixGranularBondHistory::REVERSE, granular_plus::dissipation_output::COUNT);

  single_extra = granular_plus::pair_output::COUNT;
  svector = new double[single_extra];

  history_place.reserve();
  instances.push_back(this);
}

PairGranularPlus::~PairGranularPlus()
{
  instances.erase(std::find(instances.begin(), instances.end(), this));
  delete[] svector;
  if (allocated) {
    memory->destroy(setflag);
    memory->destroy(cutsq);
  }
}

void PairGranularPlus::compute(int eflag, int vflag)
{
  ev_init(eflag, vflag);
  contacts.nonlocal.evaluate_sums(contacts_go_on(*update));
  radii.update_sizes(models, beyond_contact);
  contacts.sizes_changed = radii.have_changed();
  if (radii.may_miss_pairs()) history->next_reneighbor = update->ntimestep + 1;
  contacts.prepare();
  if (list_check.is_on()) list_check.check(models, neighbors, history->contacts);
  history->mark_list_newer();
  if (bonds.any()) bonds.history->mark_list_newer();
  if (bonds.any() && !force->newton_pair && (vflag_atom || cvflag_atom))
    error->all(FLERR, "{}: per-atom stress with bonds requires newton on", style);
  const auto evaluate = [this] {
    contacts.evaluate(evflag || has_ledger() ? process_batch : nullptr, this);
    if (bonds.any())
      bonds.evaluate(contacts.particles(), contacts.bounds_safe_kernels(), receive_bonds, this, *contacts.work);
  };
  has_ledger() ? grain_ledger.run_evaluation(evaluate) : evaluate();
  contacts.warn();
}

void PairGranularPlus::process_batch(void *receiver, const LoopWork &work, Mode mode)
{
  auto *pair = static_cast<PairGranularPlus *>(receiver);
  const bool seen_once = pair->contacts.see_pairs_once();
  if (mode != Mode::ENDED_CONTACTS) pair->tally_virial(work, seen_once);
  pair->grain_ledger.tally(work, mode, !seen_once);
  pair->grain_ledger.report_to_growth(work, mode);
}

void PairGranularPlus::receive_bonds(void *receiver, const LoopWork &work, Mode mode)
{
  auto *pair = static_cast<PairGranularPlus *>(receiver);
  pair->tally_virial(work, true);
  pair->grain_ledger.tally(work, mode, false);
  pair->bonds.note_broken(work);
}

void PairGranularPlus::tally_virial(const LoopWork &work, bool seen_once)
{
  if (!evflag) return;
  const auto &b = work.batch;
  for (int l = 0; l < b.count; ++l)
    ev_tally_xyz(work.i(l), work.j(l), atom->nlocal, seen_once, 0.0, 0.0, b.force[0][l], b.force[1][l], b.force[2][l],
                 b.separation[0][l], b.separation[1][l], b.separation[2][l]);
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
    if (pair->belongs_to(lmp) && pair->contacts.liquid.any()) return pair;
  return nullptr;
}

int PairGranularPlus::pack_forward_comm(int n, int *atoms, double *buf, int /*pbc_flag*/, int * /*pbc*/)
{
  return contacts.pack_forward(n, atoms, buf);
}

void PairGranularPlus::unpack_forward_comm(int n, int start, double *buf) { contacts.unpack_forward(n, start, buf); }

int PairGranularPlus::pack_reverse_comm(int n, int start, double *buf)
{
  return contacts.liquid.pack_reverse(n, start, buf);
}

void PairGranularPlus::unpack_reverse_comm(int n, int *atoms, double *buf)
{
  contacts.liquid.unpack_reverse(n, atoms, buf);
}

void PairGranularPlus::allocate()
{
  allocated = 1;
  const int n = atom->ntypes + 1;
  memory->create(setflag, n, n, "pair:setflag");
  memory->create(cutsq, n, n, "pair:cutsq");
  for (int i = 0; i < n; ++i) std::fill_n(setflag[i], n, 0);
  models.clear(atom->ntypes);
}

void PairGranularPlus::settings(int narg, char **arg)
{
  stand_in.begin(narg, arg);
  global_cutoff = -1.0;
  ledger_kept = Ledger::NO;
  neighbors.choice = {};
  std::size_t next = 0;
  if (narg > 0 && utils::is_double(arg[0])) {
    global_cutoff = utils::numeric(FLERR, arg[0], false, lmp);
    if (!(global_cutoff > 0.0 && std::isfinite(global_cutoff)))
      error->all(FLERR, "granular/plus: cutoff = {} must be > 0", arg[0]);
    next = 1;
  }
  OptionReader reader(lmp, "pair_style granular/plus", {OPTIONS.of(*this)});
  reader.refuse = [](const std::string &word) {
    return utils::is_double(word) ? word + " must come before all keywords if this number is the cutoff" : "";
  };
  reader.read({arg, arg + narg}, next);
}

void PairGranularPlus::coeff(int narg, char **arg)
{
  if (narg < 3) error->all(FLERR, "granular/plus: pair_coeff needs two types and a normal model");
  stand_in.add(narg, arg);
  set_coefficients(arg[0], arg[1], std::vector<std::string>(arg + 2, arg + narg));
}

void PairGranularPlus::set_coefficients(const char *itypes, const char *jtypes, std::vector<std::string> words)
{
  add_slider(words, stand_in.slider);
  if (!allocated) allocate();

  int ilo, ihi, jlo, jhi;
  try {
    utils::bounds(FLERR, itypes, 1, atom->ntypes, ilo, ihi, error);
    utils::bounds(FLERR, jtypes, 1, atom->ntypes, jlo, jhi, error);
  } catch (std::logic_error &) {    // thrown by std::stol; LAMMPS does not catch it
    error->all(FLERR, "{}: pair_coeff {} {}: types must be numbers or ranges", style, itypes, jtypes);
  }
  if (ilo > ihi || jlo > jhi || ilo > jhi)
    error->all(FLERR, "{}: pair_coeff {} {} selects no pair of types with I <= J", style, itypes, jtypes);

  try {
    const ContactModel model(words);
    if (!model.advice().empty() && comm->me == 0) error->warning(FLERR, style + ": " + model.advice());
    give_model(ilo, ihi, jlo, jhi, model);
  } catch (InputError &e) {
    stand_in.leave_to_lammps(e.what());
  }
}

void PairGranularPlus::give_model(int ilo, int ihi, int jlo, int jhi, const ContactModel &model)
{
  models.give(ilo, ihi, jlo, jhi, model);
  for (int i = ilo; i <= ihi; ++i)
    for (int j = std::max(jlo, i); j <= jhi; ++j) setflag[i][j] = 1;
  beyond_contact = models.any([](const ContactModel &each) { return each.acts_across_gap() || each.bonds(); });
  if (model.bonds()) bonds.reserve_place();
}

void PairGranularPlus::init_style()
{
  if (!atom->radius_flag || !atom->rmass_flag || !atom->omega_flag)
    error->all(FLERR, "Pair {} requires the atom attributes radius, rmass and omega (atom_style sphere)", style);
  if (comm->ghost_velocity == 0)
    error->all(FLERR, "Pair {} requires that ghost atoms store velocities (comm_modify vel yes)", style);
  std::string creates_energy;
  for (const ContactModel &model : models.list())
    if (creates_energy.empty()) creates_energy = model.energy_creating_law();
  stand_in.log_once(creates_energy);
  check_surroundings(lmp, style);
  for (const ContactModel &model : models.list()) check_prescribed_time(lmp, style, model);
  if (models.any([](const ContactModel &model) { return model.friction() > 0.0; }))
    warn_of_grains_that_do_not_turn(lmp, style);

  history = history_place.find();
  if (history) history->store_contacts_with_atoms();
  models.drop_mixed();

  contacts.init(ledger_kept);
  check_that_films_feed_one_style();
  history = history_place.fill(style, contacts.layout);
  contacts.set_list_and_ledger(history->contacts, history->ledger);
  bonds.init(has_ledger(), contacts.shapes.any());
  history->force_reneighbor = 1;
  history->next_reneighbor = -1;
  history->after_listing = [this] { radii.remember_list(); };
  history->for_new_grain = [this](int grain) { contacts.nonlocal.forget(grain); };
  grain_ledger.open(has_ledger());
  radii.init(style, contacts.kernels(), contacts.frozen);
  neighbors.init(beyond_contact, contacts.nonlocal.change_radii(), contacts.see_pairs_once(), radii.largest());
  neighbors.refresh_gaps = [this] { refresh_gaps(); };
  history->watch_budgets(neighbors.are_own());
}

bool PairGranularPlus::has_films() const
{
  return models.any([](const ContactModel &model) { return model.from_films(); });
}

void PairGranularPlus::check_that_films_feed_one_style() const
{
  if (!has_films()) return;
  for (const PairGranularPlus *other : instances)
    if (other != this && other->belongs_to(lmp) && other->has_films())
      error->all(
          FLERR,
          "{}: two sub-styles of hybrid, {} and {}, have the keyword film; use this keyword in only one sub-style, for "
          "example in capillary/willett, which can be added to other styles for any types",
          style, other->style, style);
}

void PairGranularPlus::reset_dt()
{
  contacts.reset_timestep();
  bonds.reset_timestep();
  // between runs, the time step may be set before the coefficients
  if (update->whichflag != 0)
    for (const ContactModel &model : models.list()) check_prescribed_time(lmp, style, model);
}

double PairGranularPlus::init_one(int i, int j)
{
  if (!models.has(i, j)) {
    if (!models.has(i, i) || !models.has(j, j))
      error->all(FLERR,
                 "{}: pair_coeff is missing for types {} {}; give this pair_coeff, or give pair_coeff for each of the "
                 "two types with itself, so that their models are mixed",
                 style, i, j);
    try {
      models.mix(i, j);
    } catch (InputError &e) {
      error->all(FLERR, fmt::format("{}: types {} {}: ", style, i, j) + e.what());
    }
    const std::string advice = models.of(i, j).advice_on_mixing();
    if (!advice.empty() && comm->me == 0)
      error->warning(FLERR, "granular/plus: types {} {}: {}, or give pair_coeff {} {}", i, j, advice, i, j);
  }

  contacts.make_groups();
  set_history_groups();
  if (bonds.any()) bonds.set_groups();

  const ContactModel &model = models.of(i, j);
  contacts.shapes.check(style, i, j, model);
  radii.warn_of_bridges(i, j, model);
  const double cutoff = radii.cutoff(i, j, model, model.cutoff() > 0.0 ? model.cutoff() : global_cutoff);
  set_gap(i, j);
  return std::max(cutoff, model.bonds() ? bonds.reach(radii.sum_of_largest(i, j)) : 0.0);
}

void PairGranularPlus::set_gap(int i, int j)
{
  const ContactModel &model = models.of(i, j);
  if (!model.acts_across_gap() && !model.bonds()) return;
  const double touch = radii.sum_of_largest(i, j), of_bonds = model.bonds() ? bonds.reach(touch) - touch : 0.0;
  neighbors.set_gap(i, j, std::max(radii.widest_gap(i, j, model), of_bonds));
}

void PairGranularPlus::refresh_gaps()
{
  radii.find();
  for (int i = 1; i <= atom->ntypes; ++i)
    for (int j = i; j <= atom->ntypes; ++j)
      if (models.has(i, j)) set_gap(i, j);
}

void PairGranularPlus::set_history_groups()
{
  const auto &list = models.list();
  GrainHistory::Groups groups;
  groups.of_types = models.numbers();
  if (contacts.liquid.any()) groups.volume = contacts.layout.first[BRIDGE];
  groups.shaped = contacts.shapes.groups();
  groups.first_of_shapes = static_cast<int>(list.size());
  for (std::size_t k = 0; k < contacts.groups.size(); ++k) {
    const auto &group = contacts.groups[k];
    groups.signs.push_back(list[k % list.size()].signs(contacts.layout));
    groups.acts_across_gap.push_back(group.breaking_gap && !group.attracts && !group.heat_crosses_gaps);
    groups.from_films.push_back(group.film);
  }
  history->set_groups(&neighbors, groups);
}

/* ----------------------------------------------------------------------
   Writes each model as the words of its pair_coeff command.
------------------------------------------------------------------------- */

void PairGranularPlus::write_restart_settings(FILE *fp)
{
  const std::string beginning = stand_in.beginning_of_restart(stand_in.is_last());
  fwrite(beginning.data(), 1, beginning.size(), fp);
  const double settings[SETTINGS] = {
      granular_plus::RESTART_FORMAT,           global_cutoff,
      static_cast<double>(ledger_kept),        static_cast<double>(neighbors.choice.list),
      neighbors.choice.skin_given ? 1.0 : 0.0, neighbors.skin_in_restart()};
  fwrite(settings, sizeof(double), SETTINGS, fp);
}

void PairGranularPlus::read_restart_settings(FILE *fp)
{
  int is_ours = 0;
  if (comm->me == 0) {
    std::string beginning;
    // The text for the last style of a hybrid is at least as long as the text for the other styles. The second pass
    // reads only the bytes that the first pass has not read.
    for (const bool last : {false, true}) {
      const std::string ours = stand_in.beginning_of_restart(last);
      const std::size_t known = beginning.size();
      beginning.resize(ours.size());
      utils::sfread(FLERR, &beginning[known], 1, ours.size() - known, fp, nullptr, error);
      is_ours = beginning == ours;
      if (is_ours) break;
    }
  }
  MPI_Bcast(&is_ours, 1, MPI_INT, 0, world);
  if (!is_ours)
    error->all(
        FLERR,
        "{}: cannot read the pair style in the restart file, because the file was written by LAMMPS's own style or "
        "by an older granular/plus; put `suffix off` before read_restart, and put `suffix on` and `pair_style "
        "none` after read_restart, or continue from a data file (write_data)",
        style);
  double settings[SETTINGS];
  if (comm->me == 0) utils::sfread(FLERR, settings, sizeof(double), SETTINGS, fp, nullptr, error);
  MPI_Bcast(settings, SETTINGS, MPI_DOUBLE, 0, world);
  check_restart_format(lmp, style, settings[0]);
  global_cutoff = settings[1];
  ledger_kept = static_cast<Ledger>(static_cast<int>(settings[2]));
  neighbors.choice.list = static_cast<GrainNeighbors::List>(static_cast<int>(settings[3]));
  neighbors.choice.skin_given = settings[4] != 0.0;
  neighbors.restore_skin(settings[5]);
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
      if (length < 0 || length > 65536) error->all(FLERR, "{}: the restart file was not written by this style", style);
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

double PairGranularPlus::single(int i, int j, int itype, int jtype, double rsq, double /*factor_coul*/,
                                double factor_lj, double &fforce)
{
  fforce = 0.0;
  std::fill_n(svector, single_extra, 0.0);
  if (factor_lj == 0.0) return 0.0;

  if (!contacts.pair_exists(i, j, rsq))
    error->one(FLERR,
               "{}: pair_write cannot tabulate the force of a contact, because this force depends on the motion of the "
               "two grains and on the history of their contact",
               style);
  fforce = contacts.inspect_pair(i, j, models.of(itype, jtype), svector);
  if (bonds.any()) fforce += bonds.inspect_pair(i, j, contacts.particles(), svector, *contacts.work);
  return 0.0;
}

double PairGranularPlus::memory_usage() { return contacts.memory_usage() + neighbors.memory_usage(); }
