#include "fix_contact_history.h"

#include "restart_header.h"
#include "../sources/surroundings.h"

#include "../liquid/grain_liquid.h"
#include "../model/contact_model.h"

#include "atom.h"
#include "comm.h"
#include "domain.h"
#include "error.h"
#include "force.h"
#include "memory.h"
#include "modify.h"
#include "neigh_list.h"
#include "neighbor.h"
#include "pair.h"
#include "update.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace LAMMPS_NS;
using namespace FixConst;

namespace {

// fixes that act in pre_exchange but neither add nor delete atoms; those that then move them say so themselves
constexpr const char *HARMLESS[] = {"^GRANULAR_PLUS/HISTORY", "^GRANULAR_PLUS/BONDS", "^NEIGH_HISTORY", "^BOND_HISTORY",
                                    "^deform"};

// Shortest distance between a point of a periodic box and its images: not less than that between opposite faces.
double shortest_period(const Domain &domain)
{
  const double *h = domain.h_inv;
  const double inverse[] = {std::sqrt(h[0] * h[0] + h[5] * h[5] + h[4] * h[4]), std::sqrt(h[1] * h[1] + h[3] * h[3]),
                            h[2]};
  double shortest = INFINITY;
  for (int d = 0; d < domain.dimension; ++d)
    if (domain.periodicity[d]) shortest = std::min(shortest, 1.0 / inverse[d]);
  return shortest;
}

}    // namespace

/* ---------------------------------------------------------------------- */

FixContactHistory::FixContactHistory(LAMMPS *lmp, int narg, char **arg)
    : Fix(lmp, narg, arg), contacts(narg == 7 ? utils::inumeric(FLERR, arg[3], false, lmp) : 0),
      contents(narg == 7 ? arg[6] : ""), pairs_seen_once(force->newton_pair != 0)
{
  if (narg != 7) error->all(FLERR, "Fix GRANULAR_PLUS/HISTORY belongs to pair granular/plus and takes four arguments");
  parts = utils::inumeric(FLERR, arg[4], false, lmp);
  spring_values = utils::inumeric(FLERR, arg[5], false, lmp);

  restart_peratom = 1;
  restart_global = 1;
  create_attribute = 1;
  nevery = 1;
  maxexchange_dynamic = 1;
  comm_forward = 1;
  next_reneighbor = -1;
  wd_header = 1;    // to be told of write_data
  if (force->newton_pair) comm_reverse = 1;

  FixContactHistory::grow_arrays(atom->nmax);
  atom->add_callback(Atom::GROW);
  atom->add_callback(Atom::RESTART);
  for (int n = 0; n < atom->nlocal; ++n) forget(n);
}

/* ---------------------------------------------------------------------- */

FixContactHistory::~FixContactHistory()
{
  return_all_liquid();
  atom->delete_callback(id, Atom::GROW);
  atom->delete_callback(id, Atom::RESTART);
}

/* ---------------------------------------------------------------------- */

int FixContactHistory::setmask()
{
  return PRE_EXCHANGE | MIN_PRE_EXCHANGE | POST_NEIGHBOR | MIN_POST_NEIGHBOR | (after_step ? END_OF_STEP : 0);
}

/* ---------------------------------------------------------------------- */

void FixContactHistory::init()
{
  if (atom->tag_enable == 0) error->all(FLERR, "Pair granular/plus requires that atoms have IDs");

  // history must lie with the atoms before anyone adds, deletes or moves them

  for (const auto &other : modify->get_fix_list()) {
    if (other == this) break;
    const bool harmless = std::any_of(std::begin(HARMLESS), std::end(HARMLESS),
                                      [&](const char *known) { return utils::strmatch(other->style, known); });
    if (other->pre_exchange_migrate || (modify->get_fix_mask(other) & PRE_EXCHANGE && !harmless))
      error->all(FLERR,
                 "granular/plus: fix {} {} may add, delete or move atoms and must be defined after the {}, or contacts "
                 "would lose track of their atoms",
                 other->id, other->style, made_by);
  }
}

