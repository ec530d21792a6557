/* ----------------------------------------------------------------------
   Builds a mesh from the triangles of a file. This file is long because all steps work on the same lists of triangles,
   and the search for overlaps and open edges needs the finished tree.
------------------------------------------------------------------------- */

#include "triangle_mesh.h"

#include "vertices.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace granular_plus {

namespace {

constexpr int LEAF = 4;                     // number of triangles in the smallest boxes
constexpr double SHARE_OF_AN_EDGE = 0.1;    // largest gap between joined edges, divided by the length of the edges
constexpr int MOST_AT_AN_EDGE = 8;

Vector turned(const Vector &v, const Vector &axis, double cosine, double sine)
{
  return cosine * v + sine * cross(axis, v) + ((1.0 - cosine) * dot(axis, v)) * axis;
}

bool is_beside(const Facet &facet, const Facet &other, double tolerance)
{
  for (int k = 0; k < 3; ++k) {
    const double edge = dot(facet.outward[k], facet.corner[k]) - tolerance;
    bool beyond = true;
    for (const Vector &corner : other.corner) beyond = beyond && dot(facet.outward[k], corner) >= edge;
    if (beyond) return true;
  }
  return false;
}

// Largest distance that rounding of the coordinates may cause between vertices that should coincide.
double tolerance_within(const Vector &low, const Vector &high)
{
  constexpr double SIX_DIGITS = 1.0e-5, SINGLE_PRECISION = 4.0e-7;
  double farthest = 0.0;
  for (int d = 0; d < 3; ++d)
    farthest = std::max({farthest, std::fabs(component(low, d)), std::fabs(component(high, d))});
  return std::max(SIX_DIGITS * length(high - low), SINGLE_PRECISION * farthest);
}

// Returns whether two triangles are nearly parallel and closer together than the tolerance over an area that is wider
// than the tolerance.
bool lies_on(const Facet &one, const Facet &other, double tolerance)
{
  // cosine of the largest angle by which rounding may tilt a triangle
  constexpr double PARALLEL = 0.998;
  if (!(std::fabs(dot(one.normal, other.normal)) > PARALLEL)) return false;
  if (is_beside(one, other, tolerance) || is_beside(other, one, tolerance)) return false;

  Vector part[6], clipped[6];
  int corners = 3;
  std::copy_n(other.corner, 3, part);
  for (int k = 0; k < 3; ++k) {
    int kept = 0;
    for (int c = 0; c < corners; ++c) {
      const Vector &from = part[c], &to = part[(c + 1) % corners];
      const double here = dot(one.outward[k], one.corner[k] - from), there = dot(one.outward[k], one.corner[k] - to);
      if (here >= 0.0) clipped[kept++] = from;
      if ((here >= 0.0) != (there >= 0.0)) clipped[kept++] = from + (here / (here - there)) * (to - from);
    }
    std::copy_n(clipped, kept, part);
    corners = kept;
  }
  double around = 0.0;
  Vector doubled{0.0, 0.0, 0.0};
  for (int c = 0; c < corners; ++c) {
    const Vector &from = part[c], &to = part[(c + 1) % corners];
    if (!(std::fabs(dot(one.normal, from - one.corner[0])) < tolerance)) return false;
    around += length(to - from);
    doubled = doubled + cross(from - part[0], to - part[0]);
  }
  return length(doubled) > tolerance * around;
}

// The corners must not be collinear.
Facet facet_of(const Vector *corners)
{
  Facet facet{{corners[0], corners[1], corners[2]}, {}, {}};
  // Lengths are in units of the first edge, so that squares do not underflow or overflow.
  const double unit = 1.0 / length(corners[1] - corners[0]);
  const Vector area = cross(unit * (corners[1] - corners[0]), unit * (corners[2] - corners[0]));
  facet.normal = (1.0 / length(area)) * area;
  for (int k = 0; k < 3; ++k) {
    const Vector way = corners[k == 2 ? 0 : k + 1] - corners[k];
    const Vector outward = cross((1.0 / length(way)) * way, facet.normal);
    facet.outward[k] = (1.0 / length(outward)) * outward;
  }
  return facet;
}

}    // namespace

