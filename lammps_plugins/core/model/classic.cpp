#include "parse.h"

namespace granular_plus {

namespace {

double number(const std::string &name, const std::string &word)
{
  double value;
  if (!reads_as_number(word, value)) throw InputError(name + " = " + word + " must be a number");
  return value;
}

}    // namespace

std::vector<ClassicWord> classic_words(const std::string &model, const std::vector<std::string> &arguments)
{
  if (model != "hooke" && model != "hooke/history" && model != "hertz/history")
    throw InputError("model = " + model + " must be hooke, hooke/history or hertz/history");
  const bool limits_damping = arguments.size() == 7 && arguments[6] == "limit_damping";
  if (arguments.size() != 6 && !limits_damping) {
    std::string got;
    for (const std::string &word : arguments) got += " " + word;
    throw InputError(
        model + " takes Kn Kt gamma_n gamma_t xmu dampflag [limit_damping]; given:" + (got.empty() ? " nothing" : got));
  }
  const std::string &kn = arguments[0], &kt = arguments[1], &gamma_n = arguments[2], &gamma_t = arguments[3],
                    &mu = arguments[4], &dampflag = arguments[5];
  if (dampflag != "0" && dampflag != "1") throw InputError(model + ": dampflag = " + dampflag + " must be 0 or 1");

  std::vector<ClassicWord> words;
  const auto add = [&words](const std::string &text) { words.push_back({text}); };
  const bool is_hertz = model == "hertz/history";
  add(is_hertz ? "hertz" : "hooke");
  add(kn);
  add(gamma_n);
  add("damping");
  add(is_hertz ? "viscoelastic" : "mass_velocity");
  add("tangential");
  add(is_hertz ? "mindlin" : model == "hooke" ? "linear_nohistory" : "linear_history");
  if (model != "hooke") words.push_back({kt == "NULL" ? kn : kt, kt == "NULL" ? Computed::TWO_SEVENTHS : Computed::NO});
  // granular/plus defines tangential damping as a ratio of tangential to normal damping
  if (dampflag == "0")
    add("0");
  else if (gamma_t == "NULL")
    add("0.5");
  else
    words.push_back({gamma_t, Computed::RATIO, gamma_n});
  add(mu);
  if (limits_damping) add("limit_damping");
  return words;
}

std::vector<std::string> words_of_classic(const std::string &model, const std::vector<std::string> &arguments)
{
  std::vector<std::string> words;
  for (const auto &[text, computed, divisor] : classic_words(model, arguments)) {
    if (computed == Computed::NO) {
      words.push_back(text);
    } else if (computed == Computed::TWO_SEVENTHS) {
      words.push_back(exact_number(2.0 / 7.0 * number("Kn", text)));
    } else {
      const double over = number("gamma_t", text), under = number("gamma_n", divisor);
      if (over != 0.0 && under == 0.0)
        throw InputError(model + ": gamma_t = " + text +
                         " must be 0 if gamma_n = 0: tangential damping is a multiple of normal damping");
      words.push_back(exact_number(over == 0.0 ? 0.0 : over / under));
    }
  }
  return words;
}

}    // namespace granular_plus