/* ----------------------------------------------------------------------
   An error that a caller has caught may have ended the last run in its midst: springs are then still in the contact list.
------------------------------------------------------------------------- */

void FixContactHistory::settle()
{
  if (is_frame_of_rerun(*update)) forget_springs();
  if (!ahead) return;
  const int here = disturbed;
  int anywhere = 0;
  MPI_Allreduce(&here, &anywhere, 1, MPI_INT, MPI_MAX, world);
  disturbed = false;
  if (anywhere) {
    if (comm->me == 0)
      error->warning(FLERR,
                     "granular/plus: atoms were added or deleted after an error had ended the last run; contacts "
                     "start without history");
    forget_all();
  } else {
    move_to_atoms();
  }
  ahead = false;
}

void FixContactHistory::forget_springs()
{
  forget_all();
  ahead = disturbed = false;
}

void FixContactHistory::serve(Pair *new_pair, Groups new_groups)
{
  pair = new_pair;
  groups = std::move(new_groups);
}

/* ---------------------------------------------------------------------- */

void FixContactHistory::setup_pre_exchange()
{
  settle();
  find_max_links();
}

/* ----------------------------------------------------------------------
   called on the first processor; nothing is written
------------------------------------------------------------------------- */

void FixContactHistory::write_data_header(FILE *, int)
{
  if (warned_of_data || contacts.row_size() == 0) return;
  warned_of_data = true;
  error->warning(FLERR,
                 "granular/plus: a data file holds no contact history: springs, bridges and the ledger start anew from "
                 "it; write_restart keeps them");
}

/* ---------------------------------------------------------------------- */

void FixContactHistory::setup_post_neighbor() { post_neighbor(); }

void FixContactHistory::min_pre_exchange() { pre_exchange(); }

void FixContactHistory::min_post_neighbor() { post_neighbor(); }

void FixContactHistory::call_after_step(std::function<void()> function)
{
  after_step = std::move(function);
  modify->fmask[modify->find_fix(id)] = setmask();
}

void FixContactHistory::end_of_step() { after_step(); }

/* ----------------------------------------------------------------------
   atoms may be added, deleted or renumbered between runs: their history must be with them
------------------------------------------------------------------------- */

void FixContactHistory::post_run()
{
  if (before_exchange) before_exchange(false);
  bring_to_atoms();
  // atoms that are created now find what ghosts have left
  if (groups.volume >= 0) std::fill(films_of(lmp) + atom->nlocal, films_of(lmp) + atom->nmax, 0.0);
}

/* ---------------------------------------------------------------------- */

void FixContactHistory::pre_exchange()
{
  if (before_exchange) before_exchange(true);
  bring_to_atoms();
}

void FixContactHistory::bring_to_atoms()
{
  contacts.release_near_pairs();    // the links find room there
  if (ahead) move_to_atoms();
  ahead = false;
  find_max_links();
}

/* ----------------------------------------------------------------------
   give every living contact to both of its atoms
   a fix that adds atoms in pre_exchange runs after us, so only ghosts can have been overwritten
------------------------------------------------------------------------- */

void FixContactHistory::move_to_atoms()
{
  if (disturbed)
    error->one(FLERR, "granular/plus: atoms were added or deleted between two neighbour lists; contacts lost track");
  forget_all();
  tells_images = shortest_period(*domain) < 2.0 * neighbor->cutneighmax;
  const std::size_t most = 2 * static_cast<std::size_t>(contacts.rows_used());
  links.reserve(most);
  signs_linked = groups.signs;
  if (!stay_in_list()) own_values.reserve(most * link_size());

  const int partners_below = pairs_seen_once ? atoms_listed : owned_listed;
  for (int group = 0; group < contacts.groups(); ++group) {
    for (int p = contacts.begin(group); p < contacts.end(group); ++p) {
      if (!contacts.alive(p)) continue;
      const int i = contacts.i(p), j = contacts.j(p);
      add_contact(i, j, p, false);
      if (j < partners_below) add_contact(j, i, p, true);
    }
  }

  // links of ghosts belong to the processor that owns the atom

  if (pairs_seen_once) comm->reverse_comm_variable(this);
  std::copy_n(atom->tag, atom->nlocal, saved_tag.begin());
}

