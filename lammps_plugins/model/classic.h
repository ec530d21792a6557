// The models of pair gran/* and of fix wall/gran in the words of this grammar. Knows nothing of LAMMPS.

#ifndef GRANULAR_PLUS_CLASSIC_H
#define GRANULAR_PLUS_CLASSIC_H

#include <string>
#include <vector>

namespace granular_plus {

// The words of a pair_coeff command after the types, for model = hooke, hooke/history or hertz/history with the arguments
// Kn Kt gamma_n gamma_t xmu dampflag [limit_damping]. Throws InputError where there are none.
std::vector<std::string> words_of_classic(const std::string &model, const std::vector<std::string> &arguments);

}    // namespace granular_plus

#endif
