// Declarations of a command's keywords, from which the parser, error messages and the tables of the manual are derived.

#ifndef LMP_GRANULAR_PLUS_OPTIONS_H
#define LMP_GRANULAR_PLUS_OPTIONS_H

#include "../core/laws/parameters.h"
#include "number_or_variable.h"

#include "lmptype.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace LAMMPS_NS {

struct Operand {
  enum Kind { NUMBER, WHOLE, NUMBER_OR_VARIABLE, WORD, ONE_OF, YES_OR_NO };
  Kind kind;
  std::string symbol;    // name in the manual; may be empty for a choice of words
  // The content depends on kind: unit of a number, meaning of a word, words of a choice ("x y z"), or words allowed
  // besides yes and no.
  std::string unit;
  granular_plus::Bounds bounds = UNLIMITED;
  std::string label = "";    // a word that must precede the operand
  // The operand may be missing, together with its label. An operand without a label is missing if and only if the
  // preceding operand is missing.
  bool may_be_missing = false;
  bool may_be_null = false;

  static constexpr granular_plus::Bounds UNLIMITED{-granular_plus::UNBOUNDED, granular_plus::UNBOUNDED, true, true};

  static Operand number(const char *symbol, const char *unit, granular_plus::Bounds bounds = UNLIMITED)
  {
    return {NUMBER, symbol, unit, bounds};
  }
  static Operand whole(const char *symbol, const char *unit, double least = 1.0, double most = MAXSMALLINT)
  {
    return {WHOLE, symbol, unit, {least, most, true, true}};
  }
  // `least` must be 0, or omitted for no lower bound.
  static Operand number_or_variable(const char *symbol, const char *unit, double least = -granular_plus::UNBOUNDED)
  {
    return {NUMBER_OR_VARIABLE, symbol, unit, {least, granular_plus::UNBOUNDED, true, true}};
  }
  static Operand word(const char *symbol, const char *what) { return {WORD, symbol, what}; }
  static Operand one_of(const char *words, const char *symbol = "") { return {ONE_OF, symbol, words}; }
  static Operand yes_or_no(const char *other_words = "") { return {YES_OR_NO, "", other_words}; }

  Operand after(const char *word) const;
  Operand optional(const char *word) const;    // the operand and the word before it may be missing
  Operand with_last() const;                   // may be missing if the operand before it is missing
  Operand or_null() const;

  std::string syntax() const;     // "mass M"
  std::string allowed() const;    // "> 0", "x, y or z"; empty if anything is allowed
};

struct OptionText {
  std::string keyword;
  std::vector<Operand> operands;
  std::string meaning;          // one line, for messages and the manual
  std::string default_value;    // as text; empty if there is no default
  std::string rest = {};        // syntax of further words, which Option::take reads
  std::string one_of = {};      // for example "number or mass": only one of these keywords may be given
  bool is_required = false;     // this keyword, or one of those in one_of, must be given
  bool may_be_repeated = false;

  std::string syntax() const;    // "load dim F mass M [drag C]"
  std::string key() const { return one_of.empty() ? keyword : one_of; }
};

// The arguments that a user gave for a keyword. k is the index of an operand. Functions throw InputError with the
// cause. OptionReader adds the command and the keyword to the message.
class Operands {
 public:
  struct Value {
    std::string word;
    double number = 0.0;    // 1 for yes, 0 for no
    NumberOrVariable variable;
    bool is_given = false, is_null = false;
  };

  Operands(LAMMPS *lmp, std::string message_prefix, const OptionText &option, const std::vector<std::string> &words,
           std::size_t &next);

  double number(int k) const { return values[k].number; }
  int whole(int k) const { return static_cast<int>(values[k].number); }
  bool yes(int k) const { return values[k].number != 0.0; }
  const std::string &word(int k) const { return values[k].word; }
  const NumberOrVariable &variable(int k) const { return values[k].variable; }
  bool is_given(int k) const { return values[k].is_given; }    // given, and not NULL
  bool is_null(int k) const { return values[k].is_null; }
  [[noreturn]] void refuse(int k, const std::string &must_be) const;

