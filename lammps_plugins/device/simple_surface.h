// A wall as numbers for kernels; also compiled for devices.

#ifndef GRANULAR_PLUS_SIMPLE_SURFACE_H
#define GRANULAR_PLUS_SIMPLE_SURFACE_H

namespace granular_plus {

// The body of a wall at rest, and whether it moves.
struct WallFrame {
  bool moves, turns;    // turns: also if it was rotated earlier
  double pivot[3];      // about which it is rotated
};

// one plane, two that face each other, or a cylinder along z, in the frame of its body; or a mesh, whose triangles are stored
struct SimpleSurface {
  enum Kind { PLANES, CYLINDER, MESH } kind;
  int sides;             // most contacts of a grain: number of planes, 1 for a cylinder
  int number[2];         // of each plane, name of its contacts
  int dimension;         // of the planes' normal
  double position[2];    // of each plane
  double radius;         // of the cylinder
  double belt[3];        // for a mesh: velocity of its surface, whose tangential part counts
  double margin;         // for a mesh: margin of a grain's list of triangles if none is within reach
  WallFrame frame;
};

// Position and velocity of the body in a step. It is rotated about the pivot, then displaced.
struct WallPose {
  double displacement[3], rotation[3][3];    // rotation: matrix from the frame of the body, by rows
  double velocity[3], spin[3], centre[3];
};

}    // namespace granular_plus

#endif
