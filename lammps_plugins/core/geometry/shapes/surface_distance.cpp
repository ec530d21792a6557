#include "surface_distance.h"

#include <cmath>

namespace granular_plus {

// Ericson, Real-Time Collision Detection, 2005, section 5.1.5
Vector nearest_of(const Vector corner[3], const Vector &p, int &feature, double barycentric[3])
{
  const auto corner_alone = [&](int k) {
    for (int c = 0; c < 3; ++c) barycentric[c] = c == k;
    feature = k;
    return corner[k];
  };
  const auto on_edge = [&](int k, double part) {
    barycentric[k] = 1.0 - part;
    barycentric[(k + 1) % 3] = part;
    barycentric[(k + 2) % 3] = 0.0;
    feature = 3 + k;
    return corner[k] + part * (corner[(k + 1) % 3] - corner[k]);
  };
  const Vector &a = corner[0], &b = corner[1], &c = corner[2];
  const Vector ab = b - a, ac = c - a, ap = p - a, bp = p - b, cp = p - c;
  const double d1 = dot(ab, ap), d2 = dot(ac, ap);
  if (d1 <= 0.0 && d2 <= 0.0) return corner_alone(0);
  const double d3 = dot(ab, bp), d4 = dot(ac, bp);
  if (d3 >= 0.0 && d4 <= d3) return corner_alone(1);
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0) return on_edge(0, d1 / (d1 - d3));
  const double d5 = dot(ab, cp), d6 = dot(ac, cp);
  if (d6 >= 0.0 && d5 <= d6) return corner_alone(2);
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) return on_edge(2, 1.0 - d2 / (d2 - d6));
  const double va = d3 * d6 - d5 * d4;
  if (va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0) return on_edge(1, (d4 - d3) / ((d4 - d3) + (d5 - d6)));
  const double inverse = 1.0 / (va + vb + vc);
  feature = 6;
  barycentric[1] = vb * inverse;
  barycentric[2] = vc * inverse;
  barycentric[0] = 1.0 - barycentric[1] - barycentric[2];
  return a + barycentric[1] * ab + barycentric[2] * ac;
}

SurfaceDistance::SurfaceDistance(const ClosedSurface &mesh, double feature_angle)
{
  const std::size_t n = mesh.triangles.size();
  std::vector<Vector> face(n), point(mesh.points.size(), Vector{0.0, 0.0, 0.0});
  ByEdge<Vector> edge;
  for (std::size_t t = 0; t < n; ++t) {
    const auto &corner = mesh.triangles[t];
    const Vector *p[3] = {&mesh.points[corner[0]], &mesh.points[corner[1]], &mesh.points[corner[2]]};
    face[t] = unit(normal_of(mesh, corner));
    for (int k = 0; k < 3; ++k) {
      const Vector one = *p[(k + 1) % 3] - *p[k], other = *p[(k + 2) % 3] - *p[k];
      const double angle = std::atan2(length(cross(one, other)), dot(one, other));
      point[corner[k]] = point[corner[k]] + angle * face[t];
      const auto at = edge.try_emplace(std::minmax(corner[k], corner[(k + 1) % 3]), Vector{0.0, 0.0, 0.0}).first;
      at->second = at->second + face[t];
    }
  }
  constexpr int LEAF = 4;
  const auto corner_of = [&](int t, int k) -> const Vector & { return mesh.points[mesh.triangles[t][k]]; };
  tree.build(static_cast<int>(n), 3, LEAF, corner_of, [&](int a, int b, int axis) {
    const auto middle = [&](int t) {
      double sum = 0.0;
      for (int k = 0; k < 3; ++k) sum += component(corner_of(t, k), axis);
      return sum;
    };
    return std::pair(middle(a), a) < std::pair(middle(b), b);
  });
  const auto bulge = bulges(mesh, feature_angle);
  for (const int t : tree.order) {
    const auto &corner = mesh.triangles[t];
    heights.push_back({dot(bulge[t][0], face[t]), dot(bulge[t][1], face[t]), dot(bulge[t][2], face[t])});
    corners.push_back({mesh.points[corner[0]], mesh.points[corner[1]], mesh.points[corner[2]]});
    std::array<Vector, 7> of;
    for (int k = 0; k < 3; ++k) {
      of[k] = point[corner[k]];
      of[3 + k] = edge.at(std::minmax(corner[k], corner[(k + 1) % 3]));
    }
    of[6] = face[t];
    normals.push_back(of);
  }
}

double SurfaceDistance::operator()(const Vector &p) const
{
  double sign = 1.0, height = 0.0;
  const double square = tree.min_squared_distance(p, INFINITY, [&](int t, double least) {
    int feature;
    double barycentric[3];
    const Vector to = p - nearest_of(corners[t].data(), p, feature, barycentric);
    const double square = dot(to, to);
    if (square < least) {
      sign = dot(to, normals[t][feature]) < 0.0 ? -1.0 : 1.0;
      height = 4.0 *
          (barycentric[0] * barycentric[1] * heights[t][0] + barycentric[1] * barycentric[2] * heights[t][1] +
           barycentric[2] * barycentric[0] * heights[t][2]);
    }
    return square;
  });
  return sign * std::sqrt(square) - height;
}

}    // namespace granular_plus
