// Liquid at a wall: from the film of a grain and that of the wall into a bridge when it forms, back when it ruptures,
// and out of the bridge as it dries. Owned by WallContacts.
//
// The film of the wall has the same thickness everywhere and always: it is a reservoir, and the wall's ledger books
// what it gives and takes. The volume of a bridge is part of its contact's history. Grains that touch the wall belong
// to this rank, so nothing is communicated.

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
  WallLiquid(LAMMPS *lmp, std::string who, const granular_plus::ContactModel &model, granular_plus::ContactLinks &links,
             const granular_plus::HistoryLayout &layout, const granular_plus::PairGroup &pair_group,
             granular_plus::EnergyLedger &ledger);

  // whether bridges take their liquid from films
  const bool any;
  // of the wall's film; set by keyword film
  NumberOrVariable thickness;

  // in init; refuses a simulation without films
  void init();
  // called before each evaluation, on all ranks
  void begin(bool new_is_step);

  double &volume(int link) { return links.own_row(link)[layout.first[granular_plus::BRIDGE]]; }
  // gap up to which a bridge persists whose surfaces separate at this speed
  double reach(int grain, int link, double surface_radius, double parting) const;

  // Called before a grain forms bridges with the wall: number of its dry contacts in this evaluation.
  void begin_grain(int grain, int dry_contacts);
  void form(int grain, int link, double surface_radius);
  // returns the liquid to the film of the grain and to the wall, half each
  void rupture(int grain, int link);
  // records a contact that continues, at this point
  void note(int grain, int link, const WallPoint &point);
  // for bridges that rupture in the next step: in setup none does
  void wait(int link) { waiting += volume(link); }
  // called after the evaluation, on all ranks
  void end();

  // Called at the end of a step, see GrainLiquid::dry_bridges; a bridge of a grain in the group loses the full amount.
  double dry(double depth, int groupbit, bool keeps_ledger, const std::function<void(int grain, double energy)> &lose);

  // after an engine has computed steps: what the wall took in them, and the largest volume for which the law was not fitted
  void take_over(double taken, double outside_fit);

  void for_each_bridge(const std::function<void(int grain, double volume)> &see) const;

  // Ends all bridges and gives the wall its half: for links, or for links packed in a restart file; value: index of the
  // volume in a row.
  void give_back_all(granular_plus::ContactLinks &links_then, int value);
  void give_back(int grain, const double *packed, int row_size, int beside, int value);

 private:
  const std::string who;
  granular_plus::ContactLinks &links;
  const granular_plus::HistoryLayout &layout;
  const granular_plus::PairGroup &pair_group;
  granular_plus::EnergyLedger &ledger;

  double *film = nullptr;
  double depth_now = 0.0;    // of the wall's film
  bool is_step = false;
  double offered = 0.0;    // by the grain to each of its bridges
  double waiting = 0.0;
  struct WetContact {
    int grain, link;
    double distance, surface_radius;
  };
  std::vector<WetContact> wet;    // in this evaluation
  bool warned_of_fit = false;
  double largest_outside_fit = 0.0;    // volume over the cube of Derjaguin's radius
  std::unique_ptr<granular_plus::Batch> batch;

  void book_dried(std::size_t first, int count, const std::function<void(int grain, double energy)> &lose);
};

}    // namespace LAMMPS_NS

#endif
