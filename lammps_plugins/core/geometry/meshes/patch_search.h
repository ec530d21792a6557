// Depth of a sphere in a smooth patch of triangles. Also compiled for GPUs.

#ifndef GRANULAR_PLUS_PATCH_SEARCH_H
#define GRANULAR_PLUS_PATCH_SEARCH_H

#include "depth_moment.h"

GRANULAR_PLUS_LAWS_BEGIN

// Smoothly connected triangles form one patch if they are at most this many radii from the sphere's centre. The value
// is greater than 1, so that two parts are joined before both of them carry load.
constexpr double PATCH_REACH = 1.05;
constexpr int MOST_PATCHES = 24;    // largest number of contacts of a sphere with one mesh

struct PatchDepth {
  Vector normal;      // towards the sphere
  double overlap;     // negative across a gap
  double gradient;    // derivative of the overlap along the normal
  int triangle;       // the triangle with the largest load, or the nearest triangle if none is loaded
  bool behind;        // true if the sphere's centre is behind this triangle
};

namespace patch_search {

constexpr double NO_MOMENT = 1.0e-250;    // moment at an overlap of 1e-50 radii

// The results are bitwise identical to those for a plane wall.
STAGE void fill_on_plane(PatchDepth &patch, const Facet &facet, int triangle, double height, double radius)
{
  const double side = height < 0.0 ? -1.0 : 1.0;
  patch.overlap = radius - radius * std::fabs(height);
  patch.gradient = 1.0;
  patch.normal.x = side * facet.normal.x;
  patch.normal.y = side * facet.normal.y;
  patch.normal.z = side * facet.normal.z;
  patch.triangle = triangle;
  patch.behind = height < 0.0;
}

// Returns true in two cases: the sphere cuts no triangle, or the sphere cuts a single triangle and this triangle
// contains the whole disc that the sphere cuts out of the triangle's plane. Sets `only` to the index of this triangle,
// or to -1 if the sphere cuts no triangle. Facets provides
//   const Facet &facet(int k) const
template <class Facets>
STAGE bool is_on_one_plane(const Facets &candidates, int count, int first, bool in_one_plane, const Vector &centre,
                           double per_radius, int &only, double &height)
{
  only = -1;
  for (int n = 0, k = first; n < count; ++n, ++k) {
    if (k == count) k = 0;
    const Facet &facet = candidates.facet(k);
    const Outline outline = outline_of(facet, centre, per_radius);
    if (!outline.may_be_cut) continue;
    if (only >= 0 || !outline.holds_disc) {
      Footprint footprint;
      if (find_footprint(facet, centre, per_radius, 1.0, footprint)) return false;
      continue;
    }
    only = k;
    height = outline.height;
    if (in_one_plane) break;
  }
  return true;
}

// Parts: the triangles near a sphere, each with the number of its patch. Parts provides
//   int count() const, int patch(int k) const, int triangle(int k) const
//   double square(int k) const, Footprint footprint(int k) const, const Facet &facet(int k) const
template <class Parts> STAGE int nearest_of(const Parts &parts, int patch)
{
  int nearest = -1;
  for (int k = 0; k < parts.count(); ++k)
    if (parts.patch(k) == patch && (nearest < 0 || parts.square(k) < parts.square(nearest))) nearest = k;
  return nearest;
}

template <class Parts> STAGE int only_loaded(const Parts &parts, int patch)
{
  int only = -1;
  for (int k = 0; k < parts.count(); ++k) {
    if (parts.patch(k) != patch || !(parts.square(k) < 1.0)) continue;
    if (only >= 0) return -1;
    only = k;
  }
  return only;
}

// Calls share.of(k, third) for each loaded triangle k, where `third` is the triangle's third moment. Returns the sum of
// the third moments.
template <class Parts, class Share>
STAGE double add_depth(const Parts &parts, int p, double radius, double distance, const Vector &from_nearest,
                       PatchDepth &patch, Share &share)
{
  DepthMoment sum;
  double most = 0.0;
  for (int k = 0; k < parts.count(); ++k) {
    if (parts.patch(k) != p || !(parts.square(k) < 1.0)) continue;
    const Footprint footprint = parts.footprint(k);
    const DepthMoment moment = depth_moment(parts.facet(k), footprint);
    sum.fourth += moment.fourth;
    sum.third += moment.third;
    sum.gradient = sum.gradient + moment.gradient;
    share.of(k, moment.third);
    if (moment.third > most) {
      most = moment.third;
      patch.triangle = parts.triangle(k);
      patch.behind = footprint.height < 0.0;
    }
  }
  if (sum.fourth > NO_MOMENT) {
    const Depth depth = depth_of(sum);
    patch.overlap = radius * depth.overlap;
    patch.gradient = depth.gradient;
    patch.normal = dot(depth.normal, depth.normal) > 0.5 ? depth.normal : from_nearest;
    return sum.third;
  }
  patch.overlap = smaller(0.0, radius - radius * distance);
  patch.gradient = 1.0;
  patch.normal = from_nearest;
  return 0.0;
}

// `way` is the vector from the sphere's centre to the nearest point of part `nearest`; `distance` is the length of
// `way` in radii. Sets `only` to the part that carries all the load, or to -1. Returns the sum of the third moments, or
// 1 if `only` carries all the load.
template <class Parts, class Share>
STAGE double find_depth(const Parts &parts, int p, int nearest, const Vector &way, double distance,
                        const Vector &centre, double radius, PatchDepth &patch, int &only, Share &share)
{
  const double per_radius = 1.0 / radius;
  patch.triangle = parts.triangle(nearest);
  only = only_loaded(parts, p);
  if (only >= 0 && outline_of(parts.facet(only), centre, per_radius).holds_disc) {
    fill_on_plane(patch, parts.facet(only), parts.triangle(only), parts.footprint(only).height, radius);
    return 1.0;
  }
  only = -1;
  patch.behind = parts.footprint(nearest).height < 0.0;
  const Vector from_nearest = distance > 0.0 ? (-1.0 / distance) * way : parts.facet(nearest).normal;
  return add_depth(parts, p, radius, distance, from_nearest, patch, share);
}

}    // namespace patch_search

GRANULAR_PLUS_LAWS_END

#endif
