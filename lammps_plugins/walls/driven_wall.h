// A wall that is one rigid body and moves as a function of time or under a load.

#ifndef LMP_DRIVEN_WALL_H
#define LMP_DRIVEN_WALL_H

#include "wall_surface.h"

#include <string>
#include <vector>

namespace LAMMPS_NS {

class DrivenWall : public WallSurface {
 public:
  explicit DrivenWall(LAMMPS *);

  static bool is_keyword(const std::string &word) { return OPTIONS.find(word) < OPTIONS.size(); }
  std::vector<OptionsOf> options() override { return {OPTIONS.of(*this)}; }

  void init() override;
  // Keeps the time of the motion unchanged when the time step changes or the command reset_timestep renumbers steps.
  void reset_timestep() override;
  void move() override;

  granular_plus::WallPose pose() const override;
  bool needs_variables() const override { return follows_variables() || load.varies(); }

  bool bears_load() const override { return loaded.axis >= 0; }
  double mass() const override { return bears_load() ? loaded.mass : INFINITY; }
  void apply_force(const double *force_of_grains) override;    // force on the wall from the grains of this rank
  std::optional<granular_plus::LoadedWall> state_under_load() const override;
  void set_state_under_load(const granular_plus::LoadedWall &wall) override;

  // A wall that receives the state of an earlier wall continues from that state.
  std::vector<double> state() const override;
  bool restore(const double *list, int size) override;

 protected:
  virtual std::vector<double> identity() const = 0;
  static constexpr int STATE_SIZE = 46;    // number of values that follow the identity in the state
  bool has_middle = false;
  double torque_reference[3] = {};    // reference point of torques if the wall does not rotate
  virtual void add_surface_velocity(WallBody &body);

  bool is_free(int dimension) const { return courses[dimension].kind == NONE; }
  bool is_sheared(int dimension) const { return courses[dimension].kind == SHEAR; }
  bool is_wiggled(int dimension) const { return courses[dimension].kind == WIGGLE; }
  bool turns() const { return has_rotation; }
  bool moves() const;
  bool follows_variables() const;
  granular_plus::WallFrame frame() const;

  double shear[3] = {};    // velocity of the surface that does not change the position of the wall
  double pivot[3] = {};
  double axis[3] = {}, angle = 0.0;

  // to_body transforms a point to the frame of the body at rest. from_body transforms a direction in this frame to the
  // frame of the simulation.
  granular_plus::Vector to_body(const double *point) const
  {
    if (has_rotation) return turn_to_body(point);
    return granular_plus::vector_of(point) - granular_plus::vector_of(displacement);
  }
  granular_plus::Vector from_body(const granular_plus::Vector &v) const { return has_rotation ? rotation * v : v; }
  granular_plus::Rotation rotation{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

 private:
  enum Kind { NONE, WIGGLE, SHEAR, MOVE, LOAD };
  // Place and time at which a motion begins. Both are 0 unless the wall continues from an earlier wall that moved
  // differently. The value of a variable is added to `place`. If is_due is true, the first value of the variable must
  // still be subtracted from `place`, so that the wall does not jump.
  struct Start {
    double place = 0.0, time = 0.0;
    bool is_due = false;
  };
  struct Course {
    Kind kind = NONE;
    double amplitude = 0.0, frequency = 0.0;
    NumberOrVariable velocity_or_displacement;    // for MOVE: a number is a velocity, a variable gives a displacement
    Start start;
  };

  Course courses[3];
  bool has_rotation = false;
  granular_plus::Vector turn_to_body(const double *point) const;
  NumberOrVariable turn;    // a number is an angular velocity, a variable gives an angle
  Start turn_start;
  double angle_rate = 0.0;
  bool knows_place = false;
  bool rests = false;

  NumberOrVariable load;
  granular_plus::BodyUnderLoad loaded{-1, INFINITY, 0.0, -INFINITY,
                                      INFINITY};    // the position and velocity are members of WallSurface

  // clock: time between the first definition of the wall and step clock_step; last_step: step of the last move
  double clock = 0.0;
  bigint clock_step, last_step;
  double timestep;
  double now() const { return clock + (last_step - clock_step) * timestep; }

  static const Options<DrivenWall> OPTIONS;
  void claim_dimension(int dimension, Kind kind);
  void parse_rotation(const Operands &given);
  void parse_load(const Operands &given);
  void advance();
  void follow(const NumberOrVariable &given, Start &start, double &place, double &rate) const;
  void follow_load();
  granular_plus::BodyUnderLoad body_under_load() const;
  void set_rotation();
};

}    // namespace LAMMPS_NS

#endif
