#include "dissipation_receiver.h"

#include "modify.h"
#include "update.h"

#include <cstring>

using namespace LAMMPS_NS;

std::vector<DissipationReceiver *> DissipationReceiver::active_receivers(const LAMMPS *lmp)
{
  std::vector<DissipationReceiver *> found;
  // get_compute_list would rebuild the list in each call
  for (int k = 0; Compute *other = lmp->modify->get_compute_by_index(k); ++k) {
    if (strcmp(other->style, "granular/dissipation") != 0) continue;
    auto *each = static_cast<DissipationReceiver *>(other);
    if (each->sums || lmp->update->setupflag || each->matchstep(lmp->update->ntimestep)) found.push_back(each);
  }
  return found;
}

const DissipationReceiver *DissipationReceiver::permanent_receiver(const LAMMPS *lmp)
{
  for (Compute *other : lmp->modify->get_compute_by_style("^granular/dissipation$"))
    if (const auto *each = static_cast<DissipationReceiver *>(other); each->sums) return each;
  return nullptr;
}
