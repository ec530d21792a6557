// Styles of granular/plus in the place of LAMMPS's own, whose commands they take: -sf plus, -sf plus/dsds.

#ifndef LMP_GRANULAR_PLUS_STAND_IN_H
#define LMP_GRANULAR_PLUS_STAND_IN_H

#include "pointers.h"

#include <string>
#include <vector>

namespace LAMMPS_NS {

// The slider that a style stands for where no other is given: that of LAMMPS if its name ends in /dsds; else none.
const char *slider_of_style(const std::string &style);

// Adds that slider to the words of a model that names none.
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

  void begin(int narg, char **arg);    // by the pair_style command, which has these arguments
  void add(int narg, char **arg);      // a pair_coeff command
  void say_once();                     // as a run begins
  // or an error if the script has our name: only a suffix may have LAMMPS's style instead
  void leave_to_lammps(const std::string &why);    // the pair style, and this with it, may be gone then

  const std::string
      theirs;    // LAMMPS's style that one such as gran/hooke/plus stands for; empty if it stands for none

 private:
  class Pair *pair;
  const std::string &style;
  enum { NO, YES, IN_HYBRID } stands_in = NO;
  bool has_said_so = false;
  std::vector<std::vector<std::string>> commands;    // arguments of pair_style and of each pair_coeff
};

}    // namespace LAMMPS_NS

#endif
