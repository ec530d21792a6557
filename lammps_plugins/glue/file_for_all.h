// Reads a file on one rank for all ranks, because the file may be missing or different on other nodes.

#ifndef LMP_GRANULAR_PLUS_FILE_FOR_ALL_H
#define LMP_GRANULAR_PLUS_FILE_FOR_ALL_H

#include "pointers.h"

#include <string>

namespace LAMMPS_NS {

// Returns the bytes of a file on all ranks. Throws MeshError on all ranks if the file cannot be read.
std::string file_for_all(LAMMPS *lmp, const std::string &path);

}    // namespace LAMMPS_NS

#endif
