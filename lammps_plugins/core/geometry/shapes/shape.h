// A grain's shape: nodes on its surface, the distance to it, volume and inertia. All grains of a shape share it; what a grain
// has of its own is where it is, how it is turned, and its size.

#ifndef GRANULAR_PLUS_SHAPE_H
#define GRANULAR_PLUS_SHAPE_H

#include "../meshes/box_tree.h"
#include "closed_surface.h"
#include "distance_field.h"
#include "rigid_rotation.h"

namespace granular_plus {

struct ShapeOptions {
  enum Surface { AUTOMATIC, SMOOTH, FACETS };
  Surface surface = AUTOMATIC;    // by the sharpest edge
  int nodes = 0;                  // at least so many; 0: those of the mesh, and not fewer than ENOUGH_NODES
  double cell = 0.0;    // of the distance's grid, in units of the file; 0: a twelfth of the radius of equal volume
};

// edges sharper than this, in degrees, are edges of the body
constexpr double FEATURE_ANGLE = 30.0;
constexpr int ENOUGH_NODES = 2500;

class SurfaceDistance;

struct Shape {
  Shape(const ClosedSurface &mesh, const ShapeOptions &options);

  // lengths are those of the file, places relative to the centre of mass, axes those of the file
  ClosedSurface surface;     // as in the file
  double volume, area;       // of the body that the surface stands for
  Vector centre;             // where the centre lies in the file
  double bounding_radius;    // about the centre
  double volume_radius;      // of a sphere of equal volume
  Vector core;               // the point deepest inside: the centre may lie outside
  double core_depth;         // how deep
  Inertia inertia;           // at unit density; the axes of the body are those of the file
  double sharpest;           // angle between neighbouring triangles, degrees
  bool smooth;

  std::vector<Vector> nodes;
  std::vector<double> weights;    // areas
  DistanceField field;
  double spacing;    // between nodes

  // Balls around nodes that lie together: a tree whose leaves are runs of nodes.
  struct Ball {
    Vector centre;
    double radius;
    int begin, end;    // of nodes
    int after;         // the ball that follows when this one is passed over
  };
  std::vector<Ball> balls;

 private:
  void place_nodes(const ClosedSurface &mesh, double true_area);
  void refine_core(const SurfaceDistance &distance, double step, const Vector &low, const Vector &high);
  void gather_balls(const BoxTree<double> &tree);
};

}    // namespace granular_plus

#endif
