// Kernels that build a new neighbour list. The list contains the same pairs as the list of GrainNeighbors with newton
// off. Contacts continue as in GrainHistory. Also compiled for GPUs.

#ifndef GRANULAR_PLUS_LIST_KERNELS_H
#define GRANULAR_PLUS_LIST_KERNELS_H

#include "../core/history/motion_budget.h"
#include "step_kernels.h"

GRANULAR_PLUS_LAWS_BEGIN

namespace steps {

// --------------------------------------------------------------------------------------------------- periods

struct Box {
  double low[3], high[3], period[3];
  bool periodic[3];
};

// Moves grains into the box by at most one period, as LAMMPS does.
struct WrapIntoBox {
  Box box;
  Grains grains;
  int *wraps;           // rows of three: number of periods added when the new list is built
  int *wraps_so_far;    // sum of these numbers over all lists of the run
  STAGE void operator()(int a) const
  {
    for (int d = 0; d < 3; ++d) {
      const int c = 3 * a + d;
      double &x = grains.position[c];
      wraps[c] = 0;
      if (!box.periodic[d]) continue;
      if (x < box.low[d]) {
        x += box.period[d];
        ++wraps[c];
      }
      if (x >= box.high[d]) {
        x -= box.period[d];
        x = larger(x, box.low[d]);
        --wraps[c];
      }
      wraps_so_far[c] += wraps[c];
    }
  }
};

// The result is 1 if the next step takes a grain across a fixed boundary, or takes it more than one period beyond a
// periodic boundary.
struct LeavesBox {
  Box box;
  Movement movement;
  Grains grains;
  STAGE double operator()(int a) const
  {
    const Vector next = movement.position_after(grains, a);
    const double x[3] = {next.x, next.y, next.z};
    bool stays = true;
    for (int d = 0; d < 3; ++d) {
      const double beyond = box.periodic[d] ? box.period[d] : 0.0;
      stays = stays && x[d] >= box.low[d] - beyond && x[d] < box.high[d] + beyond;
    }
    return stays ? 0.0 : 1.0;
  }
};

// --------------------------------------------------------------------------------------------------- motion budgets

struct SetBudgets {
  MotionBudget rule;
  double widest_gap;    // largest gap across which any two grains act on each other
  Grains grains;
  double *listed, *velocity_then, *budget, *reach;
  STAGE void operator()(int a) const
  {
    for (int c = 3 * a; c < 3 * a + 3; ++c) {
      listed[c] = grains.position[c];
      velocity_then[c] = grains.velocity[c];
    }
    const double *v = grains.velocity + 3 * a;
    budget[a] = rule.of(grains.radius[a], std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
    reach[a] = grains.radius[a] + budget[a] + 0.5 * widest_gap;
  }
};

struct ReachOf {
  const double *reach;
  STAGE double operator()(int a) const { return reach[a]; }
};

// --------------------------------------------------------------------------------------------------- images

struct Images {
  Box box;
  int most[3];    // largest number of periods between a grain and its image
  double margin;
  const double *position;

  template <class Take> STAGE int visit(int a, const Take &take) const
  {
    int count = 0;
    for (int z = -most[2]; z <= most[2]; ++z)
      for (int y = -most[1]; y <= most[1]; ++y)
        for (int x = -most[0]; x <= most[0]; ++x) {
          const int shift = shift_of(x, y, z);
          if (shift == NO_SHIFT) continue;
          const Vector image = shifted(position + 3 * a, shift, box.period);
          const double at[3] = {image.x, image.y, image.z};
          bool is_near = true;
          for (int d = 0; d < 3; ++d)
            is_near = is_near && at[d] >= box.low[d] - margin && at[d] <= box.high[d] + margin;
          if (!is_near) continue;
          take.at(count, shift, image);
          ++count;
        }
    return count;
  }
};

// grains, followed by their images
struct Points {
  double *position;    // rows of three
  int *grain, *shift;
};

struct CountImages {
  Images images;
  int *count;
  struct Nothing {
    STAGE void at(int, int, const Vector &) const {}
  };
  STAGE void operator()(int a) const { count[a] = images.visit(a, Nothing{}); }
};

struct PlacePoints {
  Images images;
  int owned;
  const int *first;    // index of the first image of each grain
  Points points;

