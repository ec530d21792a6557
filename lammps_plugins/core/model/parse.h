// Parses the words of a pair_coeff command, and writes them back as text.

#ifndef GRANULAR_PLUS_PARSE_H
#define GRANULAR_PLUS_PARSE_H

#include "law_table.h"

#include <array>
#include <string>
#include <vector>

namespace granular_plus {

// contents of a command: the law of each role with its arguments, and further keywords
struct Choices {
  struct Choice {
    int law = -1;
    std::vector<double> parameters;
    bool in_steps = false;    // the first parameter is a number of time steps
  };
  std::array<Choice, ROLES> choice;
  bool limit_damping = false, synchronized = false, mixes_materials = false;
  double cutoff = -1.0;                 // negative if not given
  std::vector<double> wall_material;    // E and nu, or empty
  std::vector<double> attraction;       // arguments of van_der_waals, or empty

  bool has(Role role) const { return choice[role].law >= 0; }
  // In a model of bridges only, the laws of the other roles do nothing.
  const LawEntry &law(Role role) const;
};

// Parses the words after the types and fills in defaults; throws InputError. An unknown word is compared with
// `following` too, to suggest a correction.
Choices parse(const std::vector<std::string> &words, bool wall, const std::vector<std::string> &following);

// keywords and numbers that parse to exactly these choices
std::string text_of(const Choices &choices);

// A word of a granular/plus model that replaces a style gran/*: either `text`, or a number computed from `text` and
// `divisor`, which are arguments of that style.
enum class Computed { NO, TWO_SEVENTHS, RATIO };    // text, 2/7 text, text/divisor
struct ClassicWord {
  std::string text;
  Computed computed = Computed::NO;
  std::string divisor = {};
};

// The words of a pair_coeff command after the types for model hooke, hooke/history or hertz/history with the arguments
// Kn Kt gamma_n gamma_t xmu dampflag [limit_damping]. Arguments need not be numbers yet. Throws InputError.
std::vector<ClassicWord> classic_words(const std::string &model, const std::vector<std::string> &arguments);
// the same, with all numbers computed
std::vector<std::string> words_of_classic(const std::string &model, const std::vector<std::string> &arguments);

// within: whether a value is allowed. described: the allowed range as in messages, "> 0 and <= 1".
bool within(const Bounds &bounds, double value);
std::string described(const Bounds &bounds);
// throws InputError if the value is out of bounds
void check_bounds(const std::string &where, const Parameter &parameter, double value);
// Returns whether the whole word is a decimal number, including inf and nan; if so, sets value.
bool reads_as_number(const std::string &word, double &value);
std::string short_number(double value);
// the shortest digits that read back as the same number: 0.3 stays 0.3
std::string exact_number(double value);

}    // namespace granular_plus

#endif
