#include "history_place.h"

#include "fix_contact_history.h"

#include "comm.h"
#include "error.h"
#include "modify.h"

using namespace LAMMPS_NS;

HistoryPlace::HistoryPlace(LAMMPS *lmp, const std::string &kind, int first)
    : Pointers(lmp), number(first - 1), style("GRANULAR_PLUS/" + kind)
{
  do {
    id = fmt::format("GRANULAR_PLUS_{}_{}", kind, ++number);
    dummy = id + "_PLACE";
  } while (is_held());
}

bool HistoryPlace::is_held() const { return modify->get_fix_by_id(id) || modify->get_fix_by_id(dummy); }

void HistoryPlace::hold()
{
  if (!is_held()) modify->add_fix(dummy + " all DUMMY");
}

void HistoryPlace::leave()
{
  for (const auto &fix : {id, dummy})
    if (modify->get_fix_by_id(fix)) modify->delete_fix(fix);
}

FixContactHistory *HistoryPlace::find() const { return dynamic_cast<FixContactHistory *>(modify->get_fix_by_id(id)); }

FixContactHistory *HistoryPlace::fill(const std::string &who, const granular_plus::HistoryLayout &layout)
{
  FixContactHistory *history = find();
  if (history && history->contents == layout.contents) {
    history->resize_rows(layout.size, layout.parts);
    return history;
  }
  if (history) {
    if (comm->me == 0)
      error->warning(FLERR, "{}: the models have changed, contacts start without history{}", who,
                     history->holds_liquid() ? "; the liquid of bridges goes back to the films" : "");
    modify->replace_fix(id, dummy + " all DUMMY", 1);
  }
  modify->replace_fix(
      dummy, fmt::format("{} all {} {} {} {} {}", id, style, layout.size, layout.parts, layout.ledger, layout.contents),
      1);
  history = find();
  if (!history) error->all(FLERR, "{}: cannot create fix {}", who, style);
  return history;
}
