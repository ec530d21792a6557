// Writes a surface of triangles, with values for each triangle, as a binary VTK file (PolyData).

#ifndef LMP_GRANULAR_PLUS_SURFACE_FILE_H
#define LMP_GRANULAR_PLUS_SURFACE_FILE_H

#include "../core/laws/lane.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace LAMMPS_NS {

class SurfaceFile {
 public:
  // `shown` is the column that viewers show first.
  explicit SurfaceFile(std::string shown = {}) : shown(std::move(shown)) {}

  int corner(const granular_plus::Vector &place);    // returns the number of the corner
  void triangle(int a, int b, int c);

  // Adds a row of `components` values for each triangle. Number is float, double or std::int32_t.
  template <class Number> void add_column(const char *name, int components, const std::vector<Number> &values);

  // Called on one rank. Returns false with errno set if the file could not be written.
  bool write(const std::string &path) const;

 private:
  std::vector<float> corners;
  std::vector<std::int32_t> triangles;
  std::string shown, columns;
};

}    // namespace LAMMPS_NS

#endif
