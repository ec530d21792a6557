/* ----------------------------------------------------------------------
   TriangleMesh: links between triangles that share an edge.
------------------------------------------------------------------------- */

#include "triangle_mesh.h"

#include "vertices.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace granular_plus {

namespace {

constexpr double SHARE_OF_AN_EDGE = 0.1;    // largest gap between joined edges, divided by the length of the edges
constexpr int MOST_AT_AN_EDGE = 8;

}    // namespace

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

}    // namespace granular_plus
