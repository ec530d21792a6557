// Parses the words of a pair_coeff command, and writes them.

#ifndef GRANULAR_PLUS_PARSE_H
#define GRANULAR_PLUS_PARSE_H

#include "law_table.h"

#include <array>
#include <string>
#include <vector>

namespace granular_plus {

// contents of a command: the law for each role with its arguments, and further keywords
struct Choices {
  struct Choice {
    int law = -1;
    std::vector<double> parameters;
    bool in_steps = false;    // the first parameter
  };
  std::array<Choice, ROLES> choice;
  bool limit_damping = false, synchronized = false, mixes_materials = false;
  double cutoff = -1.0;                 // negative: not given
  std::vector<double> wall_material;    // E and nu, or empty
  std::vector<double> attraction;       // of van_der_waals, or empty

  bool has(Role role) const { return choice[role].law >= 0; }
  // in a model of bridges only, the other roles have laws that do nothing
  const LawEntry &law(Role role) const;
};

// Parses the words after the types and fills in defaults; throws InputError. An unknown word may be a mistyped one of
// those that follow.
Choices parse(const std::vector<std::string> &words, bool wall, const std::vector<std::string> &following);

// keywords and numbers that parse to exactly these choices
std::string text_of(const Choices &choices);

// A word of our model in place of a style gran/*: text, or a number to be computed from text and divisor, two arguments
// of that style.
enum class Computed { NO, TWO_SEVENTHS, RATIO };    // text, 2/7 text, text/divisor
struct ClassicWord {
  std::string text;
  Computed computed = Computed::NO;
  std::string divisor = {};
};

// The words of a pair_coeff command after the types, for model = hooke, hooke/history or hertz/history with the arguments
// Kn Kt gamma_n gamma_t xmu dampflag [limit_damping], which need not be numbers yet. Throws InputError on errors.
std::vector<ClassicWord> classic_words(const std::string &model, const std::vector<std::string> &arguments);
// the same with all numbers computed
std::vector<std::string> words_of_classic(const std::string &model, const std::vector<std::string> &arguments);

// whether a value is allowed; the allowed range as messages show it: "> 0 and <= 1"
bool within(const Bounds &bounds, double value);
std::string described(const Bounds &bounds);
// throws InputError if the value is out of bounds
void check_bounds(const std::string &where, const Parameter &parameter, double value);
// Whether the whole word is a decimal number, inf and nan included; if so, sets value.
bool reads_as_number(const std::string &word, double &value);
std::string short_number(double value);
// the shortest digits that read back as the same number, so 0.3 stays 0.3
std::string exact_number(double value);

}    // namespace granular_plus

#endif
