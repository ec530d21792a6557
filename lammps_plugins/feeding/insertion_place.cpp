#include "insertion_place.h"

#include "../core/geometry/meshes/triangle_mesh.h"
#include "../core/geometry/meshes/vertices.h"
#include "../core/model/law_table.h"
#include "../glue/file_for_all.h"
#include "../glue/mesh_words.h"

#include "domain.h"
#include "error.h"
#include "region.h"

#include <algorithm>
#include <cmath>
#include <map>

using namespace LAMMPS_NS;
using granular_plus::InputError;
using granular_plus::TriangleMesh;
using granular_plus::Vector;
using granular_plus::vector_of;

void InsertionPlace::draw(const double *uniform, double *point) const
{
  for (int d = 0; d < 3; ++d) point[d] = low[d] + uniform[d] * (high[d] - low[d]);
}

namespace {

void check_room(const std::string &name, double largest, double width)
{
  if (largest > width)
    throw InputError(fmt::format("keyword species: the largest diameter = {:g} must be <= {:g}, the width of {}",
                                 largest, width, name));
}

std::string is_outside(const std::string &name, int d, double low, double high, const Domain &domain)
{
  const double *box_low = domain.triclinic ? domain.boxlo_bound : domain.boxlo;
  const double *box_high = domain.triclinic ? domain.boxhi_bound : domain.boxhi;
  return fmt::format(
      "{} must reach into the box: along {} it lies between {:g} and {:g}, but the box lies between {:g} and {:g}",
      name, static_cast<char>('x' + d), low, high, box_low[d], box_high[d]);
}

class InRegion : public InsertionPlace {
 public:
  InRegion(LAMMPS *lmp, const std::string &id) : InsertionPlace(lmp, "region " + id), id(id) {}

  void init(const double * /*velocity*/, double largest) override
  {
    Region *found = domain->get_region_by_id(id);
    if (!found) throw InputError("there is no " + name);
    if (found->dynamic_check() || found->varshape)
      throw InputError(name + " must be at rest: the bounding box of a moving region does not move with the region");
    if (!found->bboxflag)
      throw InputError(name + " has no bounding box: use a closed region, or a block that encloses this region");
    begin(nullptr, largest);
    check_reach();
    for (int d = 0; d < domain->dimension; ++d) check_room(name, largest, high[d] - low[d]);
  }

  // In directions in which the region is unbounded, the bounds of the box are used.

  void begin(const double * /*displacement*/, double /*largest*/) override
  {
    region = domain->get_region_by_id(id);
    if (!region) throw InputError(name + " has been deleted since the last run");
    region->prematch();
    constexpr double NO_END = 1.0e19;    // LAMMPS stores 1e20 for INF
    const double first[3] = {region->extent_xlo, region->extent_ylo, region->extent_zlo};
    const double last[3] = {region->extent_xhi, region->extent_yhi, region->extent_zhi};
    const double *box_low = domain->triclinic ? domain->boxlo_bound : domain->boxlo;
    const double *box_high = domain->triclinic ? domain->boxhi_bound : domain->boxhi;
    for (int d = 0; d < 3; ++d) {
      low[d] = first[d] > -NO_END ? first[d] : box_low[d];
      high[d] = last[d] < NO_END ? last[d] : box_high[d];
    }
  }

  bool holds(const double *point, double radius) override
  {
    if (!region->match(point[0], point[1], point[2])) return false;
    const int sides = region->surface(point[0], point[1], point[2], radius);
    for (int k = 0; k < sides; ++k)
      if (domain->dimension == 3 || region->contact[k].delx != 0.0 || region->contact[k].dely != 0.0) return false;
    return true;
  }

 private:
  const std::string id;
  Region *region = nullptr;

  // Stops with an error if the whole region is beyond a fixed boundary. Other boundaries need no test: grains beyond a
  // periodic boundary return to the box, and shrink-wrapped boundaries follow the grains.

