// Styles of granular/plus in the place of LAMMPS's own, whose commands they take: -sf plus, -sf plus/dsds.

#ifndef LMP_GRANULAR_PLUS_STAND_IN_H
#define LMP_GRANULAR_PLUS_STAND_IN_H

#include <string>
#include <vector>

namespace LAMMPS_NS {

class LAMMPS;

// The slider that a style stands for where no other is given: that of LAMMPS if its name ends in /dsds; else none.
const char *slider_of_style(const std::string &style);

// Adds that slider to the words of a model that names none.
void add_slider(std::vector<std::string> &words, const char *slider);

// LAMMPS's style that an alias such as gran/hooke/plus stands for; empty if the style is none.
std::string style_of_lammps(const std::string &style);

// Whether a fix has the name of fix wall/gran or wall/gran/region, or of what stands in for them.
bool has_words_of_wall_gran(const std::string &style);

// The words of the wall's model in our grammar, then all others, for the words of fix wall/gran behind its style; throws
// InputError where they have no counterpart.
std::vector<std::string> words_of_wall(std::vector<std::string> words, const char *slider);

// Lines of the log.
void say_in_place_of(LAMMPS *lmp, const std::string &command, const char *slider);
void say_left_to_lammps(LAMMPS *lmp, const std::string &command, const std::string &why);

}    // namespace LAMMPS_NS

#endif
