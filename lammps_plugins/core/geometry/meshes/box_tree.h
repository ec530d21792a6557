// Tree of bounding boxes of triangles or points. Each box is split along its longest side, at the median item.

#ifndef GRANULAR_PLUS_BOX_TREE_H
#define GRANULAR_PLUS_BOX_TREE_H

#include "../../laws/lane.h"

#include <algorithm>
#include <numeric>
#include <type_traits>
#include <vector>

namespace granular_plus {

inline double component(const Vector &v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

inline void widen(Vector &low, Vector &high, const Vector &p)
{
  low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
  high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
}

// Boxes stored as floats are rounded outwards.
template <class Real> class BoxTree {
 public:
  struct Box {
    Real low[3], high[3];
    int begin, end;    // range of the box's items in `order`
    int second;        // index of the second child, 0 for a leaf; the first child is the next box
  };
  std::vector<Box> boxes;
  std::vector<int> order;

  // corner(k, c) returns corner c of item k; precedes(a, b, axis) orders two items along an axis.
  template <class Corner, class Precedes>
  void build(int things, int corners, int leaf, const Corner &corner, const Precedes &precedes)
  {
    boxes.clear();
    order.resize(things);
    std::iota(order.begin(), order.end(), 0);
    divide(0, things, corners, leaf, corner, precedes);
  }

  // Calls see(k) for every item of each leaf that overlaps the box from low to high. k is a position in `order`.
  template <class See> void visit(const Vector &low, const Vector &high, const See &see) const
  {
    visit_if(
        [&](const Box &box) {
          for (int d = 0; d < 3; ++d)
            if (!(box.low[d] <= component(high, d) && box.high[d] >= component(low, d))) return false;
          return true;
        },
        see);
  }

  template <class See> void visit(const Vector &place, double reach, const See &see) const
  {
    visit_if([&](const Box &box) { return square_to(box, place) < reach * reach; }, see);
  }

  // Returns the smallest of `least` and the values see(k, least) of all items k. see must return the squared distance
  // from `place` to a point inside the box of item k.
  template <class See> double min_squared_distance(const Vector &place, double least, const See &see) const
  {
    struct {
      int box;
      double square;
    } waiting[DEEPEST];
    int count = 0;
    waiting[count++] = {0, square_to(boxes[0], place)};
    while (count > 0) {
      const auto next = waiting[--count];
      if (next.square > least) continue;
      const Box &box = boxes[next.box];
      if (box.second == 0) {
        for (int k = box.begin; k < box.end; ++k) least = std::min(least, see(k, least));
        continue;
      }
      const int one = next.box + 1, other = box.second;
      const double to_one = square_to(boxes[one], place), to_other = square_to(boxes[other], place);
      waiting[count++] = {to_one <= to_other ? other : one, std::max(to_one, to_other)};
      waiting[count++] = {to_one <= to_other ? one : other, std::min(to_one, to_other)};
    }
    return least;
  }

  std::size_t bytes() const { return boxes.capacity() * sizeof(Box) + order.capacity() * sizeof(int); }

 private:
  static constexpr int DEEPEST = 64;

  static double square_to(const Box &box, const Vector &place)
  {
    double square = 0.0;
    for (int d = 0; d < 3; ++d) {
      const double at = component(place, d), beyond = std::max({box.low[d] - at, at - box.high[d], 0.0});
      square += beyond * beyond;
    }
    return square;
  }

  template <class Condition, class See> void visit_if(const Condition &condition, const See &see) const
  {
    int waiting[DEEPEST], count = 0;
    waiting[count++] = 0;
    while (count > 0) {
      const int self = waiting[--count];
      const Box &box = boxes[self];
      if (!condition(box)) continue;
      if (box.second == 0) {
        for (int k = box.begin; k < box.end; ++k) see(k);
      } else {
        waiting[count++] = box.second;
        waiting[count++] = self + 1;
      }
    }
  }

  template <class Corner, class Precedes>
  int divide(int begin, int end, int corners, int leaf, const Corner &corner, const Precedes &precedes)
  {
    const int self = static_cast<int>(boxes.size());
    Box box{};
    Vector low{INFINITY, INFINITY, INFINITY}, high{-INFINITY, -INFINITY, -INFINITY};
    for (int k = begin; k < end; ++k)
      for (int c = 0; c < corners; ++c) widen(low, high, corner(order[k], c));
    for (int d = 0; d < 3; ++d) {
      box.low[d] = static_cast<Real>(component(low, d));
      box.high[d] = static_cast<Real>(component(high, d));
      if constexpr (std::is_same_v<Real, float>) {
        box.low[d] = std::nextafter(box.low[d], -INFINITY);
        box.high[d] = std::nextafter(box.high[d], INFINITY);
      }
    }
    box.begin = begin;
    box.end = end;
    boxes.push_back(box);
    if (end - begin <= leaf) return self;
    int axis = 0;
    for (int d = 1; d < 3; ++d)
      if (box.high[d] - box.low[d] > box.high[axis] - box.low[axis]) axis = d;
    const int half = begin + (end - begin) / 2;
    std::nth_element(order.begin() + begin, order.begin() + half, order.begin() + end,
                     [&](int a, int b) { return precedes(a, b, axis); });
    divide(begin, half, corners, leaf, corner, precedes);
    boxes[self].second = divide(half, end, corners, leaf, corner, precedes);
    return self;
  }
};

}    // namespace granular_plus

#endif