void FixContactHistory::forget_all()
{
  links.clear();
  own_values.clear();
  own_count = 0;
  atoms_have_links = true;
  // of the atoms that there are; those to come are seen to as they come
  head.resize(atom->nmax);
  saved_tag.resize(atom->nmax);
  std::fill_n(head.begin(), atom->nlocal + atom->nghost, -1);
}

/* ----------------------------------------------------------------------
   Once the contact list holds all history, the links of the atoms are not needed.
------------------------------------------------------------------------- */

void FixContactHistory::mark_ahead()
{
  ahead = true;
  if (!atoms_have_links) return;
  atoms_have_links = false;
  own_count = 0;
  links.clear();
  own_values.clear();
  // the memory of small arrays stays for the next list
  const auto release = [](auto &list) {
    constexpr std::size_t SMALL = 1 << 17;    // bytes
    if (list.capacity() * sizeof list[0] < SMALL) return;
    list.clear();
    list.shrink_to_fit();
  };
  release(links);
  release(own_values);
  release(head);
  release(saved_tag);
}

/* ----------------------------------------------------------------------
   An atom that crosses a corner of its processor's domain passes through a processor that has never seen its contacts:
   buffers must hold the largest number of links on any processor.
------------------------------------------------------------------------- */

void FixContactHistory::find_max_links()
{
  int here = 0, most = 0;
  for (int n = 0; n < atom->nlocal; ++n)
    if (first_link(n) >= 0) here = std::max(here, count_links(n));
  MPI_Allreduce(&here, &most, 1, MPI_INT, MPI_MAX, world);
  maxexchange = (link_size() + 1) * most + 2;
}

/* ----------------------------------------------------------------------
   Do links call an atom by an ID that it no longer has? delete_atoms with compress and reset_atoms id renumber; a new atom
   may get the ID of one that was deleted. Then ghosts are told the old IDs, too.
------------------------------------------------------------------------- */

bool FixContactHistory::has_new_names()
{
  const int here = !std::equal(atom->tag, atom->tag + atom->nlocal, saved_tag.begin());
  int anywhere = 0;
  MPI_Allreduce(&here, &anywhere, 1, MPI_INT, MPI_MAX, world);
  if (anywhere) comm->forward_comm(this);
  return anywhere;
}

/* ----------------------------------------------------------------------
   Before the next neighbour list. A contact across a gap begins with touch, so other pairs do not matter. The skin bounds how
   far grains move only if the list is checked in every step; otherwise all pairs that LAMMPS lists stay.
------------------------------------------------------------------------- */

bool FixContactHistory::may_touch(int a, int b) const
{
  if (neighbor->delay > 0 || neighbor->every > 1 || !neighbor->dist_check || neighbor->build_once) return true;
  const double *xa = atom->x[a], *xb = atom->x[b];
  const double dx = xa[0] - xb[0], dy = xa[1] - xb[1], dz = xa[2] - xb[2];
  const double distance = atom->radius[a] + atom->radius[b] + neighbor->skin;
  return dx * dx + dy * dy + dz * dz < distance * distance;
}

// as LAMMPS lists them

bool FixContactHistory::are_neighbors(int a, int b) const
{
  const double *xa = atom->x[a], *xb = atom->x[b];
  const double dx = xa[0] - xb[0], dy = xa[1] - xb[1], dz = xa[2] - xb[2];
  return dx * dx + dy * dy + dz * dz <= neighbor->cutneighsq[atom->type[a]][atom->type[b]];
}

/* ----------------------------------------------------------------------
   a new neighbour list: each contact finds its history again
------------------------------------------------------------------------- */

