// Contacts of grains with a wall: found grain by grain, evaluated batch by batch. The receiver decides what happens
// to an evaluated batch. Owned by the fix.

#ifndef LMP_GRANULAR_PLUS_WALL_CONTACTS_H
#define LMP_GRANULAR_PLUS_WALL_CONTACTS_H

#include "atom.h"
#include "pointers.h"

#include "../core/ledger/energy_ledger.h"
#include "../core/history/near_grains.h"
#include "../core/history/contact_links.h"
#include "../core/model/contact_model.h"
#include "grain_moves.h"
#include "patch_numbers.h"
#include "../shapes/shapes_at_wall.h"
#include "../glue/surroundings.h"
#include "wall_heat.h"
#include "wall_liquid.h"
#include "wall_nonlocal.h"
#include "wall_surface.h"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace LAMMPS_NS {

struct RoundWallContact : WallContact {
  std::size_t point;       // index in the list of found points
  bool attracts = true;    // whether attraction acts on it; on a mesh, only on the deepest patch
};

class WallContacts : protected Pointers, private granular_plus::ContactSource {
 public:
  // called for an evaluated batch; in mode END, for contacts that have ended
  using Report = void (*)(void *receiver, const granular_plus::LoopWork &work, granular_plus::Mode mode);

  // `who` begins every message.
  WallContacts(LAMMPS *lmp, std::string who, const granular_plus::ContactModel &model, WallSurface &surface,
               granular_plus::EnergyLedger &ledger, Report report, void *receiver);

  // called in init, on all ranks
  void init(int igroup, std::shared_ptr<GrainMoves> shared_moves);
  void set_layout(bool keeps_ledger);
  void compile();    // called again when the time step changes

  // Called in each evaluation, on all ranks, in this order: prepare finds the grains that may touch the wall before
  // the next list, checks the time step, and returns whether the list is new; evaluate computes all contacts with
  // these grains; warn issues warnings.
  bool prepare();
  void meet() { nonlocal.meet(near, groupbit); }    // called before the forces of pairs are computed, see WallNonlocal
  void evaluate();
  void warn();

  // contact and point in this lane of a batch that was passed to the receiver
  const WallContact &contact(int lane) const
  {
    if (is_of_shapes(evaluated)) return waiting_shapes[evaluated][lane];
    return waiting[evaluated][lane];
  }
  const WallPoint &point(int lane) const
  {
    return is_of_shapes(evaluated) ? waiting_shapes[evaluated][lane].point : points[waiting[evaluated][lane].point];
  }
  bool touches() const { return evaluated != SEPARATED && evaluated != ATTRACTED; }

  int touching() const { return touching_count; }    // number of touching contacts in the last evaluation, on this rank
  // Counts as exchanged the contact energy of particles that have been removed. The energy of particles that moved to
  // another rank cancels in the sum over ranks.
  void tally_exchange();

  // The partner in a link is the number of a surface. Normal and distance are stored if springs follow a changing
  // normal, or if normal and distance identify contacts.
  granular_plus::ContactLinks links{0};
  static constexpr int NORMAL_AND_DISTANCE = 4;
  double temperature = 0.0;           // temperature of the wall
  std::optional<double> held_last;    // energy in contacts in the last evaluation; empty before the first evaluation
  granular_plus::NearGrains near;
  std::shared_ptr<GrainMoves> moves;    // shared by all walls
  granular_plus::HistoryLayout layout;
  granular_plus::PairGroup pair_group{};
  const granular_plus::Kernels &kernels;
  WallLiquid liquid;
  WallHeat heat;    // heat across gaps
  WallNonlocal nonlocal;

  // Names a feature that an evaluation handles in addition to forces, history and the ledger; empty if there is none.
  std::string beyond_forces() const;
  // Called after an engine has computed steps, with the losses of contacts in these steps, the heat that they generated
  // and the heat that the wall gave. Computes the stored energy again; the next evaluation searches for near grains
  // again.
  void take_over(const std::vector<double> &lost, double heat_made, double heat_given);

  double memory_usage() const { return sizeof(granular_plus::LoopWork) + links.memory_usage() + near.memory_usage(); }

