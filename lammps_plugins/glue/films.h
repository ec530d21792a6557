// The liquid films of the atoms, stored in the property d_film of LAMMPS's fix property/atom.

#ifndef LMP_GRANULAR_PLUS_FILMS_H
#define LMP_GRANULAR_PLUS_FILMS_H

#include <string>

namespace LAMMPS_NS {

class LAMMPS;

// Returns null if the property does not exist.
double *films_of(const LAMMPS *lmp);

// Must be called on all ranks. Stops with an error that begins with `message_prefix` unless films exist and all their
// volumes are valid.
void check_films(LAMMPS *lmp, const std::string &message_prefix);

// Must be called on all ranks. largest_here is the largest ratio V/R^3 of new bridges on this rank, where V is the
// volume of the bridge and R is Derjaguin's radius.
void warn_of_bridges_outside_fit(LAMMPS *lmp, const std::string &message_prefix, double largest_here);

}    // namespace LAMMPS_NS

#endif
