// The headers of all styles. Each declares its class or, where PAIR_CLASS, FIX_CLASS and COMPUTE_CLASS are defined, names its
// styles, as in LAMMPS. The plug-in includes this file for both, so it has no guard.

#include "energy/compute_granular_dissipation.h"
#include "energy/compute_granular_ledger.h"
#include "liquid/compute_granular_liquid.h"
#include "grains/fix_contact_history.h"
#include "bonds/fix_granular_bond.h"
#include "bonds/fix_granular_bond_history.h"
#include "liquid/fix_granular_film.h"
#include "feeding/fix_granular_insert.h"
#include "motion/fix_granular_temperature.h"
#include "motion/fix_nve_sphere_plus.h"
#include "shapes/fix_shape_granular_plus.h"
#include "walls/fix_wall_gran_plus.h"
#include "walls/fix_wall_granular_plus.h"
#include "grains/pair_capillary_willett.h"
#include "grains/pair_gran_plus.h"
#include "grains/pair_granular_plus.h"
