#ifdef FIX_CLASS
// clang-format off
FixStyle(wall/granular/plus,FixWallGranularPlus);
FixStyle(wall/gran/plus,FixWallGranularPlus);
FixStyle(wall/gran/plus/dsds,FixWallGranularPlusDsds);
FixStyle(wall/gran/region/plus,FixWallGranularPlus);
FixStyle(wall/gran/region/plus/dsds,FixWallGranularPlusDsds);
// clang-format on
#else

#ifndef LMP_FIX_WALL_GRANULAR_PLUS_H
#define LMP_FIX_WALL_GRANULAR_PLUS_H

#include "fix.h"

#include "../contacts/energy_ledger.h"
#include "../contacts/near_grains.h"
#include "../contacts/outputs.h"
#include "../contacts/wall_memory.h"
#include "../model/contact_model.h"
#include "../surfaces/wall_surface.h"
#include "grain_moves.h"
#include "patch_numbers.h"
#include "shapes_at_wall.h"
#include "surroundings.h"
#include "wall_contact.h"
#include "wall_load.h"

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace LAMMPS_NS {

// Walls with the contact laws of pair granular/plus: a contact with a wall is one whose partner cannot be moved.
class FixWallGranularPlus : public Fix, private granular_plus::ContactSource {
 public:
  // the slider of models that name none, for a style in the place of fix wall/gran; null: that of the grammar
  FixWallGranularPlus(class LAMMPS *, int, char **, const char *slider = nullptr);
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
  bool has_patches = false;    // the surface
  granular_plus::HistoryLayout layout;
  granular_plus::PairGroup pair_group{};
  const granular_plus::Kernels *kernels = nullptr;
  std::unique_ptr<granular_plus::LoopWork> work;
  RigidBodies rigid_bodies;
  StepCheck step_check;
  StartCheck start_check;

  granular_plus::WallMemory contacts;
  granular_plus::NearGrains near;
  std::shared_ptr<GrainMoves> moves;    // shared by all walls
  double way = 0.0;                     // that the wall has come, at most, towards anything since the run began
  ShapesAtWall shapes;

  // Contacts that wait for a full batch, by the stages that they go through. A liquid bridge joins those that are separated
  // to the wall across a gap; attraction that needs no contact acts on the next.
  enum Kind { TOUCHING, SEPARATED, ATTRACTED, SHAPES_TOUCHING, ENDED, SHAPES_ENDED, KINDS };
  static constexpr bool is_of_shapes(Kind kind) { return kind == SHAPES_TOUCHING || kind == SHAPES_ENDED; }
  std::array<std::vector<RoundWallContact>, KINDS> waiting;
  std::array<std::vector<ShapedWallContact>, KINDS> waiting_shapes;    // likewise, of grains with a shape
  int waiting_in_all = 0;
  Kind evaluated = TOUCHING;                        // of those in the batch
  std::vector<WallPoint> points;                    // near a particle, behind those of contacts that wait
  std::vector<ShapedWallContact> shape_contacts;    // of a particle
  std::vector<double> no_history;                   // a row for contacts that have none
  PatchNumbers patch_numbers;
  std::vector<int> jumped;                   // contacts of before
  int most_contacts = 0;                     // of a particle
  int touching = 0, contacts_checked = 0;    // of this processor's particles, and of all when the step was checked
  bool keeps_ledger = false, keeps_history = false;    // the latter not in setup
  bool softens = false;    // contacts are softer than their material, and may overlap too much
  // of the wall, by number or by variable
  double temperature = 0.0;
  std::string temperature_variable;

  WallLoad load;

  std::vector<class ComputeGranularDissipation *> dissipation;    // that ask in this step

  // a row for each contact, in no order that means anything
  using ContactRow = std::array<double, granular_plus::WALL_LOCAL_OUTPUTS>;
  std::vector<ContactRow> contact_rows;
  std::vector<double *> contact_row_pointers;

  double output[granular_plus::WALL_OUTPUTS];
  bool output_is_summed = false;

  // rows of the restart file, and how many of their values suit; -1: none
  int values_in_restart = 0, values_taken = -1;
  bool normals_in_restart = false;
  bool warned_of_minimize = false;

  struct Handover;
  static std::map<LAMMPS *, Handover> handovers;
  void take_over(const std::string &command);
  void restore_motion(const double *state, int size, const char *when);
  void parse_options(const std::vector<std::string> &words, std::size_t next_word);
  void set_layout();
  void check_bridges() const;
  void check_step();
  void watch_contacts();
  void warn_of_overlaps();
  void find_temperature();
  void find_near();
  void collect_contacts(int i);
  void collect_shape_contacts(int i);
  void collect_attraction(int i);
  bool touches_wall() const { return evaluated != SEPARATED && evaluated != ATTRACTED; }
  inline void remember(WallContact &contact, int surface_number, granular_plus::WallMemory::Range before);
  template <class Contact> void wait(Kind kind, std::vector<Contact> &list);
  void note_ended(int i, int remembered, std::size_t first_point);
  void number_patches(int i, std::size_t first_point, granular_plus::WallMemory::Range before);
  double normal_speed(int i, const WallPoint &point) const;
  void evaluate(Kind kind);
  int count_of(Kind kind) const
  {
    return static_cast<int>(is_of_shapes(kind) ? waiting_shapes[kind].size() : waiting[kind].size());
  }
  const WallContact &in_batch(int lane) const
  {
    if (is_of_shapes(evaluated)) return waiting_shapes[evaluated][lane];
    return waiting[evaluated][lane];
  }
  const WallPoint &point_in_batch(int lane) const
  {
    return is_of_shapes(evaluated) ? waiting_shapes[evaluated][lane].point : points[waiting[evaluated][lane].point];
  }
  void fill(granular_plus::LoopWork &lanes, int first) override;
  void finish(granular_plus::LoopWork &lanes, int first) override;
  void report(bool goes_on);
  inline void fill_lane(const RoundWallContact &contact, int lane);
  inline void find_turn(int remembered, const WallPoint &point, int lane);
  inline void tell_wall(int lane);
  void add_to_output(int i, const WallPoint &point, const double *force, bool touches, double conducted);
  void add_contact_row(int lane);
  void put_out_contacts();
  void tally_exchange();
  double energy_of_contacts() const;
  void compile();
};

// in the place of fix wall/gran, with LAMMPS's friction
struct FixWallGranularPlusDsds : FixWallGranularPlus {
  FixWallGranularPlusDsds(class LAMMPS *lmp, int narg, char **arg) : FixWallGranularPlus(lmp, narg, arg, "dsds") {}
  // Defined elsewhere, so that the virtual table is, too: the plug-in's entry point, where this class is made, has to load
  // into a LAMMPS with other integers to refuse it.
  ~FixWallGranularPlusDsds() override;
};

// all fixes that are such walls, by whatever name
std::vector<FixWallGranularPlus *> granular_walls(class LAMMPS *);

}    // namespace LAMMPS_NS

#endif
#endif