void FixContactHistory::post_neighbor()
{
  if (!atoms_have_links)
    error->all(FLERR,
               "granular/plus: a neighbour list was made without the exchange of atoms that precedes it; contacts "
               "lost track");
  const NeighList *list = pair->list;
  const int *type = atom->type;
  const tagint *name = has_new_names() ? saved_tag.data() : atom->tag;
  const double *factor = force->special_lj;
  const bool scales_forces = std::any_of(factor, factor + 4, [](double f) { return f != 0.0 && f != 1.0; });
  owned_listed = atom->nlocal;
  atoms_listed = atom->nlocal + atom->nghost;
  if (after_listing) after_listing();

  const int group_count = static_cast<int>(groups.signs.size());
  const auto group_of = [&](int a, int b) {
    return group_count == 1 ? 0 : groups.of(type[a], type[b], atom->mask[a] | atom->mask[b]);
  };
  bigint pairs_in_all = 0;
  for (int ii = 0; ii < list->inum; ++ii) pairs_in_all += list->numneigh[list->ilist[ii]];
  const std::string excess = granular_plus::beyond_limits(atoms_listed, pairs_in_all);
  if (!excess.empty()) error->one(FLERR, "granular/plus: {}", excess);
  std::vector<int> pairs(group_count, 0);
  for (int ii = 0; ii < list->inum; ++ii) {
    const int a = list->ilist[ii], count = list->numneigh[a];
    if (group_count == 1)
      pairs[0] += count;
    else
      for (int jj = 0; jj < count; ++jj) ++pairs[group_of(a, list->firstneigh[a][jj] & NEIGHMASK)];
  }

  const bool has_liquid = groups.volume >= 0;
  std::vector<bool> listed(has_liquid ? links.size() : 0, false);
  std::vector<double> values(link_size());
  contacts.renew(pairs, scales_forces);
  for (int ii = 0; ii < list->inum; ++ii) {
    const int a = list->ilist[ii];
    for (int jj = 0; jj < list->numneigh[a]; ++jj) {
      const int b = list->firstneigh[a][jj] & NEIGHMASK, which = list->firstneigh[a][jj] >> SBBITS & 3;
      if (factor[which] == 0.0) continue;
      const int group = group_of(a, b), link = find_link(a, b, name[b]);
      if (link < 0 && groups.acts_across_gap[group] && !may_touch(a, b)) continue;
      const int partner = has_liquid && link >= 0 && b < owned_listed ? find_link(b, a, name[a]) : -1;
      // types that no longer have bridges from films
      if (has_liquid && link >= 0 && !groups.from_films[group]) {
        return_liquid(a, link);
        if (partner >= 0) return_liquid(b, partner);
      }
      if (link >= 0) copy_values(link, values.data());
      contacts.add(group, a, b, which, link >= 0, values.data());
      if (has_liquid && link >= 0) listed[link] = true;
      if (partner >= 0) listed[partner] = true;
    }
  }
  contacts.close();
  if (has_liquid) give_back(listed, name);
  mark_ahead();
  if (after_exchange) after_exchange();
}

/* ----------------------------------------------------------------------
   If the partner of a bridge is gone, half of its liquid returns to the grain that is left. With newton on, a pair may be listed
   by the partner's processor alone.
------------------------------------------------------------------------- */

void FixContactHistory::give_back(const std::vector<bool> &listed, const tagint *name)
{
  if (!films_of(lmp)) return;
  std::vector<std::pair<tagint, int>> ghosts;
  const auto is_listed_elsewhere = [&](int a, int link) {
    if (!force->newton_pair) return false;
    if (ghosts.empty()) {
      for (int b = owned_listed; b < atoms_listed; ++b) ghosts.emplace_back(name[b], b);
      std::sort(ghosts.begin(), ghosts.end());
    }
    const tagint partner = links[link].partner;
    auto ghost = std::lower_bound(ghosts.begin(), ghosts.end(), std::pair<tagint, int>(partner, -1));
    for (; ghost != ghosts.end() && ghost->first == partner; ++ghost)
      if (groups.from_films[groups.of(atom->type[a], atom->type[ghost->second],
                                      atom->mask[a] | atom->mask[ghost->second])] &&
          find_link(a, ghost->second, partner) == link && are_neighbors(a, ghost->second))
        return true;
    return false;
  };
  for (int a = 0; a < owned_listed; ++a)
    for (int link = head[a]; link >= 0; link = links[link].next)
      if (!listed[link] && !is_listed_elsewhere(a, link)) return_liquid(a, link);
}

