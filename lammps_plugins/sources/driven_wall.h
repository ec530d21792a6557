// A wall of the command's own: one body, with a motion that the command gives.

#ifndef LMP_DRIVEN_WALL_H
#define LMP_DRIVEN_WALL_H

#include "wall_motion.h"
#include "wall_surface.h"

#include <algorithm>

namespace LAMMPS_NS {

class DrivenWall : public WallSurface {
 public:
  explicit DrivenWall(LAMMPS *lmp) : WallSurface(lmp), motion(lmp) { bodies.resize(1); }

  bool take_option(const std::vector<std::string> &words, std::size_t &next) override
  {
    if (!WallMotion::is_keyword(words[next])) return false;
    motion.parse(words, next);
    return true;
  }
  std::vector<std::string> options() const override { return WallMotion::KEYWORDS; }

  void init() override
  {
    motion.init();
    rests = false;
  }
  void reset_timestep() override { motion.reset_timestep(); }

  void move() override
  {
    if (rests) return motion.stay();
    motion.advance();
    rests = !motion.moves();
    WallBody &body = bodies[0];
    for (int d = 0; d < 3; ++d) {
      displacement[d] = motion.displacement[d];
      body.velocity[d] = velocity[d] = motion.velocity[d];
      body.spin[d] = motion.spin[d];
      body.centre[d] = motion.turns() ? motion.pivot[d] + motion.displacement[d] : 0.0;
    }
    stopped_energy = motion.stopped_energy;
    slide(body);
  }

  double way_moved(const granular_plus::Extent &space) override
  {
    if (rests) return 0.0;
    BodyPlace now;
    std::copy_n(motion.displacement, 3, now.displacement);
    now.angle = motion.angle;
    const double way = now.way_from(place_then, motion.pivot, motion.axis, space);
    place_then = now;
    return way;
  }

  bool bears_load() const override { return motion.has_load(); }
  double mass() const override { return motion.has_load() ? motion.mass_of_load() : INFINITY; }
  void bear(const double *force) override { motion.bear(force); }

  std::vector<double> state() const override
  {
    std::vector<double> list = identity();
    const auto of_motion = motion.state();
    list.insert(list.end(), of_motion.begin(), of_motion.end());
    return list;
  }
  bool restore(const double *state, int size) override
  {
    const auto own = identity();
    const auto own_size = static_cast<int>(own.size());
    if (size < own_size + WallMotion::STATE || !std::equal(own.begin(), own.end(), state)) return false;
    motion.restore(state + own_size);
    return true;
  }

 protected:
  // tells walls apart, as the command puts them
  virtual std::vector<double> identity() const = 0;
  WallMotion motion;
  BodyPlace place_then;    // as the way moved was asked for last
  bool rests = false;      // where the last step has left it
  // what shear does to the body; by default its surface goes along
  virtual void slide(WallBody &body)
  {
    for (int d = 0; d < 3; ++d) body.velocity[d] += motion.shear[d];
  }
};

}    // namespace LAMMPS_NS

#endif
