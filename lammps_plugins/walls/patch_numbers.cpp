#include "patch_numbers.h"

#include <algorithm>

using namespace LAMMPS_NS;
using granular_plus::ContactLinks;

namespace {

constexpr int NO_NUMBER = -1;
constexpr double ALIKE = 0.5;    // cosine between normals

double product(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

double cosine(const WallPoint &one, const WallPoint &other)
{
  return product(one.separation, other.separation) / (one.distance * other.distance);
}

double cosine(const WallPoint &point, const double *normal)
{
  return product(normal, point.separation) / point.distance;
}

// of the vector from the surface to the particle's centre: by how much that of a point differs from that of a contact
double change(const WallPoint &point, const ContactLinks &links, int contact)
{
  const double *seen = links.own_beside(contact);
  double square = 0.0;
  for (int d = 0; d < 3; ++d) {
    const double part = point.separation[d] - seen[3] * seen[d];
    square += part * part;
  }
  return square;
}

// of the points that have a number, or of those that have none, the one that has changed least since the contact was
// there; null: none that looks the same way
WallPoint *most_alike(PatchNumbers::Points points, bool numbered, const ContactLinks &links, int contact)
{
  WallPoint *best = nullptr;
  for (WallPoint &point : points) {
    if ((point.surface != NO_NUMBER) != numbered || !(cosine(point, links.own_beside(contact)) > ALIKE)) continue;
    if (!best || change(point, links, contact) < change(*best, links, contact)) best = &point;
  }
  return best;
}

// the numbered point nearest in direction; null: none
const WallPoint *neighbour(PatchNumbers::Points points, const WallPoint &point)
{
  const WallPoint *best = nullptr;
  for (const WallPoint &other : points)
    if (other.surface != NO_NUMBER && (!best || cosine(point, other) > cosine(point, *best))) best = &other;
  return best;
}

}    // namespace

bool PatchNumbers::looks_alike(const WallPoint &point, const ContactLinks &links, int contact)
{
  return cosine(point, links.own_beside(contact)) > ALIKE;
}

const std::vector<PatchNumbers::Jump> &PatchNumbers::number(Points points, const ContactLinks &links,
                                                            const std::vector<int> &before, double radius,
                                                            const std::function<double(const WallPoint &)> &depth)
{
  jumps.clear();
  if (points.end() - points.begin() == 1) {    // as most are
    WallPoint &only = *points.begin();
    if (before.empty()) {
      only.surface = 0;
      return jumps;
    }
    if (before.size() == 1 && looks_alike(only, links, before[0])) {
      only.surface = static_cast<int>(links.partner(before[0]));
      return jumps;
    }
  }

  // the pair that fits best comes first
  open = before;
  while (!open.empty()) {
    std::size_t chosen = open.size();
    WallPoint *nearest = nullptr;
    for (std::size_t m = 0; m < open.size(); ++m) {
      WallPoint *candidate = most_alike(points, false, links, open[m]);
      if (!candidate) continue;
      if (nearest && !(change(*candidate, links, open[m]) < change(*nearest, links, open[chosen]))) continue;
      nearest = candidate;
      chosen = m;
    }
    if (!nearest) break;
    nearest->surface = static_cast<int>(links.partner(open[chosen]));
    open.erase(open.begin() + static_cast<std::ptrdiff_t>(chosen));
  }

  for (const int k : open) {
    const WallPoint *partner = most_alike(points, true, links, k);
    if (partner && partner->distance < radius) jumps.push_back({links.find(before, partner->surface), partner, true});
  }
  for (const WallPoint &point : points) {
    if (point.surface != NO_NUMBER || !(radius - point.distance > depth(point))) continue;
    if (const WallPoint *partner = neighbour(points, point))
      jumps.push_back({links.find(before, partner->surface), partner, false});
  }

  for (WallPoint &point : points) {
    if (point.surface != NO_NUMBER) continue;
    point.surface = 0;
    const auto taken = [&](int number) {
      return links.find(before, number) >= 0 || std::any_of(points.begin(), points.end(), [&](const WallPoint &p) {
               return &p != &point && p.surface == number;
             });
    };
    while (taken(point.surface)) ++point.surface;
  }
  return jumps;
}
