// The headers of all styles. As in LAMMPS, each header declares its class or, if PAIR_CLASS, FIX_CLASS, COMPUTE_CLASS
// and INTEGRATE_CLASS are defined, names its styles. The plug-in includes this file for both purposes, so the file
// has no include guard.

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
#include "offload/verlet_plus_gpu.h"
