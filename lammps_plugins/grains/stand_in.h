// Styles of granular/plus in the place of LAMMPS's own, whose commands they take: -sf plus, -sf plus/dsds.

#ifndef LMP_GRANULAR_PLUS_STAND_IN_H
#define LMP_GRANULAR_PLUS_STAND_IN_H

#include "pointers.h"

#include <string>
#include <vector>

namespace LAMMPS_NS {

// Adds a slider, if there is one, to the words of a model that names none.
void add_slider(std::vector<std::string> &words, const char *slider);

// Whether a fix has the name of fix wall/gran or wall/gran/region, or of what stands in for them.
bool has_words_of_wall_gran(const std::string &style);

// The words of the wall's model in our grammar, then all others, for the words of fix wall/gran behind its style; throws
// InputError where they have no counterpart.
std::vector<std::string> words_of_wall(std::vector<std::string> words, const char *slider);

// Lines of the log.
void say_in_place_of(LAMMPS *lmp, const std::string &command, const char *slider);
void say_left_to_lammps(LAMMPS *lmp, const std::string &command, const std::string &why);

// A pair style in the place of LAMMPS's, which gets the commands if it has to do what they ask for.
class StandIn : protected Pointers {
 public:
  // the name of the style begins every message
  StandIn(LAMMPS *lmp, class Pair *pair, const std::string &style);
  StandIn(const StandIn &) = delete;

  // What a restart file has before our part: bytes that LAMMPS's style, and a hybrid that it belongs to, read as their own
  // data, and a name that they then stop at with an error. last: of the styles of a hybrid.
  std::string beginning_of_restart(bool last) const;
  bool is_last() const;    // of a hybrid's styles, or the only style

  void begin(int narg, char **arg);    // with the arguments of a pair_style command
  // with those of a pair_coeff command
  void add(int narg, char **arg) { commands.emplace_back(arg, arg + narg); }
  void say_once();    // in init: a line in the log
  // an error where LAMMPS's style cannot take over; else the pair style, and this with it, are gone then
  void leave_to_lammps(const std::string &why);

  // LAMMPS's style that one such as gran/hooke/plus stands for; empty if it stands for none
  const std::string theirs;
  const char *const slider;    // where no other is given: that of LAMMPS for a style that ends in /dsds; else null

 private:
  class Pair *pair;
  const std::string &style;
  bool stands_in = false, has_said_so = false;
  std::vector<std::vector<std::string>> commands;    // arguments of pair_style and of each pair_coeff
};

}    // namespace LAMMPS_NS

#endif
