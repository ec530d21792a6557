// A wall defined by the command itself: one rigid body that moves as a function of time, or by Newton's law under a load.

#ifndef LMP_DRIVEN_WALL_H
#define LMP_DRIVEN_WALL_H

#include "wall_surface.h"

#include <string>
#include <vector>

namespace LAMMPS_NS {

class DrivenWall : public WallSurface {
 public:
  explicit DrivenWall(LAMMPS *);

  // whether this keyword sets a motion of a wall
  static bool is_keyword(const std::string &word) { return OPTIONS.find(word) < OPTIONS.size(); }
  std::vector<OptionsOf> options() override { return {OPTIONS.of(*this)}; }

  void init() override;
  // Time continues when the time step changes, and when reset_timestep renumbers steps: the steps that the wall has
  // completed count.
  void reset_timestep() override;
  void move() override;

  granular_plus::WallPose pose() const override;
  bool needs_variables() const override { return follows_variables() || load.varies(); }

  bool bears_load() const override { return loaded.axis >= 0; }
  double mass() const override { return bears_load() ? loaded.mass : INFINITY; }
  void bear(const double *force_of_grains) override;    // force of the particles on this rank
  std::optional<granular_plus::LoadedWall> under_load() const override;
  void go_on_from(const granular_plus::LoadedWall &wall) override;

  // Identity, position and motion of the wall. A wall that gets the state of an earlier one continues from there: with
  // the same motion as if nothing had happened, with another one from that position on.
  std::vector<double> state() const override;
  bool restore(const double *list, int size) override;

 protected:
  // numbers that identify this wall, as the command places it
  virtual std::vector<double> identity() const = 0;
  static constexpr int STATE = 46;    // size of the state after the identity
  bool has_middle = false;
  double middle[3] = {};    // of the body at rest: reference point of torques if it does not rotate
  // applies shear to the body; by default its surface moves
  virtual void slide(WallBody &body);

  bool is_free(int dimension) const { return courses[dimension].kind == NONE; }
  bool is_sheared(int dimension) const { return courses[dimension].kind == SHEAR; }
  bool is_wiggled(int dimension) const { return courses[dimension].kind == WIGGLE; }
  bool turns() const { return has_rotation; }
  bool moves() const;
  bool follows_variables() const;
  granular_plus::WallFrame frame() const;

  double shear[3] = {};                // a velocity of the surface only
  double pivot[3] = {};                // displaced with the body
  double axis[3] = {}, angle = 0.0;    // state of the rotation

  // transform a point to the frame of the body at rest, and a direction back to that of the simulation
  granular_plus::Vector to_body(const double *point) const
  {
    if (has_rotation) return turn_to_body(point);
    return granular_plus::vector_of(point) - granular_plus::vector_of(displacement);
  }
  granular_plus::Vector from_body(const granular_plus::Vector &v) const { return has_rotation ? rotation * v : v; }
  granular_plus::Rotation rotation{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};    // from the frame of the body

 private:
  enum Kind { NONE, WIGGLE, SHEAR, MOVE, LOAD };
  // start of a motion: position, time, and whether it is still to come: a variable then has the value from which it counts
  struct Start {
    double place = 0.0, time = 0.0;
    bool is_due = false;
  };
  // motion in one dimension
  struct Course {
    Kind kind = NONE;
    double amplitude = 0.0, frequency = 0.0;
    NumberOrVariable way;    // of MOVE: velocity as a number, displacement as a variable
    Start start;
  };

  Course courses[3];
  bool has_rotation = false;
  granular_plus::Vector turn_to_body(const double *point) const;
  NumberOrVariable turn;    // angular velocity as a number, angle as a variable
  Start turn_start;
  double angle_rate = 0.0;
  bool knows_place = false;    // for variables: the position in the last step is known
  bool rests = false;          // the wall did not move in the last step

  NumberOrVariable load;
  granular_plus::BodyUnderLoad loaded{-1, INFINITY, 0.0, -INFINITY,
                                      INFINITY};    // place and velocity: see displacement

  // clock: time since the wall began to move, at step clock_step; last_step: last step in which it moved
  double clock = 0.0;
  bigint clock_step, last_step;
  double timestep;
  double now() const { return clock + (last_step - clock_step) * timestep; }

  static const Options<DrivenWall> OPTIONS;
  void take(int dimension, Kind kind);    // stops with an error if it already has a motion
  void take_rotation(const Operands &given);
  void take_load(const Operands &given);
  void advance();    // to the present step
  void follow(const NumberOrVariable &given, Start &start, double &place, double &rate) const;
  void follow_load();
  granular_plus::BodyUnderLoad body_under_load() const;
  void set_rotation();
};

}    // namespace LAMMPS_NS

#endif
