#include "wall_motion.h"

#include "error.h"
#include "input.h"
#include "modify.h"
#include "update.h"
#include "variable.h"

#include <cmath>

using namespace LAMMPS_NS;

namespace {

constexpr double PI = 3.14159265358979323846;
constexpr const char *KINDS[] = {"none", "wiggle", "shear", "move", "load"};

}    // namespace

const std::vector<std::string> WallMotion::KEYWORDS{"wiggle", "shear", "move", "rotate", "load"};

WallMotion::WallMotion(LAMMPS *lmp)
    : Pointers(lmp), lowest(-INFINITY), highest(INFINITY), clock_step(update->ntimestep), last_step(clock_step),
      timestep(update->dt)
{
}

/* ----------------------------------------------------------------------
   words of the command
------------------------------------------------------------------------- */

double WallMotion::number(const std::string &word) const { return utils::numeric(FLERR, word, false, lmp); }

int WallMotion::axis_named(const std::string &keyword, const std::string &word) const
{
  const std::size_t axis = std::string("xyz").find(word);
  if (word.size() != 1 || axis == std::string::npos)
    error->all(FLERR, "granular/plus: keyword {}: dimension = {} must be x, y or z", keyword, word);
  return static_cast<int>(axis);
}

void WallMotion::take(int axis, Kind kind, const std::string &keyword)
{
  if (kinds[axis] != NONE)
    error->all(FLERR, "granular/plus: keyword {}: dimension {} already has the motion {}", keyword, "xyz"[axis],
               KINDS[kinds[axis]]);
  kinds[axis] = kind;
}

WallMotion::Quantity WallMotion::quantity(const std::string &keyword, const std::string &word) const
{
  if (utils::strmatch(word, "^v_")) return {0.0, word.substr(2)};
  const double given = number(word);
  if (!std::isfinite(given)) error->all(FLERR, "granular/plus: keyword {}: {} must be finite", keyword, word);
  return {given, {}};
}

void WallMotion::parse(const std::vector<std::string> &words, std::size_t &next)
{
  const std::string &keyword = words[next++];
  const auto need = [&](std::size_t count, const char *what) {
    if (next + count > words.size()) error->all(FLERR, "granular/plus: keyword {} needs {}", keyword, what);
  };
  const auto finite = [&](const char *name, const std::string &word) {
    const double given = number(word);
    if (!std::isfinite(given))
      error->all(FLERR, "granular/plus: keyword {}: {} = {} must be finite", keyword, name, word);
    return given;
  };
  if (keyword == "wiggle") {
    need(3, "a dimension and amplitude and period");
    const int d = axis_named(keyword, words[next]);
    take(d, WIGGLE, keyword);
    amplitude[d] = finite("amplitude", words[next + 1]);
    const double period = number(words[next + 2]);
    if (!(period > 0.0)) error->all(FLERR, "granular/plus: keyword wiggle: period = {} must be > 0", period);
    frequency[d] = 2.0 * PI / period;
    next += 3;
  } else if (keyword == "shear") {
    need(2, "a dimension and a speed");
    const int d = axis_named(keyword, words[next]);
    take(d, SHEAR, keyword);
    shear[d] = finite("speed", words[next + 1]);
    next += 2;
  } else if (keyword == "move") {
    need(3, "three velocities, v_name of displacements, or NULL");
    bool any = false;
    for (int d = 0; d < 3; ++d) {
      const std::string &word = words[next++];
      if (word == "NULL") continue;
      take(d, MOVE, keyword);
      way[d] = quantity(keyword, word);
      any = true;
    }
    if (!any) error->all(FLERR, "granular/plus: keyword move: at least one of three words must not be NULL");
  } else if (keyword == "rotate") {
    need(7, "an angular velocity or v_name of an angle, a point and an axis");
    if (has_rotation) error->all(FLERR, "granular/plus: keyword rotate may be given once only");
    has_rotation = true;
    turn = quantity(keyword, words[next]);
    for (int d = 0; d < 3; ++d) pivot[d] = finite("a coordinate of the point", words[next + 1 + d]);
    double square = 0.0;
    for (int d = 0; d < 3; ++d) {
      axis[d] = finite("a component of the axis", words[next + 4 + d]);
      square += axis[d] * axis[d];
    }
    if (!(square > 0.0) || !std::isfinite(square))
      error->all(FLERR, "granular/plus: keyword rotate: the length of the axis = {} must be > 0", std::sqrt(square));
    for (double &component : axis) component /= std::sqrt(square);
    next += 7;
  } else {
    need(4, "a dimension, a force, and mass M");
    if (has_load()) error->all(FLERR, "granular/plus: keyword load may be given once only");
    const int d = axis_named(keyword, words[next]);
    take(d, LOAD, keyword);
    load_axis = d;
    load = quantity(keyword, words[next + 1]);
    if (words[next + 2] != "mass")
      error->all(FLERR, "granular/plus: keyword load: expected mass, found {}", words[next + 2]);
    mass = finite("mass", words[next + 3]);
    if (!(mass > 0.0)) error->all(FLERR, "granular/plus: keyword load: mass = {} must be > 0", mass);
    next += 4;
    if (next < words.size() && words[next] == "drag") {
      ++next;
      need(1, "a number after drag");
      drag = finite("drag", words[next++]);
      if (!(drag >= 0.0)) error->all(FLERR, "granular/plus: keyword load: drag = {} must be >= 0", drag);
    }
    if (next < words.size() && words[next] == "between") {
      ++next;
      need(2, "two displacements after between, either may be NULL");
      if (words[next] != "NULL") lowest = finite("lowest displacement", words[next]);
      if (words[next + 1] != "NULL") highest = finite("highest displacement", words[next + 1]);
      next += 2;
      if (!(lowest <= 0.0))
        error->all(FLERR, "granular/plus: keyword load: lowest displacement = {} must be <= 0", lowest);
      if (!(highest >= 0.0))
        error->all(FLERR, "granular/plus: keyword load: highest displacement = {} must be >= 0", highest);
    }
  }
}

