#include "fix_granular_bond_history.h"

#include "../grains/grain_neighbors.h"

#include "../core/laws/bond/beam.h"
#include "../core/model/contact_model.h"
#include "../glue/share_of_pair.h"
#include "../glue/over_ranks.h"

#include "atom.h"
#include "comm.h"
#include "error.h"
#include "update.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

using namespace LAMMPS_NS;
using granular_plus::Link;
using granular_plus::bond::Beam;

// pairs_seen_once is true even with newton off, because `build_list` assigns each bond to one rank (is_listed_here).

FixGranularBondHistory::FixGranularBondHistory(LAMMPS *lmp, int narg, char **arg)
    : GrainHistory(lmp, narg, arg, true, "bonds", "bonds; use write_restart to keep them")
{
  comm_reverse = REVERSE;
}

bool FixGranularBondHistory::broken(const double *row) const
{
  return granular_plus::bond::is_broken({row[Beam::CONDITION]});
}

// The setup of a run repeats the last step, so bonds that broke in that step act once more. A minimization starts
// without these bonds.

bool FixGranularBondHistory::is_gone(const double *row) const
{
  const bool repeats_step = update->setupflag != 0 && update->whichflag != 2;
  return broken(row) && !repeats_step;
}

/* ----------------------------------------------------------------------
   Called for each new neighbour list. Stops with an error if two bonded grains exist but are not a pair of the list.
------------------------------------------------------------------------- */

void FixGranularBondHistory::build_list(const tagint *name)
{
  bigint accounted_for = 0, without_model = 0;
  std::vector<Bond> bonds;
  most_linked = 0;
  for (int k = 0; k < neighbors->row_count(); ++k) {
    const auto [a, count, partners] = neighbors->row(k);
    if (!links.has(a)) continue;
    for (int n = 0; n < count; ++n) {
      const int b = partners[n] & NEIGHMASK;
      const Link link = find_link(a, b, name[b]);
      if (link == Link::NONE || !is_listed_here(lmp, a, b)) continue;
      Bond bond{groups.of_types[atom->type[a]][atom->type[b]], a, b, std::vector<double>(links.row_size())};
      links.copy_row(link, bond.row.data());
      if (!broken(bond.row.data())) ++accounted_for;
      if (is_gone(bond.row.data())) continue;
      if (bond.group >= 0 && groups.acts_across_gap[bond.group])
        bonds.push_back(std::move(bond));
      else
        ++without_model;
    }
  }
  check_lost(name, accounted_for, without_model);
  build_list(bonds);
}

// Returns the number of links of unbroken bonds. Broken bonds need not be in the neighbour list.

bigint FixGranularBondHistory::count_links()
{
  bigint unbroken = 0;
  for (int a = 0; a < owned_listed; ++a) {
    int linked = 0;
    for (Link link = links.first(a); link != Link::NONE; link = links.next(link)) {
      ++linked;
      unbroken += !broken(links.row(link));
    }
    most_linked = std::max(most_linked, linked);
  }
  return unbroken;
}

void FixGranularBondHistory::check_lost(const tagint *name, bigint accounted_for, bigint without_model)
{
  const bigint here[3] = {2 * accounted_for, count_links(), without_model};
  bigint all[3];
  MPI_Allreduce(here, all, 3, MPI_LMP_BIGINT, MPI_SUM, world);
  if (all[2] > 0 && comm->me == 0)
    error->warning(FLERR,
                   "granular/plus: number of bonds removed because their contact model no longer has a bond law: {}",
                   all[2]);
  if (all[0] == all[1]) return;
  if (all[0] > all[1])
    error->all(FLERR,
               "granular/plus: {} bonds are found through more than one periodic image of a grain: the box must be at "
               "least twice as long as the reach of the neighbour list (cutoff plus skin)",
               (all[0] - all[1]) / 2);
  if (all[1] - count_without_partner(name) != all[0])
    error->all(FLERR,
               "granular/plus: {} of {} bonds are not in the neighbour list: neigh_modify exclude excludes bonded "
               "pairs, or the types of bonded grains now belong to another pair style",
               (all[1] - all[0]) / 2, all[1] / 2);
}

// Must be called on all ranks. Returns the number of links whose partner has been deleted, summed over ranks. Stops
// with an error if a partner exists but is not in the neighbour list.

