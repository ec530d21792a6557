#include "grain_history.h"

#include "grain_neighbors.h"

#include "../glue/surroundings.h"

#include "../core/model/contact_model.h"
#include "../glue/share_of_pair.h"
#include "../glue/over_ranks.h"

#include "atom.h"
#include "comm.h"
#include "domain.h"
#include "error.h"
#include "force.h"
#include "modify.h"
#include "neighbor.h"
#include "update.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace LAMMPS_NS;
using namespace FixConst;
using granular_plus::Link;
using granular_plus::Vector;
using granular_plus::vector_of;

namespace {

// smallest distance between opposite faces of a periodic box
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

GrainHistory::GrainHistory(LAMMPS *lmp, int narg, char **arg, bool pairs_seen_once, const char *kept,
                           const char *not_in_data)
    : Fix(lmp, narg, arg), contacts(narg == 7 ? utils::inumeric(FLERR, arg[3], false, lmp) : 0),
      contents(narg == 7 ? arg[6] : ""), pairs_seen_once(pairs_seen_once), kept(kept), not_in_data(not_in_data),
      links(contacts.row_size(), &contacts)
{
  if (narg != 7)
    error->all(FLERR, "Fix {} is for internal use by pair granular/plus; scripts must not use this fix", style);
  parts = utils::inumeric(FLERR, arg[4], false, lmp);
  law_values = utils::inumeric(FLERR, arg[5], false, lmp);

  restart_peratom = 1;
  restart_global = 1;
  create_attribute = 1;
  nevery = 1;
  maxexchange_dynamic = 1;
  comm_forward = 1;
  next_reneighbor = -1;
  wd_header = 1;    // makes write_data call this fix
  if (force->newton_pair) comm_reverse = 1;

  GrainHistory::grow_arrays(atom->nmax);
  atom->add_callback(Atom::GROW);
  atom->add_callback(Atom::RESTART);
  for (int n = 0; n < atom->nlocal; ++n) links.forget(n);
}

GrainHistory::~GrainHistory()
{
  atom->delete_callback(id, Atom::GROW);
  atom->delete_callback(id, Atom::RESTART);
}

int GrainHistory::setmask()
{
  return PRE_EXCHANGE | MIN_PRE_EXCHANGE | POST_NEIGHBOR | MIN_POST_NEIGHBOR | (after_step ? END_OF_STEP : 0) |
      (watches_budgets ? POST_INTEGRATE : 0);
}

void GrainHistory::init()
{
  if (atom->tag_enable == 0) error->all(FLERR, "Pair granular/plus requires atom IDs (atom_modify id yes)");
}

/* ----------------------------------------------------------------------
   If the last run ended with an error that the caller caught, the history is still in the contact list.
------------------------------------------------------------------------- */

void GrainHistory::store_contacts_with_atoms()
{
  if (is_frame_of_rerun(*update)) {
    forget_all();
    list_is_newer = disturbed = false;
  }
  if (!list_is_newer) return;
  const bool lost = any_over_ranks(world, disturbed);
  disturbed = false;
  if (lost) {
    if (comm->me == 0)
      error->warning(FLERR,
                     "granular/plus: atoms were added or deleted after the last run had ended with an error; contacts "
                     "start without history");
    forget_all();
  } else {
    copy_list_to_links();
  }
  list_is_newer = false;
}

void GrainHistory::set_groups(GrainNeighbors *new_neighbors, Groups new_groups)
{
  neighbors = new_neighbors;
  groups = std::move(new_groups);
  groups.has_all = true;
  for (int i = 1; i <= atom->ntypes; ++i)
    for (int j = i; j <= atom->ntypes; ++j) groups.has_all = groups.has_all && groups.of_types[i][j] >= 0;
  on_groups_set(groups);
}

void GrainHistory::setup_pre_exchange()
{
  neighbors->invalidate();
  neighbors->begin_run();
  store_contacts_with_atoms();
  find_max_links();
}

void GrainHistory::write_data_header(FILE *, int)
{
  if (warned_of_data || contacts.row_size() == 0) return;
  warned_of_data = true;
  error->warning(FLERR, "granular/plus: a data file contains no {}", not_in_data);
}

void GrainHistory::setup_post_neighbor() { post_neighbor(); }

void GrainHistory::min_pre_exchange() { pre_exchange(); }

void GrainHistory::min_post_neighbor() { post_neighbor(); }

void GrainHistory::call_after_step(std::function<void()> function)
{
  after_step = std::move(function);
  modify->fmask[modify->find_fix(id)] = setmask();
}

void GrainHistory::end_of_step() { after_step(); }

void GrainHistory::watch_budgets(bool watch)
{
  watches_budgets = watch;
  modify->fmask[modify->find_fix(id)] = setmask();
}

void GrainHistory::post_integrate()
{
  if (neighbors->budget_exceeded()) next_reneighbor = update->ntimestep;
}

/* ----------------------------------------------------------------------
   Stores the history with the atoms, because atoms may be added, deleted or renumbered between runs.
------------------------------------------------------------------------- */

void GrainHistory::post_run()
{
  if (before_exchange) before_exchange(false);
  store_with_atoms();
  neighbors->end_run();
}

void GrainHistory::pre_exchange()
{
  if (before_exchange) before_exchange(true);
  neighbors->invalidate();
  store_with_atoms();
}

void GrainHistory::store_with_atoms()
{
  contacts.release_near_pairs();
  if (list_is_newer) copy_list_to_links();
  list_is_newer = false;
  find_max_links();
}

/* ----------------------------------------------------------------------
   Stores each live contact with both atoms. Fixes that add atoms in pre_exchange run after this fix.
------------------------------------------------------------------------- */

void GrainHistory::copy_list_to_links()
{
  if (disturbed)
    error->one(FLERR,
               "granular/plus: atoms were added or deleted while no neighbour list was rebuilt; the history of "
               "contacts is lost");
  forget_all();
  links.set_extra_values(shortest_period(*domain) < 2.0 * neighbor->cutneighmax ? SEPARATION : 0);
  links.signs = groups.signs;
  links.reserve(2 * static_cast<std::size_t>(contacts.rows_used()), !stay_in_list());

  const int partners_below = pairs_seen_once ? atoms_listed : owned_listed;
  for (int group = 0; group < contacts.groups(); ++group) {
    for (int p = contacts.begin(group); p < contacts.end(group); ++p) {
      if (!contacts.is_alive(p)) continue;
      const int i = contacts.i(p), j = contacts.j(p);
      add_contact(i, j, p, false);
      if (j < partners_below) add_contact(j, i, p, true);
    }
  }

  if (pairs_seen_once) comm->reverse_comm_variable(this);
  for (int a = 0; a < atom->nlocal; ++a) links.set_id(a, atom->tag[a]);
}

void GrainHistory::forget_all() { links.activate(atom->nlocal + atom->nghost, atom->nmax); }

void GrainHistory::mark_list_newer()
{
  list_is_newer = true;
  links.deactivate();
}

bool GrainHistory::has_history() const { return any_over_ranks(world, links.any_has_history(atom->nlocal)); }

/* ----------------------------------------------------------------------
   An atom that crosses a corner of its rank's domain passes through a rank that had no part in its contacts. The
   buffers of each rank must therefore hold the largest number of links that an atom has on any rank.
------------------------------------------------------------------------- */

void GrainHistory::find_max_links() { maxexchange = 1 + links.packed_size(most_links()); }

int GrainHistory::most_links() const
{
  int here = 0;
  for (int n = 0; n < atom->nlocal; ++n) here = std::max(here, links.count(n));
  return most_over_ranks(world, here);
}

/* ----------------------------------------------------------------------
   Returns the IDs by which links refer to atoms. These IDs are outdated if a command such as reset_atoms id has
   renumbered atoms, or if a new atom has the ID of a deleted atom. In these cases, ghosts also receive the old IDs.
------------------------------------------------------------------------- */

const tagint *GrainHistory::names_of_atoms()
{
  bool here = false;
  for (int a = 0; a < atom->nlocal && !here; ++a) here = atom->tag[a] != links.id(a);
  if (!any_over_ranks(world, here)) return atom->tag;
  comm->forward_comm(this);
  names.resize(atom->nlocal + atom->nghost);
  for (std::size_t a = 0; a < names.size(); ++a) names[a] = static_cast<tagint>(links.id(static_cast<int>(a)));
  return names.data();
}

void GrainHistory::post_neighbor()
{
  if (!links.are_active())
    error->all(
        FLERR,
        "granular/plus: a neighbour list was built without the preceding exchange of atoms; the history of {} is lost",
        kept);
  const tagint *name = names_of_atoms();
  owned_listed = atom->nlocal;
  atoms_listed = atom->nlocal + atom->nghost;
  if (after_listing) after_listing();
  rebuild_neighbors();
  build_list(name);
  mark_list_newer();
  if (after_exchange) after_exchange();
}

// The histories of contacts and of bonds both call this function for each new list. Only the first call builds the
// list.

void GrainHistory::rebuild_neighbors()
{
  if (!neighbors->are_outdated()) return;
  neighbors->set_budgets();
  sends_budgets = true;
  comm->forward_comm(this);
  sends_budgets = false;
  neighbors->build();
}

int GrainHistory::group_of(int a, int b) const
{
  return groups.signs.size() == 1 && groups.has_all
      ? 0
      : groups.of(atom->type[a], atom->type[b], atom->mask[a] | atom->mask[b]);
}

// Among several images of the partner, chooses the image whose separation has changed least.

Link GrainHistory::find_link(int a, int b, tagint partner) const
{
  Link link = links.first(a), nearest = Link::NONE;
  while (link != Link::NONE && links.partner(link) != partner) link = links.next(link);
  if (link == Link::NONE || !distinguish_images()) return link;
  double least = 0.25 * std::pow(shortest_period(*domain), 2);
  for (; link != Link::NONE; link = links.next(link)) {
    if (links.partner(link) != partner) continue;
    const Vector way = vector_of(atom->x[a]) - vector_of(atom->x[b]) - vector_of(links.own_extra(link));
    if (dot(way, way) < least) {
      least = dot(way, way);
      nearest = link;
    }
  }
  return nearest;
}

void GrainHistory::add_contact(int a, int b, int pair_index, bool reversed)
{
  links.add(a, atom->tag[b], pair_index, reversed);
  if (stay_in_list()) return;
  double *separation = links.own_extra(links.give_last_own_row());
  for (int d = 0; distinguish_images() && d < SEPARATION; ++d) separation[d] = atom->x[a][d] - atom->x[b][d];
}

void GrainHistory::resize_rows(int values, unsigned new_parts)
{
  if (new_parts == parts) return;
  links.resize_rows(values, law_values, granular_plus::part_offsets(parts, law_values),
                    granular_plus::part_offsets(new_parts, law_values));
  contacts.resize_rows(values);
  parts = new_parts;
}

void GrainHistory::grow_arrays(int nmax) { links.grow(nmax); }

void GrainHistory::copy_arrays(int from, int to, int /*delflag*/)
{
  disturbed = disturbed || list_is_newer;
  links.copy(from, to);
}

void GrainHistory::set_arrays(int atom_index)
{
  forget(atom_index);
  if (for_new_grain) for_new_grain(atom_index);
}

void GrainHistory::forget(int atom_index)
{
  disturbed = disturbed || list_is_newer;
  links.forget(atom_index);
}

int GrainHistory::pack_forward_comm(int n, int *atoms, double *buf, int /*pbc_flag*/, int * /*pbc*/)
{
  for (int k = 0; k < n; ++k) buf[k] = sends_budgets ? neighbors->budget(atoms[k]) : ubuf(links.id(atoms[k])).d;
  return n;
}

void GrainHistory::unpack_forward_comm(int n, int start, double *buf)
{
  for (int k = 0; k < n; ++k)
    sends_budgets ? neighbors->set_budget(start + k, buf[k]) : links.set_id(start + k, ubuf(buf[k]).i);
}

int GrainHistory::pack_reverse_comm_size(int n, int start)
{
  int size = 0;
  for (int a = start; a < start + n; ++a) size += links.packed_size(links.count(a));
  return size;
}

int GrainHistory::pack_reverse_comm(int n, int start, double *buf)
{
  int m = 0;
  for (int a = start; a < start + n; ++a) m += links.pack(a, buf + m);
  return m;
}

void GrainHistory::unpack_reverse_comm(int n, int *atoms, double *buf)
{
  int m = 0;
  for (int k = 0; k < n; ++k) m += links.unpack(atoms[k], buf + m);
}

// Between frames of rerun, atoms migrate while the history is only in the contact list, so there may be no links.

int GrainHistory::pack_exchange(int atom_index, double *buf)
{
  buf[0] = ubuf(links.id(atom_index)).d;
  return 1 + links.pack(atom_index, buf + 1);
}

int GrainHistory::unpack_exchange(int atom_index, double *buf)
{
  links.forget(atom_index);
  if (links.are_active()) links.set_id(atom_index, ubuf(buf[0]).i);
  return 1 + links.unpack(atom_index, buf + 1);
}

/* ----------------------------------------------------------------------
   During a run, the history in the contact list is newer than the links of the atoms. After a run, write_restart has
   already exchanged atoms among ranks, so the contact list must not be used.
------------------------------------------------------------------------- */

void GrainHistory::write_restart(FILE *fp)
{
  if (list_is_newer) copy_list_to_links();
  RestartHeader header(world, contents, contacts.row_size(), parts, distinguish_images(), groups.volume, ledger);
  header.widest_gap = widest_bond_gap;
  if (comm->me != 0) return;
  const int size = sizeof header;
  fwrite(&size, sizeof(int), 1, fp);
  fwrite(&header, size, 1, fp);
}

void GrainHistory::restart(char *buf)
{
  std::memcpy(&in_restart, buf, sizeof in_restart);
  usable_values = in_restart.usable_values(lmp, "granular/plus", contents, parts, law_values);
  links.set_extra_values(in_restart.has_extra_values != 0.0 ? SEPARATION : 0);
  in_restart.restore(ledger, comm->me == 0);
  widest_bond_gap = in_restart.widest_gap;
}

int GrainHistory::pack_restart(int atom_index, double *buf)
{
  return with_size(buf, pack_exchange(atom_index, buf + 1));
}

void GrainHistory::unpack_restart(int atom_index, int nth)
{
  links.forget(atom_index);
  const double *name = values_in_restart(atom->extra[atom_index], nth), *packed = name + 1;
  const int values = static_cast<int>(in_restart.values);
  if (usable_values >= 0) {
    links.set_id(atom_index, ubuf(*name).i);
    links.unpack(atom_index, packed, values, usable_values, links.extra_values());
  } else {
    before_row_discarded(atom_index, packed);
  }
}

int GrainHistory::size_restart(int atom_index) { return 2 + links.packed_size(links.count(atom_index)); }

int GrainHistory::maxsize_restart() { return 2 + links.packed_size(most_links()); }

double GrainHistory::memory_usage() { return contacts.memory_usage() + links.memory_usage(); }
