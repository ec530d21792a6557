#include "mesh_parts.h"

#include "../meshes/vertices.h"
#include "surface_distance.h"

#include <algorithm>
#include <cmath>

namespace granular_plus {

namespace {

// Finds the triangle nearest to a point. If several triangles are equally near, a weighted mean of their normals
// decides on which side of the mesh the point lies. The weights are the angles of the triangles at the nearest point.
struct Nearest {
  static constexpr double ALIKE = 1.0e-10;    // relative difference of squared distances that rounding may cause
  double square = INFINITY;
  Vector way{0.0, 0.0, 0.0}, normal{0.0, 0.0, 0.0}, face{0.0, 0.0, 0.0};
  int triangle = -1;    // the first of the equally near triangles; `side` belongs to this triangle
  double side = 1.0;

  // its_side: factor 1 or -1 by which the normal is multiplied
  void compare(const Vector &p, const Facet &facet, double its_side, int number)
  {
    int feature;
    double barycentric[3];
    const Vector to = p - nearest_of(facet.corner, p, feature, barycentric);
    const double there = dot(to, to);
    if (there > square * (1.0 + ALIKE)) return;
    double weight = its_side;
    if (feature < 3) {
      const Vector a = facet.corner[(feature + 1) % 3] - facet.corner[feature];
      const Vector b = facet.corner[(feature + 2) % 3] - facet.corner[feature];
      weight *= std::atan2(length(cross(a, b)), dot(a, b));
    }
    if (there < square * (1.0 - ALIKE)) {
      square = there;
      way = to;
      normal = {0.0, 0.0, 0.0};
      face = its_side * facet.normal;
      triangle = number;
      side = its_side;
    }
    normal = normal + weight * facet.normal;
  }
  double sign() const { return dot(way, normal) < 0.0 ? -1.0 : 1.0; }
};

}    // namespace

MeshParts::MeshParts(const TriangleMesh &mesh) : mesh(mesh)
{
  const auto at_edges = neighbours();
  find_surfaces(at_edges);
  find_parts(at_edges, 1.0, part_of[0]);
  find_parts(at_edges, -1.0, part_of[1]);
  for (int &part : part_of[1]) part += mesh.size();
}

void MeshParts::find_parts(const std::vector<std::vector<Neighbour>> &neighbours, double side,
                           std::vector<int> &parts) const
{
  number_parts(mesh.size(), parts, [&](int t, const auto &meet) {
    std::for_each(mesh.links_begin(t), mesh.links_end(t), meet);
    const Facet &facet = mesh.facet(t);
    for (const Neighbour &next : neighbours[t]) {
      // the edge is convex if the other triangle lies behind the plane of this triangle
      const auto &corner = mesh.facet(next.triangle).corner;
      const Vector middle = (1.0 / 3.0) * (corner[0] + corner[1] + corner[2]);
      if (side * winding[t] * dot(middle - facet.corner[0], facet.normal) < 0.0) meet(next.triangle);
    }
  });
}

// Two triangles at an edge have consistent orientations if they traverse the edge in opposite directions.

std::vector<std::vector<MeshParts::Neighbour>> MeshParts::neighbours() const
{
  const int count = mesh.size();
  struct Edge {
    std::pair<int, int> ends;
    int triangle;
    signed char way;    // 1 if the triangle traverses the edge from first to second, otherwise -1
  };
  std::vector<Edge> edges;
  Vertices vertices(3 * static_cast<std::size_t>(count));
  for (int t = 0; t < count; ++t)
    for (int k = 0; k < 3; ++k) {
      const auto &corner = mesh.facet(t).corner;
      const int a = vertices.number_of(corner[k]), b = vertices.number_of(corner[(k + 1) % 3]);
      edges.push_back({std::minmax(a, b), t, static_cast<signed char>(a < b ? 1 : -1)});
    }
  std::sort(edges.begin(), edges.end(),
            [](const Edge &a, const Edge &b) { return a.ends != b.ends ? a.ends < b.ends : a.triangle < b.triangle; });
  std::vector<std::vector<Neighbour>> found(count);
  for (std::size_t k = 1; k < edges.size(); ++k) {
    const Edge &one = edges[k - 1], &other = edges[k];
    if (one.ends != other.ends) continue;
    const auto alike = static_cast<signed char>(-one.way * other.way);
    found[one.triangle].push_back({other.triangle, alike});
    found[other.triangle].push_back({one.triangle, alike});
  }
  return found;
}

void MeshParts::find_surfaces(const std::vector<std::vector<Neighbour>> &neighbours)
{
  const int count = mesh.size();
  winding.assign(count, 1);
  number_parts(count, surface_of, [&](int t, const auto &meet) {
    for (const Neighbour &next : neighbours[t]) {
      const auto needed = static_cast<signed char>(winding[t] * next.alike);
      if (meet(next.triangle))
        winding[next.triangle] = needed;
      else if (winding[next.triangle] != needed)
        throw MeshError("triangle " + std::to_string(mesh.number(next.triangle)) +
                        " belongs to a surface with only one side, such as a Moebius strip");
    }
  });
}

double MeshParts::find_free_sides(const Candidates &candidates, const Vector &point, signed char *free_sides) const
{
  struct OfSurface {
    int surface;
    Nearest nearest;
  };
  std::vector<OfSurface> found;
  const auto of = [&](int triangle) {
    return std::find_if(found.begin(), found.end(),
                        [&](const OfSurface &s) { return s.surface == surface_of[triangle]; });
  };
  const auto look_among = [&](const int *triangle, int count, bool knows_all) {
    for (int k = 0; k < count; ++k) {
      auto at = of(triangle[k]);
      if (at == found.end()) {
        if (knows_all) continue;
        at = found.insert(found.end(), {surface_of[triangle[k]], Nearest{}});
      }
      at->nearest.compare(point, mesh.facet(triangle[k]), winding[triangle[k]], triangle[k]);
    }
  };
  look_among(candidates.triangle, candidates.count, false);
  double furthest = 0.0;
  for (const auto &[surface, nearest] : found) furthest = std::max(furthest, std::sqrt(nearest.square));
  if (furthest > candidates.reach - length(point - candidates.place)) {
    std::vector<int> all;
    mesh.find_near(point, (1.0 + Nearest::ALIKE) * furthest, all);
    for (auto &[surface, nearest] : found) nearest = Nearest{};
    look_among(all.data(), static_cast<int>(all.size()), true);
  }
  double least = INFINITY;
  for (const auto &[surface, nearest] : found) least = std::min(least, std::sqrt(nearest.square));
  for (int k = 0; k < candidates.count; ++k) {
    const int t = candidates.triangle[k];
    free_sides[k] = static_cast<signed char>(winding[t] * of(t)->nearest.sign());
  }
  return least;
}

bool MeshParts::nearest(const Vector &p, double &distance, Vector &gradient, int &part) const
{
  Nearest nearest;
  for (int k = 0; k < among.count; ++k) nearest.compare(p, mesh.facet(among.triangle[k]), sides[k], among.triangle[k]);
  // a triangle that is not a candidate may be nearer
  const double known = among.reach - length(p - among.place);
  if (!(nearest.square < known * known && known > 0.0)) return distance = known, false;
  const double size_of_way = std::sqrt(nearest.square), sign = nearest.sign();
  distance = sign * size_of_way;
  gradient = size_of_way > 0.0 ? (sign / size_of_way) * nearest.way : nearest.face;
  part = part_of[nearest.side * winding[nearest.triangle] > 0.0 ? 0 : 1][nearest.triangle];
  return true;
}

}    // namespace granular_plus
