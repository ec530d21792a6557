#include "options.h"

#include "../core/model/law_table.h"
#include "../core/model/parse.h"

#include "error.h"

#include <algorithm>
#include <cmath>

using namespace LAMMPS_NS;
using granular_plus::InputError;

namespace {

std::vector<std::string> choices_of(const Operand &operand)
{
  auto words = utils::split_words(operand.unit);
  if (operand.kind == Operand::YES_OR_NO) words.insert(words.begin(), {"yes", "no"});
  return words;
}

// returns text such as "x, y or z"
std::string in_words(const std::vector<std::string> &words)
{
  std::string text;
  for (std::size_t k = 0; k < words.size(); ++k)
    text += (k == 0 ? "" : k + 1 == words.size() ? " or " : ", ") + words[k];
  return text;
}

// returns text such as "mass M"
std::string name_of(const Operand &operand)
{
  return operand.label + (operand.label.empty() || operand.symbol.empty() ? "" : " ") + operand.symbol;
}

// returns text such as "mass M = 3"
std::string shown_as(const Operand &operand, const std::string &word)
{
  const std::string name = name_of(operand);
  return name.empty() ? word : name + (operand.symbol.empty() ? " " : " = ") + word;
}

struct TooFewWords : InputError {
  using InputError::InputError;
};

std::vector<const OptionTable *> &all_tables()
{
  static std::vector<const OptionTable *> tables;
  return tables;
}

}    // namespace

Operand Operand::after(const char *word) const
{
  Operand copy = *this;
  copy.label = word;
  return copy;
}

Operand Operand::optional(const char *word) const
{
  Operand copy = after(word);
  copy.may_be_missing = true;
  return copy;
}

Operand Operand::with_last() const { return optional(""); }

Operand Operand::or_null() const
{
  Operand copy = *this;
  copy.may_be_null = true;
  return copy;
}

std::string Operand::syntax() const
{
  const std::string value = symbol.empty() ? in_words(choices_of(*this)) : symbol;
  return label.empty() ? value : label + " " + value;
}

std::string Operand::allowed() const
{
  std::string text;
  if (kind == ONE_OF || kind == YES_OR_NO)
    text = in_words(choices_of(*this));
  else if (kind == WHOLE)
    text = fmt::format(">= {:.0f} and <= {:.0f}", bounds.low, bounds.high);
  else
    text = granular_plus::described(bounds);
  return may_be_null ? text + (text.empty() ? "NULL" : " or NULL") : text;
}

std::string OptionText::syntax() const
{
  std::string text = keyword;
  bool is_open = false;
  for (const Operand &operand : operands) {
    const bool goes_on = operand.may_be_missing && operand.label.empty();
    if (is_open && !goes_on) text += "]";
    text += is_open && goes_on ? " " : operand.may_be_missing ? " [" : " ";
    is_open = operand.may_be_missing;
    text += operand.syntax();
  }
  if (is_open) text += "]";
  return rest.empty() ? text : text + " " + rest;
}

OptionTable::OptionTable(std::string name) : name(std::move(name)) { all_tables().push_back(this); }

std::size_t OptionTable::find(const std::string &keyword) const
{
  std::size_t k = 0;
  while (k < size() && text(k).keyword != keyword) ++k;
  return k;
}

Operands::Operands(LAMMPS *lmp, std::string message_prefix, const OptionText &option,
                   const std::vector<std::string> &words, std::size_t &next)
    : words(words), next(next), lmp(lmp), message_prefix(std::move(message_prefix)), option(option), first(next),
      values(option.operands.size())
{
  bool has_last = true;
  for (std::size_t k = 0; k < values.size(); ++k) {
    find(option.operands[k], has_last, values[k]);
    has_last = values[k].is_given;
  }
}

void Operands::evaluate()
{
  for (std::size_t k = 0; k < values.size(); ++k) evaluate(option.operands[k], values[k]);
}

std::string Operands::shown() const { return utils::join_words({words.begin() + first, words.begin() + next}, " "); }

void Operands::refuse(int k, const std::string &must_be) const
{
  throw InputError(shown_as(option.operands[k], values[k].word) + " must be " + must_be);
}

