#ifdef FIX_CLASS
// clang-format off
FixStyle(wall/granular/plus,FixWallGranularPlus);
// clang-format on
#else

#ifndef LMP_FIX_WALL_GRANULAR_PLUS_H
#define LMP_FIX_WALL_GRANULAR_PLUS_H

#include "fix.h"

#include "../contacts/energy_ledger.h"
#include "../contacts/outputs.h"
#include "../contacts/wall_memory.h"
#include "../model/contact_model.h"
#include "../shapes/shape_lane.h"
#include "../surfaces/wall_surface.h"
#include "shaped_grains.h"
#include "surroundings.h"
#include "wall_load.h"

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace LAMMPS_NS {

// Walls with the contact laws of pair granular/plus: a contact with a wall is one whose partner cannot be moved.
class FixWallGranularPlus : public Fix {
 public:
  FixWallGranularPlus(class LAMMPS *, int, char **);
  ~FixWallGranularPlus() override;
  int setmask() override;
  void init() override;
  void setup(int) override;
  void post_force(int) override;
  void reset_dt() override;
  double compute_vector(int) override;

  void grow_arrays(int) override;
  void copy_arrays(int, int, int) override;
  void set_arrays(int) override;
  int pack_exchange(int, double *) override;
  int unpack_exchange(int, double *) override;
  void write_restart(FILE *) override;
  void restart(char *) override;
  int pack_restart(int, double *) override;
  void unpack_restart(int, int) override;
  int size_restart(int) override;
  int maxsize_restart() override;
  double memory_usage() override;

  granular_plus::EnergyLedger ledger;    // of this processor's particles

 private:
  std::unique_ptr<granular_plus::ContactModel> model;
  std::unique_ptr<WallSurface> surface;
  granular_plus::HistoryLayout layout;
  granular_plus::PairGroup pair_group{};
  const granular_plus::Kernels *kernels = nullptr;
  std::unique_ptr<granular_plus::Batch> batch;
  RigidBodies rigid_bodies;
  StepCheck step_check;

  granular_plus::WallMemory contacts;

  ShapedGrains shapes;
  granular_plus::PairGroup shape_group{};    // the same laws for grains with a shape
  std::unordered_map<std::int64_t, granular_plus::ContactCache> shape_caches;    // by particle and surface
  double weighted_nodes = 0.0, node_weight = 0.0;

  struct Contact {
    int particle;
    int remembered;    // in memory, -1 for a new one
    int place;         // among those of this evaluation, -1 for one that has ended
    WallPoint point;
    bool has_shape = false;
    granular_plus::ShapeContact shape{};
  };
  // for a full batch: contacts, particles that a liquid bridge joins to the wall across a gap, contacts that have ended
  std::vector<Contact> waiting, separated, ended;
  std::vector<granular_plus::PartContact> part_contacts;
  std::vector<Contact> shapes_waiting, shapes_ended;    // of grains with a shape
  int touching = 0;
  bool keeps_ledger = false;
  // of the wall, by number or by variable
  double temperature = 0.0;
  std::string temperature_variable;
  bool softens = false;    // contacts are softer than their material, and may overlap too much
  std::vector<WallPoint> points;
  std::vector<int> patches_to_find, jumped;    // contacts of before
  bool keeps_history = false;                  // not in setup

  WallLoad load;

  double output[granular_plus::WALL_OUTPUTS];
  bool output_is_summed = false;

  // rows of the restart file, and how many of their values suit; -1: none
  int values_in_restart = 0, values_taken = -1;
  bool normals_in_restart = false;
  bool warned_of_minimize = false;

  void parse_options(const std::vector<std::string> &words, std::size_t next_word);
  void set_layout();
  void check_bridges() const;
  void check_step();
  void warn_of_overlaps();
  void find_temperature();
  void collect_contacts(int i);
  void number_patches(int i, granular_plus::WallMemory::Range before);
  void tally_jump(int remembered, const WallPoint &point, int i);
  double normal_speed(int i, const WallPoint &point) const;
  void evaluate(std::vector<Contact> &contacts, const granular_plus::Stage *stages, int stage_count);
  void note_if_ended(int i, int remembered);
  void collect_shape_contacts(int i);
  void add_shape_contact(Contact &contact, granular_plus::WallMemory::Range before);
  bool find_shape_contact(int i, const WallPoint &point, granular_plus::ShapeContact &contact);
  void fill_shape_lane(const Contact &contact, int lane);
  granular_plus::Partner grain(int i, granular_plus::TurnedInertia &inertia) const;
  granular_plus::Partner wall(const Contact &contact) const;
  void tally(bool alive);
  void tally_ended(std::vector<Contact> &list);
  void compile();
  void fill_batch(const std::vector<Contact> &contacts);
  void apply(const Contact &contact, int lane, bool touches);
  double pass_heat(int i, int lane);
  void remember(const Contact &contact, int lane);
  void tally_exchange();
  void find_turn(const Contact &contact, int lane);
};

}    // namespace LAMMPS_NS

#endif
#endif
