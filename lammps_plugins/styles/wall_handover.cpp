// If a wall is given again with the same ID, LAMMPS deletes the old one before it makes the new one: what continues is kept
// here meanwhile.

#include "fix_wall_granular_plus.h"

#include "../over_ranks.h"

#include "atom.h"
#include "comm.h"
#include "error.h"
#include "input.h"
#include "update.h"

#include <cstring>
#include <map>

using namespace LAMMPS_NS;
using namespace granular_plus;

namespace {

struct Handover {
  std::string occasion;
  std::string contents;
  ContactLinks contacts{0};
  std::optional<double> held;
  EnergyLedger ledger;
  std::vector<double> motion;
};

std::map<LAMMPS *, Handover> handovers;

// the command that deletes the one and makes the other, and when
std::string occasion(const LAMMPS *lmp, int narg, char **arg)
{
  return fmt::format("fix {} at step {} with {} particles", utils::join_words({arg, arg + narg}, " "),
                     lmp->update->ntimestep, lmp->atom->nlocal);
}

}    // namespace

void FixWallGranularPlus::hand_over()
{
  // LAMMPS itself may be coming to its end
  const bool is_replaced = update && input && input->command && strcmp(input->command, "fix") == 0 && input->narg > 2 &&
      strcmp(input->arg[0], id) == 0;
  if (is_replaced)
    handovers[lmp] = {occasion(lmp, input->narg, input->arg),
                      contacts->layout.contents,
                      std::move(contacts->links),
                      contacts->held_last,
                      ledger,
                      surface->state()};
}

void FixWallGranularPlus::take_over(int narg, char **arg)
{
  auto found = handovers.extract(lmp);
  if (found.empty()) return;
  Handover &before = found.mapped();
  // an error may have come between
  if (any_over_ranks(world, occasion(lmp, narg, arg) != before.occasion)) return;

  restore_motion(before.motion.data(), static_cast<int>(before.motion.size()), "before");
  ledger = before.ledger;
  if (before.contents == contacts->layout.contents) {
    contacts->links = std::move(before.contacts);
    contacts->held_last = before.held;
  } else {
    const bool lost = any_over_ranks(world, before.contacts.remember(atom->nlocal));
    if (lost && comm->me == 0)
      error->warning(
          FLERR,
          "granular/plus: fix {}: its models before differ from those now in use ({}): contacts start without "
          "history",
          id, contacts->layout.contents);
    // what the old contacts hold goes, what the new ones hold comes in with setup; attraction is always seen to there
    ledger.exchanged -= ledger.held() - ledger.now[ATTRACTION_ENERGY];
    contacts->held_last = 0.0;
  }
  set_layout();
}
