#include "driven_wall.h"

#include "../core/model/law_table.h"
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
using granular_plus::InputError;
using granular_plus::NON_NEGATIVE;
using granular_plus::NON_POSITIVE;
using granular_plus::POSITIVE;

namespace {

constexpr const char *KINDS[] = {"none", "wiggle", "shear", "move", "load"};

struct State {
  struct {
    double kind, amplitude, frequency, number, name, start, start_time, place, rate;
  } course[3];
  double turns, turn_number, turn_name, axis[3], pivot[3], turn_start, turn_time, angle, angle_rate;
  double now, knows_place, total_force, full_velocity, half_velocity, stopped;
};

int axis_named(const std::string &word) { return word[0] - 'x'; }

double hash_of(const std::string &name)
{
  std::uint32_t hash = 0;
  for (const char c : name) hash = 31 * hash + static_cast<unsigned char>(c);
  return hash;
}

}    // namespace

DrivenWall::DrivenWall(LAMMPS *lmp)
    : WallSurface(lmp), clock_step(update->ntimestep), last_step(clock_step), timestep(update->dt)
{
  bodies.resize(1);
}

const Options<DrivenWall> DrivenWall::OPTIONS(
    "motion of walls",
    {Option<DrivenWall>("wiggle",
                        {Operand::one_of("x y z", "dim"), Operand::number("amplitude", "distance"),
                         Operand::number("period", "time", POSITIVE)},
                        "the wall oscillates; it starts at rest at one end of its path", "",
                        [](DrivenWall &wall, const Operands &given) {
                          const int d = axis_named(given.word(0));
                          wall.claim_dimension(d, WIGGLE);
                          wall.courses[d].amplitude = given.number(1);
                          wall.courses[d].frequency = 2.0 * granular_plus::PI / given.number(2);
                        })
         .repeated(),
     Option<DrivenWall>("shear", {Operand::one_of("x y z", "dim"), Operand::number("vshear", "velocity")},
                        "the surface has this velocity, which does not change the position of the wall", "",
                        [](DrivenWall &wall, const Operands &given) {
                          const int d = axis_named(given.word(0));
                          wall.claim_dimension(d, SHEAR);
                          wall.shear[d] = given.number(1);
                        })
         .repeated(),
     Option<DrivenWall>(
         "move",
         {Operand::number_or_variable("vx", "velocity").or_null(),
          Operand::number_or_variable("vy", "velocity").or_null(),
          Operand::number_or_variable("vz", "velocity").or_null()},
         "velocities of the wall, or variables whose values are displacements; NULL: no motion along this dimension",
         "",
         [](DrivenWall &wall, const Operands &given) {
           for (int d = 0; d < 3; ++d) {
             if (given.is_null(d)) continue;
             wall.claim_dimension(d, MOVE);
             wall.courses[d].velocity_or_displacement = given.variable(d);
           }
           if (given.is_null(0) && given.is_null(1) && given.is_null(2))
             throw InputError("at least one of vx, vy and vz must not be NULL");
         })
         .repeated(),
     {"rotate",
      {Operand::number_or_variable("w", "radians/time"), Operand::number("px", "distance"),
       Operand::number("py", "distance"), Operand::number("pz", "distance"), Operand::number("rx", ""),
       Operand::number("ry", ""), Operand::number("rz", "")},
      "rotation with the angular velocity w, or by the angle v_name (radians), about an axis (r) through a point (p)",
      "",
      [](DrivenWall &wall, const Operands &given) { wall.parse_rotation(given); }},
     {"load",
      {Operand::one_of("x y z", "dim"), Operand::number_or_variable("F", "force"),
       Operand::number("M", "mass", POSITIVE).after("mass"),
       Operand::number("C", "force/velocity", NON_NEGATIVE).optional("drag"),
       Operand::number("lo", "distance", NON_POSITIVE).or_null().optional("between"),
       Operand::number("hi", "distance", NON_NEGATIVE).or_null().with_last()},
      "the wall moves by Newton's law under the force F and the force of the grains; C damps the motion; lo and hi "
      "limit the displacement",
      "",
      [](DrivenWall &wall, const Operands &given) { wall.parse_load(given); }}});

