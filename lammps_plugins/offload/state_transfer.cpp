#include "state_transfer.h"

#include "step_plan.h"

#include "../glue/films.h"
#include "../glue/surroundings.h"
#include "../grains/grain_history.h"
#include "../liquid/fix_granular_film.h"

#include "atom.h"
#include "comm.h"
#include "domain.h"
#include "error.h"
#include "force.h"
#include "modify.h"
#include "neighbor.h"
#include "update.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <unordered_map>

using namespace LAMMPS_NS;
using namespace granular_plus;

namespace {

// Initial storage for the contacts and triangles of a grain at a mesh. This storage suffices for most grains.
constexpr steps::MeshRoom FIRST_ROOM{6, 16};

// `added` periods have been added to the position of a grain. Changes the image flags of the grain so that its
// unwrapped position stays the same.
void count_periods(imageint &image, const int *added)
{
  const auto flag = [&](imageint flags, int d) { return (flags - added[d]) & IMGMASK; };
  image = flag(image, 0) | flag(image >> IMGBITS, 1) << IMGBITS | flag(image >> IMG2BITS, 2) << IMG2BITS;
}

void add_to(EnergyLedger &ledger, const std::vector<double> &observed)
{
  std::transform(observed.begin(), observed.end(), ledger.total, ledger.total, std::plus<>());
}

}    // namespace

StateTransfer::StateTransfer(LAMMPS *lmp, std::unique_ptr<GrainEngine> engine)
    : Pointers(lmp), computes(std::move(engine)), poisons(is_switched_on(lmp->error, "GRANULAR_PLUS_POISON"))
{
}

std::string StateTransfer::begin_run()
{
  engine_list_step = -1;
  lists = 0;
  pair = granular_pair(lmp);
  return plan_steps(lmp, plan, walls);
}

// Rebuilds the plan, because a fix may have changed the time step, masses, or the motion of a wall.

std::string StateTransfer::upload()
{
  if (std::string obstacle = plan_steps(lmp, plan, walls); !obstacle.empty()) return obstacle;
  if (pair->grain_radii().sizes_have_changed()) return "";    // LAMMPS must first handle the change
  plan_pairs();
  if (engine_list_step != neighbor->lastcall) upload_list();
  upload_contacts();
  tags.assign(atom->tag, atom->tag + atom->nlocal);
  of_walls.clear();
  rooms.resize(walls.size(), FIRST_ROOM);
  for (std::size_t w = 0; w < walls.size(); ++w) {
    walls[w].provide(rooms[w]);
    plan.walls[w] = walls[w].plan;
    of_walls.push_back(walls[w].upload());
    plan.walls[w].pose = [this, w](int step) { return walls[w].pose(step); };
  }
  computes->load(arrays(), plan, pair->contacts.layout.size, of_pairs, of_walls);
  uploaded = true;
  upload_step = update->ntimestep;
  if (poisons) poison();
  return "";
}

void StateTransfer::download()
{
  if (!uploaded) return;
  uploaded = false;
  const MadeLists made = computes->made_lists();
  if (made.count > 0) make_list_of(made);
  computes->unload(arrays(), of_pairs, of_walls);
  comm->forward_comm();
  download_contacts();
  for (std::size_t w = 0; w < walls.size(); ++w) walls[w].download(of_walls[w], plan.timestep);
  pair->contacts.liquid.add_engine_results(of_pairs.outside_fit);
  const auto drying = FixGranularFilm::drying_fixes(lmp);
  for (std::size_t f = 0; f < of_pairs.evaporated.size(); ++f) drying[f]->count_evaporated(of_pairs.evaporated[f]);
}

std::optional<int> StateTransfer::undo_for_more_room()
{
  int wall;
  bool for_triangles;
  if (!uploaded || !computes->lacks_room(wall, for_triangles)) return {};
  steps::MeshRoom &room = rooms[wall];
  if (for_triangles) {
    room.triangles *= 2;
  } else if (room.contacts < steps::MeshRoom::MOST_CONTACTS) {
    room.contacts = steps::MeshRoom::MOST_CONTACTS;
  } else {
    error->one(FLERR, "granular/plus: fix {}: the number of contacts of a grain must be <= {}; make the mesh smoother",
               walls[wall].name(), room.contacts);
  }
  uploaded = false;
  engine_list_step = -1;
  const auto arrays = changing_arrays();
  for (std::size_t k = 0; k < poisoned.size(); ++k) std::copy(poisoned[k].begin(), poisoned[k].end(), arrays[k].values);
  const int undone = static_cast<int>(update->ntimestep - upload_step);
  update->ntimestep = upload_step;
  neighbor->ago -= undone;
  return undone;
}

