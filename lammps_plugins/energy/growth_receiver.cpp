#include "growth_receiver.h"

#include "modify.h"

using namespace LAMMPS_NS;

std::vector<GrowthReceiver *> GrowthReceiver::all(LAMMPS *lmp)
{
  std::vector<GrowthReceiver *> found;
  for (Fix *fix : lmp->modify->get_fix_by_style("^granular/temperature"))
    if (auto *each = dynamic_cast<GrowthReceiver *>(fix); each && each->grows()) found.push_back(each);
  return found;
}
