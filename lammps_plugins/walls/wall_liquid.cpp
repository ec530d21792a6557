#include "wall_liquid.h"

#include "../core/laws/capillary/film.h"
#include "../glue/films.h"
#include "../glue/over_ranks.h"
#include "../liquid/linked_liquid.h"

#include "atom.h"
#include "update.h"

#include <algorithm>
#include <cmath>
#include <utility>

using namespace LAMMPS_NS;
using namespace granular_plus;
using granular_plus::capillary::Films;

WallLiquid::WallLiquid(LAMMPS *lmp, std::string message_prefix, const ContactModel &model, ContactLinks &links,
                       const HistoryLayout &layout, const PairGroup &pair_group, EnergyLedger &ledger)
    : Pointers(lmp), uses_films(model.from_films()), message_prefix(std::move(message_prefix)), links(links),
      layout(layout), pair_group(pair_group), ledger(ledger)
{
}

void WallLiquid::init()
{
  wet.clear();
  if (!uses_films) return;
  check_films(lmp, message_prefix);
  thickness.init(lmp);
  warned_of_fit = false;
  largest_outside_fit = 0.0;
}

void WallLiquid::begin(bool new_is_step)
{
  wet.clear();
  volume_to_rupture = 0.0;
  if (!uses_films) return;
  is_step = new_is_step;
  film = films_of(lmp);
  depth_now = thickness.value_in_step(lmp);
}

double WallLiquid::reach(int grain, Link link, double surface_radius, double parting) const
{
  const FilmConstants &films = pair_group.constants.film;
  const double held = links.own_row(link)[layout.first[BRIDGE]];
  if (!(held > 0.0)) return 0.0;
  return Films::rupture_gap(films, atom->radius[grain], surface_radius, held, is_step ? parting : UNBOUNDED);
}

void WallLiquid::begin_grain(int grain, int dry_contacts)
{
  offered = dry_contacts > 0 ? film[grain] * std::min(pair_group.constants.film.share, 1.0 / dry_contacts) : 0.0;
}

/* ----------------------------------------------------------------------
   The wall gives as much liquid as a second grain of the same size would give if its film were as thick as the film of
   the wall.
------------------------------------------------------------------------- */

void WallLiquid::form(int grain, Link link, double surface_radius)
{
  const FilmConstants &films = pair_group.constants.film;
  const double radius = atom->radius[grain];
  double from_grain = offered, from_wall = films.share * depth_now * 4.0 * PI * radius * radius;
  const double sum = Films::share_out(films, radius, surface_radius, from_grain, from_wall);
  if (!(sum > 0.0)) return;
  // rounding may make the film slightly negative
  film[grain] = std::max(0.0, film[grain] - from_grain);
  ledger.liquid_taken -= from_wall;
  volume(link) = sum;
  links.own_row(link)[links.row_size()] = ContactLinks::ALIVE;    // otherwise a new contact would clear the row
  largest_outside_fit = std::max(largest_outside_fit, Films::outside_fit(radius, surface_radius, sum));
}

void WallLiquid::rupture(int grain, Link link)
{
  const double half = 0.5 * volume(link);
  film[grain] += half;
  ledger.liquid_taken += half;
}

void WallLiquid::note(int grain, Link link, const WallPoint &point)
{
  if (volume(link) > 0.0) wet.push_back({grain, link, point.distance, point.surface_radius});
}

void WallLiquid::end()
{
  if (!uses_films) return;
  if (layout.has_ledger) ledger.tally(BRIDGE_VOLUME, volume_to_rupture);
  if (warned_of_fit || !(update->setupflag || update->ntimestep == update->laststep)) return;
  warned_of_fit = any_over_ranks(world, largest_outside_fit > 0.0);
  if (warned_of_fit) warn_of_bridges_outside_fit(lmp, message_prefix, largest_outside_fit);
}

double WallLiquid::dry(double depth, int groupbit, bool keeps_ledger,
                       const std::function<void(int grain, double energy)> &lose)
{
  double gone = 0.0, dried_out = 0.0;
  for (const WetContact &contact : wet) {
    double &held = volume(contact.link);
    if (!(atom->mask[contact.grain] & groupbit) || !(held > 0.0)) continue;
    const double radius = atom->radius[contact.grain], gap = std::max(0.0, contact.distance - radius);
    const double left = std::max(0.0, held - depth * Films::surface(radius, contact.surface_radius, held, gap));
    gone += held - left;
    dried_out += left == 0.0;
    held = left;
  }
  if (!keeps_ledger || gone == 0.0) return gone;
  ledger.current[BRIDGE_VOLUME] -= gone;
  ledger.current[BRIDGES] -= dried_out;
  ledger.total[RUPTURES] += dried_out;
  for (std::size_t first = 0; first < wet.size(); first += LANES)
    record_dried(first, static_cast<int>(std::min<std::size_t>(LANES, wet.size() - first)), lose);
  return gone;
}

void WallLiquid::record_dried(std::size_t first, int count, const std::function<void(int grain, double energy)> &lose)
{
  if (!batch) batch = std::make_unique<Batch>();
  Batch &b = *batch;
  b = Batch{};
  b.count = count;
  for (int l = 0; l < LANES; ++l) {
    const WetContact &contact = wet[first + std::min(l, count - 1)];
    b.separation[0][l] = contact.distance;
    b.radius_i[l] = atom->radius[contact.grain];
    b.surface_radius[l] = contact.surface_radius;
    b.mass_i[l] = b.mass_j[l] = atom->rmass[contact.grain];
    b.held_j[l] = 1.0;
    b.gradient[l] = 1.0;
    const double *row = links.own_row(contact.link);
    for (int k = 0; k < layout.size; ++k) b.history[k][l] = row[k];
  }
  const StageList &stages = pair_group.separated.count > 0 ? pair_group.separated : pair_group.touching;
  stages.run(b, pair_group.constants);
  for (int l = 0; l < count; ++l) {
    const WetContact &contact = wet[first + l];
    double &energy = links.own_row(contact.link)[layout.remembered[OF_BRIDGE] + BRIDGE_ENERGY_BEFORE];
    const double left = volume(contact.link) > 0.0 ? b.observed[CAPILLARY_ENERGY][l] : 0.0, freed = energy - left;
    ledger.total[VOLUME_CHANGE_LOSS] += freed;
    ledger.current[CAPILLARY_ENERGY] -= freed;
    lose(contact.grain, freed);
    energy = left;
  }
}

void WallLiquid::add_engine_results(double taken, double outside_fit)
{
  ledger.liquid_taken += taken;
  largest_outside_fit = std::max(largest_outside_fit, outside_fit);
}

void WallLiquid::for_each_bridge(const std::function<void(int grain, double volume)> &see) const
{
  for (int i = 0; uses_films && i < atom->nlocal; ++i)
    for (Link link = links.first(i); link != Link::NONE; link = links.next(link))
      see(i, links.own_row(link)[layout.first[BRIDGE]]);
}

void WallLiquid::give_back_all(ContactLinks &links_then, int value)
{
  LinkedLiquid linked(lmp, links_then);
  linked.value = value;
  ledger.liquid_taken += linked.give_back_all();
}

void WallLiquid::give_back(int grain, const double *packed, int row_size, int extra, int value)
{
  ledger.liquid_taken += LinkedLiquid(lmp, links).give_back(grain, packed, row_size, extra, value);
}
