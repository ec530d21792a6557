#include "wall_motion.h"

#include "surroundings.h"
#include "../used_computes.h"
#include "../over_ranks.h"

#include "error.h"
#include "input.h"
#include "modify.h"
#include "update.h"
#include "variable.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

using namespace LAMMPS_NS;

namespace {

constexpr double PI = 3.14159265358979323846;
constexpr const char *KINDS[] = {"none", "wiggle", "shear", "move", "load"};

}    // namespace

const std::vector<std::string> WallMotion::KEYWORDS{"wiggle", "shear", "move", "rotate", "load"};

bool WallMotion::is_keyword(const std::string &word)
{
  return std::find(KEYWORDS.begin(), KEYWORDS.end(), word) != KEYWORDS.end();
}

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
  Kind &taken = courses[axis].kind;
  if (taken != NONE)
    error->all(FLERR, "granular/plus: keyword {}: dimension {} already has the motion {}", keyword, "xyz"[axis],
               KINDS[taken]);
  taken = kind;
}

WallMotion::Quantity WallMotion::quantity(const std::string &keyword, const std::string &word) const
{
  if (utils::strmatch(word, "^v_")) return {0.0, word.substr(2)};
  const double given = number(word);
  if (!std::isfinite(given)) error->all(FLERR, "granular/plus: keyword {}: {} must be finite", keyword, word);
  return {given, {}};
}

const std::string *WallMotion::arguments_of(LAMMPS *lmp, const Words &words, std::size_t &next, std::size_t count,
                                            const char *what)
{
  const std::size_t first = next + 1;
  if (first + count > words.size()) lmp->error->all(FLERR, "granular/plus: keyword {} needs {}", words[next], what);
  next = first + count;
  return words.data() + first;
}

double WallMotion::finite(const std::string &keyword, const char *name, const std::string &word) const
{
  const double given = number(word);
  if (!std::isfinite(given))
    error->all(FLERR, "granular/plus: keyword {}: {} = {} must be finite", keyword, name, word);
  return given;
}

void WallMotion::parse(const Words &words, std::size_t &next)
{
  const std::string &keyword = words[next];
  if (keyword == "wiggle") {
    const auto *given = arguments_of(lmp, words, next, 3, "a dimension and amplitude and period");
    const int d = axis_named(keyword, given[0]);
    take(d, WIGGLE, keyword);
    courses[d].amplitude = finite(keyword, "amplitude", given[1]);
    const double period = number(given[2]);
    if (!(period > 0.0)) error->all(FLERR, "granular/plus: keyword wiggle: period = {} must be > 0", period);
    courses[d].frequency = 2.0 * PI / period;
  } else if (keyword == "shear") {
    const auto *given = arguments_of(lmp, words, next, 2, "a dimension and a speed");
    const int d = axis_named(keyword, given[0]);
    take(d, SHEAR, keyword);
    shear[d] = finite(keyword, "speed", given[1]);
  } else if (keyword == "move") {
    const auto *given = arguments_of(lmp, words, next, 3, "three velocities, v_name of displacements, or NULL");
    for (int d = 0; d < 3; ++d) {
      if (given[d] == "NULL") continue;
      take(d, MOVE, keyword);
      courses[d].way = quantity(keyword, given[d]);
    }
    if (std::all_of(given, given + 3, [](const std::string &word) { return word == "NULL"; }))
      error->all(FLERR, "granular/plus: keyword move: at least one of three words must not be NULL");
  } else if (keyword == "rotate") {
    parse_rotation(words, next);
  } else {
    parse_load(words, next);
  }
}

void WallMotion::parse_rotation(const Words &words, std::size_t &next)
{
  const std::string &keyword = words[next];
  const auto *given =
      arguments_of(lmp, words, next, 7, "an angular velocity or v_name of an angle, a point and an axis");
  if (has_rotation) error->all(FLERR, "granular/plus: keyword rotate may be given once only");
  has_rotation = true;
  turn = quantity(keyword, given[0]);
  double square = 0.0;
  for (int d = 0; d < 3; ++d) {
    pivot[d] = finite(keyword, "a coordinate of the point", given[1 + d]);
    axis[d] = finite(keyword, "a component of the axis", given[4 + d]);
    square += axis[d] * axis[d];
  }
  if (!(square > 0.0) || !std::isfinite(square))
    error->all(FLERR, "granular/plus: keyword rotate: the length of the axis = {} must be > 0", std::sqrt(square));
  for (double &component : axis) component /= std::sqrt(square);
}