  // for an option that reads further words: all words, and the index of the next word
  const std::vector<std::string> &words;
  std::size_t &next;
  LAMMPS *const lmp;
  const std::string message_prefix;    // beginning of messages
  Value take(const Operand &operand) const;

  std::string shown() const;
  void evaluate();

 private:
  const OptionText &option;
  const std::size_t first;
  std::vector<Value> values;
  [[noreturn]] void miss() const;
  void find(const Operand &operand, bool has_last, Value &value) const;
  void evaluate(const Operand &operand, Value &value) const;
};

// All options of a command or of a part of it. The manual refers to each table by its name.
class OptionTable {
 public:
  const std::string name;
  virtual ~OptionTable() = default;
  virtual const OptionText &text(std::size_t k) const = 0;
  virtual std::size_t size() const = 0;
  virtual void apply(std::size_t k, void *object, const Operands &given) const = 0;
  std::size_t find(const std::string &keyword) const;    // index of the option, size() if the keyword is unknown

  OptionTable(const OptionTable &) = delete;
  OptionTable &operator=(const OptionTable &) = delete;

 protected:
  explicit OptionTable(std::string name);
};

struct OptionsOf {
  const OptionTable *table;
  void *object;
};

// A keyword. The function `take` stores the keyword's arguments in an object of class Object. The other functions
// return a changed copy of the option.
template <class Object> struct Option : OptionText {
  void (*take)(Object &, const Operands &);

  Option(const char *keyword, std::vector<Operand> operands, const char *meaning, const char *default_value,
         void (*take)(Object &, const Operands &))
      : OptionText{keyword, std::move(operands), meaning, default_value}, take(take)
  {
  }
  Option required() const
  {
    return with([](Option &option) { option.is_required = true; });
  }
  Option repeated() const
  {
    return with([](Option &option) { option.may_be_repeated = true; });
  }
  Option among(const char *keywords) const    // see one_of
  {
    return with([&](Option &option) { option.one_of = keywords; });
  }
  Option reads_rest(const char *syntax) const    // `syntax` is shown in the manual
  {
    return with([&](Option &option) { option.rest = syntax; });
  }

 private:
  template <class Change> Option with(const Change &change) const
  {
    Option copy = *this;
    change(copy);
    return copy;
  }
};

template <class Object> class Options : public OptionTable {
 public:
  Options(const char *name, std::vector<Option<Object>> options) : OptionTable(name), options(std::move(options)) {}
  const OptionText &text(std::size_t k) const override { return options[k]; }
  std::size_t size() const override { return options.size(); }
  void apply(std::size_t k, void *object, const Operands &given) const override
  {
    options[k].take(*static_cast<Object *>(object), given);
  }
  OptionsOf of(Object &object) const { return {this, &object}; }

 private:
  const std::vector<Option<Object>> options;
};

// Reads the words of a command. Error messages begin with `message_prefix`.
class OptionReader {
 public:
  OptionReader(LAMMPS *lmp, std::string message_prefix, std::vector<OptionsOf> tables);

  void read(const std::vector<std::string> &words, std::size_t next);
  // Returns whether the option at index `next` is known. If so, reads the option and sets `next` to the index of the
  // first word after it.
  bool read_one(const std::vector<std::string> &words, std::size_t &next);
  bool has(const std::string &key) const { return taken.count(key) > 0; }

  // Set by the owner. Returns a message for a keyword that is in no table. If the function returns an empty string, the
  // message is "unknown keyword".
  std::function<std::string(const std::string &keyword)> refuse;

 private:
  LAMMPS *lmp;
  const std::string message_prefix;
  const std::vector<OptionsOf> tables;
  struct Taken {
    std::string keyword, values;
  };
  std::map<std::string, Taken> taken;
  void note(const OptionText &option, const std::string &values);
  [[noreturn]] void fail(const std::string &problem) const;
};

}    // namespace LAMMPS_NS

#endif
