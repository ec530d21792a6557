#include "triangle_mesh.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>

namespace granular_plus {

namespace {

constexpr double RADIANS = PI / 180.0;
constexpr int LEAF = 4;    // triangles that end a branch of the tree

// more at one edge are no surface, and cost the square of their number
constexpr int MOST_AT_AN_EDGE = 8;

// corners that are the same number for number become one vertex
class Vertices {
 public:
  explicit Vertices(std::size_t corners)
  {
    std::size_t size = 16;
    while (size < 2 * corners) size *= 2;
    slots.assign(size, -1);
  }

  int number_of(const double *corner)
  {
    std::uint64_t bits[3];
    double key[3];
    for (int d = 0; d < 3; ++d) key[d] = corner[d] + 0.0;    // -0 is 0
    std::memcpy(bits, key, sizeof bits);
    std::uint64_t hash = 0;
    for (const std::uint64_t part : bits) hash = (hash ^ part ^ part >> 32) * 0x9e3779b97f4a7c15u;
    for (std::size_t slot = (hash ^ hash >> 29) & (slots.size() - 1);; slot = (slot + 1) & (slots.size() - 1)) {
      if (slots[slot] < 0) {
        slots[slot] = static_cast<int>(list.size());
        list.push_back({key[0], key[1], key[2]});
        return slots[slot];
      }
      const Vector &there = list[slots[slot]];
      if (there.x == key[0] && there.y == key[1] && there.z == key[2]) return slots[slot];
    }
  }

  std::vector<Vector> list;

 private:
  std::vector<int> slots;
};

// Rodrigues
Vector turned(const Vector &v, const Vector &axis, double cosine, double sine)
{
  return cosine * v + sine * cross(axis, v) + ((1.0 - cosine) * dot(axis, v)) * axis;
}

// the direction in the plane of a triangle that leads away from an edge a b, towards a third point
Vector away_from_edge(const Vector &a, const Vector &b, const Vector &third)
{
  const Vector edge = b - a, there = third - a;
  const Vector in_plane = there - (dot(there, edge) / dot(edge, edge)) * edge;
  return (1.0 / length(in_plane)) * in_plane;
}

}    // namespace

/* ---------------------------------------------------------------------- */

TriangleMesh::TriangleMesh(const std::vector<double> &corners, const Placement &placement, double feature,
                           const Surroundings &around)
{
  if (corners.size() / 9 > static_cast<std::size_t>(std::numeric_limits<int>::max() / 12))
    throw MeshError("the number of its triangles = " + std::to_string(corners.size() / 9) +
                    " must be <= " + std::to_string(std::numeric_limits<int>::max() / 12));
  std::vector<Vector> vertices;
  auto triangles = weld(corners, vertices);
  in_file = static_cast<int>(triangles.size());

  const double cosine = std::cos(RADIANS * placement.degrees), sine = std::sin(RADIANS * placement.degrees);
  Vector axis{placement.axis[0], placement.axis[1], placement.axis[2]};
  if (placement.degrees != 0.0) axis = (1.0 / length(axis)) * axis;
  const Vector offset{placement.offset[0], placement.offset[1], placement.offset[2]};
  lower.fill(std::numeric_limits<double>::infinity());
  upper.fill(-std::numeric_limits<double>::infinity());
  for (Vector &v : vertices) {
    v = placement.scale * v;
    if (placement.degrees != 0.0) v = turned(v, axis, cosine, sine);
    v = v + offset;
    const double place[3] = {v.x, v.y, v.z};
    for (int d = 0; d < 3; ++d) {
      if (!(std::fabs(place[d]) <= LARGEST_COORDINATE))
        throw MeshError("a coordinate, scaled and moved, = " + std::to_string(place[d]) + " must be at most 1e30");
      lower[d] = std::min(lower[d], place[d]);
      upper[d] = std::max(upper[d], place[d]);
    }
  }

  // the normal needs an area: a triangle whose height is round-off of its longest edge has none
  constexpr double FLATTEST = 1.0e-12;
  facets.reserve(triangles.size());
  shortest_edge = std::numeric_limits<double>::infinity();
  std::size_t kept = 0;
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    Vector corner[3];
    double longest = 0.0, shortest = std::numeric_limits<double>::infinity();
    for (int k = 0; k < 3; ++k) corner[k] = vertices[triangles[t][k]];
    for (int k = 0; k < 3; ++k) {
      const double size = length(corner[(k + 1) % 3] - corner[k]);
      longest = std::max(longest, size);
      shortest = std::min(shortest, size);
    }
    const double unit = longest > 0.0 ? 1.0 / longest : 0.0;
    const double height = length(cross(unit * (corner[1] - corner[0]), unit * (corner[2] - corner[0])));
    if (!(height > FLATTEST && shortest > 0.0)) {
      ++without_area;
      continue;
    }
    longest_edge = std::max(longest_edge, longest);
    shortest_edge = std::min(shortest_edge, shortest);
    triangles[kept] = triangles[t];
    numbers.push_back(static_cast<int>(t) + 1);
    facets.push_back(facet_of(corner));
    ++kept;
  }
  triangles.resize(kept);
  if (facets.empty()) throw MeshError("none of its " + std::to_string(without_area) + " triangles has an area");

