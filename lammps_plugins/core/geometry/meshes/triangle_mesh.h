
#ifndef GRANULAR_PLUS_TRIANGLE_MESH_H
#define GRANULAR_PLUS_TRIANGLE_MESH_H

#include "box_tree.h"
#include "depth_moment.h"
#include "flat_mesh.h"
#include "stl.h"

#include <array>
#include <vector>

namespace granular_plus {

// The mesh is scaled, then rotated about the origin, then translated.
struct Placement {
  double scale = 1.0;
  double degrees = 0.0;
  double axis[3] = {0.0, 0.0, 1.0};
  double offset[3] = {};
};

// In periodic dimensions, triangles near one face of the box are repeated as images beyond the opposite face.
struct PeriodicBox {
  bool periodic[3] = {};
  double low[3] = {}, high[3] = {};
  // width of the layer of images, as a fraction of the period
  static constexpr double REACH = 0.75;
};

inline std::array<double, 3> edge_lengths(const Vector *corners)
{
  return {length(corners[1] - corners[0]), length(corners[2] - corners[1]), length(corners[0] - corners[2])};
}

class TriangleMesh {
 public:
  // `corners` holds nine coordinates for each triangle. Two triangles at an edge belong to the same smooth surface if
  // the surface turns by less than `feature` degrees at this edge. Throws MeshError.
  TriangleMesh(const std::vector<double> &corners, const Placement &placement, double feature,
               const PeriodicBox &around = {});

  int size() const { return static_cast<int>(facets.size()); }
  const Facet &facet(int triangle) const { return facets[triangle]; }
  void prefetch(int triangle) const
  {
    const char *begin = reinterpret_cast<const char *>(&facets[triangle]);
    for (std::size_t k = 0; k < sizeof(Facet); k += 64) __builtin_prefetch(begin + k);
  }
  double area(int triangle) const;
  double mean_area() const { return mean_of_areas; }
  // Returns the number of the triangle in the file, counted from 1.
  int number(int triangle) const { return numbers[triangle]; }
  bool is_image(int triangle) const { return images[triangle] != 0; }
  int size_of_file() const { return in_file; }
  const int *links_begin(int triangle) const { return links.data() + first_link[triangle]; }
  const int *links_end(int triangle) const { return links.data() + first_link[triangle + 1]; }

  FlatMesh flat() const;

  void find_near(const Vector &point, double reach, std::vector<int> &found) const;
  // Adds the triangles whose bounding box, rounded outwards, overlaps the box from low to high.
  void find_in_box(const Vector &low, const Vector &high, std::vector<int> &found) const;

  // Returns pairs of coplanar triangles that share an area. The surface would be twice as stiff in this area.
  std::vector<std::array<int, 2>> overlaps(bool only_one = false) const;
  // Throws a MeshError if overlaps() finds a pair.
  void refuse_overlaps() const;

  // Returns the smaller of `most` and the distance from the point to the mesh.
  double distance(const Vector &point, double most) const;
  bool encloses(const Vector &point) const;

  const double *low() const { return lower.data(); }
  const double *high() const { return upper.data(); }

  int without_area = 0;
  int open_edges = 0;       // edges of the mesh (not of images) that belong to only one triangle
  int crowded_edges = 0;    // edges that belong to more than two triangles
  double shortest_edge = 0.0, longest_edge = 0.0;

  std::size_t bytes() const;

 private:
  std::vector<Facet> facets;
  std::vector<int> numbers, first_link, links;
  std::vector<char> images;
  int in_file = 0;
  double mean_of_areas = 0.0;
  double tolerance = 0.0;    // points closer together than this value count as one point
  BoxTree<float> tree;
  std::array<double, 3> lower, upper;

  bool is_narrow(int triangle) const;
  void place(std::vector<Vector> &vertices, const Placement &placement);
  void make_facets(const std::vector<Vector> &vertices, std::vector<std::array<int, 3>> &triangles);
  void add_images(std::vector<std::array<int, 3>> &triangles, const PeriodicBox &around);
  void build_tree(std::vector<std::array<int, 3>> &triangles);
  void find_links(const std::vector<std::array<int, 3>> &triangles, double feature);
  void join_open_edges(const std::vector<std::array<int, 2>> &open, double flattest,
                       std::vector<std::array<int, 2>> &pairs) const;
  bool leave_out_stitches(std::vector<std::array<int, 3>> &triangles);
};

}    // namespace granular_plus

#endif
