// STL files, binary and ASCII. Independent of LAMMPS.

#ifndef GRANULAR_PLUS_STL_H
#define GRANULAR_PLUS_STL_H

#include <stdexcept>
#include <string>
#include <vector>

namespace granular_plus {

// The message states the number of the triangle at fault (counted from 1, in the order of the file), the value that
// is out of bounds, and the bound.
struct MeshError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// larger values would overflow in an area or a distance
constexpr double LARGEST_COORDINATE = 1.0e30;

bool is_stl(const std::string &bytes);    // true for binary and ASCII STL files, even if their contents are broken
// both functions throw MeshError
std::string bytes_of_file(const std::string &path);
std::vector<double> parse_stl(const std::string &bytes);    // nine coordinates for each triangle

}    // namespace granular_plus

#endif