void DrivenWall::claim_dimension(int dimension, Kind kind)
{
  Kind &taken = courses[dimension].kind;
  if (taken != NONE)
    throw InputError(fmt::format("dimension {} already has the motion {}", "xyz"[dimension], KINDS[taken]));
  taken = kind;
}

void DrivenWall::parse_rotation(const Operands &given)
{
  has_rotation = true;
  turn = given.variable(0);
  for (int d = 0; d < 3; ++d) {
    pivot[d] = given.number(1 + d);
    axis[d] = given.number(4 + d);
  }
  const double length = granular_plus::length(granular_plus::vector_of(axis));
  if (!(length > 0.0) || !std::isfinite(length))
    throw InputError(fmt::format("the length of the axis = {} must be > 0 and finite", length));
  for (double &component : axis) component /= length;
}

void DrivenWall::parse_load(const Operands &given)
{
  loaded.axis = axis_named(given.word(0));
  claim_dimension(loaded.axis, LOAD);
  load = given.variable(1);
  loaded.mass = given.number(2);
  loaded.drag = given.number(3);
  if (given.is_given(4)) loaded.lowest = given.number(4);
  if (given.is_given(5)) loaded.highest = given.number(5);
}

bool DrivenWall::moves() const
{
  return has_rotation || std::any_of(courses, courses + 3, [](const Course &course) { return course.kind != NONE; });
}

bool DrivenWall::follows_variables() const
{
  return turn.varies() ||
      std::any_of(courses, courses + 3, [](const Course &course) { return course.velocity_or_displacement.varies(); });
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
  for (const Course &course : courses) course.velocity_or_displacement.init(lmp);
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
    body.centre[d] = has_rotation ? pivot[d] + displacement[d]
        : has_middle              ? torque_reference[d] + displacement[d]
                                  : 0.0;
    body.pose.displacement[d] = displacement[d];
    body.pivot[d] = pivot[d];
    body.axis[d] = axis[d];
  }
  body.pose.angle = angle;
  add_surface_velocity(body);
}

void DrivenWall::add_surface_velocity(WallBody &body)
{
  for (int d = 0; d < 3; ++d) body.velocity[d] += shear[d];
}

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
      follow(course.velocity_or_displacement, course.start, displacement[d], velocity[d]);
  }
  if (has_rotation) {
    follow(turn, turn_start, angle, angle_rate);
    set_rotation();
  }
  if (has_variables) request_computes_for_next_step(lmp);
  knows_place = true;
  if (bears_load() && follows_load && is_time_step(*update)) follow_load();
}

/* ----------------------------------------------------------------------
   The rate of a variable is computed from the change of its value over the last step. In a setup, no step has passed,
   so the rate of the last step is kept.
------------------------------------------------------------------------- */

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
  if (knows_place && is_time_step(*update)) rate = (here - place) / update->dt;
  place = here;
}

granular_plus::BodyUnderLoad DrivenWall::body_under_load() const
{
  granular_plus::BodyUnderLoad body = loaded;
  body.timestep = update->dt;
  body.force_to_momentum = force->ftm2v;
  body.to_energy = force->mvv2e;
  body.displacement = displacement[body.axis];
  body.velocity = velocity[body.axis];
  body.stopped_energy = stopped_energy;
  return body;
}

void DrivenWall::set_state_under_load(const granular_plus::LoadedWall &wall)
{
  loaded = wall.body;
  displacement[loaded.axis] = loaded.displacement;
  velocity[loaded.axis] = loaded.velocity;
  stopped_energy = loaded.stopped_energy;
}

std::optional<granular_plus::LoadedWall> DrivenWall::state_under_load() const
{
  if (!bears_load()) return {};
  granular_plus::LoadedWall wall{body_under_load(), load.number, has_rotation || has_middle};
  if (wall.centre_moves) wall.centre = (has_rotation ? pivot : torque_reference)[loaded.axis];
  return wall;
}

void DrivenWall::follow_load()
{
  granular_plus::LoadedWall wall{body_under_load()};
  wall.body.advance();
  set_state_under_load(wall);
}

void DrivenWall::apply_force(const double *force_of_grains)
{
  const double force_of_particles = sum_over_ranks(world, force_of_grains[loaded.axis]);
  const double total = load.value_in_step(lmp) + force_of_particles;
  if (!is_time_step(*update)) {
    loaded.total_force = total;
    return;
  }
  loaded = body_under_load();
  loaded.bear(total);
}

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