void FixContactHistory::return_liquid(int a, int link)
{
  if (links[link].place < 0) return;    // made when no bridge held liquid of the grains
  take_half_back(films_of(lmp)[a], own_values[own_place(link) + groups.volume]);
}

/* ----------------------------------------------------------------------
   bridges end with the models that made them: halves of their liquid go back to both grains
------------------------------------------------------------------------- */

void FixContactHistory::return_all_liquid()
{
  if (!holds_liquid() || ahead || !films_of(lmp)) return;
  for (int a = 0; a < atom->nlocal; ++a)
    for (int link = head[a]; link >= 0; link = links[link].next) return_liquid(a, link);
}

/* ----------------------------------------------------------------------
   links
------------------------------------------------------------------------- */

// Of several images of the partner, the one whose separation has changed least.

int FixContactHistory::find_link(int a, int b, tagint partner) const
{
  int link = head[a], nearest = -1;
  while (link >= 0 && links[link].partner != partner) link = links[link].next;
  if (link < 0 || !tells_images) return link;
  double least = 0.25 * std::pow(shortest_period(*domain), 2);
  for (; link >= 0; link = links[link].next) {
    if (links[link].partner != partner) continue;
    const double *separation = own_values_of(link) + contacts.row_size();
    double moved = 0.0;
    for (int d = 0; d < 3; ++d) moved += std::pow(atom->x[a][d] - atom->x[b][d] - separation[d], 2);
    if (moved < least) {
      least = moved;
      nearest = link;
    }
  }
  return nearest;
}

void FixContactHistory::add_link(int atom_index, tagint partner, int place)
{
  links.push_back({partner, head[atom_index], place});
  head[atom_index] = static_cast<int>(links.size()) - 1;
}

// with values of its own, to be filled in

double *FixContactHistory::add_link(int atom_index, tagint partner)
{
  add_link(atom_index, partner, own_count++);
  own_values.resize(own_values.size() + link_size());
  return own_values.data() + own_values.size() - link_size();
}

void FixContactHistory::add_contact(int a, int b, int pair_index, bool reversed)
{
  add_link(a, atom->tag[b], of_pair(pair_index, reversed));
  if (stay_in_list()) return;
  own_values.resize(own_values.size() + link_size());
  double *values = own_values.data() + own_values.size() - link_size();
  copy_values(static_cast<int>(links.size()) - 1, values);
  links.back().place = own_count++;
  if (tells_images)
    for (int d = 0; d < 3; ++d) values[contacts.row_size() + d] = atom->x[a][d] - atom->x[b][d];
}

void FixContactHistory::copy_values(int link, double *to) const
{
  if (links[link].place >= 0) {
    std::copy_n(own_values_of(link), link_size(), to);
    return;
  }
  const int code = ~links[link].place, listed = code / 2;
  const double *row = contacts.row_before(listed);
  const double *signs = signs_linked[contacts.group_before(listed)].data();
  for (int k = 0; k < contacts.row_size(); ++k) to[k] = code & 1 ? signs[k] * row[k] : row[k];
}

int FixContactHistory::count_links(int atom_index) const
{
  int count = 0;
  for (int link = first_link(atom_index); link >= 0; link = links[link].next) ++count;
  return count;
}

int FixContactHistory::pack_links(int atom_index, double *buf) const
{
  int m = 0;
  buf[m++] = count_links(atom_index);
  for (int link = first_link(atom_index); link >= 0; link = links[link].next) {
    buf[m++] = ubuf(links[link].partner).d;
    copy_values(link, buf + m);
    m += link_size();
  }
  return m;
}

