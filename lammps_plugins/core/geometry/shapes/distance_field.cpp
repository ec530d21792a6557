#include "distance_field.h"

#include <algorithm>
#include <cmath>

namespace granular_plus {

namespace {

// PADDING: number of cells by which samples extend beyond the bounding box on each side. Samples further away would not
// affect the spline. KEPT: number of these cells that belong to the finished grid.
constexpr int PADDING = 9;
constexpr int KEPT = 3;

// Replaces samples along a grid line by the coefficients of the cubic B-spline through these samples (Unser, Aldroubi
// and Eden, IEEE Trans. Signal Process. 41 (1993) 834).
void filter(double *line, int n, long stride)
{
  const double pole = std::sqrt(3.0) - 2.0;
  for (int k = 0; k < n; ++k) line[k * stride] *= 6.0;
  double sum = 0.0, power = 1.0;
  for (int k = 0; k < std::min(n, 30); ++k, power *= pole) sum += power * line[k * stride];
  line[0] = sum;
  for (int k = 1; k < n; ++k) line[k * stride] += pole * line[(k - 1) * stride];
  const long last = (n - 1) * stride;
  line[last] = pole / (pole * pole - 1.0) * (line[last] + pole * line[last - stride]);
  for (int k = n - 2; k >= 0; --k) line[k * stride] = pole * (line[(k + 1) * stride] - line[k * stride]);
}

struct Weights {
  double value[4], slope[4];
  explicit Weights(double t)
  {
    const double s = 1.0 - t, t2 = t * t, t3 = t2 * t;
    value[0] = s * s * s / 6.0;
    value[1] = (3.0 * t3 - 6.0 * t2 + 4.0) / 6.0;
    value[2] = (-3.0 * t3 + 3.0 * t2 + 3.0 * t + 1.0) / 6.0;
    value[3] = t3 / 6.0;
    slope[0] = -0.5 * s * s;
    slope[1] = 1.5 * t2 - 2.0 * t;
    slope[2] = -1.5 * t2 + t + 0.5;
    slope[3] = 0.5 * t2;
  }
};

using Cube = double[4][4][4];

// Sets `part` to the spline coefficients of one eighth of the cell.
void halve(const Cube &whole, const int (&upper)[3], Cube &part)
{
  // even rows: points midway between the old points; odd rows: old points
  static constexpr double MASK[5][4] = {{0.5, 0.5, 0.0, 0.0},
                                        {0.125, 0.75, 0.125, 0.0},
                                        {0.0, 0.5, 0.5, 0.0},
                                        {0.0, 0.125, 0.75, 0.125},
                                        {0.0, 0.0, 0.5, 0.5}};
  Cube along_z, along_y;
  const auto each = [](auto of) {
    for (int a = 0; a < 4; ++a)
      for (int b = 0; b < 4; ++b)
        for (int c = 0; c < 4; ++c) of(a, b, c);
  };
  const auto sum = [](const double (&m)[4], auto at) {
    return m[0] * at(0) + m[1] * at(1) + m[2] * at(2) + m[3] * at(3);
  };
  each([&](int a, int b, int c) { along_z[a][b][c] = sum(MASK[c + upper[2]], [&](int q) { return whole[a][b][q]; }); });
  each([&](int a, int b, int c) {
    along_y[a][b][c] = sum(MASK[b + upper[1]], [&](int q) { return along_z[a][q][c]; });
  });
  each([&](int a, int b, int c) { part[a][b][c] = sum(MASK[a + upper[0]], [&](int q) { return along_y[q][b][c]; }); });
}

// Returns the larger of `known` and the largest slope of the spline in the part of the cell where the spline is
// positive.
double steepest_in(const Cube &spline, double inverse, double known, int halvings)
{
  double largest = -INFINITY, step[3] = {0.0, 0.0, 0.0};
  const double *q = &spline[0][0][0];
  for (int a = 0; a < 4; ++a)
    for (int b = 0; b < 4; ++b)
      for (int c = 0; c < 4; ++c, ++q) {
        largest = larger(largest, *q);
        if (a < 3) step[0] = larger(step[0], std::fabs(q[16] - *q));
        if (b < 3) step[1] = larger(step[1], std::fabs(q[4] - *q));
        if (c < 3) step[2] = larger(step[2], std::fabs(q[1] - *q));
      }
  const double bound = inverse * length(vector_of(step));
  if (!(largest > 0.0) || bound <= known) return known;
  if (halvings == 0) return bound;
  Cube part;
  for (int k = 0; k < 8; ++k) {
    halve(spline, {k & 1, (k >> 1) & 1, k >> 2}, part);
    known = steepest_in(part, 2.0 * inverse, known, halvings - 1);
  }
  return known;
}

int points_along(double low, double high, double cell)
{
  return static_cast<int>(std::ceil((high - low) / cell)) + 2 * PADDING + 1;
}

}    // namespace

double DistanceField::points_needed(const Vector &low, const Vector &high, double cell)
{
  const Vector span = high - low;
  const auto along = [&](double width) { return width / cell + 2.0 * PADDING + 2.0; };
  return along(span.x) * along(span.y) * along(span.z);
}

DistanceField::DistanceField(const Vector &low, const Vector &high, double cell,
                             const std::function<double(const Vector &)> &distance)
    : size(cell), inverse(1.0 / cell)
{
  const double lows[3] = {low.x, low.y, low.z}, highs[3] = {high.x, high.y, high.z};
  int n[3];
  double start[3];
  for (int d = 0; d < 3; ++d) {
    n[d] = points_along(lows[d], highs[d], cell);
    start[d] = lows[d] - PADDING * cell;
    box_low[d] = lows[d];
    box_high[d] = highs[d];
  }
  const long row = n[2], plane = static_cast<long>(n[1]) * n[2];
  std::vector<double> all(plane * n[0]);
  for (int i = 0; i < n[0]; ++i)
    for (int j = 0; j < n[1]; ++j)
      for (int k = 0; k < n[2]; ++k)
        all[i * plane + j * row + k] = distance({start[0] + i * cell, start[1] + j * cell, start[2] + k * cell});
  for (int i = 0; i < n[0]; ++i)
    for (int j = 0; j < n[1]; ++j) filter(all.data() + i * plane + j * row, n[2], 1);
  for (int i = 0; i < n[0]; ++i)
    for (int k = 0; k < n[2]; ++k) filter(all.data() + i * plane + k, n[1], row);
  for (int j = 0; j < n[1]; ++j)
    for (int k = 0; k < n[2]; ++k) filter(all.data() + j * row + k, n[0], plane);

  constexpr int LEFT_OUT = PADDING - KEPT;
  for (int d = 0; d < 3; ++d) {
    count[d] = n[d] - 2 * LEFT_OUT;
    origin[d] = start[d] + LEFT_OUT * cell;
  }
  coefficients.reserve(static_cast<std::size_t>(count[0]) * count[1] * count[2]);
  for (int i = 0; i < count[0]; ++i)
    for (int j = 0; j < count[1]; ++j) {
      const auto from = all.begin() + (i + LEFT_OUT) * plane + (j + LEFT_OUT) * row + LEFT_OUT;
      coefficients.insert(coefficients.end(), from, from + count[2]);
    }

  constexpr int HALVINGS = 4;
  slope = 1.1;
  const long kept_row = count[2], kept_plane = static_cast<long>(count[1]) * count[2];
  Cube spline;
  for (int i = 0; i + 3 < count[0]; ++i)
    for (int j = 0; j + 3 < count[1]; ++j)
      for (int k = 0; k + 3 < count[2]; ++k) {
        for (int a = 0; a < 4; ++a)
          for (int b = 0; b < 4; ++b)
            std::copy_n(coefficients.begin() + (i + a) * kept_plane + (j + b) * kept_row + k, 4, spline[a][b]);
        slope = steepest_in(spline, inverse, slope, HALVINGS);
      }
}

bool DistanceField::evaluate(const Vector &point, double &value, Vector &gradient) const
{
  const double u[3] = {(point.x - origin[0]) * inverse, (point.y - origin[1]) * inverse,
                       (point.z - origin[2]) * inverse};
  int at[3];
  for (int d = 0; d < 3; ++d) {
    if (!(u[d] >= 1.0 && u[d] < count[d] - 2)) return false;
    at[d] = static_cast<int>(u[d]);
  }
  const Weights x(u[0] - at[0]), y(u[1] - at[1]), z(u[2] - at[2]);
  double sum = 0.0, along_x = 0.0, along_y = 0.0, along_z = 0.0;
  const long row = count[2], plane = static_cast<long>(count[1]) * count[2];
  const double *first = coefficients.data() + (at[0] - 1) * plane + (at[1] - 1) * row + (at[2] - 1);
  for (int a = 0; a < 4; ++a) {
    double r = 0.0, ry = 0.0, rz = 0.0;
    for (int b = 0; b < 4; ++b) {
      const double *q = first + a * plane + b * row;
      const double e = (q[0] * z.value[0] + q[1] * z.value[1]) + (q[2] * z.value[2] + q[3] * z.value[3]);
      const double s = (q[0] * z.slope[0] + q[1] * z.slope[1]) + (q[2] * z.slope[2] + q[3] * z.slope[3]);
      r += y.value[b] * e;
      ry += y.slope[b] * e;
      rz += y.value[b] * s;
    }
    sum += x.value[a] * r;
    along_x += x.slope[a] * r;
    along_y += x.value[a] * ry;
    along_z += x.value[a] * rz;
  }
  value = sum;
  gradient = {inverse * along_x, inverse * along_y, inverse * along_z};
  return true;
}

double DistanceField::outside(const Vector &point) const
{
  const double x[3] = {point.x, point.y, point.z};
  double square = 0.0;
  for (int d = 0; d < 3; ++d) {
    const double beyond = std::max({box_low[d] - x[d], 0.0, x[d] - box_high[d]});
    square += beyond * beyond;
  }
  return std::sqrt(square);
}

}    // namespace granular_plus
