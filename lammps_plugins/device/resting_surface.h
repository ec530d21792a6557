// A wall that rests, as kernels see it. Numbers only: compiled for a device, too.

#ifndef GRANULAR_PLUS_RESTING_SURFACE_H
#define GRANULAR_PLUS_RESTING_SURFACE_H

namespace granular_plus {

// one plane, two that face each other, or a cylinder along z
struct RestingSurface {
  bool is_cylinder;
  int sides;                 // how many planes; 1 for a cylinder
  int number[2];             // of each side, by which its contacts are named
  int dimension;             // of the planes' normal
  double position[2];        // of each plane
  double axis[2], radius;    // of the cylinder
};

}    // namespace granular_plus

#endif
