// The headers of all styles. Each declares its class or, where PAIR_CLASS, FIX_CLASS and COMPUTE_CLASS are defined, names its
// styles, as in LAMMPS. The plug-in includes this file for both, so it has no guard.

#include "compute_granular_dissipation.h"
#include "compute_granular_ledger.h"
#include "compute_granular_liquid.h"
#include "fix_granular_bond_history.h"
#include "fix_contact_history.h"
#include "fix_granular_bond.h"
#include "fix_granular_film.h"
#include "fix_granular_temperature.h"
#include "fix_nve_sphere_plus.h"
#include "fix_shape_granular_plus.h"
#include "fix_wall_gran_plus.h"
#include "fix_wall_granular_plus.h"
#include "pair_capillary_willett.h"
#include "pair_gran_plus.h"
#include "pair_granular_plus.h"
