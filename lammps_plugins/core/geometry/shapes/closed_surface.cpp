#include "closed_surface.h"

#include "../meshes/box_tree.h"
#include "../meshes/vertices.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <sstream>

namespace granular_plus {

namespace {

ClosedSurface joined(const std::vector<Vector> &corners)
{
  ClosedSurface mesh;
  JoinedCorners joined = joined_corners(corners.size(), [&](std::size_t k) { return corners[k]; });
  if (joined.vertices.size() < 2) throw ShapeError("all points coincide");
  mesh.points = std::move(joined.vertices);
  const std::vector<int> &index = joined.number;
  for (std::size_t k = 0; k + 2 < index.size(); k += 3)
    if (index[k] != index[k + 1] && index[k + 1] != index[k + 2] && index[k + 2] != index[k])
      mesh.triangles.push_back({index[k], index[k + 1], index[k + 2]});
  return mesh;
}

std::vector<Vector> corners_of_stl(const std::string &bytes)
{
  std::vector<Vector> corners;
  const std::vector<double> values = parse_stl(bytes);
  for (std::size_t k = 0; k + 2 < values.size(); k += 3) corners.push_back({values[k], values[k + 1], values[k + 2]});
  return corners;
}

std::string shown(const std::string &line)
{
  std::string text = line.substr(0, 64);
  for (char &c : text)
    if (!std::isprint(static_cast<unsigned char>(c))) c = '?';
  return text;
}

// A face with more than three corners is split into triangles that share its first corner.
std::vector<Vector> corners_of_obj(const std::string &text)
{
  std::vector<Vector> points, corners;
  std::istringstream lines(text);
  std::string line, word;
  while (std::getline(lines, line)) {
    std::istringstream stream(line);
    if (!(stream >> word)) continue;
    if (word == "v") {
      Vector p;
      if (!(stream >> p.x >> p.y >> p.z)) throw ShapeError("a vertex must have three numbers: " + shown(line));
      points.push_back(p);
    } else if (word == "f") {
      std::vector<Vector> face;
      while (stream >> word) {
        const long n = std::strtol(word.c_str(), nullptr, 10), known = static_cast<long>(points.size());
        const long k = n > 0 ? n - 1 : known + n;    // negative numbers count back from the last point
        if (n == 0 || k < 0 || k >= known) throw ShapeError("face refers to an unknown vertex: " + shown(line));
        face.push_back(points[k]);
      }
      for (std::size_t k = 1; k + 1 < face.size(); ++k)
        for (const Vector &p : {face[0], face[k], face[k + 1]}) corners.push_back(p);
    }
  }
  return corners;
}

/* ----------------------------------------------------------------------
   Normals of each triangle at its corners. The normal at a corner is a weighted mean of the normals of all triangles
   that can be reached around this corner across flat edges. The weights are the angles of these triangles at the
   corner.
------------------------------------------------------------------------- */

struct CornerNormals {
  std::vector<std::array<Vector, 3>> of;    // of[t][k]: normal of triangle t at its corner k
  ByEdge<int> triangle;
  std::vector<Vector> face;

  CornerNormals(const ClosedSurface &mesh, double feature_angle) : triangle(left_of(mesh))
  {
    const double flat = std::cos(feature_angle * PI / 180.0);
    for (const auto &corners : mesh.triangles) face.push_back(unit(normal_of(mesh, corners)));
    of.resize(mesh.triangles.size());
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
      for (int k = 0; k < 3; ++k) {
        const int point = mesh.triangles[t][k];
        Vector sum = weighted(mesh, static_cast<int>(t), point);
        // The triangles around the point are visited in one direction until a sharp edge is met, then in the opposite
        // direction.
        for (const bool forwards : {true, false}) {
          int at = static_cast<int>(t);
          bool came_round = false;
          while (true) {
            const auto &corners = mesh.triangles[at];
            const int c = static_cast<int>(std::find(corners.begin(), corners.end(), point) - corners.begin());
            const int other = corners[(c + (forwards ? 2 : 1)) % 3];
            const int next = triangle.at(forwards ? Edge{point, other} : Edge{other, point});
            came_round = next == static_cast<int>(t);
            if (came_round || !(dot(face[at], face[next]) > flat)) break;
            sum = sum + weighted(mesh, next, point);
            at = next;
          }
          if (came_round) break;
        }
        of[t][k] = unit(sum);
      }
  }

