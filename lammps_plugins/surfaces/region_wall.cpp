#include "wall_surface.h"

#include "../laws/contact.h"
#include "lammps_version.h"

#include "domain.h"
#include "error.h"
#include "modify.h"
#include "region.h"
#include "update.h"
#include "comm.h"

#include <algorithm>
#include <array>
#include <cmath>

using namespace LAMMPS_NS;

namespace {

constexpr double PI = 3.14159265358979323846;
constexpr const char *STYLES[] = {"xplane", "yplane", "zplane", "zcylinder", "region"};

/* ----------------------------------------------------------------------
   a wall of the command's own: one body, which wiggles or is sheared
------------------------------------------------------------------------- */

class DrivenWall : public WallSurface {
 public:
  explicit DrivenWall(LAMMPS *lmp)
      : WallSurface(lmp), clock_step(update->ntimestep), last_step(clock_step), timestep(update->dt)
  {
    bodies.resize(1);
  }

  void wiggle(int axis, double amplitude, double period) override
  {
    wiggle_axis = axis;
    wiggle_amplitude = amplitude;
    frequency = 2.0 * PI / period;
  }

  void shear(int axis, double speed) override { bodies[0].velocity[axis] = speed; }

  void init() override { reset_timestep(); }

  // Time goes on when the time step changes, and when reset_timestep counts steps anew: those that the wall has been
  // through count.
  void reset_timestep() override
  {
    clock = now();
    clock_step = last_step = update->ntimestep;
    timestep = update->dt;
  }

  void move() override
  {
    last_step = update->ntimestep;
    if (frequency == 0.0) return;
    const double phase = frequency * now();
    offset[wiggle_axis] = wiggle_amplitude - wiggle_amplitude * std::cos(phase);
    bodies[0].velocity[wiggle_axis] = wiggle_amplitude * frequency * std::sin(phase);
  }

  std::vector<double> state() const override { return {now()}; }
  bool restore(const double *state, int size) override
  {
    if (size != 1) return false;
    clock = state[0];
    clock_step = last_step = update->ntimestep;
    return true;
  }

 protected:
  double offset[3] = {};

 private:
  int wiggle_axis = 0;
  double wiggle_amplitude = 0.0, frequency = 0.0;
  // at step clock_step, time since the wall began to wiggle; the last step in which it has moved
  double clock = 0.0;
  bigint clock_step, last_step;
  double timestep;
  double now() const { return clock + (last_step - clock_step) * timestep; }
};

/* ---------------------------------------------------------------------- */

class Planes : public DrivenWall {
 public:
  Planes(LAMMPS *lmp, int dimension, const std::string &low, const std::string &high)
      : DrivenWall(lmp), dimension(dimension)
  {
    const bool periodic[] = {domain->xperiodic != 0, domain->yperiodic != 0, domain->zperiodic != 0};
    if (periodic[dimension])
      error->all(FLERR, "granular/plus: {} cannot be a wall in a periodic dimension", STYLES[dimension]);
    const std::string *words[] = {&low, &high};
    for (int side = 0; side < 2; ++side) {
      present[side] = *words[side] != "NULL";
      if (present[side]) position[side] = utils::numeric(FLERR, *words[side], false, lmp);
    }
    if (present[0] && present[1] && !(position[0] <= position[1]))
      error->all(FLERR, "granular/plus: {} lo = {} must be <= hi = {}", STYLES[dimension], low, high);
    if (present[0] && present[1] && position[0] == position[1]) present[1] = false;    // one plane with two sides
  }

  void shear(int axis, double speed) override
  {
    if (axis == dimension)
      error->all(FLERR, "granular/plus: keyword shear: a {} can only be sheared within its plane", STYLES[dimension]);
    DrivenWall::shear(axis, speed);
  }

  void points_near(const double *x, double cutoff, std::vector<WallPoint> &points) override
  {
    for (int side = 0; side < 2; ++side) {
      if (!present[side]) continue;
      const double above = x[dimension] - (position[side] + offset[dimension]);
      if (std::fabs(above) >= cutoff) continue;
      WallPoint point{side, 0, {}, std::fabs(above), granular_plus::FLAT, {}};
      point.separation[dimension] = above;
      points.push_back(point);
    }
  }

  int max_points() const override { return 2; }
  bool normals_turn() const override { return false; }

 private:
  int dimension;
  bool present[2];
  double position[2] = {};
};

/* ----------------------------------------------------------------------
   about the z axis
------------------------------------------------------------------------- */

class Cylinder : public DrivenWall {
 public:
  Cylinder(LAMMPS *lmp, const std::string &word) : DrivenWall(lmp), radius(utils::numeric(FLERR, word, false, lmp))
  {
    if (!(radius > 0.0)) error->all(FLERR, "granular/plus: zcylinder radius = {} must be > 0", word);
    if (domain->xperiodic || domain->yperiodic)
      error->all(FLERR, "granular/plus: zcylinder cannot be a wall where x or y is periodic");
  }