  struct Place {
    int grain, first;
    Points points;
    STAGE void at(int k, int shift, const Vector &image) const
    {
      const int point = first + k;
      points.position[3 * point] = image.x;
      points.position[3 * point + 1] = image.y;
      points.position[3 * point + 2] = image.z;
      points.grain[point] = grain;
      points.shift[point] = shift;
    }
  };
  STAGE void operator()(int a) const
  {
    const double *x = images.position + 3 * a;
    Place{a, a, points}.at(0, NO_SHIFT, Vector{x[0], x[1], x[2]});
    images.visit(a, Place{a, owned + first[a], points});
  }
};

// --------------------------------------------------------------------------------------------------- cells

// A grid whose cells are at least as wide as the sum of the reaches of any two grains.
struct Grid {
  double low[3], edge[3];
  int cells[3];
  STAGE int along(double x, int d) const
  {
    const double cell = (x - low[d]) / edge[d];
    return cell > 0.0 ? cell < cells[d] - 1 ? static_cast<int>(cell) : cells[d] - 1 : 0;
  }
  STAGE int number(int x, int y, int z) const { return (z * cells[1] + y) * cells[0] + x; }
};

struct CellOf {
  Grid grid;
  const double *position;
  int *cell, *point;
  STAGE void operator()(int k) const
  {
    const double *x = position + 3 * k;
    cell[k] = grid.number(grid.along(x[0], 0), grid.along(x[1], 1), grid.along(x[2], 2));
    point[k] = k;
  }
};

LANE int count_below(const int *keys, int n, int key)
{
  int from = 0, to = n;
  while (from < to) {
    const int middle = from + (to - from) / 2;
    if (keys[middle] < key)
      from = middle + 1;
    else
      to = middle;
  }
  return from;
}

struct FirstOfKey {
  int n;
  const int *keys;
  int *first;
  STAGE void operator()(int key) const { first[key] = count_below(keys, n, key); }
};

// --------------------------------------------------------------------------------------------------- rows

// Returns whether the first of two grains holds their pair. The rule is the same as in holds_pair (share_of_pair.h).
LANE bool is_holder(std::int64_t tag, std::int64_t of_partner)
{
  const bool is_sum_even = ((tag ^ of_partner) & 1) == 0;
  return is_sum_even == (tag < of_partner);
}

struct RowSearch {
  Grid grid;
  Points points;
  const int *first, *sorted;    // start of each cell, and points sorted by cell
  const double *reach;
  const std::int64_t *tag;
  // gap of types i and j at [i * (types + 1) + j]; null if no types act across a gap
  const double *gaps;
  double widest_gap;
  int types;
  const int *type;

  // Calls take.partner for each partner in grain a's row. All images within reach are partners. A grain within reach is
  // a partner if `a` holds the pair (is_holder).
  template <class Take> STAGE void visit(int a, Take &take) const
  {
    const double *x = points.position + 3 * a;
    const int cx = grid.along(x[0], 0), cy = grid.along(x[1], 1), cz = grid.along(x[2], 2);
    const int from = cx > 0 ? cx - 1 : 0, to = cx < grid.cells[0] - 1 ? cx + 1 : cx;
    for (int z = cz - 1; z <= cz + 1; ++z)
      for (int y = cy - 1; y <= cy + 1; ++y) {
        if (z < 0 || y < 0 || z >= grid.cells[2] || y >= grid.cells[1]) continue;
        const int end = first[grid.number(to, y, z) + 1];
        for (int k = first[grid.number(from, y, z)]; k < end; ++k) consider(a, x, sorted[k], take);
      }
  }

 private:
  template <class Take> STAGE void consider(int a, const double *x, int point, Take &take) const
  {
    if (point == a) return;
    const double *y = points.position + 3 * point;
    const double dx = x[0] - y[0], dy = x[1] - y[1], dz = x[2] - y[2];
    const int b = points.grain[point], shift = points.shift[point];
    const double limit =
        gaps ? reach[a] + reach[b] - (widest_gap - gaps[type[a] * (types + 1) + type[b]]) : reach[a] + reach[b];
    if (!(dx * dx + dy * dy + dz * dz <= limit * limit)) return;
    if (shift != NO_SHIFT || is_holder(tag[a], tag[b])) take.partner(b, shift);
  }
};

struct CountPartners {
  RowSearch search;
  int *count;
  struct Counter {
    int count = 0;
    STAGE void partner(int, int) { ++count; }
  };
  STAGE void operator()(int a) const
  {
    Counter counter;
    search.visit(a, counter);
    count[a] = counter.count;
  }
};

// Sorts the partners in a row by ID, and the images of one partner by their coordinates z, y and x.
struct FillRows {
  RowSearch search;
  const int *first;
  int *partner, *shift;

