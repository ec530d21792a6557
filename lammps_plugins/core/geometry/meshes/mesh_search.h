// A mesh as plain arrays. Also compiled for GPUs.

#ifndef GRANULAR_PLUS_MESH_SEARCH_H
#define GRANULAR_PLUS_MESH_SEARCH_H

#include "depth_moment.h"

GRANULAR_PLUS_LAWS_BEGIN

// Each box comes after its parent; `next` is the first box after this box and all of its descendants.
struct SearchBox {
  float low[3], high[3];
  int begin, end;    // range of the triangles of a leaf; empty in a box that is not a leaf
  int next;
};

struct MeshArrays {
  const Facet *facets;
  const SearchBox *boxes;
  int box_count;
  const int *first_link, *links;    // neighbours of each triangle across smooth edges

  // Calls take.triangle(t) for every triangle t whose box is closer to `place` than `reach`, in ascending order of t.
  template <class Take> STAGE void visit(const Vector &place, double reach, Take &take) const
  {
    for (int b = 0; b < box_count;) {
      const SearchBox &box = boxes[b];
      if (!(square_to(box, place) < reach * reach)) {
        b = box.next;
        continue;
      }
      for (int t = box.begin; t < box.end; ++t) take.triangle(t);
      ++b;
    }
  }

 private:
  STAGE static double square_to(const SearchBox &box, const Vector &place)
  {
    const double at[3] = {place.x, place.y, place.z};
    double square = 0.0;
    for (int d = 0; d < 3; ++d) {
      const double beyond = larger(larger(box.low[d] - at[d], at[d] - box.high[d]), 0.0);
      square += beyond * beyond;
    }
    return square;
  }
};

GRANULAR_PLUS_LAWS_END

#endif
