#include "mesh_parts.h"

#include "../shapes/surface_distance.h"

#include <cmath>

namespace granular_plus {

MeshParts::MeshParts(const TriangleMesh &mesh) : mesh(mesh), part_of(mesh.size(), -1)
{
  std::vector<int> waiting;
  int parts = 0;
  for (int first = 0; first < mesh.size(); ++first) {
    if (part_of[first] >= 0) continue;
    part_of[first] = parts;
    waiting.assign(1, first);
    while (!waiting.empty()) {
      const int triangle = waiting.back();
      waiting.pop_back();
      for (const int *link = mesh.links_begin(triangle); link != mesh.links_end(triangle); ++link)
        if (part_of[*link] < 0) {
          part_of[*link] = parts;
          waiting.push_back(*link);
        }
    }
    ++parts;
  }
}

// On which side a point lies tell the normals of all triangles that are nearest alike: both of an edge, those of a corner
// by their angles (as in SurfaceDistance). Of them the part is that of the first.

bool MeshParts::nearest(const Vector &p, double &distance, Vector &gradient, int &part) const
{
  constexpr double ALIKE = 1.0e-10;    // squares of distances, which rounding tells apart
  double least = INFINITY;
  Vector way{0.0, 0.0, 0.0}, normal{0.0, 0.0, 0.0}, face{0.0, 0.0, 0.0};
  for (int k = 0; k < size; ++k) {
    const Facet &facet = mesh.facet(list[k]);
    int feature;
    double share[3];
    const Vector to = p - nearest_of(facet.corner, p, feature, share);
    const double square = dot(to, to);
    if (square > least * (1.0 + ALIKE)) continue;
    double weight = 1.0;
    if (feature < 3) {
      const Vector a = facet.corner[(feature + 1) % 3] - facet.corner[feature];
      const Vector b = facet.corner[(feature + 2) % 3] - facet.corner[feature];
      weight = std::atan2(length(cross(a, b)), dot(a, b));
    }
    if (square < least * (1.0 - ALIKE)) {
      least = square;
      way = to;
      normal = {0.0, 0.0, 0.0};
      face = facet.normal;
      part = part_of[list[k]];
    }
    normal = normal + weight * facet.normal;
  }
  // a triangle that is not listed may be nearer, or beside the nearest at its edge
  const double known = reach - length(p - place);
  if (!(least < known * known && known > 0.0)) return distance = known, false;
  const double size_of_way = std::sqrt(least), sign = dot(way, normal) < 0.0 ? -1.0 : 1.0;
  distance = sign * size_of_way;
  gradient = size_of_way > 0.0 ? (sign / size_of_way) * way : face;
  return true;
}

}    // namespace granular_plus
