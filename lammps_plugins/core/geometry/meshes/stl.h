// STL files, binary and ASCII.

#ifndef GRANULAR_PLUS_STL_H
#define GRANULAR_PLUS_STL_H

#include <stdexcept>
#include <string>
#include <vector>

namespace granular_plus {

// The message states the number of the triangle, counted from 1, and the value and bound that are at fault.
struct MeshError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// larger values would overflow in an area or a distance
constexpr double LARGEST_COORDINATE = 1.0e30;

bool is_stl(const std::string &bytes);    // also for a file with broken contents
// Both functions throw MeshError.
std::string bytes_of_file(const std::string &path);
std::vector<double> parse_stl(const std::string &bytes);    // nine for each triangle

}    // namespace granular_plus

#endif
