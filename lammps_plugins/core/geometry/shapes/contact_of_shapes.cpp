#include "contact_of_shapes.h"

#include "mesh_parts.h"

#include <algorithm>
#include <cmath>

namespace granular_plus {

namespace {

// Each class below describes the surface of one body and computes the distance of the other body's nodes from this
// surface. Positions and gradients are in the axes of the surface. `bound` returns a lower bound of the distance. When
// a node moves, the bound decreases by at most `steepest` times the path of the node. When a plane or a tube rotates,
// its axes stay fixed and only `direction` changes.

constexpr double TRUE_SLOPE = 1.000001;    // slope of an exact distance, with a margin for rounding
constexpr Vector NONE{0.0, 0.0, 0.0};

struct ShapeSurface {
  const DistanceField &field;
  double scale, inverse;
  double steepest() const { return field.steepest(); }
  static Vector direction() { return NONE; }
  bool evaluate(const Vector &p, double &distance, Vector &gradient) const
  {
    if (!field.evaluate(inverse * p, distance, gradient)) return false;
    distance *= scale;
    return true;
  }
  double bound(const Vector &p) const
  {
    double distance;
    Vector gradient;
    return evaluate(p, distance, gradient) ? distance : scale * field.outside(inverse * p);
  }
};

struct SphereSurface {
  double radius;
  static double steepest() { return TRUE_SLOPE; }
  static Vector direction() { return NONE; }
  bool evaluate(const Vector &p, double &distance, Vector &gradient) const
  {
    const double r = length(p);
    distance = r - radius;
    gradient = r > 0.0 ? (1.0 / r) * p : Vector{0.0, 0.0, 0.0};
    return true;
  }
  double bound(const Vector &p) const { return length(p) - radius; }
};

struct PlaneSurface {
  Vector normal;
  static double steepest() { return TRUE_SLOPE; }
  const Vector &direction() const { return normal; }
  bool evaluate(const Vector &p, double &distance, Vector &gradient) const
  {
    distance = dot(p, normal);
    gradient = normal;
    return true;
  }
  double bound(const Vector &p) const { return dot(p, normal); }
};

struct TubeSurface {
  double radius;
  Vector axis;
  static double steepest() { return TRUE_SLOPE; }
  const Vector &direction() const { return axis; }
  Vector from_axis(const Vector &p) const { return p - dot(p, axis) * axis; }
  bool evaluate(const Vector &p, double &distance, Vector &gradient) const
  {
    const Vector out = from_axis(p);
    const double r = length(out);
    distance = radius - r;
    gradient = r > 0.0 ? (-1.0 / r) * out : Vector{0.0, 0.0, 0.0};
    return true;
  }
  double bound(const Vector &p) const { return radius - length(from_axis(p)); }
};

struct Moment {
  double m4 = 0.0, m3 = 0.0;
  Vector gradient{0.0, 0.0, 0.0};    // gradient of M4 with respect to the position of the body with the nodes
  Vector turning{0.0, 0.0, 0.0};     // derivative of M4 with respect to a rotation of the body with the nodes
  Vector first{0.0, 0.0, 0.0};       // first moment of d^3, relative to the centre of the other body
  int nodes = 0;
  double deepest = 0.0;
};

// A list of candidates is valid until the relative motion exceeds this fraction of the size of the moving body.
constexpr double MARGIN = 0.02;

template <class Surface>
void list_candidates(const Shape &shape, double scale, const Rotation &turn, const Vector &shift,
                     const Surface &surface, Candidates &list)
{
  list.known = true;
  list.shift = shift;
  list.turn = turn;
  list.direction = surface.direction();
  list.margin = MARGIN * scale * shape.volume_radius;
  list.node.clear();
  list.missing.clear();
  const double steepest = surface.steepest(), near = steepest * list.margin;
  for (int b = 0; b < static_cast<int>(shape.balls.size());) {
    const auto &ball = shape.balls[b];
    const double bound = surface.bound(turn * (scale * ball.centre) + shift);
    if (bound > steepest * scale * ball.radius + near) {
      b = ball.after;
      continue;
    }
    if (ball.after == b + 1)
      for (int k = ball.begin; k < ball.end; ++k) {
        const double missing = surface.bound(turn * (scale * shape.nodes[k]) + shift);
        if (missing > near) continue;
        list.node.push_back(k);
        list.missing.push_back(missing);
      }
    ++b;
  }
}

// Returns an upper bound of the distance that any point of the body has covered since the list was built.
double moved(const Candidates &list, const Rotation &turn, const Vector &shift, const Vector &direction, double reach)
{
  double square = 0.0;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) square += std::pow(turn.row[r][c] - list.turn.row[r][c], 2);
  // The spectral norm of the difference of two rotation matrices is the square root of half the sum of the squared
  // elements of the difference.
  return length(shift - list.shift) + std::sqrt(0.5 * square) * reach +
      length(direction - list.direction) * (length(shift) + reach);
}

// Returns the largest amount by which the distances of nodes may have shrunk since the list was built.
template <class Surface>
double update_candidates(const Shape &shape, double scale, const Rotation &turn, const Vector &shift,
                         const Surface &surface, Candidates &list)
{
  const double reach = scale * shape.bounding_radius;
  const double way = list.known ? moved(list, turn, shift, surface.direction(), reach) : INFINITY;
  if (way < list.margin) return surface.steepest() * way;
  list_candidates(shape, scale, turn, shift, surface, list);
  return 0.0;
}

void add_node(Moment &sum, double area, const Vector &arm, const Vector &place, double depth, const Vector &slope)
{
  const double weighted = area * depth * depth * depth;
  const Vector pull = (-4.0 * weighted) * slope;
  sum.m4 += weighted * depth;
  sum.m3 += weighted;
  sum.gradient = sum.gradient + pull;
  sum.turning = sum.turning + cross(arm, pull);
  sum.first = sum.first + weighted * (place + (0.5 * depth) * slope);
  sum.deepest = larger(depth, sum.deepest);
  ++sum.nodes;
}

template <class Surface>
Moment moment_of(const Shape &shape, double scale, const Rotation &turn, const Vector &shift, const Surface &surface,
                 Candidates &list)
{
  const double way = update_candidates(shape, scale, turn, shift, surface, list);
  Moment sum;
  const double area = scale * scale;
  for (std::size_t k = 0; k < list.node.size(); ++k) {
    if (list.missing[k] > way) continue;
    const int n = list.node[k];
    const Vector arm = turn * (scale * shape.nodes[n]), place = arm + shift;
    double distance;
    Vector slope;
    if (!surface.evaluate(place, distance, slope) || !(distance < 0.0)) continue;
    add_node(sum, area * shape.weights[n], arm, place, -distance, slope);
  }
  return sum;
}

Rotation relative(const Rotation &of, const Rotation &in)    // in^T * of
{
  Rotation r;
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b)
      r.row[a][b] = in.row[0][a] * of.row[0][b] + in.row[1][a] * of.row[1][b] + in.row[2][a] * of.row[2][b];
  return r;
}