// LAMMPS sorts atoms when it builds the first list at or after step `nextsort`. LAMMPS itself must build this list,
// because sums depend on the order of atoms.

int StateTransfer::steps_with_lists() const
{
  if (atom->sortfreq == 0) return std::numeric_limits<int>::max();
  const bigint steps = atom->nextsort - 1 - update->ntimestep;
  return static_cast<int>(std::clamp<bigint>(steps, 0, std::numeric_limits<int>::max()));
}

/* ----------------------------------------------------------------------
   Builds LAMMPS's counterpart of the engine's last list, from the positions that the grains had when the engine built
   its list. The history is still in the engine.
------------------------------------------------------------------------- */

void StateTransfer::make_list_of(const MadeLists &made)
{
  const bigint now = update->ntimestep;
  update->ntimestep = now - made.steps_ago;
  for (int a = 0; a < atom->nlocal; ++a) {
    std::copy_n(&made.position[3 * a], 3, atom->x[a]);
    std::copy_n(&made.velocity[3 * a], 3, atom->v[a]);
    count_periods(atom->image[a], &made.wraps[3 * a]);
  }
  GrainHistory &history = *pair->contact_history();
  ContactList &contacts = history.contacts;
  auto step = LoopOptions::of(true, update->dt, -1);
  for (int twice = 0; twice < 2; ++twice)
    contacts.begin_evaluation(step);    // after two evaluations, no contact is live and none has just ended
  // no atoms are added or removed, so the ledger must not be told of an exchange
  std::function<void(bool)> to_ledger;
  std::swap(to_ledger, history.before_exchange);
  modify->pre_exchange();
  std::swap(to_ledger, history.before_exchange);
  history.lists_distant = true;
  comm->exchange();
  comm->borders();
  modify->pre_neighbor();
  neighbor->build(1);
  modify->post_neighbor();
  history.lists_distant = false;
  pair->contacts.choose_kernels();
  neighbor->ncalls += made.count - 1;
  lists += made.count;
  neighbor->ago = made.steps_ago;
  engine_list_step = neighbor->lastcall;
  update->ntimestep = now;
}

GrainArrays StateTransfer::arrays() const
{
  return {atom->x[0],      atom->v[0],
          atom->omega[0],  atom->f[0],
          atom->torque[0], atom->temperature,
          atom->heatflow,  atom->radius,
          atom->rmass,     pair->contacts.particles().packed_mass,
          atom->mask,      atom->type,
          tags.data(),     moves_liquid() ? films_of(lmp) : nullptr};
}

bool StateTransfer::moves_liquid() const
{
  return pair->contacts.liquid.any() || !plan.evaporation.empty() ||
      std::any_of(plan.walls.begin(), plan.walls.end(), [](const StepPlan::Wall &wall) { return wall.stages.films; });
}

std::vector<StateTransfer::Changing> StateTransfer::changing_arrays() const
{
  const std::size_t grains = atom->nlocal;
  std::vector<Changing> arrays;
  for (double *vectors : {atom->x[0], atom->v[0], atom->omega[0], atom->f[0], atom->torque[0]})
    arrays.push_back({vectors, 3 * grains});
  if (moves_liquid()) arrays.push_back({films_of(lmp), grains});
  if (!plan.warming.empty())
    for (double *values : {atom->temperature, atom->heatflow}) arrays.push_back({values, grains});
  return arrays;
}

void StateTransfer::poison()
{
  poisoned.clear();
  for (const auto &[values, count] : changing_arrays()) {
    poisoned.emplace_back(values, values + count);
    std::fill_n(values, count, std::numeric_limits<double>::quiet_NaN());
  }
}

