// Shapes of grains for Python, without LAMMPS.

#include "arrays.h"

#include "../core/geometry/shapes/contact_of_shapes.h"
#include "../core/geometry/shapes/surface_distance.h"

using namespace granular_plus;

namespace {

using Triangles = nb::ndarray<const int, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>;
using Triple = nb::ndarray<const double, nb::shape<3>, nb::c_contig, nb::device::cpu>;
using Four = nb::ndarray<const double, nb::shape<4>, nb::c_contig, nb::device::cpu>;

nb::object array_of(const std::vector<Vector> &points)
{
  std::vector<double> values;
  for (const Vector &p : points) values.insert(values.end(), {p.x, p.y, p.z});
  return new_array<double>({points.size(), 3}, values);
}
nb::object array_of(const Vector &v) { return new_array<double>({3}, {v.x, v.y, v.z}); }

nb::object array_of(const std::vector<std::array<int, 3>> &triangles)
{
  std::vector<int> values;
  for (const auto &t : triangles) values.insert(values.end(), t.begin(), t.end());
  return new_array<int>({triangles.size(), 3}, values);
}

Vector vector_of(const Triple &v) { return {v(0), v(1), v(2)}; }

ClosedSurface mesh_of(const Vectors &points, const Triangles &triangles)
{
  ClosedSurface mesh;
  for (std::size_t k = 0; k < points.shape(0); ++k) mesh.points.push_back({points(k, 0), points(k, 1), points(k, 2)});
  const int count = static_cast<int>(points.shape(0));
  for (std::size_t k = 0; k < triangles.shape(0); ++k) {
    const std::array<int, 3> t = {triangles(k, 0), triangles(k, 1), triangles(k, 2)};
    for (const int p : t)
      if (p < 0 || p >= count) throw ShapeError("a triangle refers to a point that does not exist");
    mesh.triangles.push_back(t);
  }
  return mesh;
}

Body body_of(const Shape *shape, const Triple &position, const Four &quat, double scale)
{
  Body body;
  body.shape = shape;
  body.position = vector_of(position);
  body.turn = rotation_of(quat.data());
  body.scale = scale;
  return body;
}

void make_shape(Shape *self, Vectors points, Triangles triangles, const std::string &surface, int nodes, double cell)
{
  ShapeOptions options;
  options.surface = surface == "smooth" ? ShapeOptions::SMOOTH
      : surface == "facets"             ? ShapeOptions::FACETS
                                        : ShapeOptions::AUTOMATIC;
  options.nodes = nodes;
  options.cell = cell;
  new (self) Shape(mesh_of(points, triangles), options);
}

// Returns the distance of each point from the surface and the gradient of the distance. The distance is negative inside
// the surface. Both results are NaN for points outside the grid.
nb::tuple distance(const Shape &shape, Vectors points)
{
  std::vector<double> values, slopes;
  for (std::size_t k = 0; k < points.shape(0); ++k) {
    double value = NAN;
    Vector slope{NAN, NAN, NAN};
    shape.field.evaluate({points(k, 0), points(k, 1), points(k, 2)}, value, slope);
    values.push_back(value);
    slopes.insert(slopes.end(), {slope.x, slope.y, slope.z});
  }
  return nb::make_tuple(new_array<double>({values.size()}, values), new_array<double>({values.size(), 3}, slopes));
}

// Returns distances from the flat triangles, without smoothing. The distances are negative inside the surface.
nb::object distance_to_triangles(Vectors points, Triangles triangles, Vectors at)
{
  const ClosedSurface mesh = mesh_of(points, triangles);
  check_closed(mesh);
  check_simple(mesh);
  const SurfaceDistance distance(mesh, 0.0);
  std::vector<double> values;
  for (std::size_t k = 0; k < at.shape(0); ++k) values.push_back(distance({at(k, 0), at(k, 1), at(k, 2)}));
  return new_array<double>({values.size()}, values);
}

// Returns None if body and partner do not touch.
template <class Partner> nb::object contact_of(const Body &body, const Partner &partner, ContactCache *cache)
{
  ContactCache own;
  ShapeContact c;
  if (!find_contact(body, partner, cache ? *cache : own, c)) return nb::none();
  nb::dict result;
  result["overlap"] = c.overlap;
  result["radius"] = c.radius;
  result["gradient"] = array_of(c.gradient);
  result["turning_i"] = array_of(c.turning_i);
  result["turning_j"] = array_of(c.turning_j);
  result["point"] = array_of(c.point);
  result["nodes"] = c.nodes;
  result["deepest"] = c.deepest;
  return result;
}

// Returns the orientation and the spin of a free rigid body after `steps` steps.
nb::tuple turn(const Shape &shape, const Four &orientation, const Triple &spin, double timestep, long steps)
{
  const Inertia inertia = shape.inertia;
  double quat[4];
  std::copy_n(orientation.data(), 4, quat);
  const Vector momentum = inertia.angular_momentum_of(vector_of(spin), quat);
  for (long k = 0; k < steps; ++k) turn_freely(quat, momentum, inertia, timestep);
  return nb::make_tuple(new_array<double>({4}, {quat[0], quat[1], quat[2], quat[3]}),
                        array_of(inertia.spin_of(momentum, quat)));
}

}    // namespace

