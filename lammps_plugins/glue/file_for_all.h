// Files that one rank reads for all, as on a cluster others may not find them or find others.

#ifndef LMP_GRANULAR_PLUS_FILE_FOR_ALL_H
#define LMP_GRANULAR_PLUS_FILE_FOR_ALL_H

#include "pointers.h"

#include <string>

namespace LAMMPS_NS {

// Its bytes, on all ranks. What is wrong is a MeshError, on all of them too.
std::string file_for_all(LAMMPS *lmp, const std::string &path);

}    // namespace LAMMPS_NS

#endif
