#include "parse.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace granular_plus {

std::string described(const Bounds &b)
{
  std::string text;
  if (b.low != -UNBOUNDED) text += std::string(b.low_allowed ? ">= " : "> ") + short_number(b.low);
  if (b.high != UNBOUNDED)
    text += (text.empty() ? "" : " and ") + std::string(b.high_allowed ? "<= " : "< ") + short_number(b.high);
  return text;
}

bool within(const Bounds &b, double value)
{
  return (b.low_allowed ? value >= b.low : value > b.low) && (b.high_allowed ? value <= b.high : value < b.high);
}

namespace {

double parse_number(const std::string &where, const Parameter &parameter, const std::string &word)
{
  if (word == "NULL") {
    if (parameter.may_be_null) return NULL_PARAMETER;
    throw InputError(where + ": " + parameter.meaning + " " + parameter.symbol + " must not be NULL");
  }
  double value;
  if (!reads_as_number(word, value))
    throw InputError(where + ": " + parameter.meaning + " " + parameter.symbol + " = " + word + " must be a number");
  if (!std::isfinite(value))
    throw InputError(where + ": " + parameter.meaning + " " + parameter.symbol + " = " + word + " must be finite");
  return value;
}

const std::vector<std::string> KEYWORDS = {"damping",
                                           "tangential",
                                           "rolling",
                                           "twisting",
                                           "slider",
                                           "bridge",
                                           "heat",
                                           "bond",
                                           "mixing",
                                           "wallmaterial",
                                           "cutoff",
                                           "limit_damping",
                                           "synchronized_verlet",
                                           "van_der_waals"};

constexpr Role OPTIONAL_ROLES[] = {DAMPING, TANGENTIAL, ROLLING, TWISTING, SLIDER, BRIDGE, HEAT, BOND};

bool contains(const std::vector<std::string> &list, const std::string &word)
{
  return std::find(list.begin(), list.end(), word) != list.end();
}

class Parser {
 public:
  Parser(const std::vector<std::string> &words, bool wall, const std::vector<std::string> &following)
      : words(words), wall(wall), may_follow(KEYWORDS)
  {
    may_follow.insert(may_follow.end(), following.begin(), following.end());
  }
  Choices parse();

 private:
  const std::vector<std::string> &words;
  const bool wall;
  std::vector<std::string> may_follow;
  std::size_t next = 0;
  Choices result;

