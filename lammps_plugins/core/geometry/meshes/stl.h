// STL files, binary and ASCII.

#ifndef GRANULAR_PLUS_STL_H
#define GRANULAR_PLUS_STL_H

#include <stdexcept>
#include <string>
#include <vector>

namespace granular_plus {

struct MeshError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Areas or distances could overflow if coordinates were larger than this value.
constexpr double LARGEST_COORDINATE = 1.0e30;

bool is_stl(const std::string &bytes);                 // may be true although the contents are broken
std::string bytes_of_file(const std::string &path);    // throws MeshError
// Returns nine coordinates for each triangle. Throws MeshError.
std::vector<double> parse_stl(const std::string &bytes);

}    // namespace granular_plus

#endif
