#include "pair_search.h"

#include <algorithm>
#include <cmath>

namespace granular_plus {

namespace {

constexpr int MOST_LEVELS = 16;

// Returns the cell index along one dimension, limited to the grid; 0 for NaN.
int cells_to(float place, float per, int most)
{
  const float at = place * per;
  if (!(at > 0.0F)) return 0;
  return at < static_cast<float>(most) ? static_cast<int>(at) : most;
}

}    // namespace

int PairSearch::Level::cell(float x, float y, float z) const
{
  const int cx = cells_to(x, per_x, nx - 2 * FINE - 1) + FINE, cy = cells_to(y, per, ny - 3) + 1,
            cz = cells_to(z, per, nz - 3) + 1;
  return cx + nx * (cy + ny * cz);
}

/* ----------------------------------------------------------------------
   Stores positions in single precision, relative to the lower corner of the grains' bounding box.
------------------------------------------------------------------------- */

void PairSearch::sort(const Grains &grains)
{
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, longest = 0.0;
  for (int a = 0; a < grains.all; ++a)
    for (int d = 0; d < 3; ++d) {
      low[d] = std::min(low[d], grains.position[3 * a + d]);
      high[d] = std::max(high[d], grains.position[3 * a + d]);
    }
  for (int d = 0; d < 3; ++d) {
    extent[d] = grains.all > 0 ? static_cast<float>(high[d] - low[d]) : 0.0F;
    longest = std::max(longest, high[d] - low[d]);
    place[d].resize(grains.all);
  }
  // relative error of one rounded operation
  constexpr double ROUNDING = 6.0e-8;
  const double absolute = 2.0 * ROUNDING * longest, relative = 1.0 + 8.0 * ROUNDING;
  reach.resize(grains.all);
  for (int a = 0; a < grains.all; ++a) {
    for (int d = 0; d < 3; ++d) place[d][a] = static_cast<float>(grains.position[3 * a + d] - low[d]);
    reach[a] = static_cast<float>(grains.reach[a] * relative + absolute);
  }
  find_levels(grains);
}

void PairSearch::find_levels(const Grains &grains)
{
  const auto [least, most] = std::minmax_element(reach.begin(), reach.end());
  int count = grains.all > 0 ? 1 : 0;
  if (count > 0)
    for (float half = 0.5F * *most; half > *least && count < MOST_LEVELS; half *= 0.5F) ++count;
  levels.resize(count);
  level_of.assign(grains.all, 0);
  std::vector<int> members(count, 0);
  for (Level &level : levels) level.largest = 0.0F;
  for (int a = 0; a < grains.all; ++a) {
    int level = 0;
    for (float half = 0.5F * *most; reach[a] <= half && level < count - 1; half *= 0.5F) ++level;
    level_of[a] = static_cast<unsigned char>(level);
    levels[level].largest = std::max(levels[level].largest, reach[a]);
    ++members[level];
  }
  for (int level = 0; level < count; ++level) {
    make_cells(levels[level], members[level]);
    fill(level, 0, grains.owned, levels[level].owned);
    fill(level, grains.owned, grains.all, levels[level].ghosts);
    mark_ghosts(levels[level]);
  }
}

// Along y and z, cells are at least as wide as the largest distance of a pair within reach. Along x, cells are shorter
// by the factor FINE. Partners are therefore in adjacent cells along y and z, and at most FINE cells away along x.

void PairSearch::make_cells(Level &level, int members) const
{
  level.nx = level.ny = level.nz = 0;
  if (members == 0) return;
  constexpr double A_FEW = 1000.0, PER_GRAIN = 16.0;
  double edge = 2.0 * static_cast<double>(level.largest), cells;
  const auto along = [&](int d) { return std::floor(static_cast<double>(extent[d]) / edge) + 3.0; };
  while ((cells = FINE * along(0) * along(1) * along(2)) > A_FEW + PER_GRAIN * members) edge *= 1.26;
  level.per = static_cast<float>(1.0 / edge);
  level.per_x = FINE * level.per;
  const auto count = [&](int d, float per) { return static_cast<int>(extent[d] * per) + 1; };
  level.nx = count(0, level.per_x) + 2 * FINE;
  level.ny = count(1, level.per) + 2;
  level.nz = count(2, level.per) + 2;
}

void PairSearch::fill(int l, int begin, int end, Sorted &sorted)
{
  const Level &level = levels[l];
  const int cells = level.nx * level.ny * level.nz;
  sorted.start.assign(cells + 2, 0);
  std::vector<int> &start = sorted.start;    // during filling, start[cell + 1] is the next free index of a cell
  int count = 0;
  for (int a = begin; a < end; ++a) {
    if (level_of[a] != l) continue;
    ++start[level.cell(place[0][a], place[1][a], place[2][a]) + 2];
    ++count;
  }
  for (int cell = 0; cell < cells; ++cell) start[cell + 2] += start[cell + 1];
  const std::size_t room = static_cast<std::size_t>(count) + CellArrays::BEYOND;
  for (auto *list : {&sorted.x, &sorted.y, &sorted.z, &sorted.reach}) list->resize(room);
  for (auto *list : {&sorted.number, &sorted.cell}) list->resize(room);
  for (int a = begin; a < end; ++a) {
    if (level_of[a] != l) continue;
    const int cell = level.cell(place[0][a], place[1][a], place[2][a]), at = start[cell + 1]++;
    sorted.x[at] = place[0][a];
    sorted.y[at] = place[1][a];
    sorted.z[at] = place[2][a];
    sorted.reach[at] = reach[a];
    sorted.number[at] = a;
    sorted.cell[at] = cell;
  }
  start.pop_back();
}

void PairSearch::mark_ghosts(Level &level) const
{
  level.near_ghosts.clear();
  if (level.ghosts.count() == 0) return;
  level.near_ghosts.assign(level.ghosts.start.size() - 1, 0);
  for (int k = 0; k < level.ghosts.count(); ++k) {
    if (k > 0 && level.ghosts.cell[k] == level.ghosts.cell[k - 1]) continue;
    for (int dz = -1; dz <= 1; ++dz)
      for (int dy = -1; dy <= 1; ++dy) {
        const int around = level.ghosts.cell[k] + level.nx * (dy + level.ny * dz);
        std::fill_n(level.near_ghosts.begin() + (around - FINE), 2 * FINE + 1, static_cast<unsigned char>(1));
      }
  }
}

/* ----------------------------------------------------------------------
   The partners of a grain are the owned grains that follow the grain in its level, all owned grains of coarser levels,
   and all ghosts.
------------------------------------------------------------------------- */

int PairSearch::find_partners(const Kernels &kernels, std::size_t l, int k)
{
  const Level &level = levels[l];
  const Sorted &own = level.owned;
  const CellGrain one{own.x[k], own.y[k], own.z[k], own.reach[k]};
  const int cell = own.cell[k], row = level.nx, layer = level.nx * level.ny;
  const auto add_row = [&](const Sorted &among, int at) {
    const CellRange range{among.start[at - FINE], among.start[at + FINE + 1]};
    if (range.begin < range.end) ranges.push_back(range);
  };

  ranges.clear();
  ranges.push_back({k + 1, own.start[cell + FINE + 1]});
  for (const int ahead : {row, layer - row, layer, layer + row}) add_row(own, cell + ahead);
  int count = search_ranges(kernels, one, own, 0);
  for (std::size_t other = 0; other < l; ++other) {
    add_ranges_around(one, levels[other], levels[other].owned);
    count = search_ranges(kernels, one, levels[other].owned, count);
  }
  for (std::size_t other = 0; other < levels.size(); ++other) {
    const Sorted &ghosts = levels[other].ghosts;
    if (other != l)
      add_ranges_around(one, levels[other], ghosts);
    else if (!level.near_ghosts.empty() && level.near_ghosts[cell])
      for (int dz = -layer; dz <= layer; dz += layer)
        for (int dy = -row; dy <= row; dy += row) add_row(ghosts, cell + dy + dz);
    count = search_ranges(kernels, one, ghosts, count);
  }
  return count;
}

void PairSearch::add_ranges_around(const CellGrain &one, const Level &level, const Sorted &among)
{
  if (among.count() == 0) return;
  const float within = one.reach + level.largest;
  const auto at = [](float place, float per, int most) { return cells_to(place, per, most); };
  const int most_x = level.nx - 2 * FINE - 1, most_y = level.ny - 3, most_z = level.nz - 3;
  const int x0 = at(one.x - within, level.per_x, most_x) + FINE, x1 = at(one.x + within, level.per_x, most_x) + FINE,
            y0 = at(one.y - within, level.per, most_y) + 1, y1 = at(one.y + within, level.per, most_y) + 1,
            z0 = at(one.z - within, level.per, most_z) + 1, z1 = at(one.z + within, level.per, most_z) + 1;
  for (int z = z0; z <= z1; ++z)
    for (int y = y0; y <= y1; ++y) {
      const int first = level.nx * (y + level.ny * z);
      const CellRange range{among.start[first + x0], among.start[first + x1 + 1]};
      if (range.begin < range.end) ranges.push_back(range);
    }
}

int PairSearch::search_ranges(const Kernels &kernels, const CellGrain &one, const Sorted &among, int count)
{
  if (ranges.empty()) return count;
  std::size_t most = static_cast<std::size_t>(count) + CellArrays::BEYOND;
  for (const CellRange &range : ranges) most += static_cast<std::size_t>(std::max(range.end - range.begin, 0));
  if (found.size() < most) found.resize(2 * most);
  count +=
      kernels.within_reach(one, among.arrays(), ranges.data(), static_cast<int>(ranges.size()), found.data() + count);
  ranges.clear();
  return count;
}

}    // namespace granular_plus
