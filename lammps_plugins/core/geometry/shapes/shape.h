// The shape of a grain: nodes on its surface, the distance to it, volume and inertia. All grains of a shape share one
// Shape; each grain has its own position, orientation and size.

#ifndef GRANULAR_PLUS_SHAPE_H
#define GRANULAR_PLUS_SHAPE_H

#include "../meshes/box_tree.h"
#include "closed_surface.h"
#include "distance_field.h"
#include "rigid_rotation.h"

namespace granular_plus {

struct ShapeOptions {
  enum Surface { AUTOMATIC, SMOOTH, FACETS };
  Surface surface = AUTOMATIC;    // chosen by the sharpest edge
  int nodes = 0;                  // at least this many; 0: those of the mesh, but at least ENOUGH_NODES
  double cell = 0.0;    // of the distance grid, in units of the file; 0: a twelfth of the radius of equal volume
};

// edges sharper than this, in degrees, stay edges of the body
constexpr double FEATURE_ANGLE = 30.0;
constexpr int ENOUGH_NODES = 2500;

class SurfaceDistance;

struct Shape {
  Shape(const ClosedSurface &mesh, const ShapeOptions &options);

  // lengths and axes are those of the file, positions are relative to the centre of mass
  ClosedSurface surface;     // as in the file
  double volume, area;       // of the body that the surface represents
  Vector centre;             // position of the centre of mass in the file
  double bounding_radius;    // about the centre
  double volume_radius;      // of a sphere of equal volume
  Vector core;               // the point deepest inside; the centre may lie outside
  double core_depth;         // its depth
  Inertia inertia;           // at unit density; the axes of the body are those of the file
  double sharpest;           // angle between neighbouring triangles, degrees
  bool smooth;

  std::vector<Vector> nodes;
  std::vector<double> weights;    // areas
  DistanceField field;
  double spacing;    // between nodes

  // Balls that enclose nearby nodes: a tree whose leaves are ranges of nodes.
  struct Ball {
    Vector centre;
    double radius;
    int begin, end;    // of nodes
    int after;         // the ball to continue with if this one is skipped
  };
  std::vector<Ball> balls;

 private:
  void place_nodes(const ClosedSurface &mesh, double true_area);
  void refine_core(const SurfaceDistance &distance, double step, const Vector &low, const Vector &high);
  void gather_balls(const BoxTree<double> &tree);
};

}    // namespace granular_plus

#endif
