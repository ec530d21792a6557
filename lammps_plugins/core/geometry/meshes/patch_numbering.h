// Assigns contact numbers to the patches that a sphere touches. A patch continues the earlier contact whose normal and
// distance from the sphere's centre are closest to those of the patch. Also compiled for GPUs.

#ifndef GRANULAR_PLUS_PATCH_NUMBERING_H
#define GRANULAR_PLUS_PATCH_NUMBERING_H

#include "../../laws/lane.h"

GRANULAR_PLUS_LAWS_BEGIN

// Points: the patches near a sphere in this step. Before: the contacts (at most 32) of the sphere in the last step.
// Both classes provide
//   int count() const, int number(int k) const, double distance(int k) const
// Points also provides
//   Vector separation(int k) const, from the surface to the centre; void set_number(int k, int)
// Before also provides
//   Vector normal(int m) const
template <class Points, class Before> struct PatchNumbering {
  static constexpr int NO_NUMBER = -1;

  Points &points;
  const Before &before;

  STAGE bool looks_alike(int k, int m) const { return cosine_to(k, m) > ALIKE; }

  // Assigns a number to each point. No point may have a number before the call. If contacts have merged or a contact
  // has split, calls jump.at(m, k, merged). Point k continues contact m of `before`; m is -1 if point k continues no
  // contact. If point k matches no contact and is deeper than depth.of(k), it must have split off from another contact,
  // because depth.of(k) is the largest depth that a new contact can have reached in this step.
  template <class Depth, class Jump> STAGE void number(double radius, const Depth &depth, Jump &jump) const
  {
    const int count = points.count(), contacts = before.count();
    if (count == 1) {
      if (contacts == 0) return points.set_number(0, 0);
      if (contacts == 1 && looks_alike(0, 0)) return points.set_number(0, before.number(0));
    }
    // bit mask of contacts that no patch continues yet
    unsigned open = contacts < 32 ? (1u << contacts) - 1u : ~0u;
    while (open) {
      int chosen = -1, nearest = -1;
      for (int m = 0; m < contacts; ++m) {
        if (!(open >> m & 1u)) continue;
        const int candidate = most_alike(false, m);
        if (candidate < 0 || (nearest >= 0 && !(change(candidate, m) < change(nearest, chosen)))) continue;
        nearest = candidate;
        chosen = m;
      }
      if (nearest < 0) break;
      points.set_number(nearest, before.number(chosen));
      open &= ~(1u << chosen);
    }
    for (int m = 0; m < contacts; ++m) {
      if (!(open >> m & 1u)) continue;
      const int partner = most_alike(true, m);
      if (partner >= 0 && points.distance(partner) < radius)
        jump.at(contact_numbered(points.number(partner)), partner, true);
    }
    for (int k = 0; k < count; ++k) {
      if (points.number(k) != NO_NUMBER || !(radius - points.distance(k) > depth.of(k))) continue;
      const int partner = neighbour(k);
      if (partner >= 0) jump.at(contact_numbered(points.number(partner)), partner, false);
    }
    for (int k = 0; k < count; ++k) {
      if (points.number(k) != NO_NUMBER) continue;
      int number = 0;
      while (is_taken(number)) ++number;
      points.set_number(k, number);
    }
  }

 private:
  // smallest cosine of the angle between the normals of a patch and of the contact that it continues
  static constexpr double ALIKE = 0.5;

  STAGE double cosine_to(int k, int m) const
  {
    return dot(before.normal(m), points.separation(k)) / points.distance(k);
  }
  STAGE double change(int k, int m) const
  {
    const Vector part = points.separation(k) - before.distance(m) * before.normal(m);
    return dot(part, part);
  }
  // Inspects the points with a number if `numbered` is true, otherwise the points without a number. Returns the point
  // that is most similar to contact m, or -1 if the normals of all inspected points differ too much from the normal of
  // contact m.
  STAGE int most_alike(bool numbered, int m) const
  {
    int best = -1;
    for (int k = 0; k < points.count(); ++k) {
      if ((points.number(k) != NO_NUMBER) != numbered || !looks_alike(k, m)) continue;
      if (best < 0 || change(k, m) < change(best, m)) best = k;
    }
    return best;
  }
  STAGE double cosine_between(int k, int other) const
  {
    return dot(points.separation(k), points.separation(other)) / (points.distance(k) * points.distance(other));
  }
  STAGE int neighbour(int k) const
  {
    int best = -1;
    for (int other = 0; other < points.count(); ++other)
      if (points.number(other) != NO_NUMBER && (best < 0 || cosine_between(k, other) > cosine_between(k, best)))
        best = other;
    return best;
  }
  STAGE int contact_numbered(int number) const
  {
    for (int m = 0; m < before.count(); ++m)
      if (before.number(m) == number) return m;
    return -1;
  }
  STAGE bool is_taken(int number) const
  {
    for (int k = 0; k < points.count(); ++k)
      if (points.number(k) == number) return true;
    return contact_numbered(number) >= 0;
  }
};

GRANULAR_PLUS_LAWS_END

#endif
