// Parses the words of a pair_coeff command, and writes them back as text.

#ifndef GRANULAR_PLUS_PARSE_H
#define GRANULAR_PLUS_PARSE_H

#include "law_table.h"

#include <array>
#include <string>
#include <vector>

namespace granular_plus {

struct Choices {
  struct Choice {
    int law = -1;
    std::vector<double> parameters;
    bool in_steps = false;
  };
  std::array<Choice, ROLES> choice;
  bool limit_damping = false, synchronized = false, mixes_materials = false;
  double cutoff = -1.0;                 // negative if not set
  std::vector<double> wall_material;    // E and nu, or empty
  std::vector<double> attraction;       // arguments of van_der_waals, or empty

  bool has(Role role) const { return choice[role].law >= 0; }
  // If the model consists only of bridges and has no law for this role, returns a law without effect.
  const LawEntry &law(Role role) const;
};

// Parses the words after the types and fills in defaults. Throws InputError. `following`: words that may follow the
// model, for suggestions in error messages.
Choices parse(const std::vector<std::string> &words, bool wall, const std::vector<std::string> &following);

// Returns whether a word is a keyword that may follow a normal model.
bool is_keyword(const std::string &word);

std::string text_of(const Choices &choices);

// A word of the granular/plus model that replaces a gran/* style: `text`, or a number computed from `text` and
// `divisor`.
enum class Computed { NO, TWO_SEVENTHS, RATIO };    // text, 2/7 text, text/divisor
struct ClassicWord {
  std::string text;
  Computed computed = Computed::NO;
  std::string divisor = {};
};

// `model`: hooke, hooke/history or hertz/history of gran/*. `arguments`: Kn Kt gamma_n gamma_t xmu dampflag
// [limit_damping], which may be variables. Returns the words, after the types, of the pair_coeff command that replaces
// the model. Throws InputError.
std::vector<ClassicWord> classic_words(const std::string &model, const std::vector<std::string> &arguments);
// Returns the words of classic_words with all numbers computed.
std::vector<std::string> words_of_classic(const std::string &model, const std::vector<std::string> &arguments);

// described returns the allowed range as text for messages, such as "> 0 and <= 1".
bool within(const Bounds &bounds, double value);
std::string described(const Bounds &bounds);
// Throws InputError if the value is out of bounds.
void check_bounds(const std::string &where, const Parameter &parameter, double value);
// Returns whether the word is a decimal number, inf or nan; if so, sets `value`.
bool reads_as_number(const std::string &word, double &value);
std::string short_number(double value);
// Returns the shortest text that is read back as the same number.
std::string exact_number(double value);

}    // namespace granular_plus

#endif
