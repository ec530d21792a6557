#include "surface_distance.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace granular_plus {

// Ericson, Real-Time Collision Detection, 2005, 5.1.5
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

namespace {

double component(const Vector &v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

}    // namespace

SurfaceDistance::SurfaceDistance(const ClosedSurface &mesh, double feature_angle)
{
  const std::size_t n = mesh.triangles.size();
  std::vector<Vector> face(n), point(mesh.points.size(), Vector{0.0, 0.0, 0.0});
  std::map<std::pair<int, int>, Vector> edge;
  for (std::size_t t = 0; t < n; ++t) {
    const auto &corner = mesh.triangles[t];
    const Vector *p[3] = {&mesh.points[corner[0]], &mesh.points[corner[1]], &mesh.points[corner[2]]};
    const Vector doubled = cross(*p[1] - *p[0], *p[2] - *p[0]);
    const double l = length(doubled);
    face[t] = l > 0.0 ? (1.0 / l) * doubled : Vector{0.0, 0.0, 0.0};
    for (int k = 0; k < 3; ++k) {
      const Vector one = *p[(k + 1) % 3] - *p[k], other = *p[(k + 2) % 3] - *p[k];
      const double angle = std::atan2(length(cross(one, other)), dot(one, other));
      point[corner[k]] = point[corner[k]] + angle * face[t];
      const auto at = edge.try_emplace(std::minmax(corner[k], corner[(k + 1) % 3]), Vector{0.0, 0.0, 0.0}).first;
      at->second = at->second + face[t];
    }
  }
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  build(order, 0, static_cast<int>(n), mesh);
  const auto bulge = bulges(mesh, feature_angle);
  for (const int t : order) {
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

int SurfaceDistance::build(std::vector<int> &order, int begin, int end, const ClosedSurface &mesh)
{
  const int index = static_cast<int>(boxes.size());
  boxes.push_back({});
  Box box{{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, begin, end - begin};
  for (int k = begin; k < end; ++k)
    for (const int p : mesh.triangles[order[k]])
      for (int d = 0; d < 3; ++d) {
        box.low[d] = std::min(box.low[d], component(mesh.points[p], d));
        box.high[d] = std::max(box.high[d], component(mesh.points[p], d));
      }
  constexpr int LEAF = 4;
  if (end - begin > LEAF) {
    int axis = 0;
    for (int d = 1; d < 3; ++d)
      if (box.high[d] - box.low[d] > box.high[axis] - box.low[axis]) axis = d;
    const auto middle = [&](int t) {
      double sum = 0.0;
      for (const int p : mesh.triangles[t]) sum += component(mesh.points[p], axis);
      return sum;
    };
    const int half = begin + (end - begin) / 2;
    std::nth_element(order.begin() + begin, order.begin() + half, order.begin() + end, [&](int a, int b) {
      const double at_a = middle(a), at_b = middle(b);
      return at_a < at_b || (at_a == at_b && a < b);
    });
    build(order, begin, half, mesh);
    box.first = build(order, half, end, mesh);
    box.count = 0;
  }
  boxes[index] = box;
  return index;
}

double SurfaceDistance::operator()(const Vector &p) const
{
  const double x[3] = {p.x, p.y, p.z};
  const auto to_box = [&](int b) {
    double square = 0.0;
    for (int d = 0; d < 3; ++d) {
      const double outside = std::max({boxes[b].low[d] - x[d], 0.0, x[d] - boxes[b].high[d]});
      square += outside * outside;
    }
    return square;
  };
  double least = INFINITY, sign = 1.0, height = 0.0;
  struct {
    int box;
    double square;
  } stack[64];
  int depth = 0;
  stack[depth++] = {0, to_box(0)};
  while (depth > 0) {
    const auto top = stack[--depth];
    if (top.square > least) continue;
    const Box &box = boxes[top.box];
    if (box.count == 0) {
      const double one = to_box(top.box + 1), other = to_box(box.first);
      const bool one_first = one <= other;
      stack[depth++] = one_first ? decltype(top){box.first, other} : decltype(top){top.box + 1, one};
      stack[depth++] = one_first ? decltype(top){top.box + 1, one} : decltype(top){box.first, other};
      continue;
    }
    for (int t = box.first; t < box.first + box.count; ++t) {
      int feature;
      double barycentric[3];
      const Vector to = p - nearest_of(corners[t].data(), p, feature, barycentric);
      const double square = dot(to, to);
      if (square < least) {
        least = square;
        sign = dot(to, normals[t][feature]) < 0.0 ? -1.0 : 1.0;
        height = 4.0 *
            (barycentric[0] * barycentric[1] * heights[t][0] + barycentric[1] * barycentric[2] * heights[t][1] +
             barycentric[2] * barycentric[0] * heights[t][2]);
      }
    }
  }
  return sign * std::sqrt(least) - height;
}

}    // namespace granular_plus
