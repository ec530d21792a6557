// A temporary folder for one test, removed when the test ends.

#ifndef GRANULAR_PLUS_OWN_FOLDER_H
#define GRANULAR_PLUS_OWN_FOLDER_H

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

struct OwnFolder {
  std::filesystem::path path;

  OwnFolder()
  {
    std::string name = std::filesystem::temp_directory_path() / "granular_plus.XXXXXX";
    path = mkdtemp(name.data());
  }
  ~OwnFolder() { std::filesystem::remove_all(path); }
  OwnFolder(const OwnFolder &) = delete;
  OwnFolder &operator=(const OwnFolder &) = delete;

  std::string operator/(const std::string &name) const { return path / name; }
  void write(const std::string &name, const std::string &text) const
  {
    std::filesystem::create_directories((path / name).parent_path());
    std::ofstream(path / name, std::ios::binary) << text;
  }
  int files() const
  {
    int count = 0;
    for (const auto &entry : std::filesystem::recursive_directory_iterator(path)) count += entry.is_regular_file();
    return count;
  }
};

inline std::string text_of(const std::filesystem::path &file)
{
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

#endif
