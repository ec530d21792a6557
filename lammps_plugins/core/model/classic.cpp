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

std::vector<std::string> words_of_classic(const std::string &model, const std::vector<std::string> &arguments)
{
  if (model != "hooke" && model != "hooke/history" && model != "hertz/history")
    throw InputError("model = " + model + " must be hooke, hooke/history or hertz/history");
  const bool limits_damping = arguments.size() == 7 && arguments[6] == "limit_damping";
  if (arguments.size() != 6 && !limits_damping)
    throw InputError(model + " takes Kn Kt gamma_n gamma_t xmu dampflag [limit_damping]");
  const std::string &kn = arguments[0], &gamma_n = arguments[2], &gamma_t = arguments[3], &dampflag = arguments[5];
  if (dampflag != "0" && dampflag != "1") throw InputError(model + ": dampflag = " + dampflag + " must be 0 or 1");

  // tangential damping is specified as a multiple of the normal one
  double ratio = 0.5;
  if (dampflag == "0") {
    ratio = 0.0;
  } else if (gamma_t != "NULL") {
    const double over = number("gamma_t", gamma_t), under = number("gamma_n", gamma_n);
    if (over != 0.0 && under == 0.0)
      throw InputError(model + ": gamma_t = " + gamma_t + " must be 0 if gamma_n = 0: it is a multiple of gamma_n");
    ratio = over == 0.0 ? 0.0 : over / under;
  }

  const bool is_hertz = model == "hertz/history";
  std::vector<std::string> words = {is_hertz ? "hertz" : "hooke",
                                    kn,
                                    gamma_n,
                                    "damping",
                                    is_hertz ? "viscoelastic" : "mass_velocity",
                                    "tangential",
                                    is_hertz               ? "mindlin"
                                        : model == "hooke" ? "linear_nohistory"
                                                           : "linear_history"};
  if (model != "hooke")
    words.push_back(arguments[1] == "NULL" ? exact_number(2.0 / 7.0 * number("Kn", kn)) : arguments[1]);
  words.push_back(exact_number(ratio));
  words.push_back(arguments[4]);
  if (limits_damping) words.push_back("limit_damping");
  return words;
}

}    // namespace granular_plus
