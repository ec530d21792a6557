// The shape of a grain. All grains of one shape share one Shape.

#ifndef GRANULAR_PLUS_SHAPE_H
#define GRANULAR_PLUS_SHAPE_H

#include "../meshes/box_tree.h"
#include "closed_surface.h"
#include "distance_field.h"
#include "rigid_rotation.h"

namespace granular_plus {

struct ShapeOptions {
  enum Surface { AUTOMATIC, SMOOTH, FACETS };
  Surface surface = AUTOMATIC;    // AUTOMATIC: edges with an angle above FEATURE_ANGLE stay sharp
  int nodes = 0;    // smallest number of nodes; 0: number of points of the mesh, but at least ENOUGH_NODES
  // cell size of the distance grid, in the length unit of the file; 0: a twelfth of volume_radius
  double cell = 0.0;
};

// in degrees; edges with a larger angle stay sharp
constexpr double FEATURE_ANGLE = 30.0;
constexpr int ENOUGH_NODES = 2500;

class SurfaceDistance;

struct Shape {
  Shape(const ClosedSurface &mesh, const ShapeOptions &options);

  // Lengths and axes are those of the file. All positions except `centre` are relative to the centre of mass.
  ClosedSurface surface;
  double volume, area;    // of the body that the surface represents
  Vector centre;          // centre of mass in the file
  double bounding_radius;
  double volume_radius;
  Vector core;
  double core_depth;
  Inertia inertia;    // at unit density
  double sharpest;    // largest angle between neighbouring triangles, in degrees
  bool smooth;

  std::vector<Vector> nodes;
  std::vector<double> weights;
  DistanceField field;
  double spacing;

  // Balls that enclose nearby nodes. They form a tree whose leaves are ranges of nodes.
  struct Ball {
    Vector centre;
    double radius;
    int begin, end;    // range of nodes
    int after;         // the ball to continue with if this ball is skipped
  };
  std::vector<Ball> balls;

 private:
  void place_nodes(const ClosedSurface &mesh, double true_area);
  void refine_core(const SurfaceDistance &distance, double step, const Vector &low, const Vector &high);
  void gather_balls(const BoxTree<double> &tree);
};

}    // namespace granular_plus

#endif
