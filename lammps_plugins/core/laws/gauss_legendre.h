// Gauss-Legendre quadrature on [0, 1] with 16 nodes.

#ifndef GRANULAR_PLUS_GAUSS_LEGENDRE_H
#define GRANULAR_PLUS_GAUSS_LEGENDRE_H

#include "lane.h"

GRANULAR_PLUS_LAWS_BEGIN

namespace gauss_legendre {

struct Node {
  double place, weight;    // in [-1, 1]; each entry represents the nodes at place and at -place
};

constexpr int POSITIVE_NODES = 8;

LANE Node positive_node(int k)
{
  static constexpr Node NODES[POSITIVE_NODES] = {
      {0.09501250983763744019, 0.18945061045506849630}, {0.28160355077925891323, 0.18260341504492358887},
      {0.45801677765722738635, 0.16915651939500253825}, {0.61787624440264374845, 0.14959598881657673209},
      {0.75540440835500303389, 0.12462897125553387205}, {0.86563120238783174387, 0.09515851168249278482},
      {0.94457502307323257609, 0.06225352393864789284}, {0.98940093499164993260, 0.02715245941175409481}};
  return NODES[k];
}

template <class Function> STAGE void for_each_node(Function f)
{
  for (int k = 0; k < POSITIVE_NODES; ++k) {
    const Node node = positive_node(k);
    f(0.5 - 0.5 * node.place, 0.5 * node.weight);
    f(0.5 + 0.5 * node.place, 0.5 * node.weight);
  }
}

}    // namespace gauss_legendre

GRANULAR_PLUS_LAWS_END

#endif