  for (int t = 0; t < size(); ++t) mean_of_areas += area(t) / size();
  images.assign(facets.size(), 0);
  add_images(triangles, around);
  build_tree(triangles);
  find_links(triangles, feature);
}

/* ---------------------------------------------------------------------- */

std::vector<std::array<int, 3>> TriangleMesh::weld(const std::vector<double> &corners, std::vector<Vector> &vertices)
{
  const std::size_t count = corners.size() / 9;
  std::vector<std::array<int, 3>> triangles(count);
  Vertices found(3 * count);
  for (std::size_t t = 0; t < count; ++t)
    for (int k = 0; k < 3; ++k) triangles[t][k] = found.number_of(&corners[9 * t + 3 * k]);
  vertices = std::move(found.list);
  return triangles;
}

double TriangleMesh::area(int triangle) const
{
  const auto &corner = facets[triangle].corner;
  return 0.5 * length(cross(corner[1] - corner[0], corner[2] - corner[0]));
}

/* ----------------------------------------------------------------------
   The images of a dimension have images in the next one. Their vertices are their own: where an image goes on from the
   mesh its edges lie on those of the mesh.
------------------------------------------------------------------------- */

void TriangleMesh::add_images(std::vector<std::array<int, 3>> &triangles, const Surroundings &around)
{
  int vertices = 0;
  for (const auto &triangle : triangles)
    vertices = std::max({vertices, triangle[0] + 1, triangle[1] + 1, triangle[2] + 1});
  for (int d = 0; d < 3; ++d) {
    if (!around.periodic[d]) continue;
    const double period = around.high[d] - around.low[d];
    const Vector way{d == 0 ? period : 0.0, d == 1 ? period : 0.0, d == 2 ? period : 0.0};
    const std::size_t before = facets.size();
    for (const double sign : {1.0, -1.0}) {
      for (std::size_t t = 0; t < before; ++t) {
        Facet facet = facets[t];
        double low = std::numeric_limits<double>::infinity(), high = -low;
        for (Vector &corner : facet.corner) {
          const double place = d == 0 ? corner.x : (d == 1 ? corner.y : corner.z);
          low = std::min(low, place);
          high = std::max(high, place);
          corner = corner + sign * way;
        }
        if (sign > 0.0 ? low > around.low[d] + Surroundings::REACH * period
                       : high < around.high[d] - Surroundings::REACH * period)
          continue;
        facets.push_back(facet);
        numbers.push_back(numbers[t]);
        images.push_back(1);
        std::array<int, 3> corners = triangles[t];
        for (int &corner : corners) corner += vertices;
        triangles.push_back(corners);
      }
      int most = 0;
      for (const auto &triangle : triangles) most = std::max({most, triangle[0] + 1, triangle[1] + 1, triangle[2] + 1});
      vertices = most;
    }
  }
}

/* ----------------------------------------------------------------------
   boxes within boxes, halved at the middle of what they hold along their longest side
------------------------------------------------------------------------- */

