#include "patch_numbers.h"

#include <algorithm>

using namespace LAMMPS_NS;
using granular_plus::WallMemory;

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
double change(const WallPoint &point, const WallMemory &memory, int contact)
{
  double square = 0.0;
  for (int d = 0; d < 3; ++d) {
    const double part = point.separation[d] - memory.distance(contact) * memory.normal(contact)[d];
    square += part * part;
  }
  return square;
}

// of the points that have a number, or of those that have none, the one that has changed least since the contact was
// there; null: none that looks the same way
WallPoint *most_alike(PatchNumbers::Points points, bool numbered, const WallMemory &memory, int contact)
{
  WallPoint *best = nullptr;
  for (WallPoint &point : points) {
    if ((point.surface != NO_NUMBER) != numbered || !(cosine(point, memory.normal(contact)) > ALIKE)) continue;
    if (!best || change(point, memory, contact) < change(*best, memory, contact)) best = &point;
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

/* ---------------------------------------------------------------------- */

const std::vector<PatchNumbers::Jump> &PatchNumbers::number(Points points, const WallMemory &memory,
                                                            WallMemory::Range before, double radius,
                                                            const std::function<double(const WallPoint &)> &depth)
{
  jumps.clear();
  if (points.end() - points.begin() == 1) {    // as most are
    WallPoint &only = *points.begin();
    if (before.begin == before.end) {
      only.surface = 0;
      return jumps;
    }
    if (before.end == before.begin + 1 && cosine(only, memory.normal(before.begin)) > ALIKE) {
      only.surface = memory.surface(before.begin);
      return jumps;
    }
  }

  // the pair that fits best comes first
  open.clear();
  for (int k = before.begin; k < before.end; ++k) open.push_back(k);
  while (!open.empty()) {
    std::size_t chosen = open.size();
    WallPoint *nearest = nullptr;
    for (std::size_t m = 0; m < open.size(); ++m) {
      WallPoint *candidate = most_alike(points, false, memory, open[m]);
      if (!candidate) continue;
      if (nearest && !(change(*candidate, memory, open[m]) < change(*nearest, memory, open[chosen]))) continue;
      nearest = candidate;
      chosen = m;
    }
    if (!nearest) break;
    nearest->surface = memory.surface(open[chosen]);
    open.erase(open.begin() + static_cast<std::ptrdiff_t>(chosen));
  }

  for (const int k : open) {
    const WallPoint *partner = most_alike(points, true, memory, k);
    if (partner && partner->distance < radius) jumps.push_back({memory.find(before, partner->surface), partner, true});
  }
  for (const WallPoint &point : points) {
    if (point.surface != NO_NUMBER || !(radius - point.distance > depth(point))) continue;
    if (const WallPoint *partner = neighbour(points, point))
      jumps.push_back({memory.find(before, partner->surface), partner, false});
  }

  for (WallPoint &point : points) {
    if (point.surface != NO_NUMBER) continue;
    point.surface = 0;
    const auto taken = [&](int number) {
      return memory.find(before, number) >= 0 || std::any_of(points.begin(), points.end(), [&](const WallPoint &p) {
               return &p != &point && p.surface == number;
             });
    };
    while (taken(point.surface)) ++point.surface;
  }
  return jumps;
}
