// The liquid films of the atoms: the property d_film of LAMMPS's fix property/atom.

#ifndef LMP_GRANULAR_PLUS_FILMS_H
#define LMP_GRANULAR_PLUS_FILMS_H

#include <string>

namespace LAMMPS_NS {

class LAMMPS;

// the films of atoms, null if there is no such property
double *films_of(const LAMMPS *lmp);

// on all ranks: an error, which begins with who, unless there are films and each is a volume
void check_films(LAMMPS *lmp, const std::string &who);

// likewise, of bridges for whose volumes the pull was not fitted, with the largest over the cube of Derjaguin's radius
void warn_of_bridges_outside_fit(LAMMPS *lmp, const std::string &who, double largest_here);

}    // namespace LAMMPS_NS

#endif
