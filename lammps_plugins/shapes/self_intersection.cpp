#include "self_intersection.h"

#include "surface_distance.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <sstream>

namespace granular_plus {

namespace {

double component(const Vector &v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

std::string words_of(const Vector &v)
{
  std::ostringstream words;
  words << v.x << " " << v.y << " " << v.z;
  return words.str();
}

// How often a surface winds round a point is the sum over its triangles of the solid angle at which they are seen, in
// turns (van Oosterom and Strackee, IEEE Trans. Biomed. Eng. 30 (1983) 125).
double turns(const ClosedSurface &mesh, int triangle, const Vector &from)
{
  const auto &corner = mesh.triangles[triangle];
  const Vector a = mesh.points[corner[0]] - from, b = mesh.points[corner[1]] - from, c = mesh.points[corner[2]] - from;
  const double la = length(a), lb = length(b), lc = length(c);
  return std::atan2(dot(a, cross(b, c)), la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb) / (2.0 * PI);
}

// pairs of triangles whose boxes overlap, from a tree of boxes
class Crossings {
 public:
  explicit Crossings(const ClosedSurface &mesh) : mesh(mesh), order(mesh.triangles.size())
  {
    Vector low{INFINITY, INFINITY, INFINITY}, high{-INFINITY, -INFINITY, -INFINITY};
    double largest = 0.0;
    for (const Vector &p : mesh.points) {
      low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
      high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
      largest = std::max(largest, length(p));
    }
    constexpr double SINGLE_PRECISION = 2.0e-7;
    tolerance = SINGLE_PRECISION * (length(high - low) + largest);
    close_by = 1.0e3 * tolerance;
    std::iota(order.begin(), order.end(), 0);
    build(0, static_cast<int>(order.size()));
  }

  bool any(Vector &place) const { return within(0, place); }

 private:
  struct Box {
    double low[3], high[3];
    int begin, end;    // in the order
    int other;         // the second of two boxes within, of which the first is the next one; 0: none
  };
  const ClosedSurface &mesh;
  std::vector<int> order;
  std::vector<Box> boxes;
  double tolerance, close_by;

  const Vector &corner(int triangle, int k) const { return mesh.points[mesh.triangles[triangle][k]]; }

  int build(int begin, int end)
  {
    const int self = static_cast<int>(boxes.size());
    Box box{{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, begin, end, 0};
    for (int k = begin; k < end; ++k)
      for (int c = 0; c < 3; ++c)
        for (int d = 0; d < 3; ++d) {
          const double at = component(corner(order[k], c), d);
          box.low[d] = std::min(box.low[d], at);
          box.high[d] = std::max(box.high[d], at);
        }
    boxes.push_back(box);
    constexpr int LEAF = 4;
    if (end - begin > LEAF) {
      int axis = 0;
      for (int d = 1; d < 3; ++d)
        if (box.high[d] - box.low[d] > box.high[axis] - box.low[axis]) axis = d;
      const auto middle = [&](int t) {
        return component(corner(t, 0), axis) + component(corner(t, 1), axis) + component(corner(t, 2), axis);
      };
      const int half = begin + (end - begin) / 2;
      std::nth_element(order.begin() + begin, order.begin() + half, order.begin() + end,
                       [&](int a, int b) { return middle(a) < middle(b); });
      build(begin, half);
      boxes[self].other = build(half, end);
    }
    return self;
  }

  bool within(int box, Vector &place) const
  {
    const Box &b = boxes[box];
    if (b.other) return within(box + 1, place) || within(b.other, place) || between(box + 1, b.other, place);
    for (int k = b.begin; k < b.end; ++k)
      for (int m = b.begin; m < k; ++m)
        if (cross_each_other(order[k], order[m], place)) return true;
    return false;
  }

  bool between(int one, int other, Vector &place) const
  {
    const Box &a = boxes[one], &b = boxes[other];
    for (int d = 0; d < 3; ++d)
      if (a.low[d] > b.high[d] + tolerance || b.low[d] > a.high[d] + tolerance) return false;
    if (a.other && (!b.other || a.end - a.begin >= b.end - b.begin))
      return between(one + 1, other, place) || between(a.other, other, place);
    if (b.other) return between(one, other + 1, place) || between(one, b.other, place);
    for (int k = a.begin; k < a.end; ++k)
      for (int m = b.begin; m < b.end; ++m)
        if (cross_each_other(order[k], order[m], place)) return true;
    return false;
  }

  bool has(int triangle, int point) const
  {
    const auto &corners = mesh.triangles[triangle];
    return std::find(corners.begin(), corners.end(), point) != corners.end();
  }

  // neighbours at an edge do not cross; of those at a corner the edges opposite to it may
  bool cross_each_other(int one, int other, Vector &place) const
  {
    int common = 0;
    for (const int point : mesh.triangles[one]) common += has(other, point);
    return common < 2 && (an_edge_crosses(one, other, place) || an_edge_crosses(other, one, place));
  }

  bool an_edge_crosses(int edges_of, int triangle, Vector &place) const
  {
    const Vector at[3] = {corner(triangle, 0), corner(triangle, 1), corner(triangle, 2)};
    const Vector doubled = cross(at[1] - at[0], at[2] - at[0]);
    const double area = length(doubled);
    if (!(area > 0.0)) return false;
    const Vector normal = (1.0 / area) * doubled;
    for (int k = 0; k < 3; ++k) {
      const auto &corners = mesh.triangles[edges_of];
      if (has(triangle, corners[k]) || has(triangle, corners[(k + 1) % 3])) continue;
      const Vector &from = mesh.points[corners[k]], &to = mesh.points[corners[(k + 1) % 3]];
      const double above = dot(from - at[0], normal), below = dot(to - at[0], normal);
      if (!(std::min(above, below) < -tolerance && std::max(above, below) > tolerance)) continue;
      place = from + (above / (above - below)) * (to - from);
      double inside = INFINITY;    // how far from the border
      for (int c = 0; c < 3; ++c) {
        const Vector edge = at[(c + 1) % 3] - at[c];
        inside = std::min(inside, dot(cross(normal, edge), place - at[c]) / length(edge));
      }
      int feature;
      double barycentric[3];
      if (inside > tolerance) return true;
      if (length(place - nearest_of(at, place, feature, barycentric)) <= tolerance && counts_twice_at(place))
        return true;
    }
    return false;
  }

  // At borders of triangles parts may touch only. Surfaces that cross enclose something twice close by.
  bool counts_twice_at(const Vector &place) const
  {
    constexpr int DIRECTIONS = 32;    // spread evenly, along no plane that is likely
    constexpr double GOLDEN_ANGLE = 2.399963229728653;
    for (int k = 0; k < DIRECTIONS; ++k) {
      const double up = (2.0 * k + 1.0) / DIRECTIONS - 1.0, across = std::sqrt(1.0 - up * up);
      const Vector way{across * std::cos(GOLDEN_ANGLE * (k + 0.5)), across * std::sin(GOLDEN_ANGLE * (k + 0.5)), up};
      const Vector from = place + close_by * way;
      double around = 0.0;
      for (int t = 0; t < static_cast<int>(order.size()); ++t) around += turns(mesh, t, from);
      if (around > 1.5 || around < -0.5) return true;
    }
    return false;
  }
};

// triangles connected over edges, numbered
std::vector<int> surfaces_of(const ClosedSurface &mesh, int &count)
{
  std::map<std::pair<int, int>, int> left_of;
  const int n = static_cast<int>(mesh.triangles.size());
  for (int t = 0; t < n; ++t)
    for (int k = 0; k < 3; ++k) left_of[{mesh.triangles[t][k], mesh.triangles[t][(k + 1) % 3]}] = t;
  std::vector<int> surface(n, -1), waiting;
  count = 0;
  for (int first = 0; first < n; ++first) {
    if (surface[first] >= 0) continue;
    surface[first] = count;
    waiting.assign(1, first);
    while (!waiting.empty()) {
      const auto corners = mesh.triangles[waiting.back()];
      waiting.pop_back();
      for (int k = 0; k < 3; ++k) {
        const int next = left_of.at({corners[(k + 1) % 3], corners[k]});
        if (surface[next] >= 0) continue;
        surface[next] = count;
        waiting.push_back(next);
      }
    }
    ++count;
  }
  return surface;
}

}    // namespace

/* ---------------------------------------------------------------------- */

bool find_crossing(const ClosedSurface &mesh, Vector &place) { return Crossings(mesh).any(place); }

void check_simple(const ClosedSurface &mesh)
{
  Vector place;
  if (find_crossing(mesh, place))
    throw ShapeError("crosses itself at " + words_of(place) +
                     ": what two of its parts share would count twice; unite them in the program that drew it");

  int count;
  const std::vector<int> surface = surfaces_of(mesh, count);
  if (count == 1) return;
  const int n = static_cast<int>(mesh.triangles.size());
  for (int s = 0; s < count; ++s) {
    const auto corner = [&](int t, int k) { return mesh.points[mesh.triangles[t][k]]; };
    const Vector origin = corner(static_cast<int>(std::find(surface.begin(), surface.end(), s) - surface.begin()), 0);
    double volume = 0.0;
    Vector centre = origin, doubled{0.0, 0.0, 0.0};    // of its largest triangle
    for (int t = 0; t < n; ++t) {
      if (surface[t] != s) continue;
      const Vector a = corner(t, 0), b = corner(t, 1), c = corner(t, 2), normal = cross(b - a, c - a);
      volume += dot(a - origin, normal) / 6.0;
      if (dot(normal, normal) > dot(doubled, doubled)) doubled = normal, centre = (1.0 / 3.0) * (a + b + c);
    }
    // from a place just inside, as another surface may touch it
    constexpr double INSIDE = 1.0e-4;    // of the size of a triangle
    const Vector from = centre - ((volume < 0.0 ? -INSIDE : INSIDE) / std::sqrt(length(doubled))) * doubled;
    double around = 0.0;
    for (int t = 0; t < n; ++t)
      if (surface[t] != s) around += turns(mesh, t, from);
    const bool is_hollow = volume < 0.0;
    if (std::lround(around) == (is_hollow ? 1 : 0)) continue;
    throw ShapeError("has " + std::to_string(count) + " surfaces, of which that at " + words_of(origin) +
                     (is_hollow ? " is inside out and lies in no other body: turn its triangles round"
                                : " lies inside another one: what it encloses would count twice; leave it out, or turn "
                                  "its triangles round if it is a hollow"));
  }
}

}    // namespace granular_plus