 private:
  const std::string who;
  const granular_plus::ContactModel &model;
  WallSurface &surface;
  const bool has_patches;    // the surface has patches
  granular_plus::EnergyLedger &ledger;
  const Report report;
  void *const receiver;
  std::unique_ptr<granular_plus::LoopWork> work;
  RigidBodies rigid_bodies;
  StepCheck step_check;
  StartCheck start_check;
  int contacts_checked = 0;    // number of contacts of all particles when the time step was last checked
  bool softens = false;        // contacts are softer than their material and may overlap too much
  int groupbit = 0;
  double way = 0.0;    // upper bound of the wall's approach to any point since the run began
  ShapesAtWall shapes;

  // Contacts that wait for a full batch, by the stages that they need. SEPARATED contacts are joined to the wall by
  // a liquid bridge across a gap; ATTRACTED contacts are attracted without touching.
  enum Kind { TOUCHING, SEPARATED, ATTRACTED, SHAPES_TOUCHING, ENDED, SHAPES_ENDED, KINDS };
  static constexpr bool is_of_shapes(Kind kind) { return kind == SHAPES_TOUCHING || kind == SHAPES_ENDED; }
  static constexpr bool has_ended(Kind kind) { return kind == ENDED || kind == SHAPES_ENDED; }
  std::array<std::vector<RoundWallContact>, KINDS> waiting;
  std::array<std::vector<ShapedWallContact>, KINDS> waiting_shapes;    // the same for grains with a shape
  Kind evaluated = TOUCHING;                                           // kind of the contacts in the batch

  // contacts of a grain, stored until the number of bridges that it forms is known
  struct Wetted {
    Kind kind;
    RoundWallContact contact;
  };
  std::vector<Wetted> wetted;

  int waiting_count = 0;
  std::vector<WallPoint> points;    // points of contacts that wait; the points of the current particle come last
  std::vector<ShapedWallContact> shape_contacts;

  std::vector<double> no_history;    // a row for contacts without history
  PatchNumbers patch_numbers;
  std::vector<int> previous_links;    // links of the current grain before this evaluation
  std::vector<int> ended_links;       // links of ended contacts, freed after the evaluation
  std::vector<int> jumped_links;      // links whose energy has jumped
  int most_contacts = 0;              // largest number of contacts of a particle
  int touching_count = 0;
  // the same laws, for batches of so few contacts that most lanes of a vector would be empty
  granular_plus::PairGroup group_of_few{};
  const granular_plus::Kernels &kernels_for_few;
  bool is_step = false;     // time passes in this evaluation
  bool is_plain = false;    // no patches, films or attraction: goes_on may be used

  double mass_of(int particle) const { return rigid_bodies.mass(particle, atom->rmass[particle]); }
  void check_bridges() const;
  void check_step();
  void collect(int i);
  void collect_all(int i, std::size_t first);
  // whether contacts that have touched persist across a gap
  bool live_on() const { return pair_group.breaking_gap && !pair_group.attracts; }
  void wet_and_wait();
  inline void check_that_it_fits(double radius, const WallPoint &point) const;
  inline bool goes_on(int i, int link, const WallPoint &only_point);
  double reach_of_bridge(int i, const WallPoint &point) const;
  void end_all(int i);
  void collect_attraction(int i);
  void collect_of_shape(int i);
  inline int link_before(int i, int surface) const;    // -1 if there is no free link
  inline void remember(WallContact &contact, int surface);
  inline void wait(Kind kind, const RoundWallContact &contact);
  inline void wait(Kind kind);    // for the contact that was just added to the list of this kind
  void note_ended(int i, int remembered, std::size_t first_point);
  void number_patches(int i, std::size_t first_point);
  template <class Note> void end_contacts(int i, const Note &note);
  template <class See> void for_each_row(const See &see) const;
  double normal_speed(int i, const WallPoint &point) const;
  int count_of(Kind kind) const
  {
    return static_cast<int>(is_of_shapes(kind) ? waiting_shapes[kind].size() : waiting[kind].size());
  }
  void evaluate_batch(Kind kind);
  void fill(granular_plus::LoopWork &lanes, int first) override;
  void finish(granular_plus::LoopWork &lanes, int first) override;
  inline void fill_lane(granular_plus::Batch &batch, int lane, const RoundWallContact &contact) const;
  inline void find_turn(granular_plus::Batch &batch, int lane, const RoundWallContact &contact) const;
};

}    // namespace LAMMPS_NS

#endif