void TriangleMesh::build_tree(std::vector<std::array<int, 3>> &triangles)
{
  const int count = size();
  std::vector<int> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::vector<std::array<float, 3>> middles(count);
  for (int t = 0; t < count; ++t) {
    const Vector sum = facets[t].corner[0] + facets[t].corner[1] + facets[t].corner[2];
    middles[t] = {static_cast<float>(sum.x / 3.0), static_cast<float>(sum.y / 3.0), static_cast<float>(sum.z / 3.0)};
  }
  struct Job {
    int begin, end, parent;
  };
  std::vector<Job> jobs{{0, count, -1}};
  nodes.reserve(count);
  while (!jobs.empty()) {
    const Job job = jobs.back();
    jobs.pop_back();
    const int self = static_cast<int>(nodes.size());
    if (job.parent >= 0) nodes[job.parent].end = self;
    Node node{};
    for (int d = 0; d < 3; ++d) {
      double low = std::numeric_limits<double>::infinity(), high = -low;
      for (int k = job.begin; k < job.end; ++k)
        for (const Vector &corner : facets[order[k]].corner) {
          const double place = d == 0 ? corner.x : (d == 1 ? corner.y : corner.z);
          low = std::min(low, place);
          high = std::max(high, place);
        }
      node.low[d] = std::nextafter(static_cast<float>(low), -std::numeric_limits<float>::infinity());
      node.high[d] = std::nextafter(static_cast<float>(high), std::numeric_limits<float>::infinity());
    }
    node.begin = job.begin;
    node.end = job.end;
    if (job.end - job.begin > LEAF) {
      int longest = 0;
      for (int d = 1; d < 3; ++d)
        if (node.high[d] - node.low[d] > node.high[longest] - node.low[longest]) longest = d;
      const int middle = (job.begin + job.end) / 2;
      std::nth_element(order.begin() + job.begin, order.begin() + middle, order.begin() + job.end,
                       [&](int a, int b) { return middles[a][longest] < middles[b][longest]; });
      node.begin = -1;
      jobs.push_back({middle, job.end, self});
      jobs.push_back({job.begin, middle, -1});    // the next one, hence behind this node
    }
    nodes.push_back(node);
  }

  const auto rearrange = [&](auto &list) {
    auto before = list;
    for (int t = 0; t < count; ++t) list[t] = before[order[t]];
  };
  rearrange(facets);
  rearrange(numbers);
  rearrange(images);
  rearrange(triangles);
}

/* ---------------------------------------------------------------------- */

double TriangleMesh::square_between(const Node &node, const double *place)
{
  double square = 0.0;
  for (int d = 0; d < 3; ++d) {
    const double beyond = std::max({node.low[d] - place[d], place[d] - node.high[d], 0.0});
    square += beyond * beyond;
  }
  return square;
}

void TriangleMesh::find_near(const Vector &point, double reach, std::vector<int> &found) const
{
  const double place[3] = {point.x, point.y, point.z};
  int waiting[64], count = 0;    // halves of at most 2^31 triangles
  waiting[count++] = 0;
  while (count > 0) {
    const int self = waiting[--count];
    const Node &node = nodes[self];
    if (!(square_between(node, place) < reach * reach)) continue;
    if (node.begin >= 0) {
      for (int t = node.begin; t < node.end; ++t) found.push_back(t);
    } else {
      waiting[count++] = node.end;
      waiting[count++] = self + 1;
    }
  }
}

// the nearer half first, so that most of the other one need not be looked at

double TriangleMesh::distance(const Vector &point, double most) const
{
  const double place[3] = {point.x, point.y, point.z};
  struct Half {
    int node;
    double square;
  } waiting[64];
  int count = 0;
  double least = most;
  waiting[count++] = {0, square_between(nodes[0], place)};
  while (count > 0) {
    const Half half = waiting[--count];
    if (!(half.square < least * least)) continue;
    const Node &node = nodes[half.node];
    if (node.begin >= 0) {
      Footprint footprint;
      for (int t = node.begin; t < node.end; ++t)
        if (find_footprint(facets[t], point, 1.0, least, footprint)) least = std::sqrt(footprint.square);
    } else {
      Half one{half.node + 1, square_between(nodes[half.node + 1], place)};
      Half other{node.end, square_between(nodes[node.end], place)};
      if (one.square < other.square) std::swap(one, other);
      waiting[count++] = one;
      waiting[count++] = other;
    }
  }
  return least;
}

/* ----------------------------------------------------------------------
   Triangles at one edge, found by sorting edges. How they are wound does not matter: many drawings get that wrong.
------------------------------------------------------------------------- */

