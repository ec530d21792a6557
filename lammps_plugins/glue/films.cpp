#include "films.h"

#include "atom.h"
#include "lammps.h"

using namespace LAMMPS_NS;

double *LAMMPS_NS::films_of(const LAMMPS *lmp)
{
  int is_double, columns;
  const int index = lmp->atom->find_custom("film", is_double, columns);
  return index >= 0 && is_double && columns == 0 ? lmp->atom->dvector[index] : nullptr;
}