void WallMotion::parse_load(const Words &words, std::size_t &next)
{
  const std::string &keyword = words[next];
  const auto *given = arguments_of(lmp, words, next, 4, "a dimension, a force, and mass M");
  if (has_load()) error->all(FLERR, "granular/plus: keyword load may be given once only");
  load_axis = axis_named(keyword, given[0]);
  take(load_axis, LOAD, keyword);
  load = quantity(keyword, given[1]);
  if (given[2] != "mass") error->all(FLERR, "granular/plus: keyword load: expected mass, found {}", given[2]);
  mass = finite(keyword, "mass", given[3]);
  if (!(mass > 0.0)) error->all(FLERR, "granular/plus: keyword load: mass = {} must be > 0", mass);
  if (next < words.size() && words[next] == "drag") {
    drag = finite(keyword, "drag", *arguments_of(lmp, words, next, 1, "a number"));
    if (!(drag >= 0.0)) error->all(FLERR, "granular/plus: keyword load: drag = {} must be >= 0", drag);
  }
  if (next < words.size() && words[next] == "between") {
    const auto *ends = arguments_of(lmp, words, next, 2, "two displacements, either may be NULL");
    if (ends[0] != "NULL") lowest = finite(keyword, "lowest displacement", ends[0]);
    if (ends[1] != "NULL") highest = finite(keyword, "highest displacement", ends[1]);
    if (!(lowest <= 0.0))
      error->all(FLERR, "granular/plus: keyword load: lowest displacement = {} must be <= 0", lowest);
    if (!(highest >= 0.0))
      error->all(FLERR, "granular/plus: keyword load: highest displacement = {} must be >= 0", highest);
  }
}

bool WallMotion::moves() const
{
  return has_rotation || std::any_of(courses, courses + 3, [](const Course &course) { return course.kind != NONE; });
}

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
  for (const Course &course : courses) find_variable(course.way, "move");
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
  last_step = update->ntimestep;
  bool has_variables = !turn.variable.empty();
  for (const Course &course : courses) has_variables |= !course.way.variable.empty();
  if (has_variables) modify->clearstep_compute();
  for (int d = 0; d < 3; ++d) {
    Course &course = courses[d];
    if (course.kind == WIGGLE) {
      const double amplitude = course.amplitude, phase = course.frequency * (now() - course.start.time);
      displacement[d] = course.start.place + (amplitude - amplitude * std::cos(phase));
      velocity[d] = amplitude * course.frequency * std::sin(phase);
    } else if (course.kind == MOVE)
      follow(course.way, course.start, displacement[d], velocity[d]);
  }
  if (has_rotation) {
    follow(turn, turn_start, angle, angle_rate);
    for (int d = 0; d < 3; ++d) spin[d] = angle_rate * axis[d];
    set_rotation();
  }
  if (has_variables) use_again(lmp);
  knows_place = true;
  if (has_load() && time_passes(*update)) follow_load();
}

void WallMotion::stay() { last_step = update->ntimestep; }