NB_MODULE(_shapes, module)
{
  translate<MeshError>();
  nb::class_<ContactCache>(module, "Cache").def(nb::init<>());
  nb::class_<Shape>(module, "Shape")
      .def("__init__", &make_shape, nb::arg("points"), nb::arg("triangles"), nb::arg("surface") = "",
           nb::arg("nodes") = 0, nb::arg("cell") = 0.0)
      .def_ro("volume", &Shape::volume)
      .def_ro("area", &Shape::area)
      .def_ro("bounding_radius", &Shape::bounding_radius)
      .def_ro("volume_radius", &Shape::volume_radius)
      .def_ro("spacing", &Shape::spacing)
      .def_ro("sharpest", &Shape::sharpest)
      .def_ro("smooth", &Shape::smooth)
      .def_prop_ro("cell", [](const Shape &s) { return s.field.cell(); })
      .def_prop_ro("steepest", [](const Shape &s) { return s.field.steepest(); })
      .def_prop_ro("field_bytes", [](const Shape &s) { return s.field.bytes(); })
      .def_prop_ro("grid", [](const Shape &s) { return new_array<int>({3}, {s.field.points(), s.field.points() + 3}); })
      .def_prop_ro("centre", [](const Shape &s) { return array_of(s.centre); })
      .def_prop_ro("inertia", [](const Shape &s) { return array_of(granular_plus::vector_of(s.inertia.moment)); })
      .def_prop_ro(
          "principal",
          [](const Shape &s) { return new_array<double>({4}, {s.inertia.principal, s.inertia.principal + 4}); })
      .def_prop_ro("nodes", [](const Shape &s) { return array_of(s.nodes); })
      .def_prop_ro("weights", [](const Shape &s) { return new_array<double>({s.weights.size()}, s.weights); })
      .def_prop_ro("points", [](const Shape &s) { return array_of(s.surface.points); })
      .def_prop_ro("triangles", [](const Shape &s) { return array_of(s.surface.triangles); })
      .def("distance", &distance)
      .def("turn", &turn);
  module.def("read", [](const std::string &file) {
    const ClosedSurface mesh = parse_mesh(bytes_of_file(file));
    return nb::make_tuple(array_of(mesh.points), array_of(mesh.triangles));
  });
  // raises ValueError unless the surface is closed, its normals point outwards, and it encloses no space twice
  module.def("check", [](Vectors points, Triangles triangles) {
    const ClosedSurface mesh = mesh_of(points, triangles);
    check_closed(mesh);
    check_simple(mesh);
  });
  module.def("distance_to_triangles", &distance_to_triangles);
  module.def("refined", [](Vectors points, Triangles triangles, double feature_angle) {
    const ClosedSurface mesh = refined(mesh_of(points, triangles), feature_angle);
    return nb::make_tuple(array_of(mesh.points), array_of(mesh.triangles));
  });
  // a null shape is a sphere, whose radius is the scale
  module.def(
      "contact",
      [](const Shape *shape_i, Triple x_i, Four q_i, double scale_i, const Shape *shape_j, Triple x_j, Four q_j,
         double scale_j, ContactCache *cache) {
        return contact_of(body_of(shape_i, x_i, q_i, scale_i), body_of(shape_j, x_j, q_j, scale_j), cache);
      },
      nb::arg("shape_i").none(), nb::arg("x_i"), nb::arg("q_i"), nb::arg("scale_i"), nb::arg("shape_j").none(),
      nb::arg("x_j"), nb::arg("q_j"), nb::arg("scale_j"), nb::arg("cache").none() = nb::none());
  module.def(
      "contact_with_plane",
      [](const Shape *shape, Triple x, Four q, double scale, Triple point, Triple normal, ContactCache *cache) {
        return contact_of(body_of(shape, x, q, scale), Plane{vector_of(point), vector_of(normal)}, cache);
      },
      nb::arg("shape").none(), nb::arg("x"), nb::arg("q"), nb::arg("scale"), nb::arg("point"), nb::arg("normal"),
      nb::arg("cache").none() = nb::none());
}
