// Kernels for contacts with a mesh. Results are bitwise identical to those of MeshWall, PatchFinder and PatchNumbers.
// Also compiled for GPUs.

#ifndef GRANULAR_PLUS_MESH_KERNELS_H
#define GRANULAR_PLUS_MESH_KERNELS_H

#include "../core/geometry/meshes/mesh_search.h"
#include "../core/geometry/meshes/patch_numbering.h"
#include "../core/geometry/meshes/patch_search.h"
#include "wall_kernels.h"

GRANULAR_PLUS_LAWS_BEGIN

namespace steps {

// Room for each grain at a mesh. If the room is insufficient, steps are repeated with more room.
struct MeshRoom {
  static constexpr int MOST_CONTACTS = MOST_PATCHES;
  int contacts, triangles;

  STAGE static int lacks_contacts(int wall) { return 2 * wall + 1; }
  STAGE static int lacks_triangles(int wall) { return 2 * wall + 2; }
};

struct InvalidateReach {
  double *reach;
  STAGE void operator()(int a) const { reach[a] = -1.0; }
};

// For each grain, the triangles within `reach` of `place`. When the list was built, the grain was at `place` in the
// frame of the mesh. Triangle k of grain a is at [k * owned + a].
struct NearTriangles {
  double *place, *reach;    // place: rows of three
  int *count, *triangle;
  // for each triangle: (distance / radius)^2, and number of its patch
  double *square;
  int *patch;
};

// Value v of patch k of grain a is at [(v * room + k) * owned + a].
struct MetPatches {
  enum { NORMAL = 0, DISTANCE = 3, GRADIENT = 4, VALUES = 5 };
  int *count;
  double *value;
  int *number;    // name of the contact that continues in the patch
};

// Finds the patches within PATCH_REACH radii of a grain's centre. If the grain had no contact in the last evaluation,
// only patches that the grain touches are found. If the grain had one contact, patches that the grain does not touch
// may be left out.
struct FindPatches {
  int group, owned, wall;
  MeshRoom room;
  MeshArrays mesh;
  SimpleSurface surface;
  Poses poses;
  Grains grains;
  const int *alive;
  const double *extra;    // normal and distance, as in ContactsWithWall
  NearTriangles near;
  MetPatches met;
  Progress *progress;

  STAGE void operator()(int a) const
  {
    met.count[a] = 0;
    if (!(grains.mask[a] & group)) return;
    const double radius = grains.radius[a];
    int contact = -1, contacts = 0;
    for (int slot = 0; slot < room.contacts; ++slot)
      if (alive[slot * owned + a]) {
        contact = slot;
        ++contacts;
      }
    const double cutoff = contacts > 0 ? radius + (PATCH_REACH - 1.0) * radius : radius;
    const Vector centre = to_body(surface.frame, grains.position + 3 * a, poses.now());
    if (!update_list(a, centre, larger(cutoff, PATCH_REACH * radius), radius))
      return lack(MeshRoom::lacks_triangles(wall));
    if (near.count[a] == 0) return;
    Met found{*this, a};
    bool enough = find(a, centre, radius, cutoff, contacts, found);
    // If the only patch found does not continue the grain's contact, that contact ends, and all patches are needed.
    if (enough && contacts == 1 && met.count[a] == 1 && !looks_alike(a, contact))
      enough = find(a, centre, radius, cutoff, 2, found);
    if (!enough) lack(MeshRoom::lacks_contacts(wall));
  }

  template <class Found> STAGE bool find_within(int a, double distance, Found &found) const
  {
    const double radius = grains.radius[a];
    const Vector centre = to_body(surface.frame, grains.position + 3 * a, poses.now());
    const bool has_room = update_list(a, centre, larger(distance, PATCH_REACH * radius), radius);
    if (!has_room) lack(MeshRoom::lacks_triangles(wall));
    return has_room && (near.count[a] == 0 || find(a, centre, radius, distance, 2, found));
  }

 private:
  static constexpr double NARROW = 0.1;    // margin of a list, divided by the radius
  static constexpr int NONE = -1, FAR = -2;

  STAGE void lack(int what) const
  {
    progress->lacks = what;    // several threads may write this value
    progress->ended = 1;
  }

  // ------------------------------------------------------------------------------------------------ list of triangles

  struct Add {
    const MeshArrays &mesh;
    const Vector &centre;
    double reach;
    int room, owned;
    int *triangles;
    int count = 0;
    STAGE void triangle(int t)
    {
      Footprint footprint;
      if (!find_footprint(mesh.facets[t], centre, 1.0, reach, footprint)) return;
      if (count < room) triangles[static_cast<long>(count) * owned] = t;
      ++count;
    }
  };

