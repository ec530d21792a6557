#include "grain_neighbors.h"

#include "../glue/over_ranks.h"
#include "../glue/share_of_pair.h"
#include "../glue/surroundings.h"

#include "atom.h"
#include "comm.h"
#include "compute.h"
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
#include <initializer_list>
#include <utility>

using namespace LAMMPS_NS;

namespace {

// A motion budget is LEAST radii plus the distance that the grain moves in STEPS steps at FASTER times its present
// speed.
constexpr double LEAST = 0.1, STEPS = 20.0, FASTER = 1.1;

// LAMMPS's patterns cannot contain alternatives.
template <class Styles> bool any_of_style(const Styles &list, std::initializer_list<const char *> patterns)
{
  return std::any_of(list.begin(), list.end(), [&](const auto *each) {
    return std::any_of(patterns.begin(), patterns.end(),
                       [&](const char *pattern) { return utils::strmatch(each->style, pattern); });
  });
}

double length(const double *v) { return granular_plus::length(granular_plus::vector_of(v)); }

}    // namespace

GrainNeighbors::~GrainNeighbors()
{
  end_run();
  restore_script_skin();
}

void GrainNeighbors::init(bool new_acts_across_gap, bool grains_grow, bool pairs_seen_once, double largest_radius)
{
  seen_once = pairs_seen_once;
  kernels = &granular_plus::kernels();
  acts_across_gap = new_acts_across_gap;
  gaps.assign(atom->ntypes + 1, std::vector<double>(atom->ntypes + 1, 0.0));
  largest_gap = 0.0;
  const auto &fixes = modify->get_fix_list();
  radii_change =
      grains_grow || std::any_of(fixes.begin(), fixes.end(), [](const Fix *fix) { return fix->diam_flag != 0; });
  images_move = std::any_of(fixes.begin(), fixes.end(),
                            [](const Fix *fix) { return (fix->box_change & ~Fix::BOX_CHANGE_DOMAIN) != 0; });
  const bool wanted = choice.list != List::LAMMPS;
  const std::string reason = wanted ? reason_for_lammps() : "";
  own = wanted && reason.empty();
  if (choice.list == List::OWN && !own && comm->me == 0)
    utils::logmesg(lmp, "granular/plus: using LAMMPS's neighbour list despite `list own`: {}\n", reason);
  end_run();
  restore_script_skin();
  if (own && !choice.skin_given && !half_the_skin_for_all()) choose_skin(largest_radius);
  skin = neighbor->skin;
  const int request = acts_across_gap ? NeighConst::REQ_DEFAULT : NeighConst::REQ_SIZE;
  if (!own) neighbor->add_request(pair, seen_once ? request : request | NeighConst::REQ_NEWTON_OFF);
}

/* ----------------------------------------------------------------------
   The skin is twice the budget of the fastest grain, because no budget may exceed half the skin. The skin is at most
   the diameter of the largest grain. If grains will be inserted, the skin is at least the radius of the largest grain.
------------------------------------------------------------------------- */

void GrainNeighbors::choose_skin(double largest_radius)
{
  double fastest = 0.0;
  for (int a = 0; a < atom->nlocal; ++a) fastest = std::max(fastest, length(atom->v[a]));
  fastest = most_over_ranks(world, fastest);
  double wanted = 2.0 * (LEAST * largest_radius + FASTER * STEPS * update->dt * fastest);
  if (!inserting_fixes(lmp).empty()) wanted = std::max(wanted, largest_radius);
  wanted = std::min(wanted, 2.0 * largest_radius);
  if (restored_skin > 0.0) wanted = restored_skin;
  if (update->whichflag != 0) restored_skin = 0.0;
  if (!(wanted > neighbor->skin)) return;
  script_skin = neighbor->skin;
  chosen_skin = neighbor->skin = wanted;
  if (comm->me == 0)
    utils::logmesg(lmp,
                   "granular/plus: skin = {:.4g} instead of {:.4g}, chosen for the fastest grain; `pair_style ... skin "
                   "given` keeps the skin of the script\n",
                   chosen_skin, script_skin);
}

// When LAMMPS ends, it deletes `neighbor` before pair styles, so `neighbor` may be null.

void GrainNeighbors::restore_script_skin()
{
  if (neighbor && chosen_skin != 0.0 && neighbor->skin == chosen_skin) neighbor->skin = script_skin;
  chosen_skin = 0.0;
}

// Returns 0 between runs, because the next run chooses its own skin.

double GrainNeighbors::skin_in_restart() const { return own && update->whichflag != 0 ? skin : 0.0; }

void GrainNeighbors::set_gap(int itype, int jtype, double gap)
{
  gaps[itype][jtype] = gaps[jtype][itype] = std::max(gap, 0.0);
  largest_gap = std::max(largest_gap, gap);
}

