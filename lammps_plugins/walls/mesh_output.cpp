#include "mesh_output.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace granular_plus {

namespace {

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

template <class Number>
void write_array(FILE *file, const char *type, const char *name, int components, const std::vector<Number> &values)
{
  const std::uint64_t size = values.size() * sizeof(Number);
  std::string bytes(sizeof size + size, '\0');
  std::memcpy(bytes.data(), &size, sizeof size);
  std::memcpy(bytes.data() + sizeof size, values.data(), size);
  std::fprintf(file, "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"binary\">%s</DataArray>\n",
               type, name, components, base64(bytes).c_str());
}

constexpr const char *ENDIANNESS = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? "LittleEndian" : "BigEndian";

}    // namespace

MeshOutput::MeshOutput(const TriangleMesh &mesh, double wear)
    : mesh(mesh), count(mesh.size_of_file()), wear(wear), areas(count, 0.0)
{
  for (auto &list : values) list.assign(count, 0.0);
  for (int t = 0; t < mesh.size(); ++t) areas[mesh.number(t) - 1] = mesh.area(t);
}

void MeshOutput::add(const PatchFinder::Share *begin, const PatchFinder::Share *end, double normal_force,
                     double shear_force, double way, double timestep)
{
  for (const auto *each = begin; each != end; ++each) {
    const int t = mesh.number(each->triangle) - 1;
    values[NORMAL][t] += each->weight * normal_force * timestep;
    values[SHEAR][t] += each->weight * shear_force * timestep;
    values[SLIDING][t] += each->weight * way;
    values[WORN][t] += wear * each->weight * std::max(0.0, normal_force) * way / areas[t];
  }
}

std::vector<double> MeshOutput::totals(MPI_Comm world) const
{
  std::vector<double> sums(2 * static_cast<std::size_t>(count));
  for (int q = 0; q < 2; ++q)
    MPI_Reduce(values[SLIDING + q].data(), sums.data() + static_cast<std::size_t>(q) * count, count, MPI_DOUBLE,
               MPI_SUM, 0, world);
  return sums;
}

bool MeshOutput::restore(const double *totals, int size, bool first_rank)
{
  if (size != 2 * count) return false;
  for (int q = 0; q < 2; ++q)
    for (int t = 0; t < count; ++t)
      values[SLIDING + q][t] = first_rank ? totals[q * static_cast<long>(count) + t] : 0.0;
  return true;
}

bool MeshOutput::write(const std::string &name, MPI_Comm world, const std::function<Vector(const Vector &)> &place)
{
  std::vector<double> sums[QUANTITIES];
  int rank;
  MPI_Comm_rank(world, &rank);
  for (int q = 0; q < QUANTITIES; ++q) {
    if (rank == 0) sums[q].resize(count);
    MPI_Reduce(values[q].data(), sums[q].data(), count, MPI_DOUBLE, MPI_SUM, 0, world);
  }
  const double time = elapsed;
  elapsed = 0.0;
  for (const int q : {NORMAL, SHEAR}) std::fill(values[q].begin(), values[q].end(), 0.0);
  if (rank != 0) return true;

  std::vector<float> points, cells[QUANTITIES];
  std::vector<std::int32_t> numbers, corners, ends;
  for (int t = 0; t < mesh.size(); ++t) {
    if (mesh.is_image(t)) continue;
    const int of_file = mesh.number(t) - 1;
    numbers.push_back(of_file + 1);
    for (const Vector &corner : mesh.facet(t).corner) {
      const Vector here = place(corner);
      for (const double coordinate : {here.x, here.y, here.z}) points.push_back(static_cast<float>(coordinate));
      corners.push_back(static_cast<std::int32_t>(corners.size()));
    }
    ends.push_back(static_cast<std::int32_t>(corners.size()));
    const double per_traction = time > 0.0 ? 1.0 / (time * areas[of_file]) : 0.0;
    for (int q = 0; q < QUANTITIES; ++q)
      cells[q].push_back(static_cast<float>(sums[q][of_file] * (q < SLIDING ? per_traction : 1.0)));
  }

  FILE *file = std::fopen(name.c_str(), "wb");
  if (!file) return false;
  std::fprintf(file,
               "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"%s\" "
               "header_type=\"UInt64\">\n<PolyData>\n<Piece NumberOfPoints=\"%zu\" NumberOfVerts=\"0\" "
               "NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"%zu\">\n<Points>\n",
               ENDIANNESS, corners.size(), ends.size());
  write_array(file, "Float32", "Points", 3, points);
  std::fprintf(file, "</Points>\n<Polys>\n");
  write_array(file, "Int32", "connectivity", 1, corners);
  write_array(file, "Int32", "offsets", 1, ends);
  std::fprintf(file, "</Polys>\n<CellData Scalars=\"pressure\">\n");
  const char *names[QUANTITIES] = {"pressure", "shear_traction", "sliding_distance", "wear"};
  for (int q = 0; q < QUANTITIES; ++q) write_array(file, "Float32", names[q], 1, cells[q]);
  write_array(file, "Int32", "triangle", 1, numbers);
  std::fprintf(file, "</CellData>\n</Piece>\n</PolyData>\n</VTKFile>\n");
  const bool good = std::ferror(file) == 0;
  return std::fclose(file) == 0 && good;
}

}    // namespace granular_plus
