// Warns once of each kind of event at a mesh. Owned by the mesh wall.

#ifndef LMP_GRANULAR_PLUS_MESH_WARNINGS_H
#define LMP_GRANULAR_PLUS_MESH_WARNINGS_H

#include "pointers.h"

#include <string>

namespace LAMMPS_NS {

class MeshWarnings : protected Pointers {
 public:
  enum Event { STRAY, MERGED, OPPOSED, PIERCED, EVENTS };
  MeshWarnings(LAMMPS *lmp, const std::string &file) : Pointers(lmp), file(file) {}

  // `triangle` is the number in the STL file
  void note(Event event, tagint grain, int triangle)
  {
    if (noted[event].triangle > 0.0) return;
    noted[event].grain = static_cast<double>(grain);
    noted[event].triangle = triangle;
  }
  void warn();    // called on all ranks

 private:
  const std::string &file;
  struct {
    double grain = 0.0, triangle = 0.0;
    bool warned = false;
  } noted[EVENTS];
};

}    // namespace LAMMPS_NS

#endif
