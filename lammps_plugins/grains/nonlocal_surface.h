// Interface of walls whose contacts depend on each other through a grain.

#ifndef LMP_GRANULAR_PLUS_NONLOCAL_SURFACE_H
#define LMP_GRANULAR_PLUS_NONLOCAL_SURFACE_H

#include "fix.h"
#include "lammps.h"
#include "modify.h"

#include <vector>

namespace LAMMPS_NS {

class NonlocalSurface {
 public:
  static std::vector<NonlocalSurface *> all(const LAMMPS *lmp)
  {
    std::vector<NonlocalSurface *> surfaces;
    for (Fix *fix : lmp->modify->get_fix_list())
      if (auto *surface = dynamic_cast<NonlocalSurface *>(fix); surface && surface->is_nonlocal())
        surfaces.push_back(surface);
    return surfaces;
  }

  virtual bool is_nonlocal() const = 0;
  // Called in each step, on all ranks, before forces are computed.
  virtual void add_contacts() = 0;

 protected:
  ~NonlocalSurface() = default;
};

}    // namespace LAMMPS_NS

#endif
