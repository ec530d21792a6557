// Styles of granular/plus that replace LAMMPS's own styles and accept their commands: -sf plus, -sf plus/dsds.

#ifndef LMP_GRANULAR_PLUS_STAND_IN_H
#define LMP_GRANULAR_PLUS_STAND_IN_H

#include "pointers.h"

#include <string>
#include <vector>

namespace LAMMPS_NS {

// appends the slider to the words of a model unless the words already name a slider
void add_slider(std::vector<std::string> &words, const char *slider);

bool has_words_of_wall_gran(const std::string &style);

// Translates the words after the style in a fix wall/gran command. The first word names the contact model. Throws
// InputError if granular/plus has no counterpart of the model.
std::vector<std::string> words_of_wall(std::vector<std::string> words, const char *slider);

// `tangential`: a tangential model whose stiffness creates energy as it changes, or empty
void log_replacement(LAMMPS *lmp, const std::string &command, const char *slider, const std::string &tangential);
void log_left_to_lammps(LAMMPS *lmp, const std::string &command, const std::string &why);

// Member of a pair style that replaces LAMMPS's own style. Lets LAMMPS's style take over again if a command needs a
// feature that only LAMMPS provides.
class StandIn : protected Pointers {
 public:
  // `style` begins every message.
  StandIn(LAMMPS *lmp, class Pair *pair, const std::string &style);
  StandIn(const StandIn &) = delete;

  // Returns the bytes that precede our part of a restart file. LAMMPS's style reads these bytes as its own data and
  // stops with an error at a name in these bytes. `last` is true for the last style of a hybrid.
  std::string beginning_of_restart(bool last) const;
  bool is_last() const;    // true for the last style of a hybrid and for the only style

  void begin(int narg, char **arg);
  void add(int narg, char **arg) { commands.emplace_back(arg, arg + narg); }
  void log_once(const std::string &tangential);    // called in init; see log_replacement
  // Replaces the pair style and destroys `this`. Stops with an error if LAMMPS's style cannot take over.
  void leave_to_lammps(const std::string &why);

  // name of the style of LAMMPS that this style replaces; empty if this style replaces none
  const std::string theirs;
  // default slider of models: LAMMPS's slider for a style whose name ends in /dsds, otherwise null
  const char *const slider;

 private:
  class Pair *pair;
  const std::string &style;
  bool stands_in = false, has_logged = false;
  std::vector<std::vector<std::string>> commands;    // arguments of pair_style and of each pair_coeff command
};

}    // namespace LAMMPS_NS

#endif