  void check_reach() const
  {
    double least[3] = {INFINITY, INFINITY, INFINITY}, most[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int corner = 0; corner < 8; ++corner) {
      double point[3];
      for (int d = 0; d < 3; ++d) point[d] = corner & (1 << d) ? high[d] : low[d];
      if (domain->triclinic) domain->x2lamda(point, point);
      for (int d = 0; d < 3; ++d) {
        least[d] = std::min(least[d], point[d]);
        most[d] = std::max(most[d], point[d]);
      }
    }
    const double *begin = domain->triclinic ? domain->boxlo_lamda : domain->boxlo;
    const double *end = domain->triclinic ? domain->boxhi_lamda : domain->boxhi;
    constexpr int FIXED = 1;
    for (int d = 0; d < domain->dimension; ++d)
      if ((domain->boundary[d][0] == FIXED && most[d] <= begin[d]) ||
          (domain->boundary[d][1] == FIXED && least[d] >= end[d]))
        throw InputError(is_outside(name, d, low[d], high[d], *domain));
  }
};

std::vector<double> corners_in(LAMMPS *lmp, const std::string &file)
{
  try {
    return granular_plus::parse_stl(file_for_all(lmp, file));
  } catch (const granular_plus::MeshError &e) {
    throw InputError("mesh " + file + ": " + e.what());
  }
}

TriangleMesh placed(const std::vector<double> &corners, const std::string &file,
                    const granular_plus::Placement &placement)
{
  constexpr double FEATURE = 90.0;    // any value would do
  try {
    return TriangleMesh(corners, placement, FEATURE);
  } catch (const granular_plus::MeshError &e) {
    throw InputError("mesh " + file + ": " + e.what());
  }
}

// Stops with an error if the mesh is much larger than the box or lies outside the box. The file then probably uses
// another unit.

void check_size(const std::string &name, const TriangleMesh &mesh, const Domain &domain)
{
  constexpr double MOST = 2.0;    // in multiples of the box length
  const double *low = domain.triclinic ? domain.boxlo_bound : domain.boxlo;
  const double *high = domain.triclinic ? domain.boxhi_bound : domain.boxhi;
  for (int d = 0; d < 3; ++d) {
    const double length = mesh.high()[d] - mesh.low()[d], side = high[d] - low[d];
    const char axis = static_cast<char>('x' + d);
    if (length > MOST * side)
      throw InputError(fmt::format("{}: its length along {} = {:g} must be <= {:g}, twice the length of the box; if "
                                   "the file uses another unit, give keyword scale",
                                   name, axis, length, MOST * side));
    if (mesh.high()[d] < low[d] || mesh.low()[d] > high[d])
      throw InputError(is_outside(name, d, mesh.low()[d], mesh.high()[d], domain) + "; see keywords scale and offset");
  }
}

class InMesh : public InsertionPlace {
 public:
  InMesh(LAMMPS *lmp, const std::string &file, TriangleMesh drawn)
      : InsertionPlace(lmp, "mesh " + file), mesh(std::move(drawn))
  {
    if (domain->dimension == 2) throw InputError(name + ": dimension = 2 must be 3");
    if (mesh.open_edges > 0 || mesh.crowded_edges > 0)
      throw InputError(name + " must be closed: " + std::to_string(mesh.open_edges) +
                       " edges belong to one triangle, and " + std::to_string(mesh.crowded_edges) +
                       " edges belong to more than two triangles; use pysuite mesh --repair");
    std::copy_n(mesh.low(), 3, low);
    std::copy_n(mesh.high(), 3, high);
  }

  void init(const double * /*velocity*/, double largest) override
  {
    check_size(name, mesh, *domain);
    for (int d = 0; d < 3; ++d) check_room(name, largest, high[d] - low[d]);
  }

  void begin(const double * /*displacement*/, double /*largest*/) override {}

  bool holds(const double *point, double radius) override
  {
    const Vector centre = vector_of(point);
    return mesh.encloses(centre) && mesh.distance(centre, radius) >= radius;
  }