void WallMotion::follow(const Quantity &quantity, Start &start, double &place, double &rate) const
{
  if (quantity.variable.empty()) {
    rate = quantity.number;
    place = start.place + rate * (now() - start.time);
    return;
  }
  const double value_here = value(quantity);
  if (start.is_due) start.place = place - value_here;
  start.is_due = false;
  const double here = start.place + value_here;
  if (knows_place && time_passes(*update)) rate = (here - place) / update->dt;
  place = here;
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
  const double force_of_particles = sum_over_ranks(world, force[load_axis]);
  if (!load.variable.empty()) modify->clearstep_compute();
  total_force = value(load) + force_of_particles;
  if (!load.variable.empty()) use_again(lmp);
  if (time_passes(*update)) {
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
   for restart, and for a fix that is given again
------------------------------------------------------------------------- */

namespace {

struct State {
  struct {
    double kind, amplitude, frequency, number, name, start, start_time, place, rate;
  } course[3];
  double turns, turn_number, turn_name, axis[3], pivot[3], turn_start, turn_time, angle, angle_rate;
  double now, knows_place, total_force, full_velocity, half_velocity, stopped;
};
static_assert(sizeof(State) == WallMotion::STATE * sizeof(double));

// tells names apart
double number_of(const std::string &name)
{
  std::uint32_t hash = 0;
  for (const char c : name) hash = 31 * hash + static_cast<unsigned char>(c);
  return hash;
}

}    // namespace

std::vector<double> WallMotion::state() const
{
  State state{{},
              static_cast<double>(has_rotation),
              turn.number,
              number_of(turn.variable),
              {axis[0], axis[1], axis[2]},
              {pivot[0], pivot[1], pivot[2]},
              turn_start.place,
              turn_start.time,
              angle,
              angle_rate,
              now(),
              static_cast<double>(knows_place),
              total_force,
              full_velocity,
              half_velocity,
              stopped_energy};
  for (int d = 0; d < 3; ++d) {
    const Course &course = courses[d];
    state.course[d] = {static_cast<double>(course.kind),
                       course.amplitude,
                       course.frequency,
                       course.way.number,
                       number_of(course.way.variable),
                       course.start.place,
                       course.start.time,
                       displacement[d],
                       velocity[d]};
  }
  std::vector<double> list(STATE);
  std::memcpy(list.data(), &state, sizeof state);
  return list;
}

void WallMotion::restore(const double *list)
{
  State state;
  std::memcpy(&state, list, sizeof state);
  clock = state.now;
  clock_step = last_step = update->ntimestep;
  knows_place = state.knows_place != 0.0;
  stopped_energy = state.stopped;
  for (int d = 0; d < 3; ++d) {
    const auto &before = state.course[d];
    Course &course = courses[d];
    displacement[d] = before.place;
    const bool is_same = course.kind == before.kind && course.amplitude == before.amplitude &&
        course.frequency == before.frequency && course.way.number == before.number &&
        number_of(course.way.variable) == before.name;
    course.start = is_same ? Start{before.start, before.start_time, false} : Start{displacement[d], clock, true};
    if (course.kind != NONE && course.kind != SHEAR) velocity[d] = before.rate;
    if (course.kind != LOAD) continue;
    if (!(displacement[d] >= lowest && displacement[d] <= highest))
      error->all(FLERR,
                 "granular/plus: keyword load: between = {} {} must hold the displacement that the wall has, {:.8g}",
                 lowest, highest, displacement[d]);
    total_force = is_same ? state.total_force : 0.0;    // setup works it out
    full_velocity = is_same ? state.full_velocity : before.rate;
    half_velocity = is_same ? state.half_velocity : before.rate;
  }
  if (state.turns == 0.0) {
    turn_start = {0.0, clock, true};
    return;
  }

  // The wall has turned. Without the keyword rotate it stays at the angle that it has reached.
  const bool same_axis = std::equal(axis, axis + 3, state.axis) && std::equal(pivot, pivot + 3, state.pivot);
  if (has_rotation && !same_axis) {
    if (state.angle != 0.0)
      error->all(
          FLERR,
          "granular/plus: keyword rotate: the wall has been turned by {:.6g} about the axis ({:.6g}, {:.6g}, {:.6g}) "
          "through ({:.6g}, {:.6g}, {:.6g}) and can be turned further about this axis only",
          state.angle, state.axis[0], state.axis[1], state.axis[2], state.pivot[0], state.pivot[1], state.pivot[2]);
    turn_start = {0.0, clock, true};
    return;
  }
  const bool is_same = has_rotation && turn.number == state.turn_number && number_of(turn.variable) == state.turn_name;
  has_rotation = true;
  std::copy_n(state.axis, 3, axis);
  std::copy_n(state.pivot, 3, pivot);
  angle = state.angle;
  angle_rate = state.angle_rate;
  turn_start = is_same ? Start{state.turn_start, state.turn_time, false} : Start{angle, clock, true};
}