TriangleMesh::TriangleMesh(const std::vector<double> &corners, const Placement &placement, double feature,
                           const PeriodicBox &around)
{
  if (corners.size() / 9 > static_cast<std::size_t>(std::numeric_limits<int>::max() / 12))
    throw MeshError("the number of triangles = " + std::to_string(corners.size() / 9) +
                    " must be <= " + std::to_string(std::numeric_limits<int>::max() / 12));
  in_file = static_cast<int>(corners.size() / 9);
  std::vector<std::array<int, 3>> triangles(in_file);
  auto joined = joined_corners(3 * triangles.size(), [&](std::size_t k) { return vector_of(&corners[3 * k]); });
  for (std::size_t t = 0; t < triangles.size(); ++t)
    for (int k = 0; k < 3; ++k) triangles[t][k] = joined.number[3 * t + k];

  place(joined.vertices, placement);
  make_facets(joined.vertices, triangles);
  for (int t = 0; t < size(); ++t) mean_of_areas += area(t) / size();
  tolerance = tolerance_within(vector_of(low()), vector_of(high()));
  images.assign(facets.size(), 0);
  add_images(triangles, around);
  do {
    build_tree(triangles);
    find_links(triangles, feature);
  } while (leave_out_stitches(triangles));
}

void TriangleMesh::place(std::vector<Vector> &vertices, const Placement &placement)
{
  const double cosine = std::cos(PI / 180.0 * placement.degrees), sine = std::sin(PI / 180.0 * placement.degrees);
  Vector axis = vector_of(placement.axis);
  if (placement.degrees != 0.0) axis = (1.0 / length(axis)) * axis;
  lower.fill(std::numeric_limits<double>::infinity());
  upper.fill(-std::numeric_limits<double>::infinity());
  for (Vector &v : vertices) {
    v = placement.scale * v;
    if (placement.degrees != 0.0) v = turned(v, axis, cosine, sine);
    v = v + vector_of(placement.offset);
    for (int d = 0; d < 3; ++d) {
      const double coordinate = component(v, d);
      if (!(std::fabs(coordinate) <= LARGEST_COORDINATE))
        throw MeshError("a coordinate is " + std::to_string(coordinate) +
                        " after scaling and translation, but must be between -1e30 and 1e30");
      lower[d] = std::min(lower[d], coordinate);
      upper[d] = std::max(upper[d], coordinate);
    }
  }
}

void TriangleMesh::make_facets(const std::vector<Vector> &vertices, std::vector<std::array<int, 3>> &triangles)
{
  constexpr double FLATTEST = 1.0e-12;    // smallest allowed height of a triangle divided by its longest edge
  facets.reserve(triangles.size());
  shortest_edge = std::numeric_limits<double>::infinity();
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    Vector corner[3];
    for (int k = 0; k < 3; ++k) corner[k] = vertices[triangles[t][k]];
    const auto edges = edge_lengths(corner);
    const auto [shortest, longest] = std::minmax({edges[0], edges[1], edges[2]});
    const double unit = longest > 0.0 ? 1.0 / longest : 0.0;
    const double height = length(cross(unit * (corner[1] - corner[0]), unit * (corner[2] - corner[0])));
    if (!(height > FLATTEST && shortest > 0.0)) {
      ++without_area;
      continue;
    }
    longest_edge = std::max(longest_edge, longest);
    shortest_edge = std::min(shortest_edge, shortest);
    triangles[facets.size()] = triangles[t];
    numbers.push_back(static_cast<int>(t) + 1);
    facets.push_back(facet_of(corner));
  }
  triangles.resize(facets.size());
  if (facets.empty()) throw MeshError("none of the " + std::to_string(without_area) + " triangles has an area");
}

double TriangleMesh::area(int triangle) const
{
  const auto &corner = facets[triangle].corner;
  return 0.5 * length(cross(corner[1] - corner[0], corner[2] - corner[0]));
}

bool TriangleMesh::is_narrow(int triangle) const
{
  const auto edges = edge_lengths(facets[triangle].corner);
  return 2.0 * area(triangle) < tolerance * *std::max_element(edges.begin(), edges.end());
}

