#include "kernel_cache.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <utility>

namespace granular_plus {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t DIGITS = 32;    // number of digits of a digest
constexpr char END = '\0';            // separates keys and names in a file

std::string content_of(const fs::path &file)
{
  std::ostringstream content;
  content << std::ifstream(file, std::ios::binary).rdbuf();    // unlike iterators, this never throws
  return content.str();
}

std::string included_by(const std::string &line)
{
  constexpr const char *BLANKS = " \t";
  constexpr auto NONE = std::string::npos;
  const std::string include = "include";
  const std::size_t hash = line.find_first_not_of(BLANKS);
  if (hash == NONE || line[hash] != '#') return "";
  const std::size_t word = line.find_first_not_of(BLANKS, hash + 1);
  if (word == NONE || line.compare(word, include.size(), include) != 0) return "";
  const std::size_t begin = line.find_first_of("\"<", word);
  const std::size_t end = begin == NONE ? NONE : line.find_first_of("\">", begin + 1);
  return end == NONE ? "" : line.substr(begin + 1, end - begin - 1);
}

}    // namespace

std::string KernelCache::file_of(const std::string &key) const { return folder + "/" + digest_of(key) + ".kernel"; }

// A file contains the digest of the remaining data, the key, the name and the code.

std::optional<CompiledKernel> KernelCache::find(const std::string &key) const
{
  if (folder.empty()) return {};
  const std::string content = content_of(file_of(key)), of_key = key + END;
  if (content.size() < DIGITS || content.compare(0, DIGITS, digest_of(content.substr(DIGITS))) != 0) return {};
  if (content.compare(DIGITS, of_key.size(), of_key) != 0) return {};
  const std::size_t name = DIGITS + of_key.size(), end = content.find(END, name);
  if (end == std::string::npos) return {};
  return CompiledKernel{content.substr(end + 1), content.substr(name, end - name)};
}

void KernelCache::keep(const std::string &key, const CompiledKernel &kernel) const
{
  if (folder.empty()) return;
  std::error_code failed;
  fs::create_directories(folder, failed);
  const std::string file = file_of(key), rest = key + END + kernel.name + END + kernel.code;
  std::string temporary = file + ".XXXXXX";
  const int made = mkstemp(temporary.data());
  if (made < 0) return;
  close(made);
  std::ofstream stream(temporary, std::ios::binary);
  stream << digest_of(rest) << rest;
  stream.close();
  if (stream) fs::rename(temporary, file, failed);
  if (!stream || failed) fs::remove(temporary, failed);
}

std::string folder_of_kept_kernels(const char *given, const char *cache_home, const char *home)
{
  const std::string word = given ? given : "", cache = cache_home ? cache_home : "", user = home ? home : "";
  if (word == "no") return "";
  if (!word.empty()) return word;
  const std::string below = "/granular_plus/kernels";
  if (!cache.empty() && cache.front() == '/') return cache + below;    // a relative cache_home must be ignored
  return user.empty() ? "" : user + "/.cache" + below;
}

// FNV-1a hash

std::string digest_of(const std::string &text)
{
  using Number = unsigned __int128;
  const auto joined = [](unsigned long long high, unsigned long long low) { return Number{high} << 64 | low; };
  const Number prime = joined(0x0000000001000000, 0x000000000000013b);
  Number digest = joined(0x6c62272e07bb0142, 0x62b821756295c58d);
  for (const char letter : text) digest = (digest ^ static_cast<unsigned char>(letter)) * prime;
  std::string digits;
  for (int bit = 124; bit >= 0; bit -= 4) digits += "0123456789abcdef"[static_cast<int>(digest >> bit) & 15];
  return digits;
}

std::string digest_of_program(const std::string &text, const std::vector<std::string> &folders)
{
  std::vector<std::string> texts = {text}, includers = {""};    // includers: folders of the including files
  std::set<std::string> known;
  std::string all;
  for (std::size_t k = 0; k < texts.size(); ++k) {
    std::vector<std::string> places = folders;
    if (!includers[k].empty()) places.insert(places.begin(), includers[k]);
    std::istringstream lines(texts[k]);
    for (std::string line; std::getline(lines, line);) {
      const std::string name = included_by(line);
      if (name.empty()) continue;
      for (const std::string &place : places) {
        const fs::path file = (fs::path(place) / name).lexically_normal();
        std::error_code failed;
        if (!fs::is_regular_file(file, failed)) continue;
        if (known.insert(file.string()).second) {
          texts.push_back(content_of(file));
          includers.push_back(file.parent_path().string());
        }
        break;
      }
    }
    all += texts[k] + END;
  }
  return digest_of(all);
}

}    // namespace granular_plus
