// Where a drawing stands, in the words of a command: scale FACTOR, turn ANGLE AX AY AZ, offset X Y Z.

#ifndef LMP_GRANULAR_PLUS_MESH_WORDS_H
#define LMP_GRANULAR_PLUS_MESH_WORDS_H

#include "../core/geometry/meshes/triangle_mesh.h"

#include <string>

namespace LAMMPS_NS {

inline bool is_placement(const std::string &keyword)
{
  return keyword == "scale" || keyword == "turn" || keyword == "offset";
}

// What stands behind such a keyword: take(count, what) gives so many words, number(word) the value of one, and
// refuse(given, bound) does not return.
template <class Take, class Number, class Refuse>
void read_placement(const std::string &keyword, granular_plus::Placement &placement, const Take &take,
                    const Number &number, const Refuse &refuse)
{
  if (keyword == "scale") {
    const std::string *factor = take(1, "a factor");
    placement.scale = number(*factor);
    if (!(placement.scale > 0.0)) refuse("factor = " + *factor, "> 0");
  } else if (keyword == "turn") {
    const std::string *words = take(4, "an angle in degrees and an axis");
    placement.degrees = number(words[0]);
    double square = 0.0;
    for (int d = 0; d < 3; ++d) {
      placement.axis[d] = number(words[1 + d]);
      square += placement.axis[d] * placement.axis[d];
    }
    if (!(square > 0.0)) refuse("the length of the axis = 0", "> 0");
  } else {
    const std::string *words = take(3, "three lengths");
    for (int d = 0; d < 3; ++d) placement.offset[d] = number(words[d]);
  }
}

}    // namespace LAMMPS_NS

#endif
