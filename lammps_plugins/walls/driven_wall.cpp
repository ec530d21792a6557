#include "driven_wall.h"

#include "../glue/surroundings.h"
#include "../glue/over_ranks.h"

#include "error.h"
#include "force.h"
#include "modify.h"
#include "update.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

using namespace LAMMPS_NS;

namespace {

constexpr double PI = 3.14159265358979323846;
constexpr const char *KINDS[] = {"none", "wiggle", "shear", "move", "load"};
const std::vector<std::string> KEYWORDS{"wiggle", "shear", "move", "rotate", "load"};

struct State {
  struct {
    double kind, amplitude, frequency, number, name, start, start_time, place, rate;
  } course[3];
  double turns, turn_number, turn_name, axis[3], pivot[3], turn_start, turn_time, angle, angle_rate;
  double now, knows_place, total_force, full_velocity, half_velocity, stopped;
};

// tells names apart
double number_of(const std::string &name)
{
  std::uint32_t hash = 0;
  for (const char c : name) hash = 31 * hash + static_cast<unsigned char>(c);
  return hash;
}

}    // namespace

bool DrivenWall::is_keyword(const std::string &word)
{
  return std::find(KEYWORDS.begin(), KEYWORDS.end(), word) != KEYWORDS.end();
}

std::vector<std::string> DrivenWall::options() const { return KEYWORDS; }

DrivenWall::DrivenWall(LAMMPS *lmp)
    : WallSurface(lmp), clock_step(update->ntimestep), last_step(clock_step), timestep(update->dt)
{
  bodies.resize(1);
}

/* ----------------------------------------------------------------------
   words of the command
------------------------------------------------------------------------- */

int DrivenWall::axis_named(const std::string &keyword, const std::string &word) const
{
  const std::size_t axis = std::string("xyz").find(word);
  if (word.size() != 1 || axis == std::string::npos)
    error->all(FLERR, "granular/plus: keyword {}: dimension = {} must be x, y or z", keyword, word);
  return static_cast<int>(axis);
}

void DrivenWall::take(int dimension, Kind kind, const std::string &keyword)
{
  Kind &taken = courses[dimension].kind;
  if (taken != NONE)
    error->all(FLERR, "granular/plus: keyword {}: dimension {} already has the motion {}", keyword, "xyz"[dimension],
               KINDS[taken]);
  taken = kind;
}

const std::string *DrivenWall::arguments_of(const std::vector<std::string> &words, std::size_t &next, std::size_t count,
                                            const char *what) const
{
  const std::size_t first = next + 1;
  if (first + count > words.size()) error->all(FLERR, "granular/plus: keyword {} needs {}", words[next], what);
  next = first + count;
  return words.data() + first;
}

double DrivenWall::finite(const std::string &keyword, const char *name, const std::string &word) const
{
  const double given = utils::numeric(FLERR, word, false, lmp);
  if (!std::isfinite(given))
    error->all(FLERR, "granular/plus: keyword {}: {} = {} must be finite", keyword, name, word);
  return given;
}

bool DrivenWall::take_option(const std::vector<std::string> &words, std::size_t &next)
{
  const std::string &keyword = words[next];
  if (!is_keyword(keyword)) return false;
  if (keyword == "wiggle") {
    const auto *given = arguments_of(words, next, 3, "a dimension and amplitude and period");
    const int d = axis_named(keyword, given[0]);
    take(d, WIGGLE, keyword);
    courses[d].amplitude = finite(keyword, "amplitude", given[1]);
    const double period = utils::numeric(FLERR, given[2], false, lmp);
    if (!(period > 0.0)) error->all(FLERR, "granular/plus: keyword wiggle: period = {} must be > 0", period);
    courses[d].frequency = 2.0 * PI / period;
  } else if (keyword == "shear") {
    const auto *given = arguments_of(words, next, 2, "a dimension and a speed");
    const int d = axis_named(keyword, given[0]);
    take(d, SHEAR, keyword);
    shear[d] = finite(keyword, "speed", given[1]);
  } else if (keyword == "move") {
    const auto *given = arguments_of(words, next, 3, "three velocities, v_name of displacements, or NULL");
    for (int d = 0; d < 3; ++d) {
      if (given[d] == "NULL") continue;
      take(d, MOVE, keyword);
      courses[d].way = NumberOrVariable(lmp, who + ": keyword move: motion", given[d]);
    }
    if (std::all_of(given, given + 3, [](const std::string &word) { return word == "NULL"; }))
      error->all(FLERR, "granular/plus: keyword move: at least one of three words must not be NULL");
  } else if (keyword == "rotate") {
    parse_rotation(words, next);
  } else {
    parse_load(words, next);
  }
  return true;
}

