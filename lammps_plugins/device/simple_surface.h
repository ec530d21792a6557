// The surface and the motion of a wall, stored as numbers for kernels. Also compiled for GPUs.

#ifndef GRANULAR_PLUS_SIMPLE_SURFACE_H
#define GRANULAR_PLUS_SIMPLE_SURFACE_H

namespace granular_plus {

struct WallFrame {
  bool moves, turns;    // turns: also true if the body was rotated earlier
  double pivot[3];
};

// In the frame of the body: one plane, two planes that face each other, a cylinder along z, or a mesh.
struct SimpleSurface {
  enum Kind { PLANES, CYLINDER, MESH } kind;
  int sides;        // number of planes; 1 for a cylinder; MeshRoom::contacts for a mesh
  int number[2];    // for each plane, the name of its contacts
  int dimension;    // dimension of the planes' normal
  double position[2];
  double radius;
  double belt[3];    // velocity of a mesh's surface; only the tangential part has an effect
  double margin;     // margin of a grain's list of triangles if no triangle is within reach
  WallFrame frame;
};

// The body is rotated about the pivot, then displaced.
struct WallPose {
  // rotation: matrix, row-major, from the frame of the body at rest to the simulation frame
  double displacement[3], rotation[3][3];
  double velocity[3], spin[3], centre[3];
};

}    // namespace granular_plus

#endif