  // Returns whether there is room for the list.
  STAGE bool update_list(int a, const Vector &centre, double reach, double radius) const
  {
    const Vector moved = centre - vector_of(near.place + 3 * a);
    const double spare = near.reach[a] - reach;
    if (spare >= 0.0 && dot(moved, moved) <= spare * spare) return true;
    write(near.place + 3 * a, centre);
    near.reach[a] = reach + NARROW * radius;
    Add narrow{mesh, centre, near.reach[a], room.triangles, owned, near.triangle + a};
    mesh.visit(centre, narrow.reach, narrow);
    near.count[a] = narrow.count;
    if (narrow.count > 0) return narrow.count <= room.triangles;
    Add wide{mesh, centre, reach + larger(surface.margin, NARROW * radius), 0, owned, near.triangle + a};
    mesh.visit(centre, wide.reach, wide);
    if (wide.count == 0) near.reach[a] = wide.reach;
    return true;
  }

  // ------------------------------------------------------------------------------------------------ patches

  // see patch_search.h
  struct Parts {
    const FindPatches &of;
    int a;
    const Vector &centre;
    double per_radius, reach;
    STAGE long place(int k) const { return static_cast<long>(k) * of.owned + a; }
    STAGE int count() const { return of.near.count[a]; }
    STAGE int patch(int k) const { return of.near.patch[place(k)]; }
    STAGE void put(int k, int patch) const { of.near.patch[place(k)] = patch; }
    STAGE int triangle(int k) const { return of.near.triangle[place(k)]; }
    STAGE double square(int k) const { return of.near.square[place(k)]; }
    STAGE const Facet &facet(int k) const { return of.mesh.facets[triangle(k)]; }
    STAGE bool look(int k, Footprint &footprint) const
    {
      return find_footprint(facet(k), centre, per_radius, reach, footprint);
    }
    STAGE Footprint footprint(int k) const
    {
      Footprint footprint;
      look(k, footprint);
      return footprint;
    }
    // -1 if the triangle is not listed
    STAGE int index_of(int sought) const
    {
      int from = 0, to = count();
      while (from < to) {
        const int middle = from + (to - from) / 2;
        if (triangle(middle) < sought)
          from = middle + 1;
        else
          to = middle;
      }
      return from < count() && triangle(from) == sought ? from : NONE;
    }
  };

  struct Met {
    const FindPatches &of;
    int a;
    STAGE void clear() { of.met.count[a] = 0; }
    STAGE bool is_full() const { return of.met.count[a] == of.room.contacts; }
    STAGE void add(const PatchDepth &patch, double radius) { of.add(a, patch, radius); }
  };

  struct NoShares {
    STAGE void of(int, double) const {}
  };

  // Does the same as PatchFinder::find. Returns whether there is room for all patches.
  template <class Found>
  STAGE bool find(int a, const Vector &centre, double radius, double cutoff, int known, Found &found) const
  {
    using namespace patch_search;
    const double per_radius = 1.0 / radius;
    const Parts parts{*this, a, centre, per_radius, larger(PATCH_REACH, cutoff * per_radius)};
    found.clear();
    if (known <= 1) {
      int only;
      double height = 0.0;
      if (is_on_one_plane(parts, parts.count(), 0, false, centre, per_radius, only, height)) {
        if (only >= 0) {
          PatchDepth patch{};
          fill_on_plane(patch, parts.facet(only), parts.triangle(only), height, radius);
          found.add(patch, radius);
        }
        if (known == 0 || only >= 0) return true;
      }
    }
    int within_reach = 0;
    for (int k = 0; k < parts.count(); ++k) {
      Footprint footprint;
      const bool is_near = parts.look(k, footprint);
      parts.put(k, is_near ? NONE : FAR);
      near.square[parts.place(k)] = is_near ? footprint.square : 0.0;
      within_reach += is_near;
    }
    if (within_reach == 0) return true;
    const int patches = number_patches(parts);
    for (int p = 0; p < patches; ++p) {
      const int nearest = nearest_of(parts, p);
      const double distance = std::sqrt(parts.square(nearest));
      if (!(distance * radius < cutoff)) continue;
      if (found.is_full()) return false;
      const Vector way = vector_to_nearest(parts.facet(nearest), parts.footprint(nearest));
      PatchDepth patch{};
      int only;
      NoShares shares;
      find_depth(parts, p, nearest, way, distance, centre, radius, patch, only, shares);
      found.add(patch, radius);
    }
    return true;
  }