void TriangleMesh::add_images(std::vector<std::array<int, 3>> &triangles, const PeriodicBox &around)
{
  const auto count_vertices = [&] {
    int count = 0;
    for (const auto &triangle : triangles) count = std::max({count, triangle[0] + 1, triangle[1] + 1, triangle[2] + 1});
    return count;
  };
  for (int d = 0; d < 3; ++d) {
    if (!around.periodic[d]) continue;
    const double period = around.high[d] - around.low[d];
    const Vector way{d == 0 ? period : 0.0, d == 1 ? period : 0.0, d == 2 ? period : 0.0};
    const std::size_t before = facets.size();
    for (const double sign : {1.0, -1.0}) {
      const int vertices = count_vertices();
      for (std::size_t t = 0; t < before; ++t) {
        Facet facet = facets[t];
        double low = std::numeric_limits<double>::infinity(), high = -low;
        for (Vector &corner : facet.corner) {
          const double place = component(corner, d);
          low = std::min(low, place);
          high = std::max(high, place);
          corner = corner + sign * way;
        }
        if (sign > 0.0 ? low > around.low[d] + PeriodicBox::REACH * period
                       : high < around.high[d] - PeriodicBox::REACH * period)
          continue;
        facets.push_back(facet);
        numbers.push_back(numbers[t]);
        images.push_back(1);
        std::array<int, 3> corners = triangles[t];
        for (int &corner : corners) corner += vertices;
        triangles.push_back(corners);
      }
    }
  }
}

void TriangleMesh::build_tree(std::vector<std::array<int, 3>> &triangles)
{
  const int count = size();
  std::vector<std::array<float, 3>> middles(count);
  for (int t = 0; t < count; ++t) {
    const Vector sum = facets[t].corner[0] + facets[t].corner[1] + facets[t].corner[2];
    middles[t] = {static_cast<float>(sum.x / 3.0), static_cast<float>(sum.y / 3.0), static_cast<float>(sum.z / 3.0)};
  }
  tree.build(
      count, 3, LEAF, [&](int t, int k) -> const Vector & { return facets[t].corner[k]; },
      [&](int a, int b, int axis) { return middles[a][axis] < middles[b][axis]; });

  const auto rearrange = [&](auto &list) {
    auto before = list;
    for (int t = 0; t < count; ++t) list[t] = before[tree.order[t]];
  };
  rearrange(facets);
  rearrange(numbers);
  rearrange(images);
  rearrange(triangles);
}

FlatMesh TriangleMesh::flat() const
{
  FlatMesh flat{facets, {}, first_link, links};
  const int count = static_cast<int>(tree.boxes.size());
  flat.boxes.resize(count);
  const auto put = [&](const auto &self, int b, int end) -> void {
    const auto &box = tree.boxes[b];
    SearchBox &to = flat.boxes[b];
    std::copy_n(box.low, 3, to.low);
    std::copy_n(box.high, 3, to.high);
    const bool is_leaf = box.second == 0;
    to.begin = box.begin;
    to.end = is_leaf ? box.end : box.begin;
    to.next = end;
    if (is_leaf) return;
    self(self, b + 1, box.second);
    self(self, box.second, end);
  };
  put(put, 0, count);
  return flat;
}

void TriangleMesh::find_near(const Vector &point, double reach, std::vector<int> &found) const
{
  tree.visit(point, reach, [&](int t) { found.push_back(t); });
}

void TriangleMesh::find_in_box(const Vector &low, const Vector &high, std::vector<int> &found) const
{
  tree.visit(low, high, [&](int t) { found.push_back(t); });
}

double TriangleMesh::distance(const Vector &point, double most) const
{
  return std::sqrt(tree.min_squared_distance(point, most * most, [&](int t, double least) {
    Footprint footprint;
    return find_footprint(facets[t], point, 1.0, std::sqrt(least), footprint) ? footprint.square : least;
  }));
}

/* ----------------------------------------------------------------------
   Counts the crossings of a ray along x. If the ray meets an edge, both triangles at the edge are tested with the same
   arithmetic, so that the ray passes through exactly one of them.
------------------------------------------------------------------------- */