// The pivot is the first term of each sum, as in device/wall_kernels.h: CPU and GPU must agree bitwise.

granular_plus::Vector DrivenWall::turn_to_body(const double *point) const
{
  double arm[3], result[3];
  for (int d = 0; d < 3; ++d) arm[d] = point[d] - displacement[d] - pivot[d];
  for (int d = 0; d < 3; ++d)
    result[d] = pivot[d] + rotation.row[0][d] * arm[0] + rotation.row[1][d] * arm[1] + rotation.row[2][d] * arm[2];
  return granular_plus::vector_of(result);
}

std::vector<double> DrivenWall::state() const
{
  static_assert(sizeof(State) == STATE_SIZE * sizeof(double));
  State state{{},
              static_cast<double>(has_rotation),
              turn.number,
              hash_of(turn.variable),
              {axis[0], axis[1], axis[2]},
              {pivot[0], pivot[1], pivot[2]},
              turn_start.place,
              turn_start.time,
              angle,
              angle_rate,
              now(),
              static_cast<double>(knows_place),
              loaded.total_force,
              loaded.full_velocity,
              loaded.half_velocity,
              stopped_energy};
  for (int d = 0; d < 3; ++d) {
    const Course &course = courses[d];
    state.course[d] = {static_cast<double>(course.kind),
                       course.amplitude,
                       course.frequency,
                       course.velocity_or_displacement.number,
                       hash_of(course.velocity_or_displacement.variable),
                       course.start.place,
                       course.start.time,
                       displacement[d],
                       velocity[d]};
  }
  std::vector<double> list = identity();
  const std::size_t own = list.size();
  list.resize(own + STATE_SIZE);
  std::memcpy(list.data() + own, &state, sizeof state);
  return list;
}

bool DrivenWall::restore(const double *list, int size)
{
  const auto own = identity();
  const auto own_size = static_cast<int>(own.size());
  if (size < own_size + STATE_SIZE || !std::equal(own.begin(), own.end(), list)) return false;
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
        course.frequency == before.frequency && course.velocity_or_displacement.number == before.number &&
        hash_of(course.velocity_or_displacement.variable) == before.name;
    course.start = is_same ? Start{before.start, before.start_time, false} : Start{displacement[d], clock, true};
    if (course.kind != NONE && course.kind != SHEAR) velocity[d] = before.rate;
    if (course.kind != LOAD) continue;
    if (!(displacement[d] >= loaded.lowest && displacement[d] <= loaded.highest))
      error->all(FLERR, "{}: keyword load: between = {} {} must include the present displacement of the wall, {:.8g}",
                 message_prefix, loaded.lowest, loaded.highest, displacement[d]);
    loaded.total_force = is_same ? state.total_force : 0.0;
    loaded.full_velocity = is_same ? state.full_velocity : before.rate;
    loaded.half_velocity = is_same ? state.half_velocity : before.rate;
  }
  if (state.turns == 0.0) {
    turn_start = {0.0, clock, true};
    return true;
  }

  const bool same_axis = std::equal(axis, axis + 3, state.axis) && std::equal(pivot, pivot + 3, state.pivot);
  if (has_rotation && !same_axis) {
    if (state.angle != 0.0)
      error->all(FLERR,
                 "{}: keyword rotate: the wall has been rotated by {:.6g} about the axis ({:.6g}, {:.6g}, {:.6g}) "
                 "through ({:.6g}, {:.6g}, {:.6g}); any further rotation must be about this axis",
                 message_prefix, state.angle, state.axis[0], state.axis[1], state.axis[2], state.pivot[0],
                 state.pivot[1], state.pivot[2]);
    turn_start = {0.0, clock, true};
    return true;
  }
  const bool is_same = has_rotation && turn.number == state.turn_number && hash_of(turn.variable) == state.turn_name;
  has_rotation = true;
  std::copy_n(state.axis, 3, axis);
  std::copy_n(state.pivot, 3, pivot);
  angle = state.angle;
  angle_rate = state.angle_rate;
  turn_start = is_same ? Start{state.turn_start, state.turn_time, false} : Start{angle, clock, true};
  return true;
}