  void wiggle(int axis, double amplitude, double period) override
  {
    if (axis != 2) error->all(FLERR, "granular/plus: keyword wiggle: a zcylinder can only wiggle along z");
    DrivenWall::wiggle(axis, amplitude, period);
  }

  // along z, or with the given speed around z, clockwise as in fix wall/gran
  void shear(int axis, double speed) override
  {
    if (axis == 2)
      DrivenWall::shear(axis, speed);
    else
      bodies[0].spin[2] = -speed / radius;
  }

  void points_near(const double *x, double cutoff, std::vector<WallPoint> &points) override
  {
    const double from_axis = std::sqrt(x[0] * x[0] + x[1] * x[1]);
    const double gap = radius - from_axis;
    if (std::fabs(gap) >= cutoff || from_axis == 0.0) return;
    // twice the radius: the other principal curvature is 0
    points.push_back({0,
                      0,
                      {-gap / from_axis * x[0], -gap / from_axis * x[1], 0.0},
                      std::fabs(gap),
                      gap > 0.0 ? -2.0 * radius : 2.0 * radius,
                      {}});
  }

  int max_points() const override { return 1; }

 private:
  double radius;
};

/* ----------------------------------------------------------------------
   LAMMPS keeps the unit vector of a region's axis and the point that it runs through to itself
------------------------------------------------------------------------- */

struct RotationAxis : Region {
  static const double *direction_in(const Region &region) { return region.*(&RotationAxis::runit); }
  static const double *origin_in(const Region &region) { return region.*(&RotationAxis::point); }
};

/* ----------------------------------------------------------------------
   Any region. LAMMPS tells its place; its velocity is worked out here from its places at this step and the last. (That
   of LAMMPS is lost between runs, is wrong for axes that are not of unit length, and does not reach the parts of a
   union or intersection.)
------------------------------------------------------------------------- */

class RegionWall : public WallSurface {
 public:
  RegionWall(LAMMPS *lmp, std::string id) : WallSurface(lmp), id(std::move(id)) { find_parts(); }

  void wiggle(int, double, double) override { refuse_motion("wiggle"); }
  void shear(int, double) override { refuse_motion("shear"); }

  void init() override
  {
    const auto before = parts;
    find_parts();
    const auto same = [](const Part &a, const Part &b) { return a.region == b.region; };
    if (std::equal(before.begin(), before.end(), parts.begin(), parts.end(), same)) {
      parts = before;
    } else if (comm->me == 0) {
      error->warning(FLERR, "granular/plus: region {} has changed between runs, its motion starts anew", id);
    }
    // A union or intersection takes the flags of its parts, but has no motion of its own: without flags it applies none.
    for (Region *compound : compounds) compound->moveflag = compound->rotateflag = 0;
  }

  void move() override
  {
    if (!region->dynamic_check()) return;
    modify->clearstep_compute();
    region->prematch();
    modify->addstep_compute(update->ntimestep + 1);
    if (region->varshape) region->set_velocity();
    for (std::size_t k = 0; k < parts.size(); ++k) follow(parts[k], bodies[k]);
  }

  void points_near(const double *x, double cutoff, std::vector<WallPoint> &points) override
  {
    if (!region->match(x[0], x[1], x[2])) return;
    const int count = region->surface(x[0], x[1], x[2], cutoff);
    for (int k = 0; k < count; ++k) {
      const auto &contact = region->contact[k];
      WallPoint point{contact.iwall,
                      static_cast<int>(part_with(contact.iwall)),
                      {contact.delx, contact.dely, contact.delz},
                      contact.r,
                      contact.radius == 0.0 ? granular_plus::FLAT : contact.radius,
                      {}};
      Region *part = parts[point.body].region;
      if (part->varshape && contact.varflag) {
        double place[3];
        for (int d = 0; d < 3; ++d) place[d] = x[d] - point.separation[d];
        part->velocity_contact_shape(point.wall_growth, place);
      }
      points.push_back(point);
    }
  }

  int max_points() const override { return region->cmax; }

  std::vector<double> state() const override
  {
    std::vector<double> state;
    for (const Part &part : parts) {
      state.push_back(part.known);
      state.insert(state.end(), part.place.begin(), part.place.end());
      state.insert(state.end(), part.rate.begin(), part.rate.end());
      state.push_back(part.radius_before);
    }
    return state;
  }

  bool restore(const double *state, int size) override
  {
    if (size != static_cast<int>(parts.size()) * PART_STATE) return false;
    for (Part &part : parts) {
      part.known = state[0] != 0.0;
      std::copy_n(state + 1, 4, part.place.begin());
      std::copy_n(state + 5, 4, part.rate.begin());
      part.radius_before = state[9];
      state += PART_STATE;
    }
    return true;
  }

 private:
  // a region that is no union and no intersection
  struct Part {
    Region *region;
    bool known = false;               // where it was
    std::array<double, 4> place{};    // displacement and angle at the last step
    std::array<double, 4> rate{};     // of their change in the step before
    double radius_before = 0.0;       // of a part that changes its shape
  };
  static constexpr int PART_STATE = 10;