bool GrainNeighbors::acts_on_all_pairs() const
{
  if (force->pair == pair) return true;
  const char *const not_a_hybrid = "^[^h]";    // pair_match also compares the name of the hybrid
  // if only one style matches, pair_match returns this style for any number
  if (force->pair_match(not_a_hybrid, 0, 1) != pair || force->pair_match(not_a_hybrid, 0, 2) != pair) return false;
  for (int i = 1; i <= atom->ntypes; ++i)
    for (int j = i; j <= atom->ntypes; ++j)
      if (!pair->setflag[i][j]) return false;
  return true;
}

// Returns the reason why this run needs LAMMPS's list, or an empty string if our own list suffices.

std::string GrainNeighbors::reason_for_lammps() const
{
  if (!acts_on_all_pairs()) return "pair_style hybrid, in which this style does not act on all pairs";
  if (neighbor->build_once) return "neigh_modify once yes";
  if (neighbor->includegroup) return "neigh_modify include";
  // with our list, LAMMPS might not send small grains to the ranks of their larger partners
  if (comm->mode == Comm::MULTI && force->newton_pair) return "comm_modify mode multi with newton on";
  // These computes request each pair on the rank to which LAMMPS assigns the pair. Our list may hold the pair on
  // another rank. On one rank, our list may hold the pair through other images, which only an atom map can find.
  if (force->newton_pair && (comm->nprocs > 1 || atom->map_style == Atom::MAP_NONE) &&
      any_of_style(modify->get_compute_list(),
                   {"^pair/local", "^fabric", "^group/group", "^stress/cartesian", "^stress/cylinder", "^stress/mop",
                    "^stress/spherical"}))
    return "a compute that requests single pairs, with newton on and with several ranks or no atom map (atom_modify "
           "map)";
  if (atom->molecular != Atom::ATOMIC) {
    bool special = any_of_style(modify->get_fix_list(), {"^bond/", "^pour", "^deposit"});
    for (int a = 0; a < atom->nlocal && atom->nspecial && !special; ++a) special = atom->nspecial[a][2] > 0;
    if (any_over_ranks(world, special)) return "special neighbours";
  }
  return "";
}

bool GrainNeighbors::half_the_skin_for_all() const { return update->whichflag != 1 || images_move || radii_change; }

double GrainNeighbors::gap(int a, int b) const { return gap_of_types(atom->type[a], atom->type[b]); }

granular_plus::MotionBudget GrainNeighbors::budget_rule() const
{
  return {0.5 * (chosen_skin > 0.0 ? script_skin : skin), 0.5 * skin, LEAST, FASTER * STEPS * update->dt};
}