  Vector weighted(const ClosedSurface &mesh, int t, int point) const
  {
    const auto &corners = mesh.triangles[t];
    const int c = static_cast<int>(std::find(corners.begin(), corners.end(), point) - corners.begin());
    const Vector a = unit(mesh.points[corners[(c + 1) % 3]] - mesh.points[point]);
    const Vector b = unit(mesh.points[corners[(c + 2) % 3]] - mesh.points[point]);
    return std::atan2(length(cross(a, b)), dot(a, b)) * face[t];
  }
};

}    // namespace

ClosedSurface parse_mesh(const std::string &bytes)
{
  const std::vector<Vector> corners = is_stl(bytes) ? corners_of_stl(bytes) : corners_of_obj(bytes);
  if (corners.empty() && bytes.find("facet") != std::string::npos) corners_of_stl(bytes);    // throws
  if (corners.empty()) throw ShapeError("the file has no triangles in STL or OBJ format");
  for (const Vector &p : corners)
    if (!std::isfinite(p.x) || !std::isfinite(p.y) || !std::isfinite(p.z))
      throw ShapeError("the mesh has a coordinate that is not a finite number");
  return joined(corners);
}

void check_closed(const ClosedSurface &mesh)
{
  ByEdge<int> seen;
  for (const auto &t : mesh.triangles)
    for (int k = 0; k < 3; ++k) ++seen[{t[k], t[(k + 1) % 3]}];
  int open = 0, twice = 0;
  for (const auto &[edge, times] : seen) {
    const auto back = seen.find({edge.second, edge.first});
    if (times > 1) ++twice;
    if (back == seen.end()) ++open;
  }
  if (twice > 0)
    throw ShapeError(std::to_string(twice) +
                     " edges run in the same direction in two triangles: the triangles must have consistent "
                     "orientations (seen from outside, their corners are in counter-clockwise order), no triangle may "
                     "occur twice, and exactly two triangles must meet at each edge");
  if (open > 0)
    throw ShapeError("the mesh is open: " + std::to_string(open) +
                     " edges belong to only one triangle; the surface must be closed");
  const Solid solid = solid_of(mesh);
  if (solid.volume < 0.0)
    throw ShapeError("the mesh is inside out: its volume is " + std::to_string(solid.volume) +
                     ", but must be > 0; reverse the order of the corners of each triangle");
  if (!(solid.volume > 1.0e-9 * std::pow(solid.area, 1.5))) throw ShapeError("the mesh encloses no volume");
}

/* ----------------------------------------------------------------------
   Sums over tetrahedra with a common corner. This corner is the mean of the points in the first pass and the centre of
   mass in the second pass, so that no digits are lost if the body is far from the origin.
------------------------------------------------------------------------- */

Solid solid_of(const ClosedSurface &mesh)
{
  Solid solid{};
  Vector origin{0.0, 0.0, 0.0};
  for (const Vector &p : mesh.points) origin = origin + (1.0 / static_cast<double>(mesh.points.size())) * p;
  for (const int pass : {0, 1}) {
    double volume = 0.0, area = 0.0, second[3][3] = {};
    Vector first{0.0, 0.0, 0.0};
    for (const auto &t : mesh.triangles) {
      const Vector p[3] = {mesh.points[t[0]] - origin, mesh.points[t[1]] - origin, mesh.points[t[2]] - origin};
      const Vector doubled = cross(p[1] - p[0], p[2] - p[0]), sum = p[0] + p[1] + p[2];
      const double part = dot(p[0], doubled) / 6.0;
      area += 0.5 * length(doubled);
      volume += part;
      first = first + (0.25 * part) * sum;
      const double s[3] = {sum.x, sum.y, sum.z};
      const double x[3][3] = {{p[0].x, p[0].y, p[0].z}, {p[1].x, p[1].y, p[1].z}, {p[2].x, p[2].y, p[2].z}};
      for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b)
          second[a][b] += part / 20.0 * (s[a] * s[b] + x[0][a] * x[0][b] + x[1][a] * x[1][b] + x[2][a] * x[2][b]);
    }
    solid.volume = volume;
    solid.area = area;
    if (volume == 0.0) break;
    if (pass == 0) {
      origin = origin + (1.0 / volume) * first;
      continue;
    }
    solid.centre = origin;
    const double trace = second[0][0] + second[1][1] + second[2][2];
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) solid.inertia[a][b] = (a == b ? trace : 0.0) - second[a][b];
  }
  return solid;
}

/* ----------------------------------------------------------------------
   Diagonalises the inertia by Jacobi rotations. A coordinate axis that is a principal axis up to rounding
   is kept unchanged.
------------------------------------------------------------------------- */

