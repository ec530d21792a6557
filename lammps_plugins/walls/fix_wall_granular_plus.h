#ifdef FIX_CLASS
// clang-format off
FixStyle(wall/granular/plus,FixWallGranularPlus);
// clang-format on
#else

#ifndef LMP_FIX_WALL_GRANULAR_PLUS_H
#define LMP_FIX_WALL_GRANULAR_PLUS_H

#include "fix.h"

#include "../core/model/contact_model.h"
#include "../glue/number_or_variable.h"
#include "wall_report.h"
#include "../glue/restart_header.h"
#include "../grains/nonlocal_surface.h"
#include "../liquid/wet_surface.h"
#include "wall_ledger.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace LAMMPS_NS {

// A wall with the contact laws of pair granular/plus.
class FixWallGranularPlus : public Fix, public WetSurface, public NonlocalSurface {
 public:
  FixWallGranularPlus(class LAMMPS *, int, char **);
  // uses `words` instead of the words after the style
  FixWallGranularPlus(class LAMMPS *, int, char **, std::vector<std::string> words);
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

  bool touches(const double *x, double radius) { return surface->touches(x, radius); }

  WallContacts &wall_contacts() { return *contacts; }
  const class Atom *atoms() const { return atom; }
  std::optional<granular_plus::SimpleSurface> simple() const { return surface->simple(); }
  std::shared_ptr<const granular_plus::FlatMesh> triangles() const { return surface->triangles(); }
  std::string obstacle_on_gpu() const { return surface->obstacle_on_gpu(); }
  bool needs_variables() const { return surface->needs_variables(); }
  bool temperature_varies() const { return temperature.varies(); }
  double temperature_now() const { return contacts->batches.temperature; }
  bigint present_step() const { return update->ntimestep; }
  // Moves the wall to its position at the time of a step, without the motion due to a load, and returns the pose.
  granular_plus::WallPose pose_at(bigint step);
  // Called after an engine has computed steps. in_first is the pose in the first of these steps, and in_next is the
  // pose in the step after these steps.
  void add_engine_load(const double *force, const double *torque, double power, double work,
                       const granular_plus::WallPose &in_first, const granular_plus::WallPose &in_next);
  // For a wall under load. set_state_under_load sets the state after steps that an engine has computed.
  std::optional<granular_plus::LoadedWall> under_load() const;
  void set_state_under_load(const granular_plus::LoadedWall &wall);

  double dry_bridges(double depth, int of_group) override { return wall_ledger->dry_bridges(depth, of_group); }
  void for_each_bridge(const std::function<void(int grain, double volume)> &see) const override
  {
    contacts->liquid.for_each_bridge(see);
  }
  double liquid_taken() const override { return ledger.liquid_taken; }

  bool is_nonlocal() const override { return contacts->nonlocal.any; }
  void add_contacts() override
  {
    prepare();
    contacts->add_nonlocal_contacts();
  }

  granular_plus::EnergyLedger ledger;

 private:
  const std::string message_prefix;    // beginning of messages
  std::unique_ptr<granular_plus::ContactModel> model;
  std::unique_ptr<WallSurface> surface;
  std::unique_ptr<WallContacts> contacts;
  WallLoad load;
  std::unique_ptr<WallReport> report;
  std::unique_ptr<WallLedger> wall_ledger;
  NumberOrVariable temperature;

  RestartHeader in_restart;
  int usable_values = -1;    // number of usable values of a contact in the restart file; -1 if none
  bool warned_of_minimize = false;
  bool is_ready = false, near_is_new = false;

  void prepare();

  void save_state();
  void restore_saved_state(int narg, char **arg);
  void restore_motion(const double *state, int size, const char *when);
  static const Options<FixWallGranularPlus> OPTIONS;
  void parse_options(const std::vector<std::string> &words, std::size_t next_word);
  void set_layout();
  int value_of_liquid() const;    // index of a bridge's volume; -1 if bridges take no liquid from films
  void publish_local();
  static void process_batch(void *wall, const granular_plus::LoopWork &work, granular_plus::Mode mode);
  inline void record(const granular_plus::Batch &batch, int lane);
};

std::vector<FixWallGranularPlus *> granular_walls(class LAMMPS *);

}    // namespace LAMMPS_NS

#endif
#endif