Operands::Value Operands::take(const Operand &operand) const
{
  Value value;
  find(operand, true, value);
  evaluate(operand, value);
  return value;
}

void Operands::find(const Operand &operand, bool has_last, Value &value) const
{
  if (!operand.label.empty()) {
    const bool is_there = next < words.size() && words[next] == operand.label;
    if (!is_there && operand.may_be_missing) return;
    if (next >= words.size()) miss();
    if (!is_there) throw InputError("expected " + operand.label + ", found " + words[next]);
    ++next;
  } else if (operand.may_be_missing && !has_last)
    return;
  if (next >= words.size()) miss();
  value.word = words[next++];
  value.is_given = true;
}

void Operands::miss() const
{
  throw TooFewWords("needs" + option.syntax().substr(option.keyword.size()) + ": " + option.meaning);
}

void Operands::evaluate(const Operand &operand, Value &value) const
{
  if (!value.is_given) return;
  const std::string &word = value.word;
  const auto check = [&](bool is_allowed, const std::string &must_be) {
    if (!is_allowed) throw InputError(shown_as(operand, word) + " must be " + must_be);
  };
  const auto is_choice = [&] {
    const auto known = choices_of(operand);
    return std::find(known.begin(), known.end(), word) != known.end();
  };
  const std::string or_null = operand.may_be_null ? " or NULL" : "";
  if (operand.may_be_null && word == "NULL") {
    value.is_given = false;
    value.is_null = true;
    return;
  }
  switch (operand.kind) {
    case Operand::NUMBER:
      check(granular_plus::reads_as_number(word, value.number) && std::isfinite(value.number),
            "a finite number" + or_null);
      check(granular_plus::within(operand.bounds, value.number), operand.allowed());
      break;
    case Operand::WHOLE:
      check(utils::is_integer(word) && granular_plus::reads_as_number(word, value.number), "an integer" + or_null);
      check(granular_plus::within(operand.bounds, value.number), operand.allowed());
      break;
    case Operand::NUMBER_OR_VARIABLE:
      value.variable =
          NumberOrVariable(lmp, fmt::format("{}: keyword {}: {}", message_prefix, option.keyword, name_of(operand)),
                           word, operand.bounds.low);
      value.number = value.variable.number;
      break;
    case Operand::WORD: break;
    case Operand::ONE_OF: check(is_choice(), operand.allowed()); break;
    case Operand::YES_OR_NO:
      value.number = word == "yes" || word == "on" || word == "true" ? 1.0 : 0.0;
      check(value.number == 1.0 || word == "off" || word == "false" || is_choice(), operand.allowed());
      break;
  }
}

OptionReader::OptionReader(LAMMPS *lmp, std::string message_prefix, std::vector<OptionsOf> tables)
    : lmp(lmp), message_prefix(std::move(message_prefix)), tables(std::move(tables))
{
}

void OptionReader::fail(const std::string &problem) const { lmp->error->all(FLERR, "{}: {}", message_prefix, problem); }

void OptionReader::read(const std::vector<std::string> &words, std::size_t next)
{
  while (next < words.size()) {
    const std::string &keyword = words[next];
    if (read_one(words, next)) continue;
    const std::string problem = refuse ? refuse(keyword) : "";
    if (!problem.empty()) fail(problem);
    std::vector<std::string> known;
    for (const OptionsOf &part : tables)
      for (std::size_t k = 0; k < part.table->size(); ++k) known.push_back(part.table->text(k).keyword);
    fail("unknown keyword " + keyword + "; known are " + utils::join_words(known, ", ") +
         granular_plus::did_you_mean(keyword, known));
  }
  for (const OptionsOf &part : tables)
    for (std::size_t k = 0; k < part.table->size(); ++k) {
      const OptionText &option = part.table->text(k);
      if (option.is_required && taken.count(option.key()) == 0) fail("keyword " + option.key() + " is missing");
    }
}