  void read_law(Role role);
  bool ends_law(Role role, const std::string &name) const;
  void read_options(const LawEntry &law, const std::string &where, const std::vector<std::string> &given,
                    std::vector<double> &values) const;
  void check_count(const LawEntry &law, const std::string &where, const std::vector<std::string> &given,
                   bool in_steps) const;
  void read_keyword(const std::string &keyword);
  void fill_in_defaults();
};

void Parser::check_count(const LawEntry &law, const std::string &where, const std::vector<std::string> &given,
                         bool in_steps) const
{
  std::size_t expected = 0, required = 0, options = 0;
  std::string symbols;
  for (const auto &parameter : law.parameters) {
    const std::string argument = (parameter.label ? std::string(parameter.label) + " " : "") + parameter.symbol;
    if (parameter.may_be_missing && !parameter.label)    // the second of two numbers after one label
      symbols.insert(symbols.size() - 1, " " + argument);
    else
      symbols += " " + (parameter.may_be_missing ? "[" + argument + "]" : argument);
    expected += parameter.label ? 2 : 1;
    if (!parameter.may_be_missing) required = expected;
    options += parameter.may_be_missing;
  }
  if (given.size() == required || given.size() == expected) return;
  if (options > 1 && given.size() > required) return;
  const std::string takes = required == expected ? "" : std::to_string(required) + (options > 1 ? " to " : " or ");
  std::string hint;
  if (given.size() > expected) {
    const std::string &surplus = given[expected];
    hint = "; the first unexpected word is " + surplus + did_you_mean(surplus, may_follow);
  } else if (in_steps && given.size() + 1 == required) {
    hint = "; the word steps must be followed by a number, for example steps 50";
  }
  throw InputError(where + " takes " + takes + std::to_string(expected) + " arguments" +
                   (symbols.empty() ? "" : " (" + symbols.substr(1) + ")") + ", not " + std::to_string(given.size()) +
                   hint);
}

// A keyword may also be a label of the law, such as `damping` of a bond. It counts as a label if a number follows.
bool Parser::ends_law(Role role, const std::string &name) const
{
  if (!contains(KEYWORDS, words[next])) return false;
  const auto &parameters = laws(role)[find_law(role, name)].parameters;
  const bool is_label = std::any_of(parameters.begin(), parameters.end(),
                                    [&](const Parameter &p) { return p.label && words[next] == p.label; });
  if (!is_label || next + 1 == words.size()) return !is_label;
  char *rest = nullptr;
  std::strtod(words[next + 1].c_str(), &rest);
  return *rest != '\0';
}

void Parser::read_law(Role role)
{
  const std::string keyword = role_name(role);
  if (result.choice[role].law >= 0) throw InputError("keyword " + keyword + " must be given only once");
  if (next >= words.size()) throw InputError("keyword " + keyword + " needs a model; known are " + known_laws(role));
  std::string name = words[next++];
  find_law(role, name);
  std::vector<std::string> given;
  while (next < words.size() && !ends_law(role, name)) given.push_back(words[next++]);
  // "bridge willett gamma theta film" is short for "bridge willett/film gamma theta".
  if (role == BRIDGE && given.size() > 2 && given[2] == "film" && contains(law_names(BRIDGE), name + "/film")) {
    name += "/film";
    given.erase(given.begin() + 2);
  }
  result.choice[role].law = find_law(role, name);
  const std::string where = keyword + " " + name;
  const auto &entry = result.law(role);
  if (!entry.parameters.empty() && entry.parameters.front().may_be_steps && !given.empty() && given[0] == "steps") {
    result.choice[role].in_steps = true;
    given.erase(given.begin());
  }
  check_count(entry, where, given, result.choice[role].in_steps);
  std::size_t at = 0;
  std::vector<double> &values = result.choice[role].parameters;
  for (const auto &parameter : entry.parameters) {
    values.push_back(parameter.if_missing);
    if (parameter.may_be_missing) continue;
    if (parameter.label && given[at++] != parameter.label)
      throw InputError(where + ": expected " + parameter.label + ", found " + given[at - 1] +
                       did_you_mean(given[at - 1], may_follow));
    values.back() = parse_number(where, parameter, given[at++]);
  }
  read_options(entry, where, {given.begin() + at, given.end()}, values);
}

void Parser::read_options(const LawEntry &law, const std::string &where, const std::vector<std::string> &given,
                          std::vector<double> &values) const
{
  std::vector<std::string> labels;
  for (const auto &parameter : law.parameters)
    if (parameter.may_be_missing && parameter.label) labels.push_back(parameter.label);
  std::vector<bool> seen(law.parameters.size(), false);
  for (std::size_t at = 0; at < given.size(); at += 2) {
    std::size_t k = 0;
    while (k < law.parameters.size() &&
           !(law.parameters[k].may_be_missing && law.parameters[k].label && given[at] == law.parameters[k].label))
      ++k;
    if (k == law.parameters.size() && labels.size() == 1)
      throw InputError(where + ": expected " + labels[0] + ", found " + given[at] +
                       did_you_mean(given[at], may_follow));
    if (k == law.parameters.size()) {
      std::vector<std::string> known = labels;
      known.insert(known.end(), may_follow.begin(), may_follow.end());
      throw InputError(where + ": unknown word " + given[at] + did_you_mean(given[at], known));
    }
    if (seen[k]) throw InputError(where + ": " + given[at] + " must be given only once");
    if (at + 1 == given.size()) throw InputError(where + ": " + given[at] + " needs a number");
    seen[k] = true;
    values[k] = parse_number(where, law.parameters[k], given[at + 1]);
    if (k + 1 == law.parameters.size() || law.parameters[k + 1].label || !law.parameters[k + 1].may_be_missing)
      continue;
    const Parameter &second = law.parameters[k + 1];
    if (at + 2 == given.size())
      throw InputError(where + ": " + given[at] + " needs two numbers, " + law.parameters[k].symbol + " and " +
                       second.symbol);
    values[k + 1] = parse_number(where, second, given[at++ + 2]);
  }
}

void Parser::read_keyword(const std::string &keyword)
{
  const auto once = [&](bool given) {
    if (given) throw InputError("keyword " + keyword + " must be given only once");
  };
  if (keyword == "limit_damping") {
    once(result.limit_damping);
    result.limit_damping = true;
  } else if (keyword == "cutoff") {
    if (wall) throw InputError("keyword cutoff is for pairs, not for walls");
    const Parameter parameter{"cutoff", "distance", "neighbour cutoff", POSITIVE};
    once(result.cutoff > 0.0);
    if (next >= words.size()) throw InputError("keyword cutoff needs a number");
    result.cutoff = parse_number("keyword cutoff", parameter, words[next++]);
    check_bounds("keyword cutoff", parameter, result.cutoff);
  } else if (keyword == "wallmaterial") {
    if (!wall) throw InputError("keyword wallmaterial is for walls, not for pairs");
    const Parameter parameters[] = {{"E", "pressure", "Young's modulus", POSITIVE},
                                    {"nu", "-", "Poisson's ratio", POISSON}};
    once(!result.wall_material.empty());
    if (next + 2 > words.size()) throw InputError("keyword wallmaterial needs E and nu");
    for (const auto &parameter : parameters) {
      result.wall_material.push_back(parse_number("keyword wallmaterial", parameter, words[next++]));
      check_bounds("keyword wallmaterial", parameter, result.wall_material.back());
    }
  } else if (keyword == attraction_law().name) {
    const LawEntry &law = attraction_law();
    once(!result.attraction.empty());
    if (next + law.parameters.size() > words.size()) throw InputError("keyword " + keyword + " needs A, D0 and Rv");
    for (const auto &parameter : law.parameters) {
      result.attraction.push_back(parse_number("keyword " + keyword, parameter, words[next++]));
      check_bounds("keyword " + keyword, parameter, result.attraction.back());
    }
  } else if (keyword == "synchronized_verlet") {
    if (wall) throw InputError("keyword synchronized_verlet is for pairs, not for walls, as in LAMMPS");
    once(result.synchronized);
    result.synchronized = true;
  } else if (keyword == "mixing") {
    if (wall) throw InputError("keyword mixing is for pairs; keyword wallmaterial sets the material of a wall");
    once(result.mixes_materials);
    if (next >= words.size() || words[next] != "materials")
      throw InputError("keyword mixing: expected materials, found " + (next < words.size() ? words[next] : "nothing"));
    result.mixes_materials = true;
    ++next;
  } else {
    throw InputError("unknown keyword " + keyword + did_you_mean(keyword, may_follow));
  }
}

void Parser::fill_in_defaults()
{
  for (const Role role : OPTIONAL_ROLES)
    if (!result.has(role)) result.choice[role].law = 0;
  for (int r = 0; r < ROLES; ++r) {
    const auto &parameters = result.law(static_cast<Role>(r)).parameters;
    auto &values = result.choice[r].parameters;
    for (std::size_t k = values.size(); k < parameters.size(); ++k) values.push_back(parameters[k].if_missing);
  }
}

Choices Parser::parse()
{
  // a model that consists only of bridges begins with the keyword bridge
  const bool bridges_alone = !words.empty() && words[0] == role_name(BRIDGE);
  if (!bridges_alone) read_law(NORMAL);
  while (next < words.size()) {
    const std::string keyword = words[next++];
    const auto role = std::find_if(std::begin(OPTIONAL_ROLES), std::end(OPTIONAL_ROLES),
                                   [&](Role r) { return keyword == role_name(r); });
    if (role != std::end(OPTIONAL_ROLES))
      read_law(*role);
    else
      read_keyword(keyword);
  }
  if (bridges_alone) {
    for (int r = 0; r < ROLES; ++r)
      if (r != BRIDGE && result.has(static_cast<Role>(r)))
        throw InputError(std::string("keyword ") + role_name(static_cast<Role>(r)) + " needs a normal model before it");
    if (!result.attraction.empty()) throw InputError("keyword van_der_waals needs a normal model before it");
    if (!result.law(BRIDGE).acts_across_gap) throw InputError("bridge none without a normal model defines no force");
    return result;
  }
  if (!result.has(TANGENTIAL))
    throw InputError("keyword tangential is missing; known models are " + known_laws(TANGENTIAL));
  if (result.law(NORMAL).per_collision && result.has(DAMPING))
    throw InputError("damping " + result.law(DAMPING).name + " cannot be combined with normal " +
                     result.law(NORMAL).name + ", whose damping follows from its arguments");
  fill_in_defaults();
  return result;
}

}    // namespace

