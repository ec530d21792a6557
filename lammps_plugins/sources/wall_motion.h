// How a wall that is one rigid body moves: as a function of time, or by Newton's law under a load.

#ifndef LMP_WALL_MOTION_H
#define LMP_WALL_MOTION_H

#include "pointers.h"

#include <string>
#include <vector>

namespace LAMMPS_NS {

class WallMotion : protected Pointers {
 public:
  explicit WallMotion(LAMMPS *);

  using Words = std::vector<std::string>;
  static const Words KEYWORDS;
  static bool is_keyword(const std::string &word);
  // the keyword at next, which is one of KEYWORDS, with its arguments
  void parse(const Words &words, std::size_t &next);

  // what stands behind the keyword at next, which becomes the first word after them; an error if there are fewer words
  static const std::string *arguments_of(LAMMPS *lmp, const Words &words, std::size_t &next, std::size_t count,
                                         const char *what);

  bool is_free(int axis) const { return courses[axis].kind == NONE; }
  bool is_sheared(int axis) const { return courses[axis].kind == SHEAR; }
  bool is_wiggled(int axis) const { return courses[axis].kind == WIGGLE; }
  bool turns() const { return has_rotation; }
  bool moves() const;
  bool has_load() const { return load_axis >= 0; }
  double mass_of_load() const { return mass; }

  void init();
  // Time goes on when the time step changes, and when reset_timestep counts steps anew: those that the wall has been
  // through count.
  void reset_timestep();
  void advance();    // to the present step
  void stay();       // likewise, of a wall that does not move and has advanced before
  // at the end of a step: the force of the particles of this rank; all ranks together
  void bear(const double *force);

  // of the body from where the command puts it, and velocity; shear is a velocity of the surface alone
  double displacement[3] = {}, velocity[3] = {}, shear[3] = {};
  double spin[3] = {}, pivot[3] = {};    // the pivot is displaced with the body
  double axis[3] = {}, angle = 0.0;      // of the rotation
  double stopped_energy = 0.0;

  // a point in the frame of the body at rest, and a direction in that of the simulation
  void to_body(const double *point, double *result) const
  {
    if (has_rotation) return turn_to_body(point, result);
    for (int d = 0; d < 3; ++d) result[d] = point[d] - displacement[d];
  }
  void from_body(const double *direction, double *result) const;

  // Where the wall is and how it moves. A wall that is given the state of one before goes on from there: with the same
  // motion as if nothing had happened, with another one from that place on.
  std::vector<double> state() const;
  static constexpr int STATE = 46;
  void restore(const double *state);

 private:
  enum Kind { NONE, WIGGLE, SHEAR, MOVE, LOAD };
  // a number, or a variable of that name
  struct Quantity {
    double number = 0.0;
    std::string variable;
  };

  // where a motion began, when, and whether it has yet to begin: a variable then has the value from which it counts
  struct Start {
    double place = 0.0, time = 0.0;
    bool is_due = false;
  };
  // in one dimension
  struct Course {
    Kind kind = NONE;
    double amplitude = 0.0, frequency = 0.0;
    Quantity way;    // of MOVE: velocity as a number, displacement as a variable
    Start start;
  };

  Course courses[3];
  bool has_rotation = false;
  void turn_to_body(const double *point, double *result) const;
  Quantity turn;    // angular velocity as a number, angle as a variable
  Start turn_start;
  double rotation[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  double angle_rate = 0.0;
  bool knows_place = false;    // of variables: there was a step before

  int load_axis = -1;
  Quantity load;
  double mass = 0.0, drag = 0.0, lowest, highest;
  double total_force = 0.0, full_velocity = 0.0, half_velocity = 0.0;

  // at step clock_step, time since the wall began to move; the last step in which it has moved
  double clock = 0.0;
  bigint clock_step, last_step;
  double timestep;
  double now() const { return clock + (last_step - clock_step) * timestep; }

  void parse_rotation(const Words &words, std::size_t &next);
  void parse_load(const Words &words, std::size_t &next);
  // by this name in an error
  double finite(const std::string &keyword, const char *name, const std::string &word) const;
  int axis_named(const std::string &keyword, const std::string &word) const;
  void take(int axis, Kind kind, const std::string &keyword);
  Quantity quantity(const std::string &keyword, const std::string &word) const;
  double number(const std::string &word) const;
  double value(const Quantity &quantity) const;
  void find_variable(const Quantity &quantity, const char *keyword) const;
  void follow(const Quantity &quantity, Start &start, double &place, double &rate) const;
  void follow_load();
  void set_rotation();
};

}    // namespace LAMMPS_NS

#endif
