// A wall whose contacts are computed by an engine for some steps.

#ifndef LMP_GRANULAR_PLUS_LENT_WALL_H
#define LMP_GRANULAR_PLUS_LENT_WALL_H

#include "../device/grain_engine.h"
#include "../walls/fix_wall_granular_plus.h"

#include <string>
#include <vector>

namespace LAMMPS_NS {

class WallTransfer {
 public:
  // If the engine cannot compute the contacts of the wall, `obstacle` states the reason.
  explicit WallTransfer(FixWallGranularPlus &fix);
  granular_plus::StepPlan::Wall plan{};
  std::string obstacle;
  int observables = 0;    // number of observables; 0 without a ledger

  // For a mesh: provides storage of the size `room` for each grain. Enlarges `room` if a grain already has more
  // contacts.
  void provide(granular_plus::steps::MeshRoom &room);
  granular_plus::RememberedContacts upload();
  granular_plus::WallPose pose(int step) const { return fix->pose_at(upload_step + step); }
  void download(const granular_plus::RememberedContacts &contacts, double timestep) const;
  const char *name() const { return fix->id; }

 private:
  FixWallGranularPlus *fix;
  bigint upload_step = 0;    // step in which the contacts were passed to the engine
  int owned() const;
  // contacts of a grain, in the order of its chain of links
  std::vector<int> contacts_of(int grain, const granular_plus::RememberedContacts &uploaded) const;
  // The contact of grain a at side or slot s has the number s * owned() + a.
  int contacts() const { return plan.surface.sides * owned(); }
};

}    // namespace LAMMPS_NS

#endif
