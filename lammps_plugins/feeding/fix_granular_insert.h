#ifdef FIX_CLASS
// clang-format off
FixStyle(granular/insert,FixGranularInsert);
// clang-format on
#else

#ifndef LMP_FIX_GRANULAR_INSERT_H
#define LMP_FIX_GRANULAR_INSERT_H

#include "fix.h"

#include "../core/grading/size_law.h"
#include "insertion_place.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace LAMMPS_NS {

class OccupiedSpace;

// Feeds grains by number or mass, at once or at a rate, with sizes by mass. All ranks draw the same places; the one in whose
// part of the box a grain lies makes it.
class FixGranularInsert : public Fix {
 public:
  FixGranularInsert(class LAMMPS *, int, char **);
  ~FixGranularInsert() override;
  int setmask() override;
  void init() override;
  void setup_pre_exchange() override;
  void pre_exchange() override;
  void post_run() override;
  double compute_vector(int) override;
  void *extract(const char *, int &) override;    // "radius": the largest of a type to come
  void write_restart(FILE *) override;
  void restart(char *) override;

 private:
  const std::string who;
  std::unique_ptr<InsertionPlace> place;
  int every = 100, tries = 1000;
  double velocity[3] = {}, film = 0.0, temperature = 0.0;
  bool has_film = false, has_temperature = false;
  // in grains or in mass
  enum class By { NUMBER, MASS } by = By::NUMBER;
  double wanted = 0.0, rate = 0.0;    // total; per unit of time, 0: all at once
  std::unique_ptr<granular_plus::FeedingOrder> order;
  std::vector<double> largest_of_type;    // radius
  double largest_radius = 0.0;
  // what its size law does not know
  struct Species {
    std::string shape, group;    // ID of the fix that gives it its shape, and of a group; empty: none
    double density = 0.0;        // mass over the volume of the sphere around a grain
    int groups = 0;              // bits of both
  };
  std::vector<Species> species;
  double asked_for = 0.0;    // what extract() has returned last

  // what a restart has to know
  struct State {
    double seed = 0.0;
    double drawn = 0.0;    // random numbers so far
    double due = 0.0;      // that should have been fed until step `last`
    double last = -1.0;
    double next = -1.0;      // step of the next insertion
    double done = 0.0;       // 1: all have been fed
    double numbers = 0.0;    // that follow, of the order of sizes
  } state;
  double told_behind = 0.0;    // in the last warning of no room

  struct Placed {
    granular_plus::FeedingOrder::Grain grain;
    double place[3];
    double turn[3];    // random numbers for an orientation, where it has a shape
  };
  void parse(int narg, char **arg);
  double fed(const granular_plus::FeedingOrder &order) const
  {
    return by == By::MASS ? order.fed_mass() : order.fed_count();
  }
  double behind() const;
  bool is_due(const granular_plus::FeedingOrder &order) const;    // its next grain
  std::string behind_in_words() const;
  double random();
  std::vector<Placed> place_all();
  std::vector<Placed> upcoming() const;
  bool place_batch(OccupiedSpace &space, std::vector<Placed> &batch);
  void warn_of_no_room(double diameter);
  void look_up(Species &one) const;
  template <class Function> void call(const Function &function) const;
  bool place_one(OccupiedSpace &space, Placed &one);
  bool fits(const OccupiedSpace &space, double radius, const double *point);
  void add_all_around(OccupiedSpace &space) const;
  void add_images(OccupiedSpace &space, const double *point, double radius) const;
  template <class See> void for_each_image(const double *point, double radius, const See &see) const;
  void make(const std::vector<Placed> &placed);
};

}    // namespace LAMMPS_NS

#endif
#endif
