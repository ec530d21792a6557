#include "grain_neighbors.h"

#include "../glue/over_ranks.h"
#include "../glue/share_of_pair.h"
#include "../glue/surroundings.h"

#include "atom.h"
#include "comm.h"
#include "domain.h"
#include "error.h"
#include "fix.h"
#include "force.h"
#include "modify.h"
#include "neigh_list.h"
#include "neighbor.h"
#include "pair.h"
#include "update.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

using namespace LAMMPS_NS;

namespace {

// A budget: this much of the radius, and what the grain moves in so many steps if it becomes a little faster.
constexpr double LEAST = 0.1, STEPS = 20.0, FASTER = 1.1;

}    // namespace

void GrainNeighbors::init(bool new_acts_across_gap)
{
  kernels = &granular_plus::kernels();
  acts_across_gap = new_acts_across_gap;
  gaps.assign(atom->ntypes + 1, std::vector<double>(atom->ntypes + 1, 0.0));
  largest_gap = 0.0;
  const auto &fixes = modify->get_fix_list();
  radii_change = std::any_of(fixes.begin(), fixes.end(), [](const Fix *fix) { return fix->diam_flag != 0; });
  images_move = std::any_of(fixes.begin(), fixes.end(), [](const Fix *fix) {
    return (fix->box_change & ~(Fix::NO_BOX_CHANGE | Fix::BOX_CHANGE_DOMAIN)) != 0;
  });
  const std::string reason = choice.own ? needs_lammps() : "";
  own = choice.own && reason.empty();
  if (!reason.empty() && comm->me == 0) utils::logmesg(lmp, "granular/plus: list own is left to LAMMPS: {}\n", reason);
  give_back_skin();
  if (own && !choice.skin_given && !half_the_skin_for_all()) choose_skin();
  skin = neighbor->skin;
  // a list by particle sizes ends at touch; where contacts live on across a gap the cutoffs of the types must tell
  if (!own) neighbor->add_request(pair, acts_across_gap ? NeighConst::REQ_DEFAULT : NeighConst::REQ_SIZE);
}

/* ----------------------------------------------------------------------
   Half the skin bounds all budgets. With budgets a wider skin makes no longer rows, but more ghosts: not wider than the largest
   grain. Neither may it be wider than grains now fast, or yet to fall in, can use.
------------------------------------------------------------------------- */