// adds to the links that the atom has

int FixContactHistory::unpack_links(int atom_index, const double *buf)
{
  int m = 0;
  const int count = static_cast<int>(buf[m++]);
  for (int k = 0; k < count; ++k) {
    const auto partner = static_cast<tagint>(ubuf(buf[m++]).i);
    std::copy_n(buf + m, link_size(), add_link(atom_index, partner));
    m += link_size();
  }
  return m;
}

void FixContactHistory::resize_rows(int values, unsigned new_parts)
{
  const int before = contacts.row_size(), link_before = link_size();
  if (new_parts == parts) return;
  const auto from = granular_plus::beginnings_of_parts(parts, spring_values);
  const auto to = granular_plus::beginnings_of_parts(new_parts, spring_values);
  std::vector<double> resized(links.size() * (values + link_before - before), 0.0), kept(link_before);
  for (std::size_t k = 0; k < links.size(); ++k) {
    copy_values(static_cast<int>(k), kept.data());
    double *row = resized.data() + k * (values + link_before - before);
    std::copy_n(kept.data(), spring_values, row);
    for (int part = 0; part < granular_plus::REMEMBERED_PARTS; ++part)
      if (from[part] >= 0 && to[part] >= 0)
        std::copy_n(kept.data() + from[part], granular_plus::REMEMBERED_VALUES[part], row + to[part]);
    if (tells_images) std::copy_n(kept.data() + before, 3, row + values);
  }
  for (std::size_t k = 0; k < links.size(); ++k) links[k].place = static_cast<int>(k);
  own_count = static_cast<int>(links.size());
  contacts.resize_rows(values);
  parts = new_parts;
  own_values = std::move(resized);
}

/* ----------------------------------------------------------------------
   arrays that go with the atoms
------------------------------------------------------------------------- */

void FixContactHistory::grow_arrays(int nmax)
{
  if (!atoms_have_links) return;
  head.resize(nmax);
  saved_tag.resize(nmax);
}

void FixContactHistory::copy_arrays(int from, int to, int /*delflag*/)
{
  disturbed = disturbed || ahead;
  if (!atoms_have_links) return;
  head[to] = head[from];
  saved_tag[to] = saved_tag[from];
}

void FixContactHistory::set_arrays(int atom_index)
{
  disturbed = disturbed || ahead;
  forget(atom_index);
  // LAMMPS leaves the new atom the film of one that was there before; between runs the film may have been read from a file
  if (double *film = films_of(lmp); film && update->whichflag != 0) film[atom_index] = 0.0;
}

void FixContactHistory::forget(int atom_index)
{
  if (!atoms_have_links) return;
  head[atom_index] = -1;
  saved_tag[atom_index] = 0;
}

int FixContactHistory::pack_forward_comm(int n, int *atoms, double *buf, int /*pbc_flag*/, int * /*pbc*/)
{
  for (int k = 0; k < n; ++k) buf[k] = ubuf(saved_tag[atoms[k]]).d;
  return n;
}

void FixContactHistory::unpack_forward_comm(int n, int start, double *buf)
{
  for (int k = 0; k < n; ++k) saved_tag[start + k] = static_cast<tagint>(ubuf(buf[k]).i);
}

int FixContactHistory::pack_reverse_comm_size(int n, int start)
{
  int size = 0;
  for (int a = start; a < start + n; ++a) size += 1 + (link_size() + 1) * count_links(a);
  return size;
}

int FixContactHistory::pack_reverse_comm(int n, int start, double *buf)
{
  int m = 0;
  for (int a = start; a < start + n; ++a) m += pack_links(a, buf + m);
  return m;
}

void FixContactHistory::unpack_reverse_comm(int n, int *atoms, double *buf)
{
  int m = 0;
  for (int k = 0; k < n; ++k) m += unpack_links(atoms[k], buf + m);
}

// between two frames of rerun, atoms change processors while the contact list still holds the history