void GrainNeighbors::set_budgets()
{
  const int count = atom->nlocal + atom->nghost;
  const granular_plus::MotionBudget rule = budget_rule();
  if (half_the_skin_for_all()) {
    budgets.assign(count, rule.most);
    return;
  }
  budgets.resize(count);
  for (int a = 0; a < atom->nlocal; ++a) budgets[a] = rule.of(atom->radius[a], length(atom->v[a]));
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

void GrainNeighbors::build()
{
  outdated = false;
  if (refresh_gaps && radii.have_varied()) refresh_gaps();
  const int owned = atom->nlocal, all = owned + atom->nghost;
  const double *x = atom->x[0];
  const tagint *tag = atom->tag;
  reach.resize(all);
  for (int a = 0; a < all; ++a) reach[a] = atom->radius[a] + budgets[a] + 0.5 * largest_gap;

  const bool has_exclusions = neighbor->exclude != 0;
  std::vector<int> holder, other;
  granular_plus::PairSearch search;
  first.assign(owned + 2, 0);
  search.find(*kernels, {x, reach.data(), owned, all}, [&](int a, const int *found, int count) {
    for (int k = 0; k < count; ++k) {
      const int b = found[k];
      const double limit = acts_across_gap ? reach[a] + reach[b] - (largest_gap - gap(a, b)) : reach[a] + reach[b];
      if (!(squared_distance(x + 3 * a, x + 3 * b) <= limit * limit)) continue;
      if (has_exclusions && excludes(kind(a), kind(b))) continue;
      int holds = a;
      if (b < owned || seen_once) {
        const bool is_holder = tag[a] == tag[b] ? is_first_image(a, b) : holds_pair(tag[a], tag[b]);
        if (!is_holder) {
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

// Orders images of a grain by z, y and x. The tolerance allows for rounding in triclinic boxes.

bool GrainNeighbors::is_first_image(int a, int b) const
{
  const double rounding = 1.0e-3 * reach[a];
  for (int d = 2; d >= 0; --d)
    if (std::fabs(atom->x[b][d] - atom->x[a][d]) > rounding) return atom->x[a][d] < atom->x[b][d];
  return false;
}

void GrainNeighbors::sort_rows()
{
  const tagint *tag = atom->tag;
  const auto comes_before = [&](int b, int c) { return tag[b] != tag[c] ? tag[b] < tag[c] : is_first_image(b, c); };
  for (int a = 0; a < atom->nlocal; ++a)
    std::sort(partners.begin() + first[a], partners.begin() + first[a + 1], comes_before);
}

int GrainNeighbors::row_count() const { return own ? atom->nlocal : pair->list->inum; }

GrainNeighbors::Row GrainNeighbors::row(int k) const
{
  if (own) return {k, first[k + 1] - first[k], partners.data() + first[k]};
  const int grain = pair->list->ilist[k];
  return {grain, pair->list->numneigh[grain], pair->list->firstneigh[grain]};
}

bool GrainNeighbors::budget_exceeded() const
{
  const std::vector<double> &listed = radii.when_listed();
  constexpr int ROW = GrainRadii::LISTED;
  static_assert(ROW == 4, "any_beyond reads such rows");
  const int count = std::min(atom->nlocal, static_cast<int>(listed.size() / ROW));
  const double *x = atom->nlocal > 0 ? atom->x[0] : nullptr, *then = listed.data();
  const double by_box = images_move ? 0.5 * radii.box_since_list().of_images(*domain) : 0.0;
  bool here = false;
  if (by_box == 0.0 && !radii.have_varied()) {
    here = kernels->any_beyond(x, then, budgets.data(), count);
  } else {
    for (int a = 0; a < count; ++a) {
      const double growth = std::max(0.0, atom->radius[a] - then[ROW * a + 3]);
      here |= !(std::sqrt(squared_distance(x + 3 * a, then + ROW * a)) + growth + by_box <= budgets[a]);
    }
  }
  return comm->nprocs > 1 ? any_over_ranks(world, here) : here;
}

// A minimization keeps LAMMPS's own check of displacements.

void GrainNeighbors::begin_run()
{
  if (!own || update->whichflag != 1 || neighbor->dist_check == 0 || grain_may_move_late()) return;
  if (!script_delay) script_delay = neighbor->delay;
  neighbor->delay = DELAY_WITH_BUDGETS;
}

void GrainNeighbors::end_run()
{
  if (script_delay && neighbor && neighbor->delay == DELAY_WITH_BUDGETS) neighbor->delay = *script_delay;
  script_delay.reset();
}

bool GrainNeighbors::watch_all_moves() const
{
  return own && !images_move && !radii_change && neighbor->delay == DELAY_WITH_BUDGETS;
}

bool GrainNeighbors::follow_from_budgets() const
{
  return watch_all_moves() && !half_the_skin_for_all() && !neighbor->exclude;
}

// returns whether a fix may move grains after the check of budgets

bool GrainNeighbors::grain_may_move_late() const
{
  const auto &fixes = modify->get_fix_list();
  return std::any_of(fixes.begin(), fixes.end(), [this](Fix *fix) {
    return modify->get_fix_mask(fix) & FixConst::POST_INTEGRATE && !utils::strmatch(fix->style, "^GRANULAR_PLUS/");
  });
}

bool GrainNeighbors::within_reach(int a, int b) const
{
  if (!own) return squared_distance(atom->x[a], atom->x[b]) <= neighbor->cutneighsq[atom->type[a]][atom->type[b]];
  const double limit = reach[a] + reach[b] - (largest_gap - gap(a, b));
  return squared_distance(atom->x[a], atom->x[b]) <= limit * limit &&
      !(neighbor->exclude && excludes(kind(a), kind(b)));
}

/* ----------------------------------------------------------------------
   LAMMPS's skin limits displacements only if LAMMPS checks them in every step.
------------------------------------------------------------------------- */

bool GrainNeighbors::may_touch(int a, int b) const
{
  if (!own && (neighbor->delay > 0 || neighbor->every > 1 || !neighbor->dist_check || neighbor->build_once))
    return true;
  const double moves = own ? budgets[a] + budgets[b] : neighbor->skin;
  const double distance = atom->radius[a] + atom->radius[b] + moves;
  return squared_distance(atom->x[a], atom->x[b]) < distance * distance;
}

// LAMMPS's computes request the two grains of a pair in the order of LAMMPS's list. Our list may hold the pair in the
// row of the other grain.

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
    double square = 0.0;
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
  return static_cast<double>(sizeof(double)) * (budgets.capacity() + reach.capacity()) +
      static_cast<double>(sizeof(int)) * (first.capacity() + partners.capacity());
}