void GrainNeighbors::choose_skin()
{
  double here[2] = {0.0, 0.0}, most[2];    // radius and speed
  for (int a = 0; a < atom->nlocal; ++a) {
    const double *v = atom->v[a];
    here[0] = std::max(here[0], atom->radius[a]);
    here[1] = std::max(here[1], std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
  }
  const auto sources = inserting_fixes(lmp);
  for (Fix *source : sources)
    for (int type = 1; type <= atom->ntypes; ++type) {
      int itype = type;
      if (const auto *radius = static_cast<double *>(source->extract("radius", itype)))
        here[0] = std::max(here[0], *radius);
    }
  MPI_Allreduce(here, most, 2, MPI_DOUBLE, MPI_MAX, world);
  const double radius = most[0], speed = most[1];
  double wanted = 2.0 * (LEAST * radius + FASTER * STEPS * update->dt * speed);
  if (!sources.empty()) wanted = std::max(wanted, radius);
  wanted = std::min(wanted, 2.0 * radius);
  if (restored_skin > 0.0) wanted = restored_skin;
  if (update->whichflag != 0) restored_skin = 0.0;
  if (!(wanted > neighbor->skin)) return;
  given_skin = neighbor->skin;
  chosen_skin = neighbor->skin = wanted;
  if (comm->me == 0)
    utils::logmesg(
        lmp,
        "granular/plus: skin {:.4g} in place of {:.4g}, for grains as fast as here; `pair_style ... skin given` "
        "keeps the script's\n",
        chosen_skin, given_skin);
}

// unless the script has given another one since; as LAMMPS ends, its neighbor goes first

void GrainNeighbors::give_back_skin()
{
  if (neighbor && chosen_skin != 0.0 && neighbor->skin == chosen_skin) neighbor->skin = given_skin;
  chosen_skin = 0.0;
}

// A restart file that a run writes in its midst goes on in the midst of that run; after a run the next one chooses anew.

double GrainNeighbors::skin_in_restart() const { return own && update->whichflag != 0 ? skin : 0.0; }

void GrainNeighbors::set_gap(int itype, int jtype, double gap)
{
  gaps[itype][jtype] = gaps[jtype][itype] = std::max(gap, 0.0);
  largest_gap = std::max(largest_gap, gap);
}

// Why the pairs must be LAMMPS's, empty if they need not.

std::string GrainNeighbors::needs_lammps() const
{
  if (force->pair != pair) return "another pair style stands beside it";
  if (utils::strmatch(update->integrate_style, "^respa")) return "run_style respa";
  if (neighbor->build_once) return "neigh_modify once yes";
  if (neighbor->includegroup) return "neigh_modify include";
  // then the partners of small grains may have no ghost of these
  if (comm->mode == Comm::MULTI && force->newton_pair) return "comm_modify mode multi with newton on";
  // another rank may hold the pair that these ask for, or it is there as other images that only a map finds
  if (force->newton_pair && (comm->nprocs > 1 || atom->map_style == Atom::MAP_NONE) &&
      !modify->get_compute_by_style("^pair/local|^fabric|^group/group|^stress/(cartesian|cylinder|mop|spherical)")
           .empty())
    return "a compute asks for single pairs, with newton on, on several ranks or without atom_modify map";
  if (atom->molecular != Atom::ATOMIC) {
    bool special = !modify->get_fix_by_style("^bond/|^pour|^deposit").empty();
    for (int a = 0; a < atom->nlocal && atom->nspecial && !special; ++a) special = atom->nspecial[a][2] > 0;
    if (any_over_ranks(world, special)) return "special_bonds";
  }
  return "";
}

// Where grains do not move as their velocities say, or the box moves their images.

bool GrainNeighbors::half_the_skin_for_all() const { return update->whichflag != 1 || images_move || radii_change; }

double GrainNeighbors::gap(int a, int b) const { return gap_of_types(atom->type[a], atom->type[b]); }

void GrainNeighbors::give_budgets()
{
  const int count = atom->nlocal + atom->nghost;
  const double most = 0.5 * skin;
  if (half_the_skin_for_all()) {
    budgets.assign(count, most);
    return;
  }
  budgets.resize(count);
  const double time = FASTER * STEPS * update->dt;
  for (int a = 0; a < atom->nlocal; ++a) {
    const double *v = atom->v[a];
    budgets[a] = std::min(most, LEAST * atom->radius[a] + time * std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
  }
}

GrainNeighbors::Kind GrainNeighbors::kind(int a) const
{
  return {atom->type[a], atom->mask[a], atom->molecule ? atom->molecule[a] : 0};
}

bool GrainNeighbors::excludes(const Kind &a, const Kind &b) const
{
  if (neighbor->nex_type && neighbor->ex_type[a.type][b.type]) return true;
  for (int m = 0; m < neighbor->nex_group; ++m) {
    const int one = neighbor->ex1_bit[m], other = neighbor->ex2_bit[m];
    if ((a.mask & one && b.mask & other) || (a.mask & other && b.mask & one)) return true;
  }
  for (int m = 0; m < neighbor->nex_mol; ++m)
    if (a.mask & b.mask & neighbor->ex_mol_bit[m] && (a.molecule == b.molecule) == (neighbor->ex_mol_intra[m] != 0))
      return true;
  return false;
}

void GrainNeighbors::list()
{
  out_of_date = false;
  const int owned = atom->nlocal, all = owned + atom->nghost;
  const double *x = atom->x[0];
  const tagint *tag = atom->tag;
  reach.resize(all);
  for (int a = 0; a < all; ++a) reach[a] = atom->radius[a] + budgets[a] + 0.5 * largest_gap;
  listed_at.assign(x, x + 3 * static_cast<std::size_t>(owned));
  radius_then.assign(atom->radius, atom->radius + owned);
  if (images_move) box.remember(*domain);

  const bool newton = force->newton_pair, has_exclusions = neighbor->exclude != 0;
  holder.clear();
  other.clear();
  first.assign(owned + 2, 0);    // for now, first[grain + 2] counts
  search.find(*kernels, {x, reach.data(), owned, all}, [&](int a, const int *found, int count) {
    for (int k = 0; k < count; ++k) {
      const int b = found[k];
      const double limit = acts_across_gap ? reach[a] + reach[b] - (largest_gap - gap(a, b)) : reach[a] + reach[b];
      if (!(squared_distance(x + 3 * a, x + 3 * b) <= limit * limit)) continue;
      if (has_exclusions && excludes(kind(a), kind(b))) continue;
      int holds = a;
      if (b < owned || newton) {
        const bool even = ((tag[a] ^ tag[b]) & 1) == 0;
        bool is_first = (tag[a] < tag[b]) == even;
        if (tag[a] == tag[b]) {    // an image of itself
          const double least = 1.0e-3 * reach[a];
          int d = 2;
          while (d > 0 && std::fabs(x[3 * b + d] - x[3 * a + d]) < least) --d;
          is_first = x[3 * b + d] > x[3 * a + d];
        }
        if (!is_first) {
          if (b >= owned) continue;
          holds = b;
        }
      }
      holder.push_back(holds);
      other.push_back(holds == a ? b : a);
      ++first[holds + 2];
    }
  });
  for (int a = 0; a < owned; ++a) first[a + 2] += first[a + 1];
  partners.resize(holder.size());
  for (std::size_t p = 0; p < holder.size(); ++p) partners[first[holder[p] + 1]++] = other[p];
  first.pop_back();
  sort_rows();
}

void GrainNeighbors::sort_rows()
{
  const tagint *tag = atom->tag;
  double **x = atom->x;
  for (int a = 0; a < atom->nlocal; ++a) {
    const double least = 1.0e-3 * reach[a];
    const auto comes_before = [&](int b, int c) {
      if (tag[b] != tag[c]) return tag[b] < tag[c];
      for (int d = 2; d >= 0; --d)
        if (std::fabs(x[b][d] - x[c][d]) > least) return x[b][d] < x[c][d];
      return false;
    };
    std::sort(partners.begin() + first[a], partners.begin() + first[a + 1], comes_before);
  }
}

int GrainNeighbors::row_count() const { return own ? atom->nlocal : pair->list->inum; }

GrainNeighbors::Row GrainNeighbors::row(int k) const
{
  if (own) return {k, first[k + 1] - first[k], partners.data() + first[k]};
  const int grain = pair->list->ilist[k];
  return {grain, pair->list->numneigh[grain], pair->list->firstneigh[grain]};
}

bool GrainNeighbors::outrun() const
{
  const int count = std::min(atom->nlocal, static_cast<int>(radius_then.size()));
  const double *x = atom->nlocal > 0 ? atom->x[0] : nullptr, *then = listed_at.data();
  const double by_box = images_move ? 0.5 * box.of_images(*domain) : 0.0;
  bool here = false;
  if (by_box == 0.0 && (count == 0 || std::memcmp(atom->radius, radius_then.data(), count * sizeof(double)) == 0)) {
    for (int a = 0; a < count; ++a) here |= !(squared_distance(x + 3 * a, then + 3 * a) <= budgets[a] * budgets[a]);
  } else {
    for (int a = 0; a < count; ++a) {
      const double growth = std::max(0.0, atom->radius[a] - radius_then[a]);
      here |= !(std::sqrt(squared_distance(x + 3 * a, then + 3 * a)) + growth + by_box <= budgets[a]);
    }
  }
  return any_over_ranks(world, here);
}

bool GrainNeighbors::lists(int a, int b) const
{
  if (!own) return squared_distance(atom->x[a], atom->x[b]) <= neighbor->cutneighsq[atom->type[a]][atom->type[b]];
  const double limit = reach[a] + reach[b] - (largest_gap - gap(a, b));
  return squared_distance(atom->x[a], atom->x[b]) <= limit * limit &&
      !(neighbor->exclude && excludes(kind(a), kind(b)));
}

/* ----------------------------------------------------------------------
   The skin bounds how far grains move only if LAMMPS's list is checked in every step; else all pairs that it lists may.
------------------------------------------------------------------------- */

bool GrainNeighbors::may_touch(int a, int b) const
{
  if (!own && (neighbor->delay > 0 || neighbor->every > 1 || !neighbor->dist_check || neighbor->build_once))
    return true;
  const double moves = own ? budgets[a] + budgets[b] : neighbor->skin;
  const double distance = atom->radius[a] + atom->radius[b] + moves;
  return squared_distance(atom->x[a], atom->x[b]) < distance * distance;
}

/* ----------------------------------------------------------------------
   Who asks for a pair may have it from a list of LAMMPS's, in which it belongs to the other grain.
------------------------------------------------------------------------- */

GrainNeighbors::Listed GrainNeighbors::find(const granular_plus::ContactList &list, int &i, int &j) const
{
  if (const int pair = list.find(i, j); pair >= 0) return {pair, false};
  if (const int pair = list.find(j, i); pair >= 0) {
    std::swap(i, j);
    return {pair, true};
  }
  if (!own || j < atom->nlocal || atom->map_style == Atom::MAP_NONE) return {-1, false};
  const double near = 1.0e-3 * atom->radius[i];
  const int partner = atom->map(atom->tag[j]);
  if (partner < 0 || partner >= atom->nlocal) return {-1, false};
  for (int image = atom->sametag[i]; image >= 0; image = atom->sametag[image]) {
    double square = 0.0;    // of the difference between the two separations
    for (int d = 0; d < 3; ++d)
      square += std::pow(atom->x[i][d] - atom->x[j][d] - (atom->x[image][d] - atom->x[partner][d]), 2);
    if (square > near * near) continue;
    const int pair = list.find(partner, image);
    if (pair < 0) continue;
    i = partner;
    j = image;
    return {pair, true};
  }
  return {-1, false};
}

double GrainNeighbors::memory_usage() const
{
  return search.memory_usage() +
      static_cast<double>(sizeof(double)) * (budgets.capacity() + reach.capacity() + listed_at.capacity()) +
      static_cast<double>(sizeof(int)) *
      (first.capacity() + partners.capacity() + holder.capacity() + other.capacity());
}
