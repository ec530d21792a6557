#include "history_place.h"

#include "grain_history.h"

#include "atom.h"
#include "comm.h"
#include "error.h"
#include "modify.h"

#include <algorithm>
#include <optional>

using namespace LAMMPS_NS;

namespace {

// Fixes that act in pre_exchange but do not add or delete atoms. Fixes that move atoms to other ranks are recognized by
// their flag pre_exchange_migrate.
constexpr const char *HARMLESS[] = {"^GRANULAR_PLUS/HISTORY", "^GRANULAR_PLUS/BONDS", "^NEIGH_HISTORY", "^BOND_HISTORY",
                                    "^deform"};

// The history fix sets the film of a new grain to 0, so it must act before fix granular/film.
bool follows_history(Modify &modify, Fix *fix)
{
  if (utils::strmatch(fix->style, "^granular/film")) return true;
  const bool harmless = std::any_of(std::begin(HARMLESS), std::end(HARMLESS),
                                    [&](const char *known) { return utils::strmatch(fix->style, known); });
  return fix->pre_exchange_migrate || (modify.get_fix_mask(fix) & FixConst::PRE_EXCHANGE && !harmless);
}

}    // namespace

HistoryPlace::HistoryPlace(LAMMPS *lmp, const std::string &kind, int first)
    : Pointers(lmp), number(first - 1), style("GRANULAR_PLUS/" + kind)
{
  do {
    id = fmt::format("GRANULAR_PLUS_{}_{}", kind, ++number);
    dummy = id + "_PLACE";
  } while (is_reserved());
}

bool HistoryPlace::is_reserved() const { return modify->get_fix_by_id(id) || modify->get_fix_by_id(dummy); }

void HistoryPlace::reserve()
{
  if (!is_reserved()) modify->add_fix(dummy + " all DUMMY");
}

void HistoryPlace::release()
{
  for (const auto &fix : {id, dummy})
    if (modify->get_fix_by_id(fix)) modify->delete_fix(fix);
}

GrainHistory *HistoryPlace::find() const { return dynamic_cast<GrainHistory *>(modify->get_fix_by_id(id)); }

GrainHistory *HistoryPlace::fill(const std::string &message_prefix, const granular_plus::HistoryLayout &layout)
{
  GrainHistory *history = find();
  lead();
  if (history && history->contents == layout.contents) {
    history->resize_rows(layout.size, layout.parts);
    return history;
  }
  std::optional<granular_plus::EnergyLedger> kept;
  if (history) {
    const bool lost = history->has_history();
    if (lost && comm->me == 0)
      error->warning(FLERR, "{}: the contact models have changed, so contacts start without history{}", message_prefix,
                     history->holds_liquid() ? "; the liquid of bridges returns to the films" : "");
    if (!lost) kept = history->ledger;
    modify->replace_fix(id, dummy + " all DUMMY", 1);
  }
  modify->replace_fix(
      dummy,
      fmt::format("{} all {} {} {} {} {}", id, style, layout.size, layout.parts, layout.ledger_index, layout.contents),
      1);
  history = find();
  if (!history) error->all(FLERR, "{}: cannot create fix {}", message_prefix, style);
  if (kept) history->ledger = *kept;    // otherwise the ledger may come from a restart file
  return history;
}

/* ----------------------------------------------------------------------
   Moves the fix before all fixes that add, delete or move atoms, because the history must first be stored with the
   atoms. The class Atom stores indices of fixes, which must be in ascending order.
------------------------------------------------------------------------- */

void HistoryPlace::lead() const
{
  const Fix *own = modify->get_fix_by_id(find() ? id : dummy);
  const int here = static_cast<int>(std::find(modify->fix, modify->fix + modify->nfix, own) - modify->fix);
  const auto follows = [this](Fix *fix) { return follows_history(*modify, fix); };
  const int first = static_cast<int>(std::find_if(modify->fix, modify->fix + here, follows) - modify->fix);
  if (first == here) return;

  std::rotate(modify->fix + first, modify->fix + here, modify->fix + here + 1);
  std::rotate(modify->fmask + first, modify->fmask + here, modify->fmask + here + 1);
  const auto moved = [=](int n) { return n == here ? first : n + (n >= first && n < here); };
  const auto renumber = [&](int *numbers, int count) {
    std::transform(numbers, numbers + count, numbers, moved);
    std::sort(numbers, numbers + count);
  };
  renumber(atom->extra_grow, atom->nextra_grow);
  renumber(atom->extra_restart, atom->nextra_restart);
  renumber(atom->extra_border, atom->nextra_border);
}
