#include "surroundings.h"

#include "over_ranks.h"

#include "atom.h"
#include "comm.h"
#include "error.h"
#include "fix.h"
#include "force.h"
#include "modify.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

using namespace LAMMPS_NS;

bool LAMMPS_NS::is_switched_on(Error *error, const char *name)
{
  const char *value = std::getenv(name);
  const std::string word = value ? value : "";
  if (word != "" && word != "yes" && word != "no")
    error->all(FLERR, "granular/plus: environment variable {} = {} must be yes or no", name, word);
  return word == "yes";
}

void LAMMPS_NS::check_surroundings(LAMMPS *lmp, const std::string &message_prefix)
{
  // respa integrates contacts with the outermost time step
  if (utils::strmatch(lmp->update->integrate_style, "^respa"))
    lmp->error->all(FLERR, "{} cannot be combined with run_style respa; use run_style verlet", message_prefix);
  if (lmp->update->dt < 0.0)
    lmp->error->all(FLERR, "{}: timestep = {:g} must be >= 0", message_prefix, lmp->update->dt);

  if (lmp->comm->style == Comm::TILED && lmp->force->newton_pair)
    lmp->error->all(FLERR,
                    "{} cannot be combined with comm_style tiled and newton on: contact history needs reverse "
                    "communication of variable size, which comm_style tiled does not provide; use newton off",
                    message_prefix);
}

void LAMMPS_NS::warn_of_grains_that_do_not_turn(LAMMPS *lmp, const std::string &message_prefix)
{
  for (const char *style : {"^nve$", "^nve/limit$", "^nvt$", "^npt$", "^nph$"})
    for (const Fix *fix : lmp->modify->get_fix_by_style(style))
      if (lmp->comm->me == 0)
        lmp->error->warning(FLERR,
                            "{}: fix {} {} does not rotate the grains that it moves, even if friction exerts torques "
                            "on them; use fix nve/sphere if these grains should rotate",
                            message_prefix, fix->id, fix->style);
}

void StartCheck::end(LAMMPS *lmp, const std::string &message_prefix)
{
  struct {
    double overlap;
    int rank;
  } here{deepest, lmp->comm->me}, found;
  MPI_Allreduce(&here, &found, 1, MPI_DOUBLE_INT, MPI_MAXLOC, lmp->world);
  // warns again only after an increase by this factor
  constexpr double MUCH = 1.1;
  if (!(found.overlap > warned_of)) return;
  warned_of = MUCH * found.overlap;
  MPI_Bcast(grains, 2, MPI_LMP_TAGINT, found.rank, lmp->world);
  if (lmp->comm->me == 0)
    lmp->error->warning(FLERR,
                        "{}: at the start of the run grain {} overlaps {} by {:.0f} % of {} unless the contacts are "
                        "very soft",
                        message_prefix, grains[0],
                        grains[1] ? fmt::format("grain {}", grains[1]) : std::string("the wall"), 100.0 * found.overlap,
                        grains[1] ? "the smaller radius; the grains will fly apart"
                                  : "the grain's radius; the grain will be thrown out");
}

std::vector<Fix *> LAMMPS_NS::inserting_fixes(LAMMPS *lmp)
{
  std::vector<Fix *> fixes;
  for (const char *style : {"^pour", "^deposit", "^granular/insert"})
    for (const auto &fix : lmp->modify->get_fix_by_style(style)) fixes.push_back(fix);
  return fixes;
}

void LAMMPS_NS::check_temperatures(LAMMPS *lmp, const std::string &message_prefix)
{
  if (!lmp->atom->temperature_flag || !lmp->atom->heatflow_flag)
    lmp->error->all(FLERR,
                    "{}: keyword heat needs the temperatures and heat flow of grains; use fix ID all property/atom "
                    "temperature heatflow ghost yes",
                    message_prefix);
}

void LAMMPS_NS::warn_of_constant_temperatures(LAMMPS *lmp, const std::string &message_prefix)
{
  if (lmp->modify->get_fix_by_style("^heat/flow").empty() && lmp->comm->me == 0)
    lmp->error->warning(
        FLERR,
        "{}: there is no fix heat/flow, so the temperatures of grains do not change and their heat flow accumulates "
        "from step to step; add fix ID all heat/flow constant C, where C is the specific heat",
        message_prefix);
}

void LAMMPS_NS::check_prescribed_time(LAMMPS *lmp, const std::string &message_prefix,
                                      const granular_plus::ContactModel &model)
{
  const double timestep = lmp->update->dt, time = model.prescribed_time(timestep);
  if (time >= FEWEST_STEPS * timestep * (1.0 - 1.0e-9)) return;    // includes a margin for rounding
  const std::string &law = model.law(granular_plus::NORMAL).name;
  if (model.time_in_steps())
    lmp->error->all(FLERR, "{}: normal {}: steps = {:.6g} (the collision time in time steps) must be >= {:g}",
                    message_prefix, law, time / timestep, FEWEST_STEPS);
  lmp->error->all(FLERR,
                  "{}: normal {}: collision time Tc = {:.6g} ({:.3g} time steps) must be >= {:g} time steps; use a "
                  "timestep <= {:.3g}",
                  message_prefix, law, time, time / timestep, FEWEST_STEPS, time / ENOUGH_STEPS);
}