bool TriangleMesh::encloses(const Vector &point) const
{
  if (!(point.x >= lower[0] && point.x <= upper[0])) return false;
  std::vector<int> near;
  find_in_box(point, {upper[0], point.y, point.z}, near);
  bool inside = false;
  for (const int t : near) {
    const Facet &facet = facets[t];
    bool meets = false;
    for (int k = 0; k < 3; ++k) {
      const Vector *low = &facet.corner[k], *high = &facet.corner[(k + 1) % 3];
      if (low->z > high->z) std::swap(low, high);
      if ((low->z > point.z) == (high->z > point.z)) continue;
      meets ^= point.y < low->y + (point.z - low->z) / (high->z - low->z) * (high->y - low->y);
    }
    if (!meets) continue;
    const Vector from = facet.corner[0] - point, &n = facet.normal;
    inside ^= dot(n, from) / n.x > 0.0;
  }
  return inside;
}

std::vector<std::array<int, 2>> TriangleMesh::overlaps(bool only_one) const
{
  std::vector<std::array<int, 2>> found;
  const Vector margin{tolerance, tolerance, tolerance};
  const auto is_wide = [&](int t) {
    const auto edges = edge_lengths(facets[t].corner);
    return 8.0 * area(t) > tolerance * (edges[0] + edges[1] + edges[2]);
  };
  std::vector<int> near;
  for (int t = 0; t < size(); ++t) {
    if (!is_wide(t)) continue;
    const auto &corner = facets[t].corner;
    Vector low = corner[0], high = corner[0];
    for (const Vector &c : corner) widen(low, high, c);
    near.clear();
    find_in_box(low - margin, high + margin, near);
    for (const int other : near) {
      if (other >= t || (images[t] && images[other]) || !lies_on(facets[t], facets[other], tolerance)) continue;
      found.push_back(numbers[t] < numbers[other] ? std::array<int, 2>{t, other} : std::array<int, 2>{other, t});
      if (only_one) return found;
    }
  }
  return found;
}

void TriangleMesh::refuse_overlaps() const
{
  for (const auto &[first, last] : overlaps(true)) {
    const std::string what = "triangle " + std::to_string(numbers[last]) + " lies on ";
    if (images[first] || images[last])
      throw MeshError(what + "the periodic image of triangle " + std::to_string(numbers[first]) +
                      ": a face that lies on two opposite periodic boundaries must be in the mesh only once");
    throw MeshError(what + "triangle " + std::to_string(numbers[first]) +
                    ": the surface would be twice as stiff there; pysuite mesh --repair unites bodies and leaves out "
                    "duplicate triangles");
  }
}

/* ----------------------------------------------------------------------
   Finds the triangles at each edge. Their orientation does not matter, because it is wrong in many STL files.
------------------------------------------------------------------------- */