  struct Row {
    const std::int64_t *tag;
    int *partners, *shifts;
    int count = 0;
    STAGE void partner(int b, int shift)
    {
      int k = count++;
      for (; k > 0; --k) {
        const int before = partners[k - 1];
        if (tag[before] < tag[b] || (before == b && shifts[k - 1] < shift)) break;
        partners[k] = before;
        shifts[k] = shifts[k - 1];
      }
      partners[k] = b;
      shifts[k] = shift;
    }
  };
  STAGE void operator()(int a) const
  {
    Row row{search.tag, partner + first[a], shift + first[a]};
    search.visit(a, row);
  }
};

// --------------------------------------------------------------------------------------------------- pairs

// A group consists of all pairs with one contact model. Its pairs are consecutive in the list, in the order of rows.
struct GroupsOfTypes {
  int groups, types;
  const int *of_types, *type;
  STAGE int of(int a, int b) const { return of_types[type[a] * (types + 1) + type[b]]; }
};

struct RowsOfPartners {
  const int *first, *partner, *shift;
};

struct CountOfGroups {
  GroupsOfTypes kinds;
  RowsOfPartners rows;
  int owned;
  int *count;    // number of pairs of group g in grain a's row, at [g * owned + a]
  STAGE void operator()(int a) const
  {
    for (int g = 0; g < kinds.groups; ++g) count[g * owned + a] = 0;
    for (int k = rows.first[a]; k < rows.first[a + 1]; ++k) ++count[kinds.of(a, rows.partner[k]) * owned + a];
  }
};

struct ListedPair {
  int *i, *j, *shift;
};

struct PlacePairs {
  GroupsOfTypes kinds;
  RowsOfPartners rows;
  int owned;
  int *place;    // running sums of the counts of CountOfGroups
  ListedPair pairs;
  STAGE void operator()(int a) const
  {
    for (int k = rows.first[a]; k < rows.first[a + 1]; ++k) {
      const int p = place[kinds.of(a, rows.partner[k]) * owned + a]++;
      pairs.i[p] = a;
      pairs.j[p] = rows.partner[k];
      pairs.shift[p] = rows.shift[k];
    }
  }
};

// -------------------------------------------------------------------------------------------------- continued contacts

// Finds the pairs of the new list in the old list. The history of a pair across a boundary is stored twice,
// once for each grain.
struct CarryContacts {
  // begin: first pair of the group in the new list; begin_before, end_before: the group's range in the old list
  int begin, begin_before, end_before;
  ListedPair pairs, before;
  Rows rows, rows_before;
  const double *signs;    // for each value of the group's contacts: -1 if the value changes sign in a swapped pair
  const int *wraps;

  STAGE void operator()(int k) const
  {
    const int p = begin + k, a = pairs.i[p], b = pairs.j[p];
    const int shift = shift_before(a, b, pairs.shift[p]);
    int q = find(a, b, shift);
    const bool reversed = q < 0;
    if (reversed) q = find(b, a, opposite(shift));
    rows.alive[p] = q >= 0 && rows_before.alive[q] ? 1 : 0;
    if (!rows.alive[p]) return;
    for (int h = 0; h < rows.values; ++h)
      rows.history[h * rows.contacts + p] =
          (reversed ? signs[h] : 1.0) * rows_before.history[h * rows_before.contacts + q];
  }

 private:
  // shift of b's image before both grains were moved back into the box
  STAGE int shift_before(int a, int b, int shift) const
  {
    return shift_of(periods_of(shift, 0) + wraps[3 * b] - wraps[3 * a],
                    periods_of(shift, 1) + wraps[3 * b + 1] - wraps[3 * a + 1],
                    periods_of(shift, 2) + wraps[3 * b + 2] - wraps[3 * a + 2]);
  }
  STAGE int find(int a, int b, int shift) const
  {
    for (int q = begin_before + count_below(before.i + begin_before, end_before - begin_before, a);
         q < end_before && before.i[q] == a; ++q)
      if (before.j[q] == b && before.shift[q] == shift) return q;
    return -1;
  }
};

// --------------------------------------------------------------------------------------------------- sums

// If j is an image, the second receiver is `nobody`, because the row of the grain j itself lists the pair again.
struct Receivers {
  ListedPair pairs;
  int nobody;
  int *receiver, *entry;
  STAGE void operator()(int p) const
  {
    receiver[2 * p] = pairs.i[p];
    receiver[2 * p + 1] = pairs.shift[p] == NO_SHIFT ? pairs.j[p] : nobody;
    entry[2 * p] = 2 * p;
    entry[2 * p + 1] = 2 * p + 1;
  }
};

}    // namespace steps

GRANULAR_PLUS_LAWS_END

#endif
