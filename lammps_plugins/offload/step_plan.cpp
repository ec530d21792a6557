#include "step_plan.h"

#include "../energy/dissipation_receiver.h"
#include "../glue/gravity.h"
#include "../glue/heat_flow.h"
#include "../glue/surroundings.h"
#include "../liquid/fix_granular_film.h"
#include "../motion/fix_granular_temperature.h"
#include "../motion/fix_nve_sphere_plus.h"

#include "atom.h"
#include "comm.h"
#include "domain.h"
#include "force.h"
#include "modify.h"
#include "output.h"
#include "update.h"

#include <algorithm>
#include <optional>

using namespace LAMMPS_NS;
using granular_plus::StepPlan;

namespace {

constexpr int IN_EVERY_STEP = FixConst::INITIAL_INTEGRATE | FixConst::POST_INTEGRATE | FixConst::PRE_FORCE |
    FixConst::PRE_REVERSE | FixConst::POST_FORCE | FixConst::FINAL_INTEGRATE;

const char *const IN_EVERY = " acts in every step and has no GPU version";

std::string named(const Fix *fix) { return fmt::format("fix {} (style {})", fix->id, fix->style); }

bool moves_spheres(LAMMPS *lmp, Fix *fix)
{
  if (const auto *ours = dynamic_cast<FixNVESpherePlus *>(fix)) return !ours->is_left_to_lammps();
  // the keywords of fix nve/sphere need dipoles or two dimensions, neither of which the engine accepts
  return !strcmp(fix->style, "nve/sphere") && !lmp->atom->mu_flag;
}

const FixGranularFilm *film_fix(const Fix *fix) { return dynamic_cast<const FixGranularFilm *>(fix); }

bool watches_contacts(const Fix *fix) { return !strcmp(fix->style, "GRANULAR_PLUS/HISTORY"); }

// The fix of a dynamic group has an empty mask, but LAMMPS calls it nevertheless. Fix GRANULAR_PLUS/HISTORY acts at the
// end of a step only if gravity changes, and a plan cannot contain a gravity that changes.
bool acts_at_own_steps(LAMMPS *lmp, Fix *fix)
{
  return !strcmp(fix->style, "GROUP") ||
      (lmp->modify->get_fix_mask(fix) & FixConst::END_OF_STEP && !watches_contacts(fix) && !film_fix(fix));
}

std::vector<double> heat_capacities(LAMMPS *lmp, Fix *heat_flow)
{
  const Atom &atom = *lmp->atom;
  std::vector<double> capacities;
  for (int a = 0; a < atom.nlocal; ++a) capacities.push_back(specific_heat(heat_flow, atom.type[a]) * atom.rmass[a]);
  return capacities;
}

std::string add_fix(LAMMPS *lmp, Fix *fix, StepPlan &plan, std::vector<WallTransfer> &walls)
{
  using Action = StepPlan::Action;
  if (watches_contacts(fix)) return "";    // the engine also checks motion budgets
  if (moves_spheres(lmp, fix)) {
    auto &movement = plan.movement;
    if (movement.count == granular_plus::steps::Movement::MOST)
      return fmt::format("{}: the number of fixes that move grains must be <= {}", named(fix), movement.count);
    movement.groups[movement.count++] = fix->groupbit;
    return "";
  }
  if (!strcmp(fix->style, "gravity")) {
    Action action{Action::GRAVITY, fix->groupbit, {}, 0};
    if (!constant_gravity(fix, action.acceleration)) return named(fix) + ": gravity that depends on a variable";
    plan.actions.push_back(action);
    return "";
  }
  if (!strcmp(fix->style, "freeze")) {
    plan.actions.push_back({Action::FREEZE, fix->groupbit, {}, 0});
    return "";
  }
  if (!strcmp(fix->style, "heat/flow")) {
    plan.warming.push_back({fix->groupbit, heat_capacities(lmp, fix)});
    return "";
  }
  if (const auto *new_grains = dynamic_cast<FixGranularTemperature *>(fix)) {    // LAMMPS inserts grains
    if (new_grains->grows()) return named(fix) + ": grains that expand";
    return new_grains->initial_varies() ? named(fix) + ": keyword initial with a variable" : "";
  }
  if (auto *wall = dynamic_cast<FixWallGranularPlus *>(fix)) {
    const WallTransfer transfer(*wall);
    if (!transfer.obstacle.empty()) return named(fix) + ": " + transfer.obstacle;
    plan.actions.push_back({Action::WALL, fix->groupbit, {}, static_cast<int>(walls.size())});
    plan.walls.push_back(transfer.plan);
    plan.observables = std::max(plan.observables, transfer.observables);
    walls.push_back(transfer);
    return "";
  }
  return named(fix) + IN_EVERY;
}

std::string of_set_up(LAMMPS *lmp)
{
  const Atom &atom = *lmp->atom;
  const Force &force = *lmp->force;
  if (lmp->comm->nprocs > 1) return fmt::format("{} MPI ranks instead of 1", lmp->comm->nprocs);
  if (lmp->domain->dimension != 3) return "dimension 2";
  if (lmp->domain->triclinic) return "a triclinic box";
  if (atom.molecular != Atom::ATOMIC) return "an atom style with molecules";
  if (atom.firstgroup >= 0) return "atom_modify first";
  if (force.kspace) return "a kspace style";
  const PairGranularPlus *pair = granular_pair(lmp);
  if (!pair || force.pair != pair) return "a pair style other than granular/plus, or granular/plus within hybrid";
  if (pair->bonds.any()) return "bonds";
  if (const auto *sums = DissipationReceiver::permanent_receiver(lmp))
    return fmt::format("compute {} (style {}), which sums the losses of contacts in every step", sums->id, sums->style);
  if (const std::string more = pair->contacts.obstacle_on_gpu(); !more.empty()) return more;
  return "";
}

// Returns whether a fix acts whenever LAMMPS builds a list, even if the fix has not requested this list.
bool acts_at_lists(LAMMPS *lmp, Fix *fix)
{
  constexpr int AT_LISTS = FixConst::PRE_EXCHANGE | FixConst::PRE_NEIGHBOR | FixConst::POST_NEIGHBOR;
  if (!(lmp->modify->get_fix_mask(fix) & AT_LISTS)) return false;
  const auto inserting = inserting_fixes(lmp);
  return !utils::strmatch(fix->style, "^GRANULAR_PLUS/") && !dynamic_cast<FixWallGranularPlus *>(fix) &&
      std::find(inserting.begin(), inserting.end(), fix) == inserting.end();
}

// Returns the obstacle, or an empty string if there is none. Also determines whether grains or walls radiate.
std::string plan_heat(LAMMPS *lmp, StepPlan &plan)
{
  bool passes_heat = false;
  const auto see = [&](bool passes, const granular_plus::ModelConstants &model) {
    passes_heat = passes_heat || passes;
    plan.radiates = plan.radiates || model.gap_heat.stefan_boltzmann > 0.0;
  };
  for (const auto &group : granular_pair(lmp)->contacts.groups) see(group.passes_heat, group.constants);
  for (const StepPlan::Wall &wall : plan.walls) see(wall.stages.passes_heat, wall.model);
  return passes_heat && plan.warming.empty() ? "keyword heat without fix heat/flow" : "";
}

// Returns what the engine needs to build neighbour lists, or nothing if LAMMPS must build them.
std::optional<StepPlan::Lists> plan_lists(LAMMPS *lmp)
{
  const PairGranularPlus *pair = granular_pair(lmp);
  const Domain &domain = *lmp->domain;
  const auto &fixes = lmp->modify->get_fix_list();
  if (lmp->force->newton_pair || !pair->grain_neighbors().follow_from_budgets()) return {};
  if (domain.nonperiodic == 2 || pair->contacts.shapes.groups())
    return {};    // if nonperiodic is 2, the size of the box depends on the grains
  if (std::any_of(fixes.begin(), fixes.end(), [lmp](Fix *fix) { return acts_at_lists(lmp, fix); })) return {};
  const GrainNeighbors &neighbors = pair->grain_neighbors();
  StepPlan::Lists lists{{}, neighbors.budget_rule(), lmp->atom->ntypes, {}, {}, neighbors.widest_gap()};
  for (int d = 0; d < 3; ++d) {
    lists.box.low[d] = domain.boxlo[d];
    lists.box.high[d] = domain.boxhi[d];
    lists.box.period[d] = domain.prd[d];
    lists.box.periodic[d] = domain.periodicity[d] != 0;
  }
  const int width = lists.types + 1;
  lists.groups.assign(static_cast<std::size_t>(width) * width, -1);
  lists.gaps.assign(lists.groups.size(), 0.0);
  const auto &groups = pair->contact_models().numbers();
  for (int i = 1; i < width; ++i)
    for (int j = 1; j < width; ++j) {
      lists.groups[i * width + j] = groups[i][j];
      lists.gaps[i * width + j] = neighbors.gap_of_types(i, j);
    }
  return lists;
}

std::string of_list(LAMMPS *lmp)
{
  const PairGranularPlus *pair = granular_pair(lmp);
  if (pair->grain_radii().have_varied()) return "radii that change";
  if (!pair->grain_neighbors().watch_all_moves())
    return "a neighbour list without motion budgets (LAMMPS's list, neigh_modify check no, or a fix that may move "
           "grains after the integration)";
  return "";
}

}    // namespace

