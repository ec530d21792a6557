// Finds the contacts of grains with a wall. Owned by the fix.

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
#include "../glue/surroundings.h"
#include "wall_batches.h"
#include "wall_heat.h"
#include "wall_liquid.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace LAMMPS_NS {

class WallContacts : protected Pointers {
 public:
  // `message_prefix` begins every message.
  WallContacts(LAMMPS *lmp, std::string message_prefix, const granular_plus::ContactModel &model, WallSurface &surface,
               granular_plus::EnergyLedger &ledger, WallBatches::Report report, void *receiver);

  void init(int igroup, std::shared_ptr<GrainMoves> shared_moves);
  void set_layout(bool keeps_ledger);
  void compile();    // called again when the time step changes

  // These functions are called in each evaluation, on all ranks, in this order. prepare returns whether the list of
  // near grains is new. add_nonlocal_contacts is called before the forces of pairs are computed.
  bool prepare();
  void add_nonlocal_contacts() { nonlocal.add_contacts(near, groupbit); }
  void evaluate();
  void warn();

  int touching() const { return touching_count; }
  // Counts the energy of removed particles as exchanged. A particle that migrates is removed on one rank and added on
  // another, so its energy cancels in the sum over ranks.
  void tally_exchange();

  // The partner in a link is the number of a surface. Links store the normal and the distance if springs follow a
  // changing normal, or if normal and distance identify contacts.
  granular_plus::ContactLinks links{0};
  static constexpr int NORMAL_AND_DISTANCE = 4;
  std::optional<double> last_stored_energy;    // energy in contacts; empty before the first evaluation
  granular_plus::NearGrains near;
  std::shared_ptr<GrainMoves> moves;
  granular_plus::HistoryLayout layout;
  WallBatches batches;
  WallLiquid liquid;
  WallHeat heat;
  WallNonlocal nonlocal;

  std::string obstacle_on_gpu() const;
  // Called after an engine has computed steps. `lost` contains the losses of contacts, heat_made is the heat that
  // contacts have generated, and heat_given is the heat that the wall has given to grains.
  void add_engine_results(const std::vector<double> &lost, double heat_made, double heat_given);

  double memory_usage() const { return sizeof(granular_plus::LoopWork) + links.memory_usage() + near.memory_usage(); }

 private:
  const std::string message_prefix;
  const granular_plus::ContactModel &model;
  WallSurface &surface;
  const bool has_patches;
  granular_plus::EnergyLedger &ledger;
  StepCheck step_check;
  StartCheck start_check;
  int contacts_checked = 0;    // number of contacts on all ranks when the time step was last checked
  bool softens = false;        // contacts are softer than their material and may overlap too much
  int groupbit = 0;
  double wall_path = 0.0;    // upper bound of the distance by which the wall has approached any point in this run
  ShapesAtWall shapes;

  struct PendingContact {
    WallBatches::Kind kind;
    RoundWallContact contact;
  };
  std::vector<PendingContact> pending_contacts;

  const granular_plus::PairGroup &pair_group;
  std::vector<WallPoint> &points;
  std::vector<ShapedWallContact> shape_contacts;

  PatchNumbers patch_numbers;
  std::vector<granular_plus::Link> previous_links;    // links of the current grain before this evaluation
  std::vector<granular_plus::Link> ended_links;       // links of ended contacts, freed after the evaluation
  int most_contacts = 0;
  int touching_count = 0;
  bool is_step = false;
  bool is_plain = false;    // no patches, films or attraction

  void check_bridges() const;
  void check_step();
  void collect(int i);
  void collect_contacts(int i, std::size_t first);
  // whether contacts persist across a gap
  bool contacts_persist_across_gap() const { return pair_group.breaking_gap && !pair_group.attracts; }
  void form_bridges_and_queue();
  inline void check_that_it_fits(double radius, const WallPoint &point) const;
  inline bool add_continuing_contact(int i, granular_plus::Link link, const WallPoint &only_point);
  double reach_of_bridge(int i, const WallPoint &point) const;
  void end_all(int i);
  void collect_attraction(int i);
  void collect_of_shape(int i);
  inline granular_plus::Link link_before(int i, int surface) const;    // NONE if there is no unused link
  inline void assign_link(WallContact &contact, int surface);
  void queue_ended(int i, granular_plus::Link link, std::size_t first_point);
  void number_patches(int i, std::size_t first_point);
  template <class Note> void end_contacts(int i, const Note &note);
  template <class See> void for_each_row(const See &see) const;
};

}    // namespace LAMMPS_NS

#endif
