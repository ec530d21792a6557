#include "mesh_words.h"

#include "../core/geometry/meshes/stl.h"
#include "../core/model/law_table.h"

using namespace LAMMPS_NS;
using granular_plus::LARGEST_COORDINATE;
using granular_plus::Placement;

namespace {

constexpr granular_plus::Bounds COORDINATE{-LARGEST_COORDINATE, LARGEST_COORDINATE, true, true};

}    // namespace

// A mesh is always scaled first, then rotated, then displaced. The order of the keywords has no effect, so each keyword
// may be given only once.
const Options<Placement>
    LAMMPS_NS::PLACEMENT("placement of meshes",
                         {{"scale",
                           {Operand::number("factor", "", {0.0, LARGEST_COORDINATE, false, true})},
                           "factor that multiplies the coordinates of the file; applied first",
                           "1",
                           [](Placement &placement, const Operands &given) { placement.scale = given.number(0); }},
                          {"turn",
                           {Operand::number("angle", "degrees", COORDINATE), Operand::number("ax", "", COORDINATE),
                            Operand::number("ay", "", COORDINATE), Operand::number("az", "", COORDINATE)},
                           "angle and axis of a rotation about the origin; applied after *scale*",
                           "none",
                           [](Placement &placement, const Operands &given) {
                             placement.degrees = given.number(0);
                             double square = 0.0;
                             for (int d = 0; d < 3; ++d) {
                               placement.axis[d] = given.number(1 + d);
                               square += placement.axis[d] * placement.axis[d];
                             }
                             if (!(square > 0.0))
                               throw granular_plus::InputError("the length of the axis = 0 must be > 0");
                           }},
                          {"offset",
                           {Operand::number("x", "distance", COORDINATE), Operand::number("y", "distance", COORDINATE),
                            Operand::number("z", "distance", COORDINATE)},
                           "displacement; applied after *turn*",
                           "0 0 0",
                           [](Placement &placement, const Operands &given) {
                             for (int d = 0; d < 3; ++d) placement.offset[d] = given.number(d);
                           }}});