bool finish(double m4, double radius, ShapeContact &c)
{
  c.radius = radius;
  c.overlap = std::pow(5.0 / (2.0 * PI) * m4 / radius, 0.2);
  const double per_moment = c.overlap / (5.0 * m4);
  if (!(c.overlap > 0.0) || !std::isfinite(per_moment)) return false;
  c.gradient = per_moment * c.gradient;
  c.turning_i = per_moment * c.turning_i;
  c.turning_j = per_moment * c.turning_j;
  return dot(c.gradient, c.gradient) > 0.0;    // without a gradient, the contact has no normal
}

// Nodes of a sphere. They rotate with the body that the sphere touches.
const Shape &sphere_of_nodes()
{
  static const Shape sphere = [] {
    ClosedSurface mesh;
    mesh.points = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    mesh.triangles = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
    ShapeOptions options;
    options.surface = ShapeOptions::FACETS;
    options.nodes = 1;
    options.cell = 0.5;    // the distance field of this shape is never read
    for (int k = 0; k < 5; ++k) {
      mesh = refined(mesh, 0.0);
      for (Vector &p : mesh.points) p = (1.0 / length(p)) * p;
    }
    Shape shape(mesh, options);
    for (Vector &p : shape.nodes) p = (1.0 / length(p)) * p;
    double area = 0.0;
    for (const double w : shape.weights) area += w;
    for (double &w : shape.weights) w *= 4.0 * PI / area;
    shape.area = 4.0 * PI;
    shape.volume_radius = shape.bounding_radius = 1.0;
    shape.spacing = std::sqrt(4.0 * PI / static_cast<double>(shape.nodes.size()));
    return shape;
  }();
  return sphere;
}

template <class Surface>
bool at_surface(const Body &i, const Vector &origin, const Surface &surface, ContactCache &cache, ShapeContact &c)
{
  const Shape &nodes = i.shape ? *i.shape : sphere_of_nodes();
  const Vector shift = i.position - origin;
  const Moment sum = moment_of(nodes, i.scale, i.turn, shift, surface, cache.of_i);
  if (!(sum.m4 > 0.0)) return false;
  c.gradient = sum.gradient;
  c.turning_i = sum.turning;
  c.turning_j = {0.0, 0.0, 0.0};
  c.point = (1.0 / sum.m3) * sum.first + origin;
  c.nodes = sum.nodes;
  c.deepest = sum.deepest;
  return finish(sum.m4, i.volume_radius(), c);
}

struct AnyPart {
  const MeshParts &mesh;
  static double steepest() { return TRUE_SLOPE; }
  static Vector direction() { return NONE; }
  double bound(const Vector &p) const
  {
    double distance;
    Vector slope;
    int part;
    mesh.nearest(p, distance, slope, part);
    return distance;
  }
};

}    // namespace