  // does the same as PatchFinder::number_patches
  STAGE int number_patches(const Parts &parts) const
  {
    int patches = 0;
    for (int round = 0; round < 2; ++round) {
      const double within = round == 0 ? PATCH_REACH : parts.reach, square = within * within;
      for (int k = 0; k < parts.count(); ++k) {
        if (parts.patch(k) != NONE || !(parts.square(k) < square)) continue;
        parts.put(k, patches);
        while (grows(parts, patches, square)) continue;
        ++patches;
      }
      if (parts.reach == PATCH_REACH) break;
    }
    return patches;
  }

  STAGE bool grows(const Parts &parts, int patch, double square) const
  {
    bool has_grown = false;
    for (int k = 0; k < parts.count(); ++k) {
      if (parts.patch(k) != patch) continue;
      const int triangle = parts.triangle(k);
      for (int link = mesh.first_link[triangle]; link < mesh.first_link[triangle + 1]; ++link) {
        const int other = parts.index_of(mesh.links[link]);
        if (other < 0 || parts.patch(other) != NONE || !(parts.square(other) < square)) continue;
        parts.put(other, patch);
        has_grown = true;
      }
    }
    return has_grown;
  }

  STAGE long place(int a, int value, int k) const { return static_cast<long>(value * room.contacts + k) * owned + a; }

  STAGE void add(int a, const PatchDepth &patch, double radius) const
  {
    const int k = met.count[a]++;
    const Vector normal = from_body(surface.frame, patch.normal, poses.now());
    met.value[place(a, MetPatches::NORMAL, k)] = normal.x;
    met.value[place(a, MetPatches::NORMAL + 1, k)] = normal.y;
    met.value[place(a, MetPatches::NORMAL + 2, k)] = normal.z;
    met.value[place(a, MetPatches::DISTANCE, k)] = radius - patch.overlap;
    met.value[place(a, MetPatches::GRADIENT, k)] = patch.gradient;
  }

