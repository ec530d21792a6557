#include "surface_file.h"

#include <cstdio>
#include <cstring>
#include <type_traits>

namespace LAMMPS_NS {

namespace {

constexpr const char *ENDIANNESS = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? "LittleEndian" : "BigEndian";

template <class Number>
constexpr const char *TYPE = std::is_same_v<Number, float> ? "Float32"
    : std::is_same_v<Number, double>                       ? "Float64"
                                                           : "Int32";

std::string base64(const std::string &bytes)
{
  static constexpr char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t k = 0; k < bytes.size(); k += 3) {
    unsigned group = 0;
    for (std::size_t m = 0; m < 3; ++m)
      group = group << 8 | (k + m < bytes.size() ? static_cast<unsigned char>(bytes[k + m]) : 0u);
    for (std::size_t m = 0; m < 4; ++m) text += k + m > bytes.size() ? '=' : DIGITS[group >> (18 - 6 * m) & 63];
  }
  return text;
}

// Returns a data array in XML. The binary data are the number of bytes, followed by the values.
template <class Number> std::string array_of(const char *name, int components, const std::vector<Number> &values)
{
  const std::uint64_t size = values.size() * sizeof(Number);
  std::string bytes(sizeof size + size, '\0');
  std::memcpy(bytes.data(), &size, sizeof size);
  if (size > 0) std::memcpy(bytes.data() + sizeof size, values.data(), size);
  return std::string("<DataArray type=\"") + TYPE<Number> + "\" Name=\"" + name + "\" NumberOfComponents=\"" +
      std::to_string(components) + "\" format=\"binary\">" + base64(bytes) + "</DataArray>\n";
}

}    // namespace

int SurfaceFile::corner(const granular_plus::Vector &place)
{
  for (const double coordinate : {place.x, place.y, place.z}) corners.push_back(static_cast<float>(coordinate));
  return static_cast<int>(corners.size() / 3) - 1;
}

void SurfaceFile::triangle(int a, int b, int c) { triangles.insert(triangles.end(), {a, b, c}); }

template <class Number>
void SurfaceFile::add_column(const char *name, int components, const std::vector<Number> &values)
{
  columns += array_of(name, components, values);
}

template void SurfaceFile::add_column(const char *, int, const std::vector<float> &);
template void SurfaceFile::add_column(const char *, int, const std::vector<double> &);
template void SurfaceFile::add_column(const char *, int, const std::vector<std::int32_t> &);

bool SurfaceFile::write(const std::string &path) const
{
  std::vector<std::int32_t> ends;
  for (std::size_t k = 3; k <= triangles.size(); k += 3) ends.push_back(static_cast<std::int32_t>(k));
  const std::string scalars = shown.empty() ? "" : " Scalars=\"" + shown + "\"";
  FILE *file = std::fopen(path.c_str(), "wb");
  if (!file) return false;
  // OVITO requires the name Points for the array of corners
  std::fprintf(file,
               "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"%s\" "
               "header_type=\"UInt64\">\n<PolyData>\n<Piece NumberOfPoints=\"%zu\" NumberOfVerts=\"0\" "
               "NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"%zu\">\n<Points>\n%s</Points>\n<Polys>\n%s%s"
               "</Polys>\n<CellData%s>\n%s</CellData>\n</Piece>\n</PolyData>\n</VTKFile>\n",
               ENDIANNESS, corners.size() / 3, ends.size(), array_of("Points", 3, corners).c_str(),
               array_of("connectivity", 1, triangles).c_str(), array_of("offsets", 1, ends).c_str(), scalars.c_str(),
               columns.c_str());
  const bool good = std::ferror(file) == 0;
  return std::fclose(file) == 0 && good;
}

}    // namespace LAMMPS_NS