int FixContactHistory::pack_exchange(int atom_index, double *buf)
{
  buf[0] = ubuf(atoms_have_links ? saved_tag[atom_index] : 0).d;
  return 1 + pack_links(atom_index, buf + 1);
}

int FixContactHistory::unpack_exchange(int atom_index, double *buf)
{
  forget(atom_index);
  if (atoms_have_links) saved_tag[atom_index] = static_cast<tagint>(ubuf(buf[0]).i);
  return 1 + unpack_links(atom_index, buf + 1);
}

/* ----------------------------------------------------------------------
   restart
   during a run the contact list is ahead of the atoms; after a run the atoms have everything, and the write_restart
   command has already moved them: the contact list must not be touched then
------------------------------------------------------------------------- */

void FixContactHistory::write_restart(FILE *fp) { write_restart_with(fp, 0.0); }

void FixContactHistory::write_restart_with(FILE *fp, double widest_gap)
{
  if (ahead) move_to_atoms();
  RestartHeader header(world, contents, contacts.row_size(), parts, tells_images, groups.volume, ledger);
  header.widest_gap = widest_gap;
  if (comm->me != 0) return;
  const int size = sizeof header;
  fwrite(&size, sizeof(int), 1, fp);
  fwrite(&header, size, 1, fp);
}

void FixContactHistory::restart(char *buf) { restart_from(buf); }

double FixContactHistory::restart_from(char *buf)
{
  RestartHeader header;
  std::memcpy(&header, buf, sizeof header);
  in_restart.taken = header.values_that_suit(lmp, "granular/plus", contents, parts, spring_values);
  in_restart.values = static_cast<int>(header.values);
  in_restart.liquid = static_cast<int>(header.liquid);
  tells_images = header.vectors != 0.0;
  header.restore(ledger, comm->me == 0);
  return header.widest_gap;
}

int FixContactHistory::pack_restart(int atom_index, double *buf)
{
  const int m = 1 + pack_exchange(atom_index, buf + 1);
  buf[0] = m;    // as all fixes do
  return m;
}

void FixContactHistory::unpack_restart(int atom_index, int nth)
{
  const double *extra = atom->extra[atom_index];
  int m = 0;
  for (int k = 0; k < nth; ++k) m += static_cast<int>(extra[m]);
  forget(atom_index);
  ++m;
  const auto tag = static_cast<tagint>(ubuf(extra[m++]).i);
  const int count = static_cast<int>(extra[m++]), images = tells_images ? 3 : 0;
  if (in_restart.taken < 0) {
    double *film = in_restart.liquid >= 0 ? films_of(lmp) : nullptr;
    for (int k = 0; film && k < count; ++k) {
      double volume = extra[m + k * (1 + in_restart.values + images) + 1 + in_restart.liquid];
      take_half_back(film[atom_index], volume);
    }
    return;
  }
  saved_tag[atom_index] = tag;
  const int size = contacts.row_size();
  for (int k = 0; k < count; ++k) {
    double *values = add_link(atom_index, static_cast<tagint>(ubuf(extra[m++]).i));
    std::copy_n(extra + m, in_restart.taken, values);
    m += in_restart.values;
    std::copy_n(extra + m, images, values + size);
    m += images;
  }
}

int FixContactHistory::size_restart(int atom_index) { return (link_size() + 1) * count_links(atom_index) + 3; }

int FixContactHistory::maxsize_restart()
{
  int here = 0, most;
  for (int a = 0; a < atom->nlocal; ++a) here = std::max(here, count_links(a));
  MPI_Allreduce(&here, &most, 1, MPI_INT, MPI_MAX, world);
  return (link_size() + 1) * most + 3;
}

/* ---------------------------------------------------------------------- */

double FixContactHistory::memory_usage()
{
  return contacts.memory_usage() + sizeof(int) * static_cast<double>(head.capacity()) +
      sizeof(tagint) * static_cast<double>(saved_tag.capacity()) +
      sizeof(double) * static_cast<double>(own_values.capacity()) +
      sizeof(Link) * static_cast<double>(links.capacity());
}
