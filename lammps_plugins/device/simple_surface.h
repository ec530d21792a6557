// A wall as numbers for kernels. Also compiled for GPUs.

#ifndef GRANULAR_PLUS_SIMPLE_SURFACE_H
#define GRANULAR_PLUS_SIMPLE_SURFACE_H

namespace granular_plus {

// The frame of a wall's body, and whether the body moves.
struct WallFrame {
  bool moves, turns;    // turns: also true if the body was rotated earlier
  double pivot[3];      // point about which the body is rotated
};

// In the frame of the body: one plane, two planes that face each other, a cylinder along z, or a mesh, whose triangles
// are stored separately.
struct SimpleSurface {
  enum Kind { PLANES, CYLINDER, MESH } kind;
  int sides;             // largest number of contacts of a grain: number of planes, 1 for a cylinder
  int number[2];         // for each plane, the name of its contacts
  int dimension;         // dimension of the planes' normal
  double position[2];    // position of each plane
  double radius;         // radius of the cylinder
  double belt[3];        // for a mesh: velocity of its surface; only the tangential part has an effect
  double margin;         // for a mesh: margin of a grain's list of triangles if none is within reach
  WallFrame frame;
};

// Position and velocity of the body in a step. The body is rotated about the pivot, then displaced.
struct WallPose {
  // rotation: matrix, row-major, that takes directions from the frame of the body at rest to the simulation frame
  double displacement[3], rotation[3][3];
  double velocity[3], spin[3], centre[3];
};

}    // namespace granular_plus

#endif
