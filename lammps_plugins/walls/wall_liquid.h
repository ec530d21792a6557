// Liquid at a wall. The wall's film is a reservoir that has the same thickness everywhere. The wall's ledger counts the
// liquid that the film gives and takes. The volume of a bridge is part of its contact's history. Each rank handles the
// contacts of its own grains, so nothing is communicated. Owned by WallContacts.

#ifndef LMP_GRANULAR_PLUS_WALL_LIQUID_H
#define LMP_GRANULAR_PLUS_WALL_LIQUID_H

#include "pointers.h"

#include "../core/history/contact_links.h"
#include "../core/ledger/energy_ledger.h"
#include "../core/model/contact_model.h"
#include "../glue/number_or_variable.h"
#include "wall_surface.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace LAMMPS_NS {

class WallLiquid : protected Pointers {
 public:
  WallLiquid(LAMMPS *lmp, std::string message_prefix, const granular_plus::ContactModel &model,
             granular_plus::ContactLinks &links, const granular_plus::HistoryLayout &layout,
             const granular_plus::PairGroup &pair_group, granular_plus::EnergyLedger &ledger);

  // true if bridges take their liquid from films
  const bool uses_films;
  NumberOrVariable thickness;

  // Stops with an error if no films are defined.
  void init();
  void begin(bool new_is_step);

  double &volume(granular_plus::Link link) { return links.own_row(link)[layout.first[granular_plus::BRIDGE]]; }
  // largest gap of a bridge whose surfaces separate at the speed `parting`
  double reach(int grain, granular_plus::Link link, double surface_radius, double parting) const;

  // dry_contacts: number of contacts of this grain with the wall that have no bridge yet
  void begin_grain(int grain, int dry_contacts);
  void form(int grain, granular_plus::Link link, double surface_radius);
  // gives half of the liquid back to each of the two films
  void rupture(int grain, granular_plus::Link link);
  void note(int grain, granular_plus::Link link, const WallPoint &point);
  void defer_rupture(granular_plus::Link link) { volume_to_rupture += volume(link); }
  void end();

  // Called at the end of a step. Each bridge of a grain in the group loses `depth` times its surface area.
  double dry(double depth, int groupbit, bool keeps_ledger, const std::function<void(int grain, double energy)> &lose);

  // Called after an engine has computed steps. `taken` is the liquid that the wall took; outside_fit is the largest
  // result of Films::outside_fit.
  void add_engine_results(double taken, double outside_fit);

  void for_each_bridge(const std::function<void(int grain, double volume)> &see) const;

  // These functions give half of the liquid of each bridge back to the wall. give_back does so for the bridges in a
  // restart file. `value` is the index of the volume in a row.
  void give_back_all(granular_plus::ContactLinks &links_then, int value);
  void give_back(int grain, const double *packed, int row_size, int extra, int value);

 private:
  const std::string message_prefix;
  granular_plus::ContactLinks &links;
  const granular_plus::HistoryLayout &layout;
  const granular_plus::PairGroup &pair_group;
  granular_plus::EnergyLedger &ledger;

  double *film = nullptr;
  double depth_now = 0.0;    // thickness of the wall's film
  bool is_step = false;
  double offered = 0.0;
  double volume_to_rupture = 0.0;
  struct WetContact {
    int grain;
    granular_plus::Link link;
    double distance, surface_radius;
  };
  std::vector<WetContact> wet;
  bool warned_of_fit = false;
  double largest_outside_fit = 0.0;    // largest result of Films::outside_fit
  std::unique_ptr<granular_plus::Batch> batch;

  void record_dried(std::size_t first, int count, const std::function<void(int grain, double energy)> &lose);
};

}    // namespace LAMMPS_NS

#endif