bigint FixGranularBondHistory::count_without_partner(const tagint *name) const
{
  std::unordered_multimap<tagint, int> atoms;
  for (int b = 0; b < atoms_listed; ++b) atoms.emplace(name[b], b);
  std::vector<tagint> missing;
  const auto lost = [&](tagint first, tagint second) {
    error->one(
        FLERR,
        "granular/plus: the bond between grains {} and {} is longer than the reach of the neighbour list, or this pair "
        "is excluded from the list (neigh_modify exclude); give pair_style granular/plus a larger cutoff",
        first, second);
  };
  for (int a = 0; a < owned_listed; ++a)
    for (Link link = links.first(a); link != Link::NONE; link = links.next(link)) {
      if (broken(links.row(link))) continue;
      const auto partner = static_cast<tagint>(links.partner(link));
      const auto [first, end] = atoms.equal_range(partner);
      if (first == end)
        missing.insert(missing.end(), {atom->tag[a], partner});
      else if (std::none_of(first, end, [&](const auto &found) { return neighbors->within_reach(a, found.second); }))
        lost(atom->tag[a], partner);
    }
  const auto of_all = gathered(world, missing, true);
  for (std::size_t k = 0; k < of_all.size(); k += 2) {
    const auto [first, end] = atoms.equal_range(of_all[k + 1]);
    if (std::any_of(first, end, [&](const auto &found) { return found.second < owned_listed; }))
      lost(of_all[k], of_all[k + 1]);
  }
  return static_cast<bigint>(of_all.size() / 2);
}

void FixGranularBondHistory::build_list(const std::vector<Bond> &bonds)
{
  std::vector<int> in_group(groups.signs.size(), 0);
  for (const Bond &bond : bonds) ++in_group[bond.group];
  contacts.begin_new_list(in_group, false);
  for (const Bond &bond : bonds) contacts.add(bond.group, bond.i, bond.j, 0, true, bond.row.data());
  contacts.finish_new_list();
  numbers.resize(contacts.size() + granular_plus::Pairs::LIST_PADDING);
  std::iota(numbers.begin(), numbers.end(), granular_plus::PairIndex{0});
  alive.clear();
}

void FixGranularBondHistory::add(const std::vector<Bond> &bonds_to_be, double across)
{
  widest_bond_gap = std::max(widest_bond_gap, across);
  if (bonds_to_be.empty()) return;
  std::vector<Bond> bonds;
  for (int group = 0; group < contacts.groups(); ++group)
    for (int p = contacts.begin(group); p < contacts.end(group); ++p)
      if (contacts.is_alive(p) && !is_gone(contacts.row(p)))
        bonds.push_back(
            {group, contacts.i(p), contacts.j(p), {contacts.row(p), contacts.row(p) + contacts.row_size()}});
  bonds.insert(bonds.end(), bonds_to_be.begin(), bonds_to_be.end());
  std::stable_sort(bonds.begin(), bonds.end(), [](const Bond &a, const Bond &b) { return a.i < b.i; });
  build_list(bonds);
  mark_list_newer();
}

const std::vector<int> &FixGranularBondHistory::living(int group, bool without_broken)
{
  if (static_cast<int>(alive.size()) != contacts.groups()) {
    alive.assign(contacts.groups(), {});
    for (int g = 0; g < contacts.groups(); ++g)
      for (int p = contacts.begin(g); p < contacts.end(g); ++p)
        if (contacts.is_alive(p)) alive[g].push_back(p);
  }
  auto &list = alive[group];
  if (without_broken)
    list.erase(std::remove_if(list.begin(), list.end(), [this](int p) { return broken(contacts.row(p)); }), list.end());
  return list;
}

bigint FixGranularBondHistory::count() const
{
  bigint sum = 0;
  for (int p = 0; p < contacts.size(); ++p) sum += contacts.is_alive(p) && !broken(contacts.row(p));
  return sum;
}

int FixGranularBondHistory::most_of_grain()
{
  std::vector<int> bonds(atom->nlocal + atom->nghost, 0);
  int here = most_linked;
  for (int p = 0; p < contacts.size(); ++p)
    if (contacts.is_alive(p)) here = std::max({here, ++bonds[contacts.i(p)], ++bonds[contacts.j(p)]});
  return most_over_ranks(world, here);
}

/* ----------------------------------------------------------------------
   Reverse communication normally sends a varying number of links. During return_forces (with newton off), it sends the
   forces and torques on ghosts instead.
------------------------------------------------------------------------- */

void FixGranularBondHistory::return_forces(std::vector<double> &force_on, std::vector<double> &torque_on)
{
  ghost_force = &force_on;
  ghost_torque = &torque_on;
  comm->reverse_comm(this, REVERSE);
  ghost_force = ghost_torque = nullptr;
}

int FixGranularBondHistory::pack_reverse_comm(int n, int start, double *buf)
{
  if (!ghost_force) return GrainHistory::pack_reverse_comm(n, start, buf);
  for (int a = start; a < start + n; ++a) {
    buf = std::copy_n(ghost_force->data() + 3L * a, 3, buf);
    buf = std::copy_n(ghost_torque->data() + 3L * a, 3, buf);
  }
  return REVERSE * n;
}

void FixGranularBondHistory::unpack_reverse_comm(int n, int *atoms, double *buf)
{
  if (!ghost_force) {
    GrainHistory::unpack_reverse_comm(n, atoms, buf);
    return;
  }
  for (int k = 0; k < n; ++k, buf += REVERSE)
    for (int d = 0; d < 3; ++d) {
      (*ghost_force)[3L * atoms[k] + d] += buf[d];
      (*ghost_torque)[3L * atoms[k] + d] += buf[3 + d];
    }
}