/* ----------------------------------------------------------------------
   Only the command rerun calls setup at a step that is not the first of its run, or with
   nsteps != laststep - firststep.
------------------------------------------------------------------------- */

bool LAMMPS_NS::is_frame_of_rerun(const Update &update)
{
  return update.setupflag != 0 &&
      (update.ntimestep != update.firststep || update.laststep - update.firststep != update.nsteps);
}

void RigidBodies::find(LAMMPS *lmp)
{
  fixes.clear();
  for (const auto &fix : lmp->modify->get_fix_list())
    if (fix->rigid_flag) fixes.push_back(fix);
  arrays.clear();
}

void RigidBodies::find_arrays()
{
  arrays.clear();
  int dimension;
  for (Fix *fix : fixes)
    arrays.push_back({static_cast<int *>(fix->extract("body", dimension)),
                      static_cast<double *>(fix->extract("masstotal", dimension))});
}

Colliders::Colliders(int types) : of_type(types + 1)
{
  for (auto &values : of_type) values.fill(-std::numeric_limits<double>::max());
  of_type[AT_REST].fill(0.0);
}

void Colliders::add(int type, double mass, bool held, double radius, const double *velocity)
{
  auto &values = of_type[type];
  if (!(radius > 0.0) || mass == 0.0) return;
  if (!held) values[MASS] = std::max(values[MASS], 1.0 / mass);
  double &size = values[held ? FIXED_RADIUS : RADIUS];
  size = std::max(size, 1.0 / radius);
  for (int d = 0; d < 3; ++d) {
    values[UP + d] = std::max(values[UP + d], velocity[d]);
    values[DOWN + d] = std::max(values[DOWN + d], -velocity[d]);
  }
}

void Colliders::reduce_over_ranks(MPI_Comm world)
{
  MPI_Allreduce(MPI_IN_PLACE, of_type.data()->data(), static_cast<int>(VALUES * of_type.size()), MPI_DOUBLE, MPI_MAX,
                world);
}

bool Colliders::go_beyond(const Colliders &before) const
{
  constexpr double MUCH = 1.1;    // with a mass smaller by this factor, a collision is about 5 % shorter
  for (std::size_t type = AT_REST + 1; type < of_type.size(); ++type)
    for (const int value : {MASS, RADIUS, FIXED_RADIUS}) {
      const double least = type < before.of_type.size() ? before.of_type[type][value] : 0.0;
      if (of_type[type][value] > std::max(0.0, MUCH * least)) return true;
    }
  return false;
}

double Colliders::fastest(int itype, int jtype) const
{
  const auto &i = of_type[itype], &j = of_type[jtype];
  double square = 0.0;
  for (int d = 0; d < 3; ++d) {
    const double most = std::max({0.0, i[UP + d] + j[DOWN + d], j[UP + d] + i[DOWN + d]});
    square += most * most;
  }
  return std::sqrt(square);
}

Collision Colliders::shortest(const granular_plus::ContactModel &model, int itype, int jtype, double timestep) const
{
  const auto &i = of_type[itype], &j = of_type[jtype];
  Collision found;
  const auto consider = [&](double per_mass_i, double per_mass_j, double per_radius_i, double per_radius_j) {
    const double per_mass = per_mass_i + per_mass_j;
    if (!(per_mass > 0.0 && per_radius_i > 0.0 && per_radius_j > 0.0)) return;
    Collision other{0.0, 1.0 / per_mass, 1.0 / (per_radius_i + per_radius_j), fastest(itype, jtype)};
    other.inertia = 0.4 / (per_mass_i * per_radius_i * per_radius_i + per_mass_j * per_radius_j * per_radius_j);
    other.time = model.collision_time(other.mass, other.radius, other.speed, timestep);
    if (other.time < found.time) found = other;
  };
  if (i[MASS] > 0.0 && j[MASS] > 0.0) consider(i[MASS], j[MASS], i[RADIUS], j[RADIUS]);
  consider(i[MASS], 0.0, i[RADIUS], j[FIXED_RADIUS]);
  consider(0.0, j[MASS], i[FIXED_RADIUS], j[RADIUS]);
  return found;
}

Collision Colliders::shortest_at_wall(const granular_plus::ContactModel &model, int type, double wall_mass,
                                      double wall_speed, double timestep) const
{
  const auto &i = of_type[type];
  if (!(i[MASS] > 0.0)) return {};
  const double speed = fastest(type, AT_REST) + wall_speed;
  Collision found{0.0, 1.0 / (i[MASS] + 1.0 / wall_mass), 1.0 / i[RADIUS], speed};
  found.inertia = 0.4 / (i[MASS] * i[RADIUS] * i[RADIUS]);    // walls do not spin
  found.time = model.collision_time(found.mass, found.radius, found.speed, timestep);
  return found;
}