bool find_contact(const Body &i, const Body &j, ContactCache &cache, ShapeContact &c)
{
  const Vector apart = i.position - j.position;
  const auto spacing = [](const Body &b) { return b.scale * (b.shape ? b.shape->spacing : sphere_of_nodes().spacing); };
  // The error of a sum over nodes is proportional to the square of the area per node.
  const double coarse_i = std::pow(spacing(i), 4), coarse_j = std::pow(spacing(j), 4);
  constexpr double NEGLIGIBLE = 0.02;
  double weight_i = coarse_j / (coarse_i + coarse_j);
  weight_i = weight_i < NEGLIGIBLE ? 0.0 : weight_i > 1.0 - NEGLIGIBLE ? 1.0 : weight_i;

  double m4 = 0.0, m3 = 0.0;
  c.gradient = c.turning_i = c.turning_j = c.point = {0.0, 0.0, 0.0};
  c.nodes = 0;
  c.deepest = 0.0;
  const auto add = [&](const Body &of, const Body &in, const Vector &shift, double weight, Candidates &list,
                       double sign, Vector &turning_of, Vector &turning_in) {
    if (weight == 0.0) return;
    const Rotation &axes = in.shape ? in.turn : of.turn;
    const Rotation turn = relative(of.shape ? of.turn : axes, axes);
    const Vector local = axes.back(shift);
    const Shape &nodes = of.shape ? *of.shape : sphere_of_nodes();
    const Moment sum = in.shape
        ? moment_of(nodes, of.scale, turn, local, ShapeSurface{in.shape->field, in.scale, 1.0 / in.scale}, list)
        : moment_of(nodes, of.scale, turn, local, SphereSurface{in.scale}, list);
    if (sum.m3 == 0.0) return;
    const Vector gradient = axes * sum.gradient;
    Vector turning = axes * sum.turning;
    if (!of.shape) turning = {0.0, 0.0, 0.0};
    m4 += weight * sum.m4;
    m3 += weight * sum.m3;
    c.gradient = c.gradient + (sign * weight) * gradient;
    turning_of = turning_of + weight * turning;
    if (in.shape) turning_in = turning_in - weight * (turning + cross(shift, gradient));
    c.point = c.point + weight * (axes * sum.first + sum.m3 * in.position);
    c.nodes += sum.nodes;
    c.deepest = larger(sum.deepest, c.deepest);
  };
  add(i, j, apart, weight_i, cache.of_i, 1.0, c.turning_i, c.turning_j);
  add(j, i, -1.0 * apart, 1.0 - weight_i, cache.of_j, -1.0, c.turning_j, c.turning_i);
  if (!(m4 > 0.0)) return false;
  c.point = (1.0 / m3) * c.point;
  const double ri = i.volume_radius(), rj = j.volume_radius();
  return finish(m4, ri * rj / (ri + rj), c);
}

bool find_contact(const Body &i, const Plane &plane, ContactCache &cache, ShapeContact &contact)
{
  return at_surface(i, plane.point, PlaneSurface{plane.normal}, cache, contact);
}

bool find_contact(const Body &i, const Tube &tube, ContactCache &cache, ShapeContact &contact)
{
  return at_surface(i, tube.point, TubeSurface{tube.radius, tube.axis}, cache, contact);
}

void find_contacts(const Body &i, const MeshParts &mesh, const Vector &origin, const Rotation &axes,
                   ContactCache &cache, std::vector<PartContact> &contacts)
{
  const Shape &shape = i.shape ? *i.shape : sphere_of_nodes();
  const Rotation turn = relative(i.turn, axes);
  const Vector shift = axes.back(i.position - origin);
  Candidates &list = cache.of_i;
  const double way = update_candidates(shape, i.scale, turn, shift, AnyPart{mesh}, list), area = i.scale * i.scale;
  std::vector<std::pair<int, Moment>> sums;
  for (std::size_t k = 0; k < list.node.size(); ++k) {
    if (list.missing[k] > way) continue;
    const int n = list.node[k];
    const Vector arm = turn * (i.scale * shape.nodes[n]), place = arm + shift;
    double distance;
    Vector slope;
    int part;
    if (!mesh.nearest(place, distance, slope, part) || !(distance < 0.0)) continue;
    auto at = std::find_if(sums.begin(), sums.end(), [part](const auto &sum) { return sum.first == part; });
    if (at == sums.end()) at = sums.insert(sums.end(), {part, Moment{}});
    add_node(at->second, area * shape.weights[n], arm, place, -distance, slope);
  }
  for (const auto &[part, sum] : sums) {
    if (!(sum.m4 > 0.0)) continue;
    ShapeContact c{};
    c.gradient = axes * sum.gradient;
    c.turning_i = axes * sum.turning;
    c.point = axes * ((1.0 / sum.m3) * sum.first) + origin;
    c.nodes = sum.nodes;
    c.deepest = sum.deepest;
    if (finish(sum.m4, i.volume_radius(), c)) contacts.push_back({part, c});
  }
}

}    // namespace granular_plus
