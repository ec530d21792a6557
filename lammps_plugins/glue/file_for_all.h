// Files that one rank reads for all others: on a cluster, other ranks may see no such file or a different one.

#ifndef LMP_GRANULAR_PLUS_FILE_FOR_ALL_H
#define LMP_GRANULAR_PLUS_FILE_FOR_ALL_H

#include "pointers.h"

#include <string>

namespace LAMMPS_NS {

// The bytes of a file, on all ranks; throws MeshError on all ranks if it cannot be read.
std::string file_for_all(LAMMPS *lmp, const std::string &path);

}    // namespace LAMMPS_NS

#endif
