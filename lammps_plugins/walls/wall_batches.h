// Evaluates the contacts of a wall in batches. Owned by WallContacts.

#ifndef LMP_GRANULAR_PLUS_WALL_BATCHES_H
#define LMP_GRANULAR_PLUS_WALL_BATCHES_H

#include "atom.h"
#include "pointers.h"

#include "../core/history/contact_links.h"
#include "../core/model/contact_model.h"
#include "../glue/surroundings.h"
#include "../shapes/shapes_at_wall.h"
#include "wall_nonlocal.h"
#include "wall_surface.h"

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

namespace LAMMPS_NS {

struct RoundWallContact : WallContact {
  std::size_t point;       // index in the list of found points
  bool attracts = true;    // on a mesh, only the deepest patch attracts
};

class WallBatches : protected Pointers, private granular_plus::ContactSource {
 public:
  using Report = void (*)(void *receiver, const granular_plus::LoopWork &work, granular_plus::Mode mode);

  // SEPARATED contacts have a liquid bridge across a gap. In ATTRACTED contacts, a wall attracts a grain across a gap.
  enum Kind { TOUCHING, SEPARATED, ATTRACTED, SHAPES_TOUCHING, ENDED, SHAPES_ENDED, KINDS };

  WallBatches(LAMMPS *lmp, const granular_plus::ContactModel &model, WallSurface &surface,
              granular_plus::ContactLinks &links, const granular_plus::HistoryLayout &layout, ShapesAtWall &shapes,
              WallNonlocal &nonlocal, Report report, void *receiver);

  void compile();            // called again when the time step or the layout changes
  void begin(bool steps);    // steps: true if time passes in this evaluation
  void add(Kind kind, const RoundWallContact &contact)
  {
    queued[kind].push_back(contact);
    count_in(kind);
  }
  void add(Kind kind, const ShapedWallContact &contact)
  {
    queued_shapes[kind].push_back(contact);
    count_in(kind);
  }
  void evaluate_all();

  // Points of the contacts that wait for evaluation. May be cleared if no contact waits.
  std::vector<WallPoint> points;
  bool is_empty() const { return queued_count == 0; }
  // Restarts a contact in the ledger, because its energy may jump. Returns false if the contact has already been
  // restarted in this evaluation.
  bool restart_in_ledger(granular_plus::Link link);

  // contact and point in a lane of the batch that is passed to the receiver
  const WallContact &contact(int lane) const
  {
    if (is_of_shapes(current_kind)) return queued_shapes[current_kind][lane];
    return queued[current_kind][lane];
  }
  const WallPoint &point(int lane) const
  {
    return is_of_shapes(current_kind) ? queued_shapes[current_kind][lane].point
                                      : points[queued[current_kind][lane].point];
  }
  bool touches() const { return current_kind != SEPARATED && current_kind != ATTRACTED; }

  double normal_speed(int particle, const WallPoint &point) const;
  double mass_of(int particle) const { return rigid_bodies.mass(particle, atom->rmass[particle]); }

  RigidBodies rigid_bodies;
  double temperature = 0.0;
  granular_plus::PairGroup pair_group{};
  const granular_plus::Kernels &kernels;
  const std::unique_ptr<granular_plus::LoopWork> work;

 private:
  static constexpr bool is_of_shapes(Kind kind) { return kind == SHAPES_TOUCHING || kind == SHAPES_ENDED; }
  static constexpr bool has_ended(Kind kind) { return kind == ENDED || kind == SHAPES_ENDED; }

  const granular_plus::ContactModel &model;
  WallSurface &surface;
  granular_plus::ContactLinks &links;
  const granular_plus::HistoryLayout &layout;
  ShapesAtWall &shapes;
  WallNonlocal &nonlocal;
  const Report report;
  void *const receiver;

  std::array<std::vector<RoundWallContact>, KINDS> queued;
  std::array<std::vector<ShapedWallContact>, KINDS> queued_shapes;
  int queued_count = 0;
  Kind current_kind = TOUCHING;
  bool is_step = false;
  std::vector<granular_plus::Link> jumped_links;
  std::vector<double> no_history;
  // group and kernels for batches of few contacts
  granular_plus::PairGroup group_of_few{};
  const granular_plus::Kernels &kernels_for_few;

  bool has_jumped(granular_plus::Link link) const
  {
    return std::find(jumped_links.begin(), jumped_links.end(), link) != jumped_links.end();
  }
  int count_of(Kind kind) const
  {
    return static_cast<int>(is_of_shapes(kind) ? queued_shapes[kind].size() : queued[kind].size());
  }
  void count_in(Kind kind)
  {
    ++queued_count;
    if (count_of(kind) == granular_plus::LANES) evaluate(kind);
  }
  void evaluate(Kind kind);
  void fill(granular_plus::LoopWork &lanes, int first) override;
  void finish(granular_plus::LoopWork &lanes, int first) override;
  inline void fill_lane(granular_plus::Batch &batch, int lane, const RoundWallContact &contact) const;
  inline void find_turn(granular_plus::Batch &batch, int lane, const RoundWallContact &contact) const;
};

}    // namespace LAMMPS_NS

#endif
