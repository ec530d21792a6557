#include "law_table.h"

#include <algorithm>
#include <numeric>

namespace granular_plus {

namespace {

// edit distance with swaps of neighbours
std::size_t distance(const std::string &a, const std::string &b)
{
  std::vector<std::size_t> before, last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = last;
    last = row;
  }
  return last.back();
}

}    // namespace

std::string did_you_mean(const std::string &unknown, const std::vector<std::string> &known)
{
  // up to two typing errors, but more than half of the letters must be right
  std::size_t least = std::min<std::size_t>(2, (unknown.size() - (unknown.empty() ? 0 : 1)) / 2) + 1;
  std::string guess;
  for (const auto &word : known) {
    const std::size_t differences = distance(unknown, word);
    if (differences >= least) continue;
    least = differences;
    guess = word;
  }
  return guess.empty() ? "" : "; did you mean " + guess + "?";
}

}    // namespace granular_plus
