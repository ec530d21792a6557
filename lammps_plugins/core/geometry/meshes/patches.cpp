#include "patches.h"

#include <algorithm>
#include <cmath>

namespace granular_plus {

using namespace patch_search;

namespace {

// MOST_CANCELS: the forces of a patch's triangles nearly cancel if the gradient of the overlap is below this value. The
// gradient is 1 at a plane. OPPOSITE: a triangle pushes against the normal if the cosine between the normal and the
// direction to the triangle is above this value.
constexpr double MOST_CANCELS = 0.7, OPPOSITE = 0.5;

struct Candidates {
  const TriangleMesh &mesh;
  const int *triangles;
  const Facet &facet(int k) const { return mesh.facet(triangles[k]); }
};

void assign_all(std::vector<PatchFinder::Share> &shares, Patch &patch, int triangle)
{
  patch.first_share = static_cast<int>(shares.size());
  auto &share = shares.emplace_back();
  share.triangle = triangle;
  share.weight = 1.0;
  patch.end_share = static_cast<int>(shares.size());
}

}    // namespace

struct PatchFinder::Parts {
  const TriangleMesh &mesh;
  const std::vector<Near> &near;
  int count() const { return static_cast<int>(near.size()); }
  int patch(int k) const { return near[k].patch; }
  int triangle(int k) const { return near[k].triangle; }
  double square(int k) const { return near[k].footprint.square; }
  const Footprint &footprint(int k) const { return near[k].footprint; }
  const Facet &facet(int k) const { return mesh.facet(near[k].triangle); }
};

bool PatchFinder::find_on_one_plane(const TriangleMesh &mesh, const NearTriangles &candidates, const Vector &centre,
                                    double radius, std::vector<Patch> &patches)
{
  int only;
  double height;
  if (!is_on_one_plane(Candidates{mesh, candidates.triangles}, candidates.count,
                       candidates.in_one_plane ? candidates.likely : 0, candidates.in_one_plane, centre, 1.0 / radius,
                       only, height))
    return false;
  if (only < 0) return true;
  const int triangle = candidates.triangles[only];
  Patch &patch = patches.emplace_back();
  fill_on_plane(patch, mesh.facet(triangle), triangle, height, radius);
  assign_all(shares, patch, triangle);
  return true;
}

/* ----------------------------------------------------------------------
   Returns whether a part of the patch pushes the sphere against the normal. For example, if a sphere fills a pipe, the
   far side of the pipe does so.
------------------------------------------------------------------------- */

bool PatchFinder::pushes_against(const TriangleMesh &mesh, int patch, const Vector &normal) const
{
  return std::any_of(near.begin(), near.end(), [&](const Near &part) {
    if (part.patch != patch || !(part.footprint.square < 1.0)) return false;
    const Vector way = vector_to_nearest(mesh.facet(part.triangle), part.footprint);
    return dot(way, normal) > OPPOSITE * std::sqrt(part.footprint.square);
  });
}

/* ----------------------------------------------------------------------
   Returns whether a triangle of another patch lies on the path from the sphere's centre to the end of `way`. For
   example, the near face of a plate hides the far face. Triangles at the end of `way` do not count.
------------------------------------------------------------------------- */

bool PatchFinder::is_hidden(const TriangleMesh &mesh, int patch, const Vector &way) const
{
  // END: fraction of the path beyond which triangles do not count. RIM: distance in radii by which the path may miss a
  // triangle.
  constexpr double END = 1.0 - 1.0e-6, RIM = 1.0e-9;
  return std::any_of(near.begin(), near.end(), [&](const Near &part) {
    if (part.patch == patch) return false;
    const Facet &facet = mesh.facet(part.triangle);
    const double fall = -dot(way, facet.normal), height = part.footprint.height;
    const double at = height / fall;    // NaN if the path lies in the plane
    if (!(at > 0.0 && at < END)) return false;
    return std::all_of(std::begin(part.footprint.edge), std::end(part.footprint.edge), [&](const auto &edge) {
      const auto k = &edge - part.footprint.edge;
      return edge.distance - at * dot(way, facet.outward[k]) > -RIM;
    });
  });
}

void PatchFinder::find(const TriangleMesh &mesh, const NearTriangles &candidates, const Vector &centre, double radius,
                       double cutoff, int known, std::vector<Patch> &patches)
{
  const double per_radius = 1.0 / radius, reach = std::max(PATCH_REACH, cutoff * per_radius);
  const std::size_t before = patches.size();
  if (known <= 1 && find_on_one_plane(mesh, candidates, centre, radius, patches))
    if (known == 0 || patches.size() > before) return;
  near.clear();
  for (int k = 0; k < candidates.count; ++k) {
    near.emplace_back();
    near.back().triangle = candidates.triangles[k];
    near.back().patch = -1;
    if (!find_footprint(mesh.facet(near.back().triangle), centre, per_radius, reach, near.back().footprint))
      near.pop_back();
  }
  if (near.empty()) return;

  const int patch_count = number_patches(mesh, reach);
  const Parts parts{mesh, near};
  for (int p = 0; p < patch_count; ++p) {
    const int nearest = nearest_of(parts, p);
    const double distance = std::sqrt(parts.square(nearest));
    if (!(distance * radius < cutoff)) continue;
    const Vector way = vector_to_nearest(parts.facet(nearest), parts.footprint(nearest));
    Patch patch{};
    patch.first_share = static_cast<int>(shares.size());
    int only;
    const auto bear = [&](int k, double third) { shares.push_back({near[k].triangle, third}); };
    struct {
      decltype(bear) of;
    } share{bear};
    const double third = find_depth(parts, p, nearest, way, distance, centre, radius, patch, only, share);
    if (only >= 0) {
      assign_all(shares, patch, near[only].triangle);
    } else if (third > 0.0) {
      for (std::size_t k = patch.first_share; k < shares.size(); ++k) shares[k].weight /= third;
      patch.opposed = patch.gradient < MOST_CANCELS && pushes_against(mesh, p, patch.normal);
    } else {
      shares.resize(patch.first_share);
    }
    patch.end_share = static_cast<int>(shares.size());
    patch.hidden = patch_count > 1 && is_hidden(mesh, p, way);
    patches.push_back(patch);
  }
}

/* ----------------------------------------------------------------------
   Numbers the patches from 0 and returns how many patches there are. Triangles beyond PATCH_REACH form separate
   patches, which are needed for liquid bridges and for ended contacts.
------------------------------------------------------------------------- */

int PatchFinder::number_patches(const TriangleMesh &mesh, double reach)
{
  const int found = static_cast<int>(near.size());
  int patch_count = 0;
  if (found == 1) {
    near[0].patch = patch_count++;
    return patch_count;
  }
  mark.resize(mesh.size(), -1);
  for (int k = 0; k < found; ++k) mark[near[k].triangle] = k;
  const auto grow = [&](int first, double within) {
    near[first].patch = patch_count;
    waiting.assign(1, first);
    while (!waiting.empty()) {
      const int triangle = near[waiting.back()].triangle;
      waiting.pop_back();
      for (const int *link = mesh.links_begin(triangle); link != mesh.links_end(triangle); ++link) {
        const int k = mark[*link];
        if (k < 0 || near[k].patch >= 0 || !(near[k].footprint.square < within * within)) continue;
        near[k].patch = patch_count;
        waiting.push_back(k);
      }
    }
    ++patch_count;
  };
  for (const double within : {PATCH_REACH, reach}) {
    for (int k = 0; k < found; ++k)
      if (near[k].patch < 0 && near[k].footprint.square < within * within) grow(k, within);
    if (reach == PATCH_REACH) break;
  }
  for (int k = 0; k < found; ++k) mark[near[k].triangle] = -1;
  return patch_count;
}

}    // namespace granular_plus