std::string LAMMPS_NS::plan_steps(LAMMPS *lmp, StepPlan &plan, std::vector<WallTransfer> &walls)
{
  plan = {};
  walls.clear();
  if (std::string obstacle = of_set_up(lmp); !obstacle.empty()) return obstacle;
  constexpr double INERTIA = 0.4;    // moment of inertia of a sphere divided by mass and radius squared
  const double half_step = 0.5 * lmp->update->dt * lmp->force->ftm2v;
  plan.timestep = lmp->update->dt;
  const auto &layout = granular_pair(lmp)->contacts.layout;
  plan.observables = layout.has_ledger ? layout.observables : 0;
  plan.movement.per_mass = half_step;
  plan.movement.per_inertia = half_step / INERTIA;
  plan.movement.timestep = lmp->update->dt;
  for (Fix *fix : lmp->modify->get_fix_list()) {
    if (fix->box_change & ~Fix::BOX_CHANGE_DOMAIN) return named(fix) + " changes the box";
    if (const auto *film = film_fix(fix); film && film->sprays()) return named(fix) + ": keyword supply";
    if (acts_at_own_steps(lmp, fix) && fix->nevery == 1) return named(fix) + IN_EVERY;
    if (!(lmp->modify->get_fix_mask(fix) & IN_EVERY_STEP)) continue;
    if (std::string obstacle = add_fix(lmp, fix, plan, walls); !obstacle.empty()) return obstacle;
  }
  for (const FixGranularFilm *film : FixGranularFilm::drying_fixes(lmp))
    plan.evaporation.push_back(film->evaporation());
  if (std::string obstacle = plan_heat(lmp, plan); !obstacle.empty()) return obstacle;
  if (std::string obstacle = of_list(lmp); !obstacle.empty()) return obstacle;
  plan.lists = plan_lists(lmp);
  return "";
}

bool LAMMPS_NS::needs_lammps(LAMMPS *lmp, bigint step)
{
  if (step == lmp->output->next || step == lmp->update->laststep) return true;
  const auto &fixes = lmp->modify->get_fix_list();
  return std::any_of(fixes.begin(), fixes.end(), [&](Fix *fix) {
    if (fix->force_reneighbor && fix->next_reneighbor == step) return true;
    return acts_at_own_steps(lmp, fix) && step % fix->nevery == 0;
  });
}
