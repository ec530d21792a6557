// The liquid films of the atoms, stored as property d_film of LAMMPS's fix property/atom.

#ifndef LMP_GRANULAR_PLUS_FILMS_H
#define LMP_GRANULAR_PLUS_FILMS_H

#include <string>

namespace LAMMPS_NS {

class LAMMPS;

// the films of atoms, null if there is no such property
double *films_of(const LAMMPS *lmp);

// called on all ranks: an error that begins with who unless there are films and all are valid volumes
void check_films(LAMMPS *lmp, const std::string &who);

// called on all ranks: warns of bridges with volumes outside the fit of the pull; largest over the cube of Derjaguin's radius
void warn_of_bridges_outside_fit(LAMMPS *lmp, const std::string &who, double largest_here);

}    // namespace LAMMPS_NS

#endif
