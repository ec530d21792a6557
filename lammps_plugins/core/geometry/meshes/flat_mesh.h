// A mesh as arrays that can be copied to a GPU.

#ifndef GRANULAR_PLUS_FLAT_MESH_H
#define GRANULAR_PLUS_FLAT_MESH_H

#include "mesh_search.h"

#include <vector>

namespace granular_plus {

struct FlatMesh {
  std::vector<Facet> facets;
  std::vector<SearchBox> boxes;
  std::vector<int> first_link, links;
};

}    // namespace granular_plus

#endif