void DrivenWall::parse_rotation(const std::vector<std::string> &words, std::size_t &next)
{
  const std::string &keyword = words[next];
  const auto *given = arguments_of(words, next, 7, "an angular velocity or v_name of an angle, a point and an axis");
  if (has_rotation) error->all(FLERR, "granular/plus: keyword rotate may be given once only");
  has_rotation = true;
  turn = NumberOrVariable(lmp, who + ": keyword rotate: rotation", given[0]);
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

void DrivenWall::parse_load(const std::vector<std::string> &words, std::size_t &next)
{
  const std::string &keyword = words[next];
  const auto *given = arguments_of(words, next, 4, "a dimension, a force, and mass M");
  if (bears_load()) error->all(FLERR, "granular/plus: keyword load may be given once only");
  load_axis = axis_named(keyword, given[0]);
  take(load_axis, LOAD, keyword);
  load = NumberOrVariable(lmp, who + ": keyword load: force", given[1]);
  if (given[2] != "mass") error->all(FLERR, "granular/plus: keyword load: expected mass, found {}", given[2]);
  load_mass = finite(keyword, "mass", given[3]);
  if (!(load_mass > 0.0)) error->all(FLERR, "granular/plus: keyword load: mass = {} must be > 0", load_mass);
  if (next < words.size() && words[next] == "drag") {
    drag = finite(keyword, "drag", *arguments_of(words, next, 1, "a number"));
    if (!(drag >= 0.0)) error->all(FLERR, "granular/plus: keyword load: drag = {} must be >= 0", drag);
  }
  if (next < words.size() && words[next] == "between") {
    const auto *ends = arguments_of(words, next, 2, "two displacements, either may be NULL");
    if (ends[0] != "NULL") lowest = finite(keyword, "lowest displacement", ends[0]);
    if (ends[1] != "NULL") highest = finite(keyword, "highest displacement", ends[1]);
    if (!(lowest <= 0.0))
      error->all(FLERR, "granular/plus: keyword load: lowest displacement = {} must be <= 0", lowest);
    if (!(highest >= 0.0))
      error->all(FLERR, "granular/plus: keyword load: highest displacement = {} must be >= 0", highest);
  }
}

bool DrivenWall::moves() const
{
  return has_rotation || std::any_of(courses, courses + 3, [](const Course &course) { return course.kind != NONE; });
}

bool DrivenWall::follows_variables() const
{
  return turn.varies() || std::any_of(courses, courses + 3, [](const Course &course) { return course.way.varies(); });
}

granular_plus::WallFrame DrivenWall::frame() const { return {moves(), turns(), {pivot[0], pivot[1], pivot[2]}}; }

granular_plus::WallPose DrivenWall::pose() const
{
  const WallBody &body = bodies[0];
  granular_plus::WallPose pose{};
  for (int d = 0; d < 3; ++d) {
    pose.displacement[d] = displacement[d];
    std::copy_n(rotation.row[d], 3, pose.rotation[d]);
    pose.velocity[d] = body.velocity[d];
    pose.spin[d] = body.spin[d];
    pose.centre[d] = body.centre[d];
  }
  return pose;
}

void DrivenWall::init()
{
  for (const Course &course : courses) course.way.init(lmp);
  turn.init(lmp);
  load.init(lmp);
  reset_timestep();
  rests = false;
}

void DrivenWall::reset_timestep()
{
  clock = now();
  clock_step = last_step = update->ntimestep;
  timestep = update->dt;
}

void DrivenWall::move()
{
  if (rests) {
    last_step = update->ntimestep;
    return;
  }
  advance();
  rests = !moves();
  WallBody &body = bodies[0];
  for (int d = 0; d < 3; ++d) {
    body.velocity[d] = velocity[d];
    body.spin[d] = angle_rate * axis[d];
    body.centre[d] = has_rotation ? pivot[d] + displacement[d] : 0.0;
    body.place.displacement[d] = displacement[d];
    body.pivot[d] = pivot[d];
    body.axis[d] = axis[d];
  }
  body.place.angle = angle;
  slide(body);
}

void DrivenWall::slide(WallBody &body)
{
  for (int d = 0; d < 3; ++d) body.velocity[d] += shear[d];
}

/* ----------------------------------------------------------------------
   In setup there is no step to take the velocity of a variable from: that of the last step holds on.
------------------------------------------------------------------------- */

void DrivenWall::advance()
{
  last_step = update->ntimestep;
  const bool has_variables = follows_variables();
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
    set_rotation();
  }
  if (has_variables) use_again(lmp);
  knows_place = true;
  if (bears_load() && time_passes(*update)) follow_load();
}

