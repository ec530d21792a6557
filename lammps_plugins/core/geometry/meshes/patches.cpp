#include "patches.h"

#include <algorithm>
#include <cmath>

namespace granular_plus {

namespace {

constexpr double MOST_CANCELS = 0.7, OPPOSITE = 0.5;    // of the gradient at a plane; a cosine
constexpr double NO_MOMENT = 1.0e-250;                  // overlaps of 1e-50 radii: what is less is lost in underflow

// As a plane, to the last bit. Patches and shares are written where they stay: to copy what has just been written takes
// longer than to find it.
void fill_on_plane(Patch &patch, const TriangleMesh &mesh, int triangle, double height, double radius)
{
  const Vector &normal = mesh.facet(triangle).normal;
  const double side = height < 0.0 ? -1.0 : 1.0;
  patch.overlap = radius - radius * std::fabs(height);
  patch.gradient = 1.0;
  patch.normal.x = side * normal.x;
  patch.normal.y = side * normal.y;
  patch.normal.z = side * normal.z;
  patch.triangle = triangle;
  patch.behind = height < 0.0;
}

void bears_all(std::vector<PatchFinder::Share> &shares, Patch &patch, int triangle)
{
  patch.first_share = static_cast<int>(shares.size());
  auto &share = shares.emplace_back();
  share.triangle = triangle;
  share.weight = 1.0;
  patch.end_share = static_cast<int>(shares.size());
}

}    // namespace

/* ----------------------------------------------------------------------
   Most spheres touch no triangle, or one that holds the whole disc; then nobody needs to know what joins what. Returns
   whether that is so.
------------------------------------------------------------------------- */

bool PatchFinder::find_on_one_plane(const TriangleMesh &mesh, const NearTriangles &candidates, const Vector &centre,
                                    double radius, std::vector<Patch> &patches)
{
  const double per_radius = 1.0 / radius;
  int only = -1;
  Outline of_only{};
  for (int n = 0, k = candidates.in_one_plane ? candidates.likely : 0; n < candidates.count; ++n, ++k) {
    if (k == candidates.count) k = 0;
    const int triangle = candidates.triangles[k];
    const Outline outline = outline_of(mesh.facet(triangle), centre, per_radius);
    if (!outline.may_be_cut) continue;
    if (only >= 0 || !outline.holds_disc) return false;
    only = triangle;
    of_only = outline;
    if (candidates.in_one_plane) break;
  }
  if (only < 0) return true;
  Patch &patch = patches.emplace_back();
  fill_on_plane(patch, mesh, only, of_only.height, radius);
  bears_all(shares, patch, only);
  return true;
}

/* ----------------------------------------------------------------------
   whether a part of the patch pushes against this direction, as the far side of a pipe does that a sphere fills
------------------------------------------------------------------------- */

bool PatchFinder::pushes_against(const TriangleMesh &mesh, int patch, const Vector &normal) const
{
  return std::any_of(near.begin(), near.end(), [&](const Near &part) {
    if (part.patch != patch || !(part.footprint.square < 1.0)) return false;
    const Vector way = way_to_nearest(mesh.facet(part.triangle), part.footprint);
    return dot(way, normal) > OPPOSITE * std::sqrt(part.footprint.square);
  });
}

/* ----------------------------------------------------------------------
   whether a triangle of another patch is between the centre and the end of the way, as the near face of a plate is for
   the far one; a triangle at which the way ends, or whose rim it touches from outside, is not
------------------------------------------------------------------------- */

bool PatchFinder::is_hidden(const TriangleMesh &mesh, int patch, const Vector &way) const
{
  constexpr double END = 1.0 - 1.0e-6, RIM = 1.0e-9;    // of the way; in radii
  return std::any_of(near.begin(), near.end(), [&](const Near &part) {
    if (part.patch == patch) return false;
    const Facet &facet = mesh.facet(part.triangle);
    const double fall = -dot(way, facet.normal), height = part.footprint.height;
    const double at = height / fall;    // of the way; not a number within the plane
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
  for (int p = 0; p < patch_count; ++p) {
    const Near &nearest = nearest_of(p);
    const double distance = std::sqrt(nearest.footprint.square);
    if (!(distance * radius < cutoff)) continue;
    const Vector way = way_to_nearest(mesh.facet(nearest.triangle), nearest.footprint);
    Patch patch{};
    patch.first_share = static_cast<int>(shares.size());
    patch.triangle = nearest.triangle;
    patch.behind = nearest.footprint.height < 0.0;
    const Near *only = only_loaded(p);
    if (only && outline_of(mesh.facet(only->triangle), centre, per_radius).holds_disc) {
      fill_on_plane(patch, mesh, only->triangle, only->footprint.height, radius);
      bears_all(shares, patch, only->triangle);
    } else {
      const Vector from_nearest = distance > 0.0 ? (-1.0 / distance) * way : mesh.facet(nearest.triangle).normal;
      add_depth(mesh, p, radius, distance, from_nearest, patch);
    }
    patch.end_share = static_cast<int>(shares.size());
    patch.hidden = patch_count > 1 && is_hidden(mesh, p, way);
    patches.push_back(patch);
  }
}

/* ----------------------------------------------------------------------
   Patches are those of triangles within PATCH_REACH. Others, which a bridge or a contact that has ended may ask for, are
   patches of their own unless they go on from one of these. Returns how many there are.
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

const PatchFinder::Near &PatchFinder::nearest_of(int patch) const
{
  const Near *nearest = nullptr;
  for (const Near &part : near)
    if (part.patch == patch && (!nearest || part.footprint.square < nearest->footprint.square)) nearest = &part;
  return *nearest;
}

// the triangle that alone bears load, null where none or several do

const PatchFinder::Near *PatchFinder::only_loaded(int patch) const
{
  const Near *only = nullptr;
  for (const Near &part : near) {
    if (part.patch != patch || !(part.footprint.square < 1.0)) continue;
    if (only) return nullptr;
    only = &part;
  }
  return only;
}

/* ----------------------------------------------------------------------
   overlap, normal and shares from the depth that all triangles of the patch add up to, or from the nearest point where no
   triangle bears load
------------------------------------------------------------------------- */

void PatchFinder::add_depth(const TriangleMesh &mesh, int p, double radius, double distance, const Vector &from_nearest,
                            Patch &patch)
{
  DepthMoment sum;
  double most = 0.0;
  for (const Near &part : near) {
    if (part.patch != p || !(part.footprint.square < 1.0)) continue;
    const DepthMoment moment = depth_moment(mesh.facet(part.triangle), part.footprint);
    sum.fourth += moment.fourth;
    sum.third += moment.third;
    sum.gradient = sum.gradient + moment.gradient;
    shares.push_back({part.triangle, moment.third});
    if (moment.third > most) {
      most = moment.third;
      patch.triangle = part.triangle;
      patch.behind = part.footprint.height < 0.0;
    }
  }
  if (sum.fourth > NO_MOMENT) {
    const Depth depth = depth_of(sum);
    patch.overlap = radius * depth.overlap;
    patch.gradient = depth.gradient;
    patch.normal = dot(depth.normal, depth.normal) > 0.5 ? depth.normal : from_nearest;
    for (std::size_t k = patch.first_share; k < shares.size(); ++k) shares[k].weight /= sum.third;
    patch.opposed = depth.gradient < MOST_CANCELS && pushes_against(mesh, p, patch.normal);
  } else {
    shares.resize(patch.first_share);
    patch.overlap = std::min(0.0, radius - radius * distance);
    patch.gradient = 1.0;
    patch.normal = from_nearest;
  }
}

}    // namespace granular_plus