bool StepCheck::begin(Colliders colliders, bigint particles)
{
  looked_at = particles;
  if (!due && particles <= 2 * number_checked && !colliders.go_beyond(checked)) return false;
  checked = std::move(colliders);
  number_checked = particles;
  return true;
}

void StepCheck::consider(const std::string &which, const granular_plus::ContactModel &model, const Collision &collision,
                         double timestep)
{
  if (!(collision.time < INFINITY)) return;
  if (collision.time < shortest.value) shortest = {collision.time, which};
  const auto resistance =
      model.resistance(collision.mass, collision.radius, collision.speed, timestep, granular_plus::kernels());
  // In one step, a force must not reverse a motion and amplify it. The inertia against slip at the contact of two
  // spheres is 2/7 of their effective mass, because friction also rotates the spheres.
  const std::array<double, MOTIONS> strength = {resistance.to_slip / (2.0 * (2.0 / 7.0) * collision.mass),
                                                resistance.to_rolling / (2.0 * collision.inertia),
                                                resistance.to_twisting / (2.0 * collision.inertia)};
  for (int motion = 0; motion < MOTIONS; ++motion)
    if (timestep * strength[motion] > strongest[motion].value) strongest[motion] = {timestep * strength[motion], which};
}

void StepCheck::judge(LAMMPS *lmp)
{
  due = false;
  // warns again only after a decrease by this factor
  constexpr double MUCH = 0.9;
  const double timestep = lmp->update->dt, steps = shortest.value / timestep;
  if (steps < ENOUGH_STEPS * (1.0 - 1.0e-9) && !(fewest_steps < ENOUGH_STEPS && steps > MUCH * fewest_steps)) {
    fewest_steps = steps;
    if (lmp->comm->me == 0)
      lmp->error->warning(FLERR,
                          "{}: the shortest collision takes {:.3g} time steps, fewer than the {:g} that are needed to "
                          "resolve it; use a timestep <= {:.3g}",
                          shortest.which, steps, ENOUGH_STEPS, shortest.value / ENOUGH_STEPS);
  }
  shortest = {INFINITY, {}};

  struct Words {
    const char *what, *happens, *product, *bound, *remedy;
  };
  static constexpr Words WORDS[MOTIONS] = {
      {"tangential dashpot is", "gain energy", "(gamma_t + k_t dt) dt", "2 (2/7) m_eff", "xgamma"},
      {"rolling spring or dashpot is", "spin up", "(gamma + k dt) R_eff^2 dt", "2 I_eff",
       "k or gamma, in units of force/distance and force time/distance"},
      {"twisting spring or dashpot is", "spin up", "(gamma + k dt) dt", "2 I_eff",
       "k or gamma, in units of torque and torque time"}};
  for (int motion = 0; motion < MOTIONS; ++motion) {
    const Worst worst = strongest[motion];
    strongest[motion] = {};
    double &warned_of = strongest_warned_of[motion];
    if (!(worst.value > 1.0) || (warned_of > 1.0 && worst.value < warned_of / MUCH)) continue;
    warned_of = worst.value;
    const Words &words = WORDS[motion];
    if (lmp->comm->me == 0)
      lmp->error->warning(FLERR,
                          "{}: the {} too strong for the time step, and spheres at rest may {}: {} must be < {}, but "
                          "is {:.3g} times this bound; use a timestep <= {:.3g} or a smaller {}",
                          worst.which, words.what, words.happens, words.product, words.bound, worst.value,
                          timestep / worst.value, words.remedy);
  }
}

void StepCheck::judge_bonds(LAMMPS *lmp, const std::string &message_prefix, double frequency, double damping)
{
  due = false;
  constexpr double MUCH = 1.1;
  const double timestep = lmp->update->dt, fastest = timestep * std::max(frequency, damping);
  if (!(fastest > fastest_bonds)) return;
  fastest_bonds = MUCH * fastest;
  if (lmp->comm->me == 0)
    lmp->error->warning(FLERR,
                        "{}: bonds are too stiff or too strongly damped for the time step: the time step times the "
                        "angular frequency of bonded grains is up to {:.3g}, and the time step times the damping rate "
                        "of bonds is up to {:.3g}; both products should be <= 1; use a timestep <= {:.3g}",
                        message_prefix, frequency, damping, timestep / fastest);
}

bool LAMMPS_NS::warn_of_overlap(LAMMPS *lmp, const std::string &message_prefix, double excess, double shortest_time)
{
  if (most_over_ranks(lmp->world, excess) <= 0.0) return false;
  const double steps = shortest_time / lmp->update->dt;
  const std::string advice = steps >= 2.0 * ENOUGH_STEPS
      ? "use a shorter collision time or slower particles"
      : fmt::format("use slower particles, or a shorter collision time together with a shorter time step (a collision "
                    "takes only {:.3g} steps now)",
                    steps);
  if (lmp->comm->me == 0)
    lmp->error->warning(FLERR, "{}: contacts with the normal law actm overlap by more than 5 % of the radius; {}",
                        message_prefix, advice);
  return true;
}
