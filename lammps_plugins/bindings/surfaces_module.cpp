// Functions for meshes of triangles, for Python.

#include "arrays.h"

#include "../core/geometry/meshes/patches.h"
#include "../core/geometry/meshes/vertices.h"

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

using namespace granular_plus;

namespace {

using Corners = nb::ndarray<const double, nb::shape<-1, 3, 3>, nb::c_contig, nb::device::cpu>;

// sphere, triangle, overlap, gradient, normal
using Contact = std::tuple<int, int, double, double, double, double, double>;

std::vector<Contact> contacts(const TriangleMesh &mesh, Vectors centres, double radius, double cutoff)
{
  PatchFinder finder;
  std::vector<int> near;
  std::vector<Patch> patches;
  std::vector<Contact> result;
  for (std::size_t k = 0; k < centres.shape(0); ++k) {
    const Vector centre{centres(k, 0), centres(k, 1), centres(k, 2)};
    near.clear();
    patches.clear();
    finder.shares.clear();
    mesh.find_near(centre, std::max(cutoff, PATCH_REACH * radius), near);
    finder.find(mesh, {near.data(), static_cast<int>(near.size()), false}, centre, radius, cutoff, 2, patches);
    for (const Patch &patch : patches)
      result.emplace_back(static_cast<int>(k), mesh.number(patch.triangle), patch.overlap, patch.gradient,
                          patch.normal.x, patch.normal.y, patch.normal.z);
  }
  return result;
}

}    // namespace

NB_MODULE(_surfaces, module)
{
  translate<MeshError>();
  const auto to_array = [](const std::vector<double> &corners) {
    return new_array<double>({corners.size() / 9, 3, 3}, corners);
  };
  module.def("read_stl", [to_array](const std::string &path) { return to_array(parse_stl(bytes_of_file(path))); });
  module.def("parse_stl", [to_array](nb::bytes text) { return to_array(parse_stl({text.c_str(), text.size()})); });
  // Returns the points and the index of the point at each corner. Corners closer than same_corner times the size of the
  // mesh are joined.
  module.def(
      "vertices",
      [](Corners corners, double same_corner) {
        const auto joined = joined_corners(
            3 * corners.shape(0), [&](std::size_t k) { return vector_of(corners.data() + 3 * k); }, same_corner);
        std::vector<double> points;
        for (const Vector &p : joined.vertices) points.insert(points.end(), {p.x, p.y, p.z});
        return nb::make_tuple(new_array<double>({joined.vertices.size(), 3}, points),
                              new_array<int>({corners.shape(0), 3}, joined.number));
      },
      nb::arg("corners"), nb::arg("same_corner") = SAME_CORNER);
  module.def("overlaps", [](Corners corners) {    // numbers of triangles start at 0
    const TriangleMesh mesh({corners.data(), corners.data() + corners.size()}, Placement{}, 30.0);
    std::vector<std::tuple<int, int>> pairs;
    for (const auto &[first, last] : mesh.overlaps()) pairs.emplace_back(mesh.number(first) - 1, mesh.number(last) - 1);
    return pairs;
  });
  nb::class_<TriangleMesh>(module, "Mesh")
      .def("__init__",
           [](TriangleMesh *self, Corners corners, double feature) {
             new (self) TriangleMesh({corners.data(), corners.data() + corners.size()}, Placement{}, feature);
             self->refuse_overlaps();
           })
      .def("__len__", &TriangleMesh::size)
      .def("links",
           [](const TriangleMesh &mesh) {
             std::vector<std::tuple<int, int>> pairs;
             for (int t = 0; t < mesh.size(); ++t)
               for (const int *link = mesh.links_begin(t); link != mesh.links_end(t); ++link)
                 pairs.emplace_back(mesh.number(t), mesh.number(*link));
             return pairs;
           })
      .def_ro("without_area", &TriangleMesh::without_area)
      .def_ro("open_edges", &TriangleMesh::open_edges)
      .def_ro("crowded_edges", &TriangleMesh::crowded_edges)
      .def_ro("shortest_edge", &TriangleMesh::shortest_edge)
      .def_ro("longest_edge", &TriangleMesh::longest_edge)
      .def("contacts", &contacts);
}