void TriangleMesh::find_links(const std::vector<std::array<int, 3>> &triangles, double feature)
{
  struct Edge {
    std::uint64_t key;    // both vertices
    int triangle, opposite;
  };
  const int count = size();
  std::vector<Edge> edges;
  edges.reserve(3 * static_cast<std::size_t>(count));
  for (int t = 0; t < count; ++t)
    for (int k = 0; k < 3; ++k) {
      const auto ends = std::minmax(triangles[t][k], triangles[t][(k + 1) % 3]);
      edges.push_back(
          {static_cast<std::uint64_t>(ends.first) << 32 | static_cast<std::uint32_t>(ends.second), t, (k + 2) % 3});
    }
  std::sort(edges.begin(), edges.end(),
            [](const Edge &a, const Edge &b) { return a.key != b.key ? a.key < b.key : a.triangle < b.triangle; });

  const double flattest = std::cos(RADIANS * feature);
  std::vector<std::array<int, 2>> pairs, open;
  const auto away = [&](const Edge &edge) {
    const auto &corner = facets[edge.triangle].corner;
    return away_from_edge(corner[(edge.opposite + 1) % 3], corner[(edge.opposite + 2) % 3], corner[edge.opposite]);
  };
  for (std::size_t begin = 0, end; begin < edges.size(); begin = end) {
    for (end = begin + 1; end < edges.size() && edges[end].key == edges[begin].key;) ++end;
    const auto number_at = [&](std::size_t k) { return std::to_string(numbers[edges[k].triangle]); };
    if (end == begin + 1) {
      if (!images[edges[begin].triangle]) ++open_edges;
      open.push_back({edges[begin].triangle, edges[begin].opposite});
    } else if (end > begin + 2) {
      ++crowded_edges;
    }
    if (end - begin > MOST_AT_AN_EDGE)
      throw MeshError("triangle " + number_at(begin) + ": the number of triangles at one of its edges = " +
                      std::to_string(end - begin) + " must be <= " + std::to_string(MOST_AT_AN_EDGE));
    for (std::size_t k = begin; k < end; ++k)
      for (std::size_t m = begin; m < k; ++m) {
        const int third = triangles[edges[k].triangle][edges[k].opposite];
        if (third == triangles[edges[m].triangle][edges[m].opposite])
          throw MeshError("triangle " +
                          std::to_string(std::max(numbers[edges[k].triangle], numbers[edges[m].triangle])) +
                          " is the same as triangle " +
                          std::to_string(std::min(numbers[edges[k].triangle], numbers[edges[m].triangle])) +
                          "; the surface would be twice as stiff there");
        if (-dot(away(edges[k]), away(edges[m])) >= flattest) pairs.push_back({edges[k].triangle, edges[m].triangle});
      }
  }
  join_open_edges(open, flattest, pairs);

  first_link.assign(count + 1, 0);
  for (const auto &pair : pairs)
    for (const int t : pair) ++first_link[t + 1];
  for (int t = 0; t < count; ++t) first_link[t + 1] += first_link[t];
  links.resize(first_link[count]);
  std::vector<int> next(first_link.begin(), first_link.end() - 1);
  for (const auto &pair : pairs) {
    links[next[pair[0]]++] = pair[1];
    links[next[pair[1]]++] = pair[0];
  }
}

/* ----------------------------------------------------------------------
   Where a long edge lies along several short ones no two have the same ends. The middle of one then lies on the other.
------------------------------------------------------------------------- */

void TriangleMesh::join_open_edges(const std::vector<std::array<int, 2>> &open, double flattest,
                                   std::vector<std::array<int, 2>> &pairs) const
{
  std::vector<unsigned char> is_open(facets.size(), 0);    // bit k: the edge opposite to corner k
  for (const auto &[triangle, opposite] : open) is_open[triangle] |= 1 << opposite;
  // coordinates in binary32 are off by 6e-8 of their size
  double size = 0.0;
  for (int d = 0; d < 3; ++d) size = std::max({size, std::fabs(lower[d]), std::fabs(upper[d])});
  const double tolerance = 4.0e-7 * size;
  std::vector<int> near;
  for (const auto &[triangle, opposite] : open) {
    const auto &corner = facets[triangle].corner;
    const Vector a = corner[(opposite + 1) % 3], b = corner[(opposite + 2) % 3];
    const Vector middle = 0.5 * (a + b), away = away_from_edge(a, b, corner[opposite]);
    const double here = length(b - a);
    near.clear();
    find_near(middle, tolerance, near);
    for (const int other : near) {
      if (other == triangle) continue;
      for (int k = 0; k < 3; ++k) {
        if (!(is_open[other] & 1 << k)) continue;
        const auto &there = facets[other].corner;
        const Vector c = there[(k + 1) % 3], d = there[(k + 2) % 3];
        const Vector way = d - c;
        const double size_of_way = length(way);
        const Vector along = (1.0 / size_of_way) * way;
        const double place = dot(middle - c, along);
        const Vector beside = (middle - c) - place * along;
        const bool parallel = std::fabs(dot(b - a, along)) > here - tolerance;
        if (!parallel || !(length(beside) < tolerance) || place < 0.0 || place > size_of_way) continue;
        if (-dot(away, away_from_edge(c, d, there[k])) >= flattest) pairs.push_back({triangle, other});
      }
    }
  }
}

/* ---------------------------------------------------------------------- */

std::size_t TriangleMesh::bytes() const
{
  return facets.capacity() * sizeof(Facet) + nodes.capacity() * sizeof(Node) +
      (numbers.capacity() + first_link.capacity() + links.capacity()) * sizeof(int);
}

}    // namespace granular_plus
