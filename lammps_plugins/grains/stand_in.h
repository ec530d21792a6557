// Styles of granular/plus that replace LAMMPS's own and accept their commands: -sf plus, -sf plus/dsds.

#ifndef LMP_GRANULAR_PLUS_STAND_IN_H
#define LMP_GRANULAR_PLUS_STAND_IN_H

#include "pointers.h"

#include <string>
#include <vector>

namespace LAMMPS_NS {

// Appends the slider, if there is one, to the words of a model that names none.
void add_slider(std::vector<std::string> &words, const char *slider);

// Whether a fix has the name of fix wall/gran or wall/gran/region, or of a replacement of these.
bool has_words_of_wall_gran(const std::string &style);

// Translates the words of fix wall/gran after its style: those of the wall's model in our grammar, then all others;
// throws InputError if they have no counterpart.
std::vector<std::string> words_of_wall(std::vector<std::string> words, const char *slider);

// Lines of the log.
void log_replacement(LAMMPS *lmp, const std::string &command, const char *slider);
void log_left_to_lammps(LAMMPS *lmp, const std::string &command, const std::string &why);

// A pair style that replaces LAMMPS's, and hands over to it if a command needs what only LAMMPS provides.
class StandIn : protected Pointers {
 public:
  // the name of the style begins every message
  StandIn(LAMMPS *lmp, class Pair *pair, const std::string &style);
  StandIn(const StandIn &) = delete;

  // What precedes our part of a restart file: bytes that LAMMPS's style, and a hybrid that contains it, read as their
  // own data, and a name at which they then stop with an error. last: the last style of a hybrid.
  std::string beginning_of_restart(bool last) const;
  bool is_last() const;    // whether it is the last of a hybrid's styles, or the only style

  void begin(int narg, char **arg);    // stores the arguments of a pair_style command
  // stores those of a pair_coeff command
  void add(int narg, char **arg) { commands.emplace_back(arg, arg + narg); }
  void log_once();    // in init: writes a line to the log
  // stops with an error if LAMMPS's style cannot take over; otherwise replaces the pair style; `this` is destroyed on return
  void leave_to_lammps(const std::string &why);

  // LAMMPS's style that a style such as gran/hooke/plus replaces; empty if it replaces none
  const std::string theirs;
  const char *const slider;    // if none is given: LAMMPS's, for a style that ends in /dsds; else null

 private:
  class Pair *pair;
  const std::string &style;
  bool stands_in = false, has_logged = false;
  std::vector<std::vector<std::string>> commands;    // arguments of pair_style and of each pair_coeff
};

}    // namespace LAMMPS_NS

#endif
