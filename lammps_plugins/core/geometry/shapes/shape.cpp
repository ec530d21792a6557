#include "shape.h"

#include "surface_distance.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace granular_plus {

namespace {

constexpr double MOST_GRID_POINTS = 5.0e7;            // 400 MB
constexpr double MOST_GRID_POINTS_UNASKED = 5.0e6;    // limit for the default cell
constexpr int MOST_NODES = 2000000;
constexpr int MOST_TRIANGLES = 60000;      // limit for the surface from which distances are computed
constexpr double FINE_ENOUGH = 1.0e-5;     // error of the distance divided by the radius
constexpr double ROUND_ENOUGH = 2.0e-4;    // error at curved sharp edges divided by the radius

// At a smooth edge, the error of a parabolic patch is the bulge times the square of the angle by which the edge turns,
// divided by 16. At a sharp edge, the error is the whole bulge.
bool too_coarse(const ClosedSurface &mesh, double feature_angle, double size)
{
  if (4 * mesh.triangles.size() > MOST_TRIANGLES) return false;
  const auto bulge = bulges(mesh, feature_angle);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto &corner = mesh.triangles[t];
    const Vector doubled = normal_of(mesh, corner);
    const double square = dot(doubled, doubled);
    for (int k = 0; k < 3; ++k) {
      const double chord = length(mesh.points[corner[(k + 1) % 3]] - mesh.points[corner[k]]);
      const double all = length(bulge[t][k]), angle = 8.0 * all / chord;
      const double across = square > 0.0 ? dot(bulge[t][k], doubled) / std::sqrt(square) : 0.0;
      const double aside = std::sqrt(std::max(0.0, all * all - across * across));
      if (all * angle * angle / 16.0 > FINE_ENOUGH * size || aside > ROUND_ENOUGH * size) return true;
    }
  }
  return false;
}

double radius_of(double volume) { return std::cbrt(0.75 / PI * volume); }

ClosedSurface fine_enough(ClosedSurface mesh, double feature_angle)
{
  const double size = radius_of(solid_of(mesh).volume);
  while (feature_angle > 0.0 && too_coarse(mesh, feature_angle, size)) mesh = refined(mesh, feature_angle);
  return mesh;
}

// Extrapolates the mass properties from those of the mesh and of a refined mesh. The remaining error is of fourth
// order.
Solid solid_of_body(const ClosedSurface &mesh, double feature_angle)
{
  const Solid coarse = solid_of(mesh);
  if (!(feature_angle > 0.0)) return coarse;
  Solid solid = solid_of(refined(mesh, feature_angle));
  const auto extrapolate = [](double &fine, double rough) { fine += (fine - rough) / 3.0; };
  extrapolate(solid.volume, coarse.volume);
  extrapolate(solid.area, coarse.area);
  extrapolate(solid.centre.x, coarse.centre.x);
  extrapolate(solid.centre.y, coarse.centre.y);
  extrapolate(solid.centre.z, coarse.centre.z);
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) extrapolate(solid.inertia[a][b], coarse.inertia[a][b]);
  return solid;
}

void quaternion_of(const double r[3][3], double q[4])
{
  const double trace = r[0][0] + r[1][1] + r[2][2];
  int big = 0;
  double best = trace;
  for (int k = 0; k < 3; ++k)
    if (r[k][k] > best) best = r[k][k], big = k + 1;
  if (big == 0) {
    q[0] = 1.0 + trace;
    q[1] = r[2][1] - r[1][2];
    q[2] = r[0][2] - r[2][0];
    q[3] = r[1][0] - r[0][1];
  } else {
    const int a = big - 1, b = (a + 1) % 3, c = (a + 2) % 3;
    q[0] = r[c][b] - r[b][c];
    q[1 + a] = 1.0 + r[a][a] - r[b][b] - r[c][c];
    q[1 + b] = r[b][a] + r[a][b];
    q[1 + c] = r[c][a] + r[a][c];
  }
  const double norm = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (int k = 0; k < 4; ++k) q[k] /= norm;
}

void check_cell(double cell, bool asked_for, const Vector &low, const Vector &high)
{
  const double needed = DistanceField::points_needed(low, high, cell);
  if (needed <= (asked_for ? MOST_GRID_POINTS : MOST_GRID_POINTS_UNASKED)) return;
  const std::string asks =
      std::to_string(cell) + " needs " + std::to_string(needed) + " grid points, more than the limit of ";
  throw ShapeError(asked_for ? "cell = " + asks + "5e7; use a larger cell"
                             : "the body fills so little of its bounding box that the default cell = " + asks +
                           "5e6; set a larger cell with keyword cell");
}

}    // namespace

