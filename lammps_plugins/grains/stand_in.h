// Styles of granular/plus that replace LAMMPS's own styles and accept their commands: -sf plus, -sf plus/dsds.

#ifndef LMP_GRANULAR_PLUS_STAND_IN_H
#define LMP_GRANULAR_PLUS_STAND_IN_H

#include "pointers.h"

#include <string>
#include <vector>

namespace LAMMPS_NS {

// Appends the slider, if there is one, to the words of a model that does not name a slider.
void add_slider(std::vector<std::string> &words, const char *slider);

// Returns whether a fix has the name of fix wall/gran or wall/gran/region, or of a style that replaces one of these.
bool has_words_of_wall_gran(const std::string &style);

// Translates the words of fix wall/gran after the style: first the words of the wall's model in the syntax of
// granular/plus, then all others. Throws InputError if granular/plus has no counterpart.
std::vector<std::string> words_of_wall(std::vector<std::string> words, const char *slider);

// Writes lines to the log.
void log_replacement(LAMMPS *lmp, const std::string &command, const char *slider);
void log_left_to_lammps(LAMMPS *lmp, const std::string &command, const std::string &why);

// A pair style that replaces LAMMPS's own, and returns control to it if a command needs a feature that only LAMMPS
// provides. Member of such a pair style.
class StandIn : protected Pointers {
 public:
  // `style` is the name of the style, which begins every message.
  StandIn(LAMMPS *lmp, class Pair *pair, const std::string &style);
  StandIn(const StandIn &) = delete;

  // The bytes that precede our part of a restart file: LAMMPS's style, and a hybrid that contains it, read them as
  // their own data, up to a name at which they stop with an error. last: this is the last style of a hybrid.
  std::string beginning_of_restart(bool last) const;
  bool is_last() const;    // whether it is the last of a hybrid's styles, or the only style

  void begin(int narg, char **arg);    // stores the arguments of a pair_style command
  // stores the arguments of a pair_coeff command
  void add(int narg, char **arg) { commands.emplace_back(arg, arg + narg); }
  void log_once();    // called in init; writes a line to the log
  // Stops with an error if LAMMPS's style cannot take over. Otherwise replaces the pair style; `this` is destroyed
  // on return.
  void leave_to_lammps(const std::string &why);

  // LAMMPS's style that is replaced by a style such as gran/hooke/plus; empty if none
  const std::string theirs;
  // slider of models that name none: LAMMPS's slider for a style that ends in /dsds, otherwise null
  const char *const slider;

 private:
  class Pair *pair;
  const std::string &style;
  bool stands_in = false, has_logged = false;
  std::vector<std::vector<std::string>> commands;    // arguments of pair_style and of each pair_coeff command
};

}    // namespace LAMMPS_NS

#endif