 private:
  const TriangleMesh mesh;
};

/* ----------------------------------------------------------------------
   Grains with one common velocity are inserted behind a flat mesh, in the space that will pass through the mesh until
   the next insertion. A sphere fits if a disc of the same radius fits into the projection of the mesh along the
   velocity.
------------------------------------------------------------------------- */

class BehindFace : public InsertionPlace {
 public:
  BehindFace(LAMMPS *lmp, const std::string &file, TriangleMesh drawn)
      : InsertionPlace(lmp, "face " + file), face(std::move(drawn))
  {
    if (domain->dimension == 2) throw InputError(name + ": dimension = 2 must be 3");
    normal = face.facet(0).normal;
    const Vector size = vector_of(face.high()) - vector_of(face.low());
    // largest distance of a corner from the plane, divided by the size of the mesh; STL files may round corners to
    // single precision
    constexpr double FLAT_TO = 1.0e-6;
    for (int t = 0; t < face.size(); ++t)
      for (const Vector &corner : face.facet(t).corner) {
        const double height = std::fabs(dot(normal, corner - face.facet(0).corner[0]));
        if (!(height <= FLAT_TO * length(size)))
          throw InputError(name + " must be flat: triangle " + std::to_string(face.number(t)) + " has a corner " +
                           fmt::format("{:g}", height) + " away from the plane of triangle " +
                           std::to_string(face.number(0)));
      }
  }

  void init(const double *velocity, double largest) override
  {
    check_size(name, face, *domain);
    const Vector v = vector_of(velocity);
    const double speed = length(v);
    if (!(speed > 0.0))
      throw InputError(name + ": keyword velocity must not be 0: grains enter through the face with this velocity");
    const double cosine = std::fabs(dot(normal, v)) / speed;
    constexpr double LEAST_COSINE = 0.1;
    if (!(cosine >= LEAST_COSINE))
      throw InputError(fmt::format(
          "{}: the angle between keyword velocity and the normal of the face = {:.3g} degrees must be <= {:.3g}", name,
          std::acos(std::min(1.0, cosine)) * 180.0 / granular_plus::PI,
          std::acos(LEAST_COSINE) * 180.0 / granular_plus::PI));
    along = (1.0 / speed) * v;
    if (dot(normal, along) < 0.0) normal = -1.0 * normal;
    const Vector other = std::fabs(along.x) < 0.5 ? Vector{1.0, 0.0, 0.0} : Vector{0.0, 1.0, 0.0};
    across[0] = (1.0 / length(cross(along, other))) * cross(along, other);
    across[1] = cross(along, across[0]);
    draw_outline();
    for (int d = 0; d < 2; ++d) check_room(name, largest, most[d] - least[d]);
  }

  // The depth of the space behind the face is the displacement of grains until the next insertion, plus the depth that
  // the largest grain needs. Every grain starts completely behind the face.

  void begin(const double *way, double largest) override
  {
    depth = length(vector_of(way)) + largest / dot(normal, along);
    for (int d = 0; d < 3; ++d) {
      const double back = -depth * component(along, d);
      low[d] = face.low()[d] + std::min(0.0, back);
      high[d] = face.high()[d] + std::max(0.0, back);
    }
  }

  void draw(const double *uniform, double *point) const override
  {
    const double place[2] = {least[0] + uniform[0] * (most[0] - least[0]),
                             least[1] + uniform[1] * (most[1] - least[1])};
    const Vector seen = place[0] * across[0] + place[1] * across[1];
    const double to_face = dot(normal, face.facet(0).corner[0] - seen) / dot(normal, along);
    write(point, seen + (to_face - uniform[2] * depth) * along);
  }