bool OptionReader::read_one(const std::vector<std::string> &words, std::size_t &next)
{
  for (const OptionsOf &part : tables) {
    const std::size_t k = part.table->find(words[next]);
    if (k == part.table->size()) continue;
    const OptionText &option = part.table->text(k);
    const std::string where = "keyword " + option.keyword;
    ++next;
    try {
      Operands operands(lmp, message_prefix, option, words, next);
      note(option, operands.shown());
      operands.evaluate();
      part.table->apply(k, part.object, operands);
    } catch (const TooFewWords &e) {
      fail(where + " " + e.what());
    } catch (const InputError &e) {
      fail(where + ": " + e.what());
    }
    return true;
  }
  return false;
}

void OptionReader::note(const OptionText &option, const std::string &values)
{
  const auto shown = [](const std::string &keyword, const std::string &values) {
    return values.empty() ? keyword : keyword + " = " + values;
  };
  const Taken now{option.keyword, values};
  const auto [before, is_first] = taken.try_emplace(option.key(), now);
  if (is_first || option.may_be_repeated) return;
  const Taken &first = before->second;
  const bool is_repeated_flag = first.keyword == option.keyword && first.values.empty();
  fail("keyword " + shown(option.keyword, values) + (option.one_of.empty() ? "" : ": " + option.one_of) +
       " must be given only once" +
       (is_repeated_flag ? "" : "; " + shown(first.keyword, first.values) + " was given before"));
}

namespace {

// unit and bounds, without bounds that only exclude infinite numbers
std::string explained(const Operand &operand)
{
  constexpr double MOST = 1.0e30;
  if (operand.kind == Operand::ONE_OF || operand.kind == Operand::YES_OR_NO)
    return operand.symbol.empty() ? "" : operand.allowed();
  granular_plus::Bounds bounds = operand.bounds;
  if (bounds.low <= -MOST) bounds.low = -granular_plus::UNBOUNDED;
  if (bounds.high >= (operand.kind == Operand::WHOLE ? MAXSMALLINT : MOST)) bounds.high = granular_plus::UNBOUNDED;
  std::string text = operand.unit;
  const auto add = [&text](const std::string &more) { text += (text.empty() || more.empty() ? "" : ", ") + more; };
  if (operand.kind == Operand::WHOLE) add("an integer");
  add(granular_plus::described(bounds));
  if (operand.kind == Operand::NUMBER_OR_VARIABLE) add("or v_name");
  if (operand.may_be_null) add("or NULL");
  return text;
}

const char *name_of(Operand::Kind kind)
{
  switch (kind) {
    case Operand::NUMBER: return "number";
    case Operand::WHOLE: return "whole";
    case Operand::NUMBER_OR_VARIABLE: return "number or variable";
    case Operand::WORD: return "word";
    case Operand::ONE_OF: return "one of";
    case Operand::YES_OR_NO: return "yes or no";
  }
  return "";
}

std::string parts_of(const Operand &operand)
{
  const bool is_choice = operand.kind == Operand::ONE_OF || operand.kind == Operand::YES_OR_NO;
  const granular_plus::Bounds &bounds = operand.bounds;
  return fmt::format("\t{}\t{}\t{}\t{}\t{}\t{}\t{:d}\t{:d}\t{:d}\t{:d}\t{}\t{}", name_of(operand.kind), operand.symbol,
                     operand.label, is_choice ? utils::join_words(choices_of(operand), " ") : "", bounds.low,
                     bounds.high, bounds.low_allowed, bounds.high_allowed, operand.may_be_missing, operand.may_be_null,
                     is_choice ? "" : operand.unit, explained(operand));
}

}    // namespace

/* ----------------------------------------------------------------------
   Returns one line for each option, with parts separated by tabs. pysuite/lammps/options.py reads these lines.
------------------------------------------------------------------------- */

extern "C" [[gnu::visibility("default")]] const char *granular_plus_options()
{
  static std::string text;
  text.clear();
  for (const OptionTable *table : all_tables())
    for (std::size_t k = 0; k < table->size(); ++k) {
      const OptionText &option = table->text(k);
      text += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{:d}\t{:d}\t{}", table->name, option.keyword, option.syntax(),
                          option.meaning, option.default_value, option.one_of, option.is_required,
                          option.may_be_repeated, option.rest);
      for (const Operand &operand : option.operands) text += parts_of(operand);
      text += "\n";
    }
  return text.c_str();
}
