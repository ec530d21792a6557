// Guesses at words that a user has mistyped. Knows nothing of LAMMPS.

#ifndef GRANULAR_PLUS_GUESS_H
#define GRANULAR_PLUS_GUESS_H

#include <string>
#include <vector>

namespace granular_plus {

// "; did you mean WORD?", to end the message about an unknown word, or nothing if none of the known ones is close
std::string did_you_mean(const std::string &unknown, const std::vector<std::string> &known);

}    // namespace granular_plus

#endif