  bool holds(const double *point, double radius) override
  {
    const Vector centre = vector_of(point);
    const double to_face = dot(normal, face.facet(0).corner[0] - centre), cosine = dot(normal, along);
    if (!(to_face >= radius && to_face <= depth * cosine - radius)) return false;
    const Flat at = flat(centre);
    const bool is_inside = std::any_of(triangles.begin(), triangles.end(), [&](const auto &t) {
      bool left = true, right = true;
      for (int k = 0; k < 3; ++k) {
        const double side = turn(t[k], t[(k + 1) % 3], at);
        left = left && side >= 0.0;
        right = right && side <= 0.0;
      }
      return left || right;
    });
    return is_inside && std::none_of(outline.begin(), outline.end(), [&](const auto &edge) {
             return square_to(edge[0], edge[1], at) < radius * radius;
           });
  }

 private:
  using Flat = std::array<double, 2>;
  const TriangleMesh face;
  Vector normal, along, across[2];
  double depth = 0.0;
  double least[2], most[2];
  // triangles projected along the velocity
  std::vector<std::array<Flat, 3>> triangles;
  std::vector<std::array<Flat, 2>> outline;

  Flat flat(const Vector &point) const { return {dot(across[0], point), dot(across[1], point)}; }
  static double turn(const Flat &a, const Flat &b, const Flat &c)
  {
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
  }
  static double square_to(const Flat &a, const Flat &b, const Flat &c)
  {
    const double edge[2] = {b[0] - a[0], b[1] - a[1]}, away[2] = {c[0] - a[0], c[1] - a[1]};
    const double square = edge[0] * edge[0] + edge[1] * edge[1];
    const double part = std::clamp((away[0] * edge[0] + away[1] * edge[1]) / square, 0.0, 1.0);
    return std::pow(away[0] - part * edge[0], 2) + std::pow(away[1] - part * edge[1], 2);
  }

  // The outline consists of the edges that belong to only one triangle.

  void draw_outline()
  {
    const auto corner = [this](std::size_t k) { return face.facet(static_cast<int>(k / 3)).corner[k % 3]; };
    const auto joined = granular_plus::joined_corners(3 * static_cast<std::size_t>(face.size()), corner);
    std::map<std::array<int, 2>, int> uses;
    const auto edge_of = [&joined](std::size_t first, int k) {
      const std::array<int, 2> ends{joined.number[first + k], joined.number[first + (k + 1) % 3]};
      return std::array<int, 2>{std::min(ends[0], ends[1]), std::max(ends[0], ends[1])};
    };
    triangles.clear();
    outline.clear();
    for (int d = 0; d < 2; ++d) {
      least[d] = INFINITY;
      most[d] = -INFINITY;
    }
    for (std::size_t t = 0; t < joined.number.size(); t += 3) {
      auto &triangle = triangles.emplace_back();
      for (int k = 0; k < 3; ++k) {
        triangle[k] = flat(joined.vertices[joined.number[t + k]]);
        ++uses[edge_of(t, k)];
        for (int d = 0; d < 2; ++d) {
          least[d] = std::min(least[d], triangle[k][d]);
          most[d] = std::max(most[d], triangle[k][d]);
        }
      }
    }
    for (const auto &[ends, count] : uses)
      if (count == 1) outline.push_back({flat(joined.vertices[ends[0]]), flat(joined.vertices[ends[1]])});
  }
};

TriangleMesh read_mesh(const Operands &given)
{
  granular_plus::Placement placement;
  OptionReader reader(given.lmp, given.message_prefix, {PLACEMENT.of(placement)});
  while (given.next < given.words.size() && reader.read_one(given.words, given.next)) {
  }
  return placed(corners_in(given.lmp, given.word(0)), given.word(0), placement);
}

}    // namespace

std::unique_ptr<InsertionPlace> InsertionPlace::in_region(LAMMPS *lmp, const std::string &id)
{
  return std::make_unique<InRegion>(lmp, id);
}

std::unique_ptr<InsertionPlace> InsertionPlace::in_mesh(const Operands &given)
{
  return std::make_unique<InMesh>(given.lmp, given.word(0), read_mesh(given));
}

std::unique_ptr<InsertionPlace> InsertionPlace::behind_face(const Operands &given)
{
  return std::make_unique<BehindFace>(given.lmp, given.word(0), read_mesh(given));
}