Shape::Shape(const ClosedSurface &mesh, const ShapeOptions &options) : surface(mesh)
{
  check_closed(mesh);
  check_simple(mesh);
  sharpest = sharpest_angle(mesh);
  smooth = options.surface == ShapeOptions::SMOOTH ||
      (options.surface == ShapeOptions::AUTOMATIC && sharpest <= FEATURE_ANGLE);
  const double feature = options.surface == ShapeOptions::FACETS ? 0.0
      : options.surface == ShapeOptions::SMOOTH                  ? 180.0
                                                                 : FEATURE_ANGLE;
  if (options.nodes < 0 || options.nodes > MOST_NODES)
    throw ShapeError("nodes = " + std::to_string(options.nodes) + " must be > 0 and <= " + std::to_string(MOST_NODES));

  ClosedSurface fine = fine_enough(mesh, feature);
  const Solid solid = solid_of_body(fine, feature);
  if (!(solid.volume > 0.0)) throw ShapeError("the mesh encloses no volume after smoothing; use `surface facets`");
  volume = solid.volume;
  area = solid.area;
  centre = solid.centre;
  volume_radius = radius_of(volume);
  double axes[3][3];
  principal_axes(solid.inertia, axes, inertia.moment);
  quaternion_of(axes, inertia.principal);

  ClosedSurface node_mesh = mesh;
  const int wanted = options.nodes > 0 ? options.nodes : ENOUGH_NODES;
  while (static_cast<int>(node_mesh.points.size()) < wanted) node_mesh = refined(node_mesh, feature);

  for (auto *each : {&surface, &fine, &node_mesh})
    for (Vector &p : each->points) p = p - centre;
  bounding_radius = 0.0;
  Vector low{INFINITY, INFINITY, INFINITY}, high{-INFINITY, -INFINITY, -INFINITY};
  for (const auto *each : {&fine, &node_mesh})
    for (const Vector &p : each->points) {
      bounding_radius = std::max(bounding_radius, length(p));
      widen(low, high, p);
    }
  place_nodes(node_mesh, area);

  const bool asked_for = options.cell > 0.0;
  const double cell = asked_for ? options.cell : volume_radius / 12.0;
  check_cell(cell, asked_for, low, high);
  const SurfaceDistance distance(fine, feature);
  core_depth = -INFINITY;
  field = DistanceField(low, high, cell, [&](const Vector &p) {
    const double here = distance(p);
    if (-here > core_depth) core = p, core_depth = -here;
    return here;
  });
  refine_core(distance, 0.5 * cell, low, high);
}

/* ----------------------------------------------------------------------
   Finds the deepest point of the body. The search starts at the deepest sample and moves along the axes in shrinking
   steps. The samples alone do not suffice for plates thinner than the cells of the grid.
------------------------------------------------------------------------- */

void Shape::refine_core(const SurfaceDistance &distance, double step, const Vector &low, const Vector &high)
{
  constexpr int HALVINGS = 8;
  for (int halving = 0; halving < HALVINGS; step *= 0.5, ++halving)
    for (bool improved = true; improved;) {
      improved = false;
      const Vector from = core;
      for (const Vector &way : {Vector{step, 0, 0}, Vector{0, step, 0}, Vector{0, 0, step}})
        for (const double sign : {1.0, -1.0}) {
          const Vector there = from + sign * way;
          // Only points within the bounding box are accepted. Outside the box, points next to a part without thickness
          // may count as inside the body and have an unbounded depth.
          const bool within = there.x > low.x && there.x < high.x && there.y > low.y && there.y < high.y &&
              there.z > low.z && there.z < high.z;
          const double depth = -distance(there);
          if (!within || !(depth > core_depth)) continue;
          core = there;
          core_depth = depth;
          improved = true;
        }
    }
}

/* ----------------------------------------------------------------------
   Places a node at each point of the mesh. The area of a node is a third of the area of all adjacent triangles. The
   areas of all nodes are then scaled such that their sum is the area of the body.
------------------------------------------------------------------------- */

void Shape::place_nodes(const ClosedSurface &mesh, double true_area)
{
  std::vector<double> share(mesh.points.size(), 0.0);
  double sum = 0.0;
  for (const auto &t : mesh.triangles) {
    const double part = length(normal_of(mesh, t)) / 6.0;
    for (const int p : t) share[p] += part;
    sum += 3.0 * part;
  }
  constexpr int LEAF = 12;
  BoxTree<double> tree;
  tree.build(
      static_cast<int>(mesh.points.size()), 1, LEAF, [&](int k, int) -> const Vector & { return mesh.points[k]; },
      [&](int a, int b, int axis) {
        return std::pair(component(mesh.points[a], axis), a) < std::pair(component(mesh.points[b], axis), b);
      });
  for (const int k : tree.order) {
    nodes.push_back(mesh.points[k]);
    weights.push_back(share[k] * true_area / sum);
  }
  gather_balls(tree);
  spacing = std::sqrt(true_area / static_cast<double>(nodes.size()));
}

void Shape::gather_balls(const BoxTree<double> &tree)
{
  const int count = static_cast<int>(tree.boxes.size());
  balls.resize(count);
  for (int index = count - 1; index >= 0; --index) {
    const auto &box = tree.boxes[index];
    Ball &ball = balls[index];
    ball = {{0.5 * (box.low[0] + box.high[0]), 0.5 * (box.low[1] + box.high[1]), 0.5 * (box.low[2] + box.high[2])},
            0.0,
            box.begin,
            box.end,
            box.second > 0 ? balls[box.second].after : index + 1};
    for (int k = box.begin; k < box.end; ++k) ball.radius = std::max(ball.radius, length(nodes[k] - ball.centre));
  }
}

}    // namespace granular_plus