  // see PatchNumbering::looks_alike
  STAGE bool looks_alike(int a, int slot) const;
};

struct PointsOfGrain {
  int a, owned, room;
  MetPatches met;
  STAGE double value(int v, int k) const { return met.value[static_cast<long>(v * room + k) * owned + a]; }
  STAGE int count() const { return met.count[a]; }
  STAGE double distance(int k) const { return value(MetPatches::DISTANCE, k); }
  STAGE Vector normal(int k) const
  {
    return {value(MetPatches::NORMAL, k), value(MetPatches::NORMAL + 1, k), value(MetPatches::NORMAL + 2, k)};
  }
  STAGE Vector separation(int k) const { return distance(k) * normal(k); }
  STAGE int number(int k) const { return met.number[k * owned + a]; }
  STAGE void set_number(int k, int number) const { met.number[k * owned + a] = number; }
};

struct ContactsOfGrain {
  int a, owned, room;
  const int *names;
  const double *extra;
  int slots[MeshRoom::MOST_CONTACTS], contacts;    // slots of the contacts, and number of contacts
  STAGE int count() const { return contacts; }
  STAGE int row(int m) const { return slots[m] * owned + a; }
  STAGE int number(int m) const { return names[row(m)]; }
  STAGE double seen(int d, int m) const { return extra[static_cast<long>(d * room) * owned + row(m)]; }
  STAGE double distance(int m) const { return seen(3, m); }
  STAGE Vector normal(int m) const { return {seen(0, m), seen(1, m), seen(2, m)}; }
};

using NumberingOfGrain = PatchNumbering<const PointsOfGrain, ContactsOfGrain>;

STAGE bool FindPatches::looks_alike(int a, int slot) const
{
  const PointsOfGrain points{a, owned, room.contacts, met};
  const ContactsOfGrain contacts{a, owned, room.contacts, nullptr, extra, {slot}, 1};
  return NumberingOfGrain{points, contacts}.looks_alike(0, 0);
}

// A contact stays in row slot * grains + a while it is alive. `alive` is 1 for the first contact of a grain, 2 for the
// second, and so on.
template <class Stages> struct EvaluateMeshContacts {
  int *names;
  MetPatches met;
  double *heat_of_ended;    // heat of each contact that ends in this step
  ContactsWithWall<Stages> contacts;

  STAGE void operator()(int a) const
  {
    const int owned = contacts.owned, room = contacts.surface.sides;
    int *alive = contacts.rows.alive;
    ContactsOfGrain before{a, owned, room, names, contacts.extra, {}, 0};
    for (int slot = 0; slot < room; ++slot) {
      const int rank = alive[slot * owned + a];
      if (rank == 0) continue;
      before.slots[rank - 1] = slot;
      ++before.contacts;
    }
    const PointsOfGrain points{a, owned, room, met};
    if (before.contacts == 0 && points.count() == 0) return;
    if (!(contacts.grains.mask[a] & contacts.group)) {
      for (int m = 0; m < before.contacts; ++m) contacts.forget(before.row(m));
      return;
    }
    for (int k = 0; k < points.count(); ++k) points.set_number(k, NumberingOfGrain::NO_NUMBER);
    const double radius = contacts.grains.radius[a];
    Jumps jumps{*this, a, points, before};
    NumberingOfGrain{points, before}.number(radius, DepthOfStep{*this, a, points}, jumps);
    unsigned ended = 0;    // bit m is set if contact m ends
    for (int m = 0; m < before.contacts; ++m) {
      const int k = point_of(points, before.number(m));
      if (k >= 0 && points.distance(k) < radius) continue;
      contacts.loads.end(before.row(m));
      const double made = contacts.evaluate_ended(a, before.row(m), k < 0 ? PointOfWall{} : point(points, k));
      ended |= 1u << m;
      if (contacts.stages.passes_heat) heat_of_ended[before.row(m)] = made;
    }
    int rank = 0;
    for (int k = 0; k < points.count(); ++k) {
      if (!(points.distance(k) < radius)) continue;
      int row = -1;
      for (int m = 0; m < before.contacts && row < 0; ++m)
        if (before.number(m) == points.number(k)) row = before.row(m);
      for (int slot = 0; row < 0; ++slot)
        if (alive[slot * owned + a] == 0) row = slot * owned + a;
      contacts.evaluate_touching(a, row, point(points, k));
      names[row] = points.number(k);
      alive[row] = ++rank;
    }
    for (int m = 0; contacts.stages.passes_heat && m < before.contacts; ++m)
      if (ended >> m & 1u) contacts.grains.heatflow[a] += heat_of_ended[before.row(m)];
  }

 private:
  STAGE PointOfWall point(const PointsOfGrain &points, int k) const
  {
    const Vector normal = points.normal(k), shear = vector_of(contacts.surface.belt);
    PointOfWall point;
    point.separation = points.separation(k);
    point.distance = points.distance(k);
    point.gradient = points.value(MetPatches::GRADIENT, k);
    point.belt = shear - dot(normal, shear) * normal;
    return point;
  }

  STAGE static int point_of(const PointsOfGrain &points, int number)
  {
    for (int k = 0; k < points.count(); ++k)
      if (points.number(k) == number) return k;
    return -1;
  }

  // does the same as WallBatches::normal_speed
  STAGE double normal_speed(int a, const PointOfWall &point) const
  {
    double place[3];
    write(place, vector_of(contacts.grains.position + 3 * a) - point.separation);
    const Vector velocity =
        vector_of(contacts.grains.velocity + 3 * a) - velocity_at(place, contacts.poses.now()) - point.belt;
    double speed = 0.0;
    speed += velocity.x * point.separation.x / point.distance;
    speed += velocity.y * point.separation.y / point.distance;
    speed += velocity.z * point.separation.z / point.distance;
    return speed;
  }

  struct DepthOfStep {
    const EvaluateMeshContacts &mesh;
    int a;
    const PointsOfGrain &points;
    STAGE double of(int k) const
    {
      return 2.0 * mesh.contacts.timestep * length(mesh.normal_speed(a, mesh.point(points, k)));
    }
  };

  struct Jumps {
    const EvaluateMeshContacts &mesh;
    int a;
    const PointsOfGrain &points;
    const ContactsOfGrain &before;
    unsigned jumped = 0;
    // restarts the contact in the ledger, as WallContacts::number_patches does
    STAGE void at(int m, int k, bool)
    {
      const auto &contacts = mesh.contacts;
      if (!contacts.stages.observe() || m < 0 || (jumped >> m & 1u)) return;
      jumped |= 1u << m;
      const long count = contacts.rows.contacts;
      const int row = before.row(m);
      double *of_contact = contacts.rows.history + contacts.model.remembered[OF_CONTACT] * count + row;
      double &energy = of_contact[NORMAL_ENERGY_BEFORE * count], &force = of_contact[ELASTIC_FORCE_BEFORE * count];
      contacts.observations.sums[NUMERICAL_LOSS * count + row] +=
          energy - 0.5 * contacts.timestep * force * mesh.normal_speed(a, mesh.point(points, k));
      energy = force = 0.0;
    }
  };
};

}    // namespace steps

GRANULAR_PLUS_LAWS_END

#endif
