#include "fix_contact_history.h"

#include "grain_neighbors.h"

#include "atom.h"
#include "error.h"
#include "force.h"

#include <algorithm>

using namespace LAMMPS_NS;
using granular_plus::Link;

FixContactHistory::FixContactHistory(LAMMPS *lmp, int narg, char **arg)
    : GrainHistory(lmp, narg, arg, lmp->force->newton_pair != 0, "contacts",
                   "contact history: springs, bridges and the ledger are lost; use write_restart to keep them"),
      liquid(lmp, links)
{
}

FixContactHistory::~FixContactHistory()
{
  if (!list_is_newer) liquid.give_back_all();
}

void FixContactHistory::post_run()
{
  GrainHistory::post_run();
  liquid.forget_ghosts();
}

void FixContactHistory::set_arrays(int atom_index)
{
  GrainHistory::set_arrays(atom_index);
  liquid.begin_dry(atom_index);
}

void FixContactHistory::before_row_discarded(int atom_index, const double *packed)
{
  liquid.give_back(atom_index, packed, static_cast<int>(in_restart.values), links.extra_values(),
                   static_cast<int>(in_restart.liquid));
}

void FixContactHistory::build_list(const tagint *name)
{
  make_room();
  pairs_seen_once = neighbors->see_pairs_once();
  std::vector<bool> listed(holds_liquid() ? links.count() : 0, false);
  list_pairs(name, listed);
  if (holds_liquid()) give_back(listed, name);
}

void FixContactHistory::make_room()
{
  bigint pairs_in_all = 0;
  for (int k = 0; k < neighbors->row_count(); ++k) pairs_in_all += neighbors->row(k).count;
  const std::string excess = granular_plus::limit_exceeded_message(atoms_listed, pairs_in_all);
  if (!excess.empty()) error->one(FLERR, "granular/plus: {}", excess);
  std::vector<int> pairs(groups.signs.size(), 0);
  for (int k = 0; k < neighbors->row_count(); ++k) {
    const auto [a, count, partners] = neighbors->row(k);
    if (pairs.size() == 1 && groups.has_all) {
      pairs[0] += count;
      continue;
    }
    for (int n = 0; n < count; ++n)
      if (const int group = group_of(a, partners[n] & NEIGHMASK); group >= 0) ++pairs[group];
  }
  const double *factor = force->special_lj;
  contacts.begin_new_list(pairs, std::any_of(factor, factor + 4, [](double f) { return f != 0.0 && f != 1.0; }));
}

void FixContactHistory::list_pairs(const tagint *name, std::vector<bool> &listed)
{
  const bool has_liquid = holds_liquid();
  std::vector<double> values(links.row_size());
  for (int k = 0; k < neighbors->row_count(); ++k) {
    const auto [a, count, partners] = neighbors->row(k);
    for (int n = 0; n < count; ++n) {
      const int b = partners[n] & NEIGHMASK, which = partners[n] >> SBBITS & 3;
      if (force->special_lj[which] == 0.0) continue;
      const int group = group_of(a, b);
      const Link link = find_link(a, b, name[b]);
      const bool goes_on = link != Link::NONE;
      if (group < 0) continue;    // with pair_style hybrid, the list also contains types whose pair_coeff is `none`
      if (!goes_on && !lists_distant && groups.acts_across_gap[group] && !neighbors->may_touch(a, b)) continue;
      const Link partner = has_liquid && goes_on && b < owned_listed ? find_link(b, a, name[a]) : Link::NONE;
      if (has_liquid && goes_on && !groups.from_films[group]) {
        liquid.give_back(a, link);
        if (partner != Link::NONE) liquid.give_back(b, partner);
      }
      if (goes_on) links.copy_row(link, values.data());
      contacts.add(group, a, b, which, goes_on, values.data());
      if (has_liquid && goes_on) listed[index_of(link)] = true;
      if (partner != Link::NONE) listed[index_of(partner)] = true;
    }
  }
  contacts.finish_new_list();
}

/* ----------------------------------------------------------------------
   With newton on, a pair that is not listed here may be listed on the partner's rank, where the bridge continues. If
   the bridge continues nowhere, half of its liquid returns to grain `a`.
------------------------------------------------------------------------- */

void FixContactHistory::give_back(const std::vector<bool> &listed, const tagint *name)
{
  std::vector<std::pair<tagint, int>> ghosts;
  const auto is_listed_elsewhere = [&](int a, Link link) {
    if (!force->newton_pair) return false;
    if (ghosts.empty()) {
      for (int b = owned_listed; b < atoms_listed; ++b) ghosts.emplace_back(name[b], b);
      std::sort(ghosts.begin(), ghosts.end());
    }
    const auto partner = static_cast<tagint>(links.partner(link));
    auto ghost = std::lower_bound(ghosts.begin(), ghosts.end(), std::pair<tagint, int>(partner, -1));
    for (; ghost != ghosts.end() && ghost->first == partner; ++ghost)
      if (const int group = group_of(a, ghost->second); group >= 0 && groups.from_films[group] &&
          find_link(a, ghost->second, partner) == link && neighbors->within_reach(a, ghost->second))
        return true;
    return false;
  };
  for (int a = 0; a < owned_listed; ++a)
    for (Link link = links.first(a); link != Link::NONE; link = links.next(link))
      if (!listed[index_of(link)] && !is_listed_elsewhere(a, link)) liquid.give_back(a, link);
}
