
#ifndef GRANULAR_PLUS_QUATERNION_H
#define GRANULAR_PLUS_QUATERNION_H

#include "lane.h"

GRANULAR_PLUS_LAWS_BEGIN

struct Quaternion {
  double w, x, y, z;
};
LANE Quaternion quaternion_of(const double *values) { return {values[0], values[1], values[2], values[3]}; }
LANE void write(double *values, const Quaternion &q)
{
  values[0] = q.w;
  values[1] = q.x;
  values[2] = q.y;
  values[3] = q.z;
}
LANE Quaternion conjugate(const Quaternion &q) { return {q.w, -q.x, -q.y, -q.z}; }
LANE Quaternion operator+(const Quaternion &p, const Quaternion &q)
{
  return {p.w + q.w, p.x + q.x, p.y + q.y, p.z + q.z};
}
LANE Quaternion operator-(const Quaternion &p, const Quaternion &q)
{
  return {p.w - q.w, p.x - q.x, p.y - q.y, p.z - q.z};
}
LANE Quaternion operator*(double s, const Quaternion &q) { return {s * q.w, s * q.x, s * q.y, s * q.z}; }
// The terms have the same order for all axes, so round-off does not single out an axis.
LANE Quaternion operator*(const Quaternion &p, const Quaternion &q)
{
  return {p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z, p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y,
          p.w * q.y + p.y * q.w + p.z * q.x - p.x * q.z, p.w * q.z + p.z * q.w + p.x * q.y - p.y * q.x};
}

LANE Vector turned_x(const Quaternion &q)
{
  return {q.w * q.w + q.x * q.x - q.y * q.y - q.z * q.z, 2.0 * (q.x * q.y + q.w * q.z), 2.0 * (q.x * q.z - q.w * q.y)};
}
LANE Vector turned_y(const Quaternion &q)
{
  return {2.0 * (q.x * q.y - q.w * q.z), q.w * q.w - q.x * q.x + q.y * q.y - q.z * q.z, 2.0 * (q.y * q.z + q.w * q.x)};
}
LANE Vector turned_z(const Quaternion &q)
{
  return {2.0 * (q.x * q.z + q.w * q.y), 2.0 * (q.y * q.z - q.w * q.x), q.w * q.w - q.x * q.x - q.y * q.y + q.z * q.z};
}

GRANULAR_PLUS_LAWS_END

#endif