void StateTransfer::plan_pairs()
{
  const ContactList &contacts = pair->contact_history()->contacts;
  const auto &models = pair->contact_models().list();
  plan.pairs.clear();
  for (int g = 0; g < contacts.groups(); ++g) {
    const PairGroup &group = pair->contacts.groups[g];
    plan.pairs.push_back({contacts.begin(g), contacts.end(g),
                          contact_stages(group, pair->contacts.layout.size, pair->contacts.layout.has_ledger),
                          group.constants, models[g % models.size()].signs(pair->contacts.layout)});
  }
}

void StateTransfer::upload_list()
{
  const ContactList &contacts = pair->contact_history()->contacts;
  std::vector<int> owner;
  const std::vector<int> shifts = shifts_of_atoms(owner);
  ListedPairs list;
  list.both_receive = force->newton_pair != 0;
  std::copy_n(domain->prd, 3, list.period);
  for (int p = 0; p < contacts.size(); ++p) {
    list.i.push_back(contacts.i(p));
    list.j.push_back(owner[contacts.j(p)]);
    list.shift.push_back(shifts[contacts.j(p)]);
  }
  const auto &listed = pair->grain_radii().when_listed();
  for (int a = 0; a < atom->nlocal; ++a) {
    list.positions.insert(list.positions.end(), &listed[GrainRadii::LISTED * a], &listed[GrainRadii::LISTED * a] + 3);
    list.budgets.push_back(pair->grain_neighbors().budget(a));
  }
  computes->set_list(list);
  engine_list_step = neighbor->lastcall;
}

// Returns the shift (see steps::shift_of) of each grain and ghost. `owner` receives the index of the owned grain of
// each grain and ghost.

std::vector<int> StateTransfer::shifts_of_atoms(std::vector<int> &owner) const
{
  std::unordered_map<tagint, int> owners;
  std::vector<int> shifts(atom->nlocal, steps::NO_SHIFT);
  for (int a = 0; a < atom->nlocal; ++a) {
    owners[atom->tag[a]] = a;
    owner.push_back(a);
  }
  for (int ghost = atom->nlocal; ghost < atom->nlocal + atom->nghost; ++ghost) {
    const int a = owners.at(atom->tag[ghost]);
    int periods[3] = {};
    for (int d = 0; d < 3; ++d)
      if (domain->periodicity[d])
        periods[d] = static_cast<int>(std::lround((atom->x[ghost][d] - atom->x[a][d]) / domain->prd[d]));
    owner.push_back(a);
    shifts.push_back(steps::shift_of(periods[0], periods[1], periods[2]));
  }
  return shifts;
}

void StateTransfer::upload_contacts()
{
  const ContactList &contacts = pair->contact_history()->contacts;
  const int count = contacts.size(), values = pair->contacts.layout.size;
  of_pairs.history.assign(static_cast<std::size_t>(count) * values, 0.0);
  of_pairs.alive.assign(count, 0);
  for (int p = 0; p < count; ++p) {
    if (!contacts.is_alive(p)) continue;
    of_pairs.alive[p] = 1;
    for (int h = 0; h < values; ++h) of_pairs.history[static_cast<std::size_t>(h) * count + p] = contacts.row(p)[h];
  }
}

void StateTransfer::download_contacts()
{
  ContactList &contacts = pair->contact_history()->contacts;
  const int count = contacts.size(), values = pair->contacts.layout.size;
  if (of_pairs.alive.size() != static_cast<std::size_t>(count))
    error->one(FLERR, "run_style verlet/plus/gpu: the engine returned {} pairs, but LAMMPS's neighbour list has {}",
               of_pairs.alive.size(), count);
  auto step = LoopOptions::of(true, update->dt, -1);
  contacts.begin_evaluation(step);
  const History history = contacts.history();
  for (int p = 0; p < count; ++p) {
    if (!of_pairs.alive[p]) continue;
    double *row = history.row(history.take_slot(p));
    for (int h = 0; h < values; ++h) row[h] = of_pairs.history[static_cast<std::size_t>(h) * count + p];
    row[values] = step.stamp_now;
  }
  contacts.discard_near_pairs();
  EnergyLedger &ledger = pair->contact_history()->ledger;
  if (!ledger.started) return;
  add_to(ledger, of_pairs.observed);
  ledger.heat_made += plan.timestep * of_pairs.heat_made;
}