const LawEntry &Choices::law(Role role) const
{
  static const LawEntry absent{};
  return has(role) ? laws(role)[choice[role].law] : absent;
}

bool reads_as_number(const std::string &word, double &value)
{
  char *rest = nullptr;
  value = std::strtod(word.c_str(), &rest);
  // strtod would accept hexadecimal numbers
  return !word.empty() && !*rest && word.find_first_of("xX") == std::string::npos;
}

std::string exact_number(double value)
{
  char text[32];
  // 15 digits survive conversion to a double and back; 17 digits identify any double
  for (int digits = 15; digits <= 17; ++digits) {
    std::snprintf(text, sizeof text, "%.*g", digits, value);
    if (std::strtod(text, nullptr) == value) break;
  }
  return text;
}

std::string short_number(double value)
{
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

void check_bounds(const std::string &where, const Parameter &parameter, double value)
{
  if (parameter.may_be_null && value == NULL_PARAMETER) return;
  if (parameter.may_be_missing && value == parameter.if_missing) return;
  const std::string label = parameter.label ? parameter.label + std::string(": ") : "";
  if (!within(parameter.bounds, value))
    throw InputError(where + ": " + label + parameter.meaning + " " + parameter.symbol + " = " + short_number(value) +
                     " must be " + described(parameter.bounds));
}

Choices parse(const std::vector<std::string> &words, bool wall, const std::vector<std::string> &following)
{
  return Parser(words, wall, following).parse();
}

namespace {

bool all_missing(const Choices &choices, Role role)
{
  const auto &parameters = choices.law(role).parameters;
  const auto &values = choices.choice[role].parameters;
  return std::equal(parameters.begin(), parameters.end(), values.begin(), values.end(),
                    [](const Parameter &p, double value) { return p.may_be_missing && value == p.if_missing; });
}

}    // namespace

bool is_keyword(const std::string &word) { return contains(KEYWORDS, word); }

std::string text_of(const Choices &choices)
{
  std::string text;
  for (int r = 0; r < ROLES; ++r) {
    const Role role = static_cast<Role>(r);
    if (!choices.has(role) || (role == DAMPING && choices.law(NORMAL).per_collision)) continue;
    if (role == HEAT && choices.choice[HEAT].law == 0 && all_missing(choices, HEAT)) continue;
    if (role == BOND && choices.law(BOND).history == 0) continue;
    if (!text.empty()) text += ' ';
    if (role != NORMAL) text += std::string(role_name(role)) + " ";
    text += choices.law(role).name;
    if (choices.choice[role].in_steps) text += " steps";
    for (std::size_t k = 0; k < choices.choice[role].parameters.size(); ++k) {
      const Parameter &parameter = choices.law(role).parameters[k];
      const double value = choices.choice[role].parameters[k];
      if (parameter.may_be_missing && value == parameter.if_missing) continue;
      const bool null = parameter.may_be_null && value == NULL_PARAMETER;
      if (parameter.label) text += std::string(" ") + parameter.label;
      text += " " + (null ? "NULL" : exact_number(value));
    }
  }
  if (!choices.attraction.empty()) text += " " + attraction_law().name;
  for (const double value : choices.attraction) text += " " + exact_number(value);
  if (choices.cutoff > 0.0) text += " cutoff " + exact_number(choices.cutoff);
  if (choices.limit_damping) text += " limit_damping";
  if (choices.synchronized) text += " synchronized_verlet";
  if (choices.mixes_materials) text += " mixing materials";
  return text;
}

}    // namespace granular_plus