void principal_axes(const double inertia[3][3], double axes[3][3], double moments[3])
{
  double a[3][3];
  std::memcpy(a, inertia, sizeof a);
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) axes[r][c] = r == c;
  const double size = a[0][0] + a[1][1] + a[2][2];
  for (int sweep = 0; sweep < 50; ++sweep)
    for (int p = 0; p < 2; ++p)
      for (int q = p + 1; q < 3; ++q) {
        if (std::fabs(a[p][q]) < 1.0e-15 * size) continue;
        const double theta = 0.5 * (a[q][q] - a[p][p]) / a[p][q];
        const double t = (theta < 0.0 ? -1.0 : 1.0) / (std::fabs(theta) + std::sqrt(theta * theta + 1.0));
        const double c = 1.0 / std::sqrt(t * t + 1.0), s = t * c;
        const auto rotate = [c, s](double &at_p, double &at_q) {
          const double before = at_p;
          at_p = c * before - s * at_q;
          at_q = s * before + c * at_q;
        };
        for (int k = 0; k < 3; ++k) rotate(a[k][p], a[k][q]);
        for (int k = 0; k < 3; ++k) rotate(a[p][k], a[q][k]);
        for (int k = 0; k < 3; ++k) rotate(axes[k][p], axes[k][q]);
      }
  for (int k = 0; k < 3; ++k) moments[k] = a[k][k];
}

ByEdge<int> left_of(const ClosedSurface &mesh)
{
  ByEdge<int> triangle;
  triangle.reserve(3 * mesh.triangles.size());
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    for (int k = 0; k < 3; ++k) triangle[{mesh.triangles[t][k], mesh.triangles[t][(k + 1) % 3]}] = static_cast<int>(t);
  return triangle;
}

double sharpest_angle(const ClosedSurface &mesh)
{
  const ByEdge<int> triangle = left_of(mesh);
  const auto normal = [&](int t) { return unit(normal_of(mesh, mesh.triangles[t])); };
  double least = 1.0;
  for (const auto &[edge, t] : triangle) {
    const auto back = triangle.find({edge.second, edge.first});
    if (back != triangle.end()) least = std::min(least, dot(normal(t), normal(back->second)));
  }
  return std::acos(std::max(-1.0, least)) * 180.0 / PI;
}

std::vector<std::array<Vector, 3>> bulges(const ClosedSurface &mesh, double feature_angle)
{
  std::vector<std::array<Vector, 3>> result(mesh.triangles.size(), std::array<Vector, 3>{});
  if (!(feature_angle > 0.0)) return result;
  const CornerNormals normals(mesh, feature_angle);
  const double flat = std::cos(feature_angle * PI / 180.0);
  const auto normal_at = [&](int t, int point) {
    const auto &corners = mesh.triangles[t];
    return normals.of[t][std::find(corners.begin(), corners.end(), point) - corners.begin()];
  };
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    for (int k = 0; k < 3; ++k) {
      const int a = mesh.triangles[t][k], b = mesh.triangles[t][(k + 1) % 3], here = static_cast<int>(t);
      const int other = normals.triangle.at({b, a});
      const Vector along = mesh.points[b] - mesh.points[a];
      const bool sharp = !(dot(normals.face[here], normals.face[other]) > flat);
      const auto tangent = [&](int end) {
        const Vector n = normal_at(here, end), m = normal_at(other, end);
        const Vector line = unit(sharp ? cross(n, m) : n + m);
        const double part = dot(along, line);
        return sharp ? part * line : along - part * line;
      };
      result[t][k] = 0.125 * (tangent(a) - tangent(b));
    }
  return result;
}

ClosedSurface refined(const ClosedSurface &mesh, double feature_angle)
{
  ClosedSurface fine;
  fine.points = mesh.points;
  fine.triangles.reserve(4 * mesh.triangles.size());
  const auto bulge = bulges(mesh, feature_angle);
  ByEdge<int> middle;
  middle.reserve(2 * mesh.triangles.size());
  const auto middle_of = [&](std::size_t t, int k) {
    const int a = mesh.triangles[t][k], b = mesh.triangles[t][(k + 1) % 3];
    const auto [at, is_new] = middle.try_emplace(std::minmax(a, b), static_cast<int>(fine.points.size()));
    if (is_new) fine.points.push_back(0.5 * (mesh.points[a] + mesh.points[b]) + bulge[t][k]);
    return at->second;
  };
  for (std::size_t k = 0; k < mesh.triangles.size(); ++k) {
    const auto &t = mesh.triangles[k];
    const int ab = middle_of(k, 0), bc = middle_of(k, 1), ca = middle_of(k, 2);
    fine.triangles.push_back({t[0], ab, ca});
    fine.triangles.push_back({t[1], bc, ab});
    fine.triangles.push_back({t[2], ca, bc});
    fine.triangles.push_back({ab, bc, ca});
  }
  return fine;
}

}    // namespace granular_plus