/* ---------------------------------------------------------------------- */

bool WallMotion::moves() const { return has_rotation || kinds[0] != NONE || kinds[1] != NONE || kinds[2] != NONE; }

void WallMotion::find_variable(const Quantity &given, const char *keyword) const
{
  if (given.variable.empty()) return;
  const int found = input->variable->find(given.variable.c_str());
  if (found < 0 || !input->variable->equalstyle(found))
    error->all(FLERR, "granular/plus: keyword {}: v_{} must be an equal-style variable", keyword, given.variable);
}

double WallMotion::value(const Quantity &given) const
{
  if (given.variable.empty()) return given.number;
  const double result = input->variable->compute_equal(input->variable->find(given.variable.c_str()));
  if (!std::isfinite(result))
    error->all(FLERR, "granular/plus: v_{} = {} must be a finite number, it moves a wall", given.variable, result);
  return result;
}

void WallMotion::init()
{
  for (const Quantity &given : way) find_variable(given, "move");
  find_variable(turn, "rotate");
  find_variable(load, "load");
  reset_timestep();
}

void WallMotion::reset_timestep()
{
  clock = now();
  clock_step = last_step = update->ntimestep;
  timestep = update->dt;
}

/* ----------------------------------------------------------------------
   In setup there is no step to take the velocity of a variable from: that of the last step holds on.
------------------------------------------------------------------------- */

void WallMotion::advance()
{
  const bool steps = update->setupflag == 0 && update->whichflag == 1;
  last_step = update->ntimestep;
  const bool has_variables =
      !way[0].variable.empty() || !way[1].variable.empty() || !way[2].variable.empty() || !turn.variable.empty();
  if (has_variables) modify->clearstep_compute();
  for (int d = 0; d < 3; ++d) {
    if (kinds[d] == WIGGLE) {
      const double phase = frequency[d] * now();
      displacement[d] = amplitude[d] - amplitude[d] * std::cos(phase);
      velocity[d] = amplitude[d] * frequency[d] * std::sin(phase);
    } else if (kinds[d] == MOVE && way[d].variable.empty()) {
      velocity[d] = way[d].number;
      displacement[d] = velocity[d] * now();
    } else if (kinds[d] == MOVE) {
      const double here = value(way[d]);
      if (knows_place && steps) velocity[d] = (here - displacement[d]) / update->dt;
      displacement[d] = here;
    }
  }
  if (has_rotation) {
    if (turn.variable.empty()) {
      angle_rate = turn.number;
      angle = angle_rate * now();
    } else {
      const double here = value(turn);
      if (knows_place && steps) angle_rate = (here - angle) / update->dt;
      angle = here;
    }
    for (int d = 0; d < 3; ++d) spin[d] = angle_rate * axis[d];
    set_rotation();
  }
  if (has_variables) modify->addstep_compute(update->ntimestep + 1);
  knows_place = true;
  if (has_load() && steps) follow_load();
}

