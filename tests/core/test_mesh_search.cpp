// Traversing the tree of a mesh as kernels do must find the same triangles as the mesh's own search.

#include "geometry/meshes/flat_mesh.h"
#include "geometry/meshes/triangle_mesh.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

using namespace granular_plus;

namespace {

struct Taken {
  std::vector<int> triangles;
  void triangle(int t) { triangles.push_back(t); }
};

TriangleMesh scattered(int triangles)
{
  std::mt19937 random(4711);
  std::uniform_real_distribution<double> place(0.0, 10.0), side(0.1, 0.6);
  std::vector<double> corners;
  for (int t = 0; t < triangles; ++t) {
    const double x = place(random), y = place(random), z = place(random);
    for (const double value : {x, y, z, x + side(random), y, z + side(random), x, y + side(random), z - side(random)})
      corners.push_back(value);
  }
  return TriangleMesh(corners, Placement{}, 30.0);
}

}    // namespace

TEST_CASE("triangles near a point are found in ascending order")
{
  for (const int triangles : {1, 4, 5, 700}) {
    const TriangleMesh mesh = scattered(triangles);
    const FlatMesh flat = mesh.flat();
    const MeshArrays arrays{flat.facets.data(), flat.boxes.data(), static_cast<int>(flat.boxes.size()),
                            flat.first_link.data(), flat.links.data()};
    std::mt19937 random(7);
    std::uniform_real_distribution<double> place(-1.0, 11.0), distance(0.05, 4.0);
    std::size_t found_in_all = 0;
    for (int k = 0; k < 500; ++k) {
      const Vector point{place(random), place(random), place(random)};
      const double reach = distance(random);
      std::vector<int> expected;
      mesh.find_near(point, reach, expected);
      Taken taken;
      arrays.visit(point, reach, taken);
      CHECK(taken.triangles == expected);
      CHECK(std::is_sorted(taken.triangles.begin(), taken.triangles.end()));
      found_in_all += expected.size();
    }
    CHECK(found_in_all > 0);
    for (int t = 0; t < mesh.size(); ++t) CHECK(flat.facets[t].corner[0].x == mesh.facet(t).corner[0].x);
  }
}