void TriangleMesh::find_links(const std::vector<std::array<int, 3>> &triangles, double feature)
{
  struct Edge {
    std::uint64_t key;
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

  const double flattest = std::cos(PI / 180.0 * feature);
  open_edges = crowded_edges = 0;
  std::vector<std::array<int, 2>> pairs, open;
  const auto outward = [&](const Edge &edge) { return facets[edge.triangle].outward[(edge.opposite + 1) % 3]; };
  for (std::size_t begin = 0, end; begin < edges.size(); begin = end) {
    for (end = begin + 1; end < edges.size() && edges[end].key == edges[begin].key;) ++end;
    const auto number_at = [&](std::size_t k) { return std::to_string(numbers[edges[k].triangle]); };
    const auto is_narrow_at = [&](const Edge &edge) { return is_narrow(edge.triangle); };
    if (end == begin + 1 && !images[edges[begin].triangle]) ++open_edges;
    if (end > begin + 2) ++crowded_edges;
    // the triangles on either side of a narrow triangle are also neighbours
    if (end == begin + 1 || std::any_of(&edges[begin], &edges[begin] + (end - begin), is_narrow_at))
      for (std::size_t k = begin; k < end; ++k) open.push_back({edges[k].triangle, edges[k].opposite});
    if (end - begin > MOST_AT_AN_EDGE)
      throw MeshError("triangle " + number_at(begin) + ": the number of triangles at one of its edges is " +
                      std::to_string(end - begin) + ", but must be <= " + std::to_string(MOST_AT_AN_EDGE));
    for (std::size_t k = begin; k < end; ++k)
      for (std::size_t m = begin; m < k; ++m)
        if (-dot(outward(edges[k]), outward(edges[m])) >= flattest)
          pairs.push_back({edges[k].triangle, edges[m].triangle});
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
   Joins open edges. An open edge may lie along several shorter edges, or along two edges that each overlap part of the
   open edge. Rounding of coordinates may leave gaps.
------------------------------------------------------------------------- */

void TriangleMesh::join_open_edges(const std::vector<std::array<int, 2>> &open, double flattest,
                                   std::vector<std::array<int, 2>> &pairs) const
{
  std::vector<int> near;
  std::vector<std::array<int, 2>> found;
  for (const auto &[triangle, opposite] : open) {
    const int edge = (opposite + 1) % 3;
    const Vector a = facets[triangle].corner[edge], b = facets[triangle].corner[(edge + 1) % 3];
    const double here = length(b - a), within = std::min(tolerance, SHARE_OF_AN_EDGE * here);
    const Vector along = (1.0 / here) * (b - a), margin{within, within, within};
    Vector low = a, high = a;
    widen(low, high, b);
    near.clear();
    find_in_box(low - margin, high + margin, near);
    for (const int other : near) {
      if (other == triangle) continue;
      for (int k = 0; k < 3; ++k) {
        if (!(-dot(facets[triangle].outward[edge], facets[other].outward[k]) >= flattest)) continue;
        const Vector c = facets[other].corner[k], d = facets[other].corner[(k + 1) % 3];
        const double from = dot(c - a, along), to = dot(d - a, along), there = std::fabs(to - from);
        const double begin = std::max(0.0, std::min(from, to)), end = std::min(here, std::max(from, to));
        if (!(end - begin > std::min(within, 0.5 * there))) continue;
        const auto apart = [&](double place) {
          return length(c + ((place - from) / (to - from)) * (d - c) - (a + place * along));
        };
        if (apart(begin) < within && apart(end) < within)
          found.push_back({std::min(triangle, other), std::max(triangle, other)});
      }
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  pairs.insert(pairs.end(), found.begin(), found.end());
}

/* ----------------------------------------------------------------------
   Some programs join edges with stitches: triangles so narrow that their area and normal are only round-off. This
   function removes stitches. It keeps the equally narrow triangles of a small fillet, which have a short side and are
   linked to wider triangles by smooth edges. Returns whether stitches were removed. If so, the caller must join the
   triangles on either side of the stitches again.
------------------------------------------------------------------------- */

bool TriangleMesh::leave_out_stitches(std::vector<std::array<int, 3>> &triangles)
{
  const auto is_cap = [&](int t) {
    const auto edges = edge_lengths(facets[t].corner);
    return !(*std::min_element(edges.begin(), edges.end()) < tolerance);
  };
  const auto joins_wide = [&](int t) {
    return std::any_of(links_begin(t), links_end(t), [&](int other) { return !is_narrow(other); });
  };
  std::vector<char> seen(facets.size(), 0), stays(facets.size(), 1);
  std::vector<int> smooth;
  int left_out = 0;
  for (int first = 0; first < size(); ++first) {
    if (seen[first] || !is_narrow(first)) continue;
    smooth.assign(1, first);
    seen[first] = 1;
    for (std::size_t k = 0; k < smooth.size(); ++k)
      for (const int *link = links_begin(smooth[k]); link != links_end(smooth[k]); ++link) {
        if (seen[*link] || !is_narrow(*link)) continue;
        seen[*link] = 1;
        smooth.push_back(*link);
      }
    const bool goes_on = std::any_of(smooth.begin(), smooth.end(), joins_wide);
    for (const int t : smooth) {
      stays[t] = goes_on && (!is_cap(t) || joins_wide(t));
      left_out += !stays[t];
    }
  }
  if (left_out == 0 || left_out == size()) return false;

  without_area += left_out;
  const auto shorten = [&](auto &list) {
    std::size_t kept = 0;
    for (std::size_t t = 0; t < stays.size(); ++t)
      if (stays[t]) list[kept++] = list[t];
    list.resize(kept);
  };
  shorten(facets);
  shorten(numbers);
  shorten(images);
  shorten(triangles);
  return true;
}

std::size_t TriangleMesh::bytes() const
{
  return facets.capacity() * sizeof(Facet) + tree.bytes() +
      (numbers.capacity() + first_link.capacity() + links.capacity()) * sizeof(int);
}

}    // namespace granular_plus
