#include "stl.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string_view>

namespace granular_plus {

namespace {

constexpr std::size_t HEADER = 84, RECORD = 50;

void check(double coordinate, std::size_t triangle, int corner, int dimension)
{
  if (std::fabs(coordinate) <= LARGEST_COORDINATE) return;
  throw MeshError("triangle " + std::to_string(triangle) + ": " + "xyz"[dimension] + " of corner " +
                  std::to_string(corner + 1) + " = " + std::to_string(coordinate) +
                  " must be a number between -1e30 and 1e30");
}

std::uint32_t integer_at(const char *bytes)
{
  std::uint32_t value = 0;
  for (int k = 3; k >= 0; --k) value = value << 8 | static_cast<unsigned char>(bytes[k]);
  return value;
}

double real_at(const char *bytes)
{
  const std::uint32_t bits = integer_at(bytes);
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

std::vector<double> parse_binary(const std::string &bytes, std::size_t count)
{
  std::vector<double> corners(9 * count);
  for (std::size_t t = 0; t < count; ++t) {
    const char *record = bytes.data() + HEADER + RECORD * t + 12;
    for (int k = 0; k < 9; ++k) {
      corners[9 * t + k] = real_at(record + 4 * k);
      check(corners[9 * t + k], t + 1, k / 3, k % 3);
    }
  }
  return corners;
}

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

bool is(std::string_view word, std::string_view keyword)
{
  if (word.size() != keyword.size()) return false;
  for (std::size_t k = 0; k < word.size(); ++k)
    if (std::tolower(static_cast<unsigned char>(word[k])) != keyword[k]) return false;
  return true;
}

class AsciiReader {
 public:
  explicit AsciiReader(const std::string &bytes) : next(bytes.data()), end(bytes.data() + bytes.size()) {}

  std::vector<double> triangles()
  {
    skip_lines_before_solid();
    // A file may hold several solids. The name of a solid may have several words.
    bool ended = false;
    for (std::string_view word = read(); !word.empty(); word = read()) {
      if (is(word, "facet")) {
        facet();
      } else if (is(word, "endsolid") || is(word, "solid")) {
        ended = is(word, "endsolid");
        skip_line();
      } else if (is_comment(word)) {
        skip_line();
      } else {
        refuse("facet", word);
      }
    }
    if (!ended) refuse("facet or endsolid", {});
    return std::move(corners);
  }

 private:
  const char *next, *end;
  std::vector<double> corners;

  std::string_view read()
  {
    while (next != end && is_space(*next)) ++next;
    const char *begin = next;
    while (next != end && !is_space(*next)) ++next;
    return {begin, static_cast<std::size_t>(next - begin)};
  }

  void skip_lines_before_solid()
  {
    for (std::string_view word = read(); !is(word, "solid"); word = read()) {
      if (word.empty()) refuse("solid at the beginning of a line", word);
      skip_line();
    }
    skip_line();
  }

  static bool is_comment(std::string_view word)
  {
    return word[0] == '#' || word[0] == ';' || word.substr(0, 2) == "//";
  }

  void skip_line()
  {
    while (next != end && *next != '\n' && *next != '\r') ++next;
  }

  std::size_t triangle() const { return corners.size() / 9 + 1; }

  [[noreturn]] void refuse(const std::string &wanted, std::string_view found) const
  {
    std::string shown;
    for (const char c : found.substr(0, 32)) shown += std::isprint(static_cast<unsigned char>(c)) ? c : '?';
    throw MeshError("triangle " + std::to_string(triangle()) + ": expected " + wanted + ", found " +
                    (found.empty() ? "the end of the file" : "'" + shown + "'"));
  }

  void expect(const char *keyword)
  {
    const auto word = read();
    if (!is(word, keyword)) refuse(keyword, word);
  }

  double number()
  {
    const auto word = read();
    const bool plus = word.size() > 1 && word[0] == '+' && word[1] != '-';    // from_chars accepts no plus sign
    const char *first = word.data() + plus, *last = word.data() + word.size();
    double value;
#ifdef __cpp_lib_to_chars
    const auto result = std::from_chars(first, last, value);
    const bool out_of_range = result.ec == std::errc::result_out_of_range && result.ptr == last;
    if (out_of_range)
      value = std::strtod(std::string(word).c_str(), nullptr);
    else if (word.empty() || result.ec != std::errc() || result.ptr != last)
      refuse("a number", word);
#else    // The library of macOS lacks from_chars for doubles.
    const std::string text(first, last);
    char *end;
    value = std::strtod(text.c_str(), &end);
    if (text.empty() || text[0] == '+' || text.find_first_of("xX") != text.npos || end != text.data() + text.size())
      refuse("a number", word);
#endif
    return value;
  }

  void facet()
  {
    expect("normal");
    for (int k = 0; k < 3; ++k) read();    // the normal, which may be nan
    expect("outer");
    expect("loop");
    double found[9];
    for (int corner = 0; corner < 3; ++corner) {
      expect("vertex");
      for (int d = 0; d < 3; ++d) {
        found[3 * corner + d] = number();
        check(found[3 * corner + d], triangle(), corner, d);
      }
    }
    expect("endloop");
    expect("endfacet");
    corners.insert(corners.end(), found, found + 9);
  }
};

std::size_t count_in(const std::string &bytes)
{
  return bytes.size() >= HEADER ? integer_at(bytes.data() + HEADER - 4) : 0;
}

// A binary file is recognised by its size, because the first word of a binary file may also be "solid".
bool is_binary(const std::string &bytes)
{
  return bytes.size() >= HEADER && bytes.size() == HEADER + RECORD * count_in(bytes);
}

// Bytes with the value 0 occur in the triangle count or in the first triangle of every binary file.
bool is_text(const std::string &bytes)
{
  return std::memchr(bytes.data(), 0, std::min(bytes.size(), HEADER + RECORD)) == nullptr;
}

bool has_solid(std::string_view text)
{
  const std::string_view keyword = "solid";
  bool line_begins = true;
  for (std::size_t k = 0; k + keyword.size() <= text.size(); ++k) {
    const bool word_ends = k + keyword.size() == text.size() || is_space(text[k + keyword.size()]);
    if (line_begins && word_ends && is(text.substr(k, keyword.size()), keyword)) return true;
    if (text[k] == '\n' || text[k] == '\r')
      line_begins = true;
    else if (!is_space(text[k]))
      line_begins = false;
  }
  return false;
}

bool is_ascii(const std::string &bytes) { return is_text(bytes) && has_solid(bytes); }

[[noreturn]] void refuse_bytes(const std::string &bytes)
{
  const std::string size = "the file has " + std::to_string(bytes.size()) + " bytes, but must have ";
  const std::string no_text =
      is_text(bytes) ? "no line begins with solid, but an ASCII STL file needs such a line" : "";
  if (bytes.size() < HEADER)
    throw MeshError(no_text + (no_text.empty() ? "" : "; ") + size + "at least " + std::to_string(HEADER) +
                    ", the size of a binary STL file without triangles");
  if (is_text(bytes)) throw MeshError(no_text + " before its triangles");
  const std::size_t count = count_in(bytes), whole = HEADER + RECORD * count;
  throw MeshError(size + std::to_string(whole) + ", the size of a binary STL file whose header states " +
                  std::to_string(count) + " triangles: " +
                  (bytes.size() < whole ? "the file is cut off, or its header is broken"
                                        : "there are bytes after its last triangle"));
}

}    // namespace

bool is_stl(const std::string &bytes) { return is_binary(bytes) || is_ascii(bytes); }

std::vector<double> parse_stl(const std::string &bytes)
{
  std::vector<double> corners;
  if (is_binary(bytes))
    corners = parse_binary(bytes, count_in(bytes));
  else if (is_ascii(bytes))
    corners = AsciiReader(bytes).triangles();
  else
    refuse_bytes(bytes);
  if (corners.empty()) throw MeshError("the file has no triangles");
  return corners;
}

std::string bytes_of_file(const std::string &path)
{
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = file ? static_cast<std::streamoff>(file.tellg()) : -1;
  constexpr std::streamoff LARGEST = std::streamoff{1} << 36;    // 64 GiB; a folder reports a larger size
  if (!file || size < 0 || size > LARGEST) throw MeshError("the file cannot be read");
  std::string bytes(static_cast<std::size_t>(size), '\0');
  file.seekg(0);
  if (!file.read(bytes.data(), size) && size > 0) throw MeshError("the file cannot be read");
  return bytes;
}

}    // namespace granular_plus
