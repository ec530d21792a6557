#ifdef FIX_CLASS
// clang-format off
FixStyle(granular/insert,FixGranularInsert);
// clang-format on
#else

#ifndef LMP_FIX_GRANULAR_INSERT_H
#define LMP_FIX_GRANULAR_INSERT_H

#include "fix.h"

#include "../core/grading/size_distribution.h"
#include "grain_placer.h"
#include "insertion_place.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace LAMMPS_NS {

// Feeds grains by number or mass, at once or at a rate. All ranks draw the same positions. The rank that owns the
// position of a grain creates the grain.
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
  void *extract(const char *, int &) override;    // "radius": largest radius of inserted grains of a type
  void write_restart(FILE *) override;
  void restart(char *) override;

 private:
  const std::string message_prefix;
  std::unique_ptr<InsertionPlace> place;
  int every = 100, tries = 1000;
  double velocity[3] = {}, film = 0.0, temperature = 0.0;
  bool has_film = false, has_temperature = false;
  enum class By { NUMBER, MASS } by = By::NUMBER;
  double total_amount = 0.0, rate = 0.0;    // rate: amount per time; 0 if all grains are due at once
  std::unique_ptr<granular_plus::FeedingOrder> order;
  std::vector<double> largest_of_type;
  double largest_radius = 0.0;
  struct Species {
    std::string shape, group;    // IDs of a fix and of a group; empty if none
    double density = 0.0;        // mass divided by the volume of the sphere around a grain
    int groups = 0;              // group bits of `group` and of the shape's fix
  };
  std::vector<Species> species;
  // one material for each species
  std::vector<granular_plus::FeedingOrder::Material> materials;
  double asked_for = 0.0;    // last value returned by extract()

  // state for a restart
  struct State {
    double seed = 0.0;
    double drawn = 0.0;    // how many random numbers have been drawn
    double due = 0.0;      // amount that should have been fed up to step `last`
    double last = -1.0;
    double time = 0.0;       // time at step `last`, since the simulation began
    double rate = 0.0;       // rate since step `last`
    double next = -1.0;      // next step at which grains are inserted
    double done = 0.0;       // 1 if all grains have been fed
    double numbers = 0.0;    // number of values of the feeding order, which follow this struct
  } state;
  double behind_at_warning = 0.0;

  static const Options<FixGranularInsert> OPTIONS;
  void parse(int narg, char **arg);
  void add_species(const Operands &given);
  double fed(const granular_plus::FeedingOrder &order) const
  {
    return by == By::MASS ? order.fed_mass() : order.fed_count();
  }
  double time() const;
  void warn_of_grains_at_rest() const;
  double due_since_last() const;
  double behind() const;
  bool is_due(const granular_plus::FeedingOrder &order) const;
  std::string behind_in_words(const std::string &singular, const std::string &plural) const;
  double random();
  std::vector<PlacedGrain> place_all();
  std::vector<PlacedGrain> upcoming() const;
  void warn_of_no_room(double diameter);
  void look_up(Species &one) const;
  template <class Function> void call(const Function &function) const;
  void make(const std::vector<PlacedGrain> &placed);
};

}    // namespace LAMMPS_NS

#endif
#endif