  std::string id;
  Region *region = nullptr;
  std::vector<Part> parts;    // one for each body
  std::vector<Region *> compounds;

  [[noreturn]] void refuse_motion(const char *keyword)
  {
    error->all(FLERR,
               "granular/plus: keyword {} cannot be combined with wall style region; give region {} a motion instead",
               keyword, id);
  }

  void find_parts()
  {
    region = domain->get_region_by_id(id);
    if (!region) error->all(FLERR, "granular/plus: region {} does not exist", id);
    parts.clear();
    compounds.clear();
    add_parts(region);
    const bool rotates =
        std::any_of(parts.begin(), parts.end(), [](const Part &part) { return part.region->rotateflag != 0; });
    if (!compounds.empty() && rotates && !granular_plus_compounds_rotate<Region>::value)
      error->all(FLERR,
                 "granular/plus: region {}: this LAMMPS ({}) loses contacts with rotating parts of a union or "
                 "intersection; make each part a wall of its own",
                 id, lmp->version);
    bodies.assign(parts.size(), WallBody{});
  }

  void add_parts(Region *of)
  {
    if (!of->reglist) {
      parts.push_back({of});
      return;
    }
    compounds.push_back(of);
    for (int k = 0; k < of->nregion; ++k) {
      if (of->dynamic_check() && !of->interior && of->reglist[k]->reglist)
        error->all(FLERR, "granular/plus: region {}: a union or intersection within another one may not move", id);
      add_parts(of->reglist[k]);
    }
  }

  // Inside a union or intersection the surfaces of its parts are numbered one after another, outside each part has one
  // number.
  std::size_t part_with(int surface) const
  {
    if (!region->dynamic_check()) return 0;    // all bodies are at rest
    const Region *of = region;
    while (of->reglist) {
      int part = 0;
      if (of->interior) {
        while (surface >= of->reglist[part]->cmax) surface -= of->reglist[part++]->cmax;
      } else {
        part = surface;
      }
      of = of->reglist[part];
    }
    const auto found = std::find_if(parts.begin(), parts.end(), [of](const Part &p) { return p.region == of; });
    return found - parts.begin();
  }

  // In setup there is no step to take a velocity from: that of the last step holds on.
  void follow(Part &part, WallBody &body)
  {
    Region &r = *part.region;
    const std::array<double, 4> now = {r.moveflag ? r.dx : 0.0, r.moveflag ? r.dy : 0.0, r.moveflag ? r.dz : 0.0,
                                       r.rotateflag ? r.theta : 0.0};
    if (part.known && !update->setupflag)
      for (int k = 0; k < 4; ++k) part.rate[k] = (now[k] - part.place[k]) / update->dt;
    if (r.varshape) {
      if (!part.known)
        r.rprev = r.prev[4];
      else if (update->setupflag)
        r.rprev = part.radius_before;
      part.radius_before = r.rprev;
    }
    part.place = now;
    part.known = true;
    for (int d = 0; d < 3; ++d) {
      body.velocity[d] = part.rate[d];
      if (!r.rotateflag) continue;
      body.spin[d] = part.rate[3] * RotationAxis::direction_in(r)[d];
      body.centre[d] = RotationAxis::origin_in(r)[d] + now[d];
    }
  }
};

}    // namespace

/* ---------------------------------------------------------------------- */

void WallBody::velocity_at(const double *point, double *result) const
{
  for (int d = 0; d < 3; ++d) {
    const int e = (d + 1) % 3, f = (d + 2) % 3;
    result[d] = velocity[d] + spin[e] * (point[f] - centre[f]) - spin[f] * (point[e] - centre[e]);
  }
}

/* ---------------------------------------------------------------------- */

bool WallSurface::is_style(const std::string &word)
{
  return std::find(std::begin(STYLES), std::end(STYLES), word) != std::end(STYLES);
}

std::vector<std::string> WallSurface::styles() { return {std::begin(STYLES), std::end(STYLES)}; }

std::unique_ptr<WallSurface> WallSurface::create(LAMMPS *lmp, const std::vector<std::string> &words, std::size_t &next)
{
  const std::string &style = words[next];
  const auto number = std::find(std::begin(STYLES), std::end(STYLES), style) - std::begin(STYLES);
  const std::size_t arguments = number < 3 ? 2 : 1;
  if (next + arguments >= words.size())
    lmp->error->all(FLERR, "granular/plus: wall style {} needs {}", style,
                    number < 3        ? "two positions, lo and hi"
                        : number == 3 ? "a radius"
                                      : "the ID of a region");
  const std::string *argument = &words[next + 1];
  next += 1 + arguments;
  if (number < 3) return std::make_unique<Planes>(lmp, number, argument[0], argument[1]);
  if (number == 3) return std::make_unique<Cylinder>(lmp, argument[0]);
  return std::make_unique<RegionWall>(lmp, argument[0]);
}
