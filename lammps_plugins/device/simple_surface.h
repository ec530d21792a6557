// A wall, as kernels see it. Numbers only: compiled for a device, too.

#ifndef GRANULAR_PLUS_SIMPLE_SURFACE_H
#define GRANULAR_PLUS_SIMPLE_SURFACE_H

namespace granular_plus {

// The body of a wall at rest, and whether it moves.
struct WallFrame {
  bool moves, turns;    // turned: also one that once was
  double pivot[3];      // about which it turns
};

// one plane, two that face each other, or a cylinder along z, in the frame of its body; or a mesh, whose triangles are elsewhere
struct SimpleSurface {
  enum Kind { PLANES, CYLINDER, MESH } kind;
  int sides;             // how many contacts a grain may have at a time: planes, 1 for a cylinder
  int number[2];         // of each plane, by which its contacts are named
  int dimension;         // of the planes' normal
  double position[2];    // of each plane
  double radius;         // of the cylinder
  double belt[3];        // of a mesh: velocity of its surface, as far as it is along it
  double margin;         // of a mesh: of the list of triangles of a grain, where none is within reach
  WallFrame frame;
};

// Position and velocity of the body in a step. It is turned about the pivot, then displaced.
struct WallPose {
  double displacement[3], rotation[3][3];    // the matrix from the frame of the body, rows first
  double velocity[3], spin[3], centre[3];
};

}    // namespace granular_plus

#endif