void DrivenWall::follow(const NumberOrVariable &given, Start &start, double &place, double &rate) const
{
  if (!given.varies()) {
    rate = given.number;
    place = start.place + rate * (now() - start.time);
    return;
  }
  const double value_here = given.value(lmp);
  if (start.is_due) start.place = place - value_here;
  start.is_due = false;
  const double here = start.place + value_here;
  if (knows_place && time_passes(*update)) rate = (here - place) / update->dt;
  place = here;
}

/* ----------------------------------------------------------------------
   velocity Verlet as for the particles: half a kick, drift, and half a kick in bear; drag is implicit in the first half
------------------------------------------------------------------------- */

void DrivenWall::follow_load()
{
  const double half_kick = 0.5 * update->dt * force->ftm2v, slowed = half_kick * drag / load_mass;
  double &place = displacement[load_axis];
  half_velocity = (full_velocity + half_kick * total_force / load_mass) / (1.0 + slowed);
  const double before = place;
  place += update->dt * half_velocity;
  velocity[load_axis] = half_velocity;
  if (place < lowest || place > highest) {
    place = place < lowest ? lowest : highest;
    stopped_energy += force->mvv2e * 0.5 * load_mass * half_velocity * half_velocity;
    half_velocity = 0.0;
    velocity[load_axis] = (place - before) / update->dt;
  }
}

void DrivenWall::bear(const double *force_of_grains)
{
  const double force_of_particles = sum_over_ranks(world, force_of_grains[load_axis]);
  total_force = load.value_in_step(lmp) + force_of_particles;
  if (time_passes(*update)) {
    const double half_kick = 0.5 * update->dt * force->ftm2v;
    full_velocity = half_velocity + half_kick * (total_force - drag * half_velocity) / load_mass;
  }
}

/* ----------------------------------------------------------------------
   Rodrigues
------------------------------------------------------------------------- */

void DrivenWall::set_rotation()
{
  const double cosine = std::cos(angle), sine = std::sin(angle);
  for (int d = 0; d < 3; ++d) {
    const int e = (d + 1) % 3, f = (d + 2) % 3;
    for (int k = 0; k < 3; ++k) rotation.row[d][k] = (1.0 - cosine) * axis[d] * axis[k];
    rotation.row[d][d] += cosine;
    rotation.row[d][e] -= sine * axis[f];
    rotation.row[d][f] += sine * axis[e];
  }
}

granular_plus::Vector DrivenWall::turn_to_body(const double *point) const
{
  double arm[3], result[3];
  for (int d = 0; d < 3; ++d) arm[d] = point[d] - displacement[d] - pivot[d];
  for (int d = 0; d < 3; ++d)
    result[d] = pivot[d] + rotation.row[0][d] * arm[0] + rotation.row[1][d] * arm[1] + rotation.row[2][d] * arm[2];
  return granular_plus::vector_of(result);
}

/* ----------------------------------------------------------------------
   for restart, and for a fix that is given again
------------------------------------------------------------------------- */

std::vector<double> DrivenWall::state() const
{
  static_assert(sizeof(State) == STATE * sizeof(double));
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
  std::vector<double> list = identity();
  const std::size_t own = list.size();
  list.resize(own + STATE);
  std::memcpy(list.data() + own, &state, sizeof state);
  return list;
}

bool DrivenWall::restore(const double *list, int size)
{
  const auto own = identity();
  const auto own_size = static_cast<int>(own.size());
  if (size < own_size + STATE || !std::equal(own.begin(), own.end(), list)) return false;
  State state;
  std::memcpy(&state, list + own_size, sizeof state);
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
    return true;
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
    return true;
  }
  const bool is_same = has_rotation && turn.number == state.turn_number && number_of(turn.variable) == state.turn_name;
  has_rotation = true;
  std::copy_n(state.axis, 3, axis);
  std::copy_n(state.pivot, 3, pivot);
  angle = state.angle;
  angle_rate = state.angle_rate;
  turn_start = is_same ? Start{state.turn_start, state.turn_time, false} : Start{angle, clock, true};
  return true;
}