/* ----------------------------------------------------------------------
   velocity Verlet as for the particles: half a kick, drift, and half a kick in bear; drag is implicit in the first half
------------------------------------------------------------------------- */

void WallMotion::follow_load()
{
  const double half_step = 0.5 * update->dt, slowed = half_step * drag / mass;
  double &place = displacement[load_axis];
  half_velocity = (full_velocity + half_step * total_force / mass) / (1.0 + slowed);
  const double before = place;
  place += update->dt * half_velocity;
  velocity[load_axis] = half_velocity;
  if (place < lowest || place > highest) {
    place = place < lowest ? lowest : highest;
    stopped_energy += 0.5 * mass * half_velocity * half_velocity;
    half_velocity = 0.0;
    velocity[load_axis] = (place - before) / update->dt;
  }
}

void WallMotion::bear(const double *force)
{
  double force_of_particles;
  MPI_Allreduce(&force[load_axis], &force_of_particles, 1, MPI_DOUBLE, MPI_SUM, world);
  if (!load.variable.empty()) modify->clearstep_compute();
  total_force = value(load) + force_of_particles;
  if (!load.variable.empty()) modify->addstep_compute(update->ntimestep + 1);
  if (update->setupflag == 0 && update->whichflag == 1) {
    const double half_step = 0.5 * update->dt;
    full_velocity = half_velocity + half_step * (total_force - drag * half_velocity) / mass;
  }
}

/* ----------------------------------------------------------------------
   Rodrigues
------------------------------------------------------------------------- */

void WallMotion::set_rotation()
{
  const double cosine = std::cos(angle), sine = std::sin(angle);
  for (int d = 0; d < 3; ++d) {
    const int e = (d + 1) % 3, f = (d + 2) % 3;
    for (int k = 0; k < 3; ++k) rotation[3 * d + k] = (1.0 - cosine) * axis[d] * axis[k];
    rotation[3 * d + d] += cosine;
    rotation[3 * d + e] -= sine * axis[f];
    rotation[3 * d + f] += sine * axis[e];
  }
}

void WallMotion::turn_to_body(const double *point, double *result) const
{
  double arm[3];
  for (int d = 0; d < 3; ++d) arm[d] = point[d] - displacement[d] - pivot[d];
  for (int d = 0; d < 3; ++d)
    result[d] = pivot[d] + rotation[d] * arm[0] + rotation[3 + d] * arm[1] + rotation[6 + d] * arm[2];
}

void WallMotion::from_body(const double *direction, double *result) const
{
  for (int d = 0; d < 3; ++d) {
    const double *row = rotation + 3 * d;
    result[d] = has_rotation ? row[0] * direction[0] + row[1] * direction[1] + row[2] * direction[2] : direction[d];
  }
}

/* ----------------------------------------------------------------------
   for restart: kinds of motion come first, for those of another kind mean something else
------------------------------------------------------------------------- */

std::vector<double> WallMotion::state() const
{
  std::vector<double> list;
  list.push_back(kinds[0] + 8 * kinds[1] + 64 * kinds[2] + 512 * has_rotation);
  list.push_back(now());
  for (int d = 0; d < 3; ++d) list.push_back(displacement[d]);
  for (int d = 0; d < 3; ++d) list.push_back(velocity[d]);
  for (const double value :
       {angle, angle_rate, static_cast<double>(knows_place), total_force, full_velocity, half_velocity, stopped_energy})
    list.push_back(value);
  list.resize(STATE, 0.0);
  return list;
}

bool WallMotion::restore(const double *list)
{
  if (list[0] != kinds[0] + 8 * kinds[1] + 64 * kinds[2] + 512 * has_rotation) return false;
  clock = list[1];
  clock_step = last_step = update->ntimestep;
  for (int d = 0; d < 3; ++d) displacement[d] = list[2 + d];
  for (int d = 0; d < 3; ++d) velocity[d] = list[5 + d];
  angle = list[8];
  angle_rate = list[9];
  knows_place = list[10] != 0.0;
  total_force = list[11];
  full_velocity = list[12];
  half_velocity = list[13];
  stopped_energy = list[14];
  return true;
}
