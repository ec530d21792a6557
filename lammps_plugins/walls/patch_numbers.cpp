#include "patch_numbers.h"

using namespace LAMMPS_NS;
using granular_plus::ContactLinks;
using granular_plus::Link;
using granular_plus::PatchNumbering;
using granular_plus::Vector;
using granular_plus::vector_of;

namespace {

struct PointsOfParticle {
  const PatchNumbers::Points &of;
  int count() const { return static_cast<int>(of.end() - of.begin()); }
  int number(int k) const { return of.first[k].surface; }
  double distance(int k) const { return of.first[k].distance; }
  Vector separation(int k) const { return vector_of(of.first[k].separation); }
  void set_number(int k, int number) { of.first[k].surface = number; }
};

struct OnePoint {
  const WallPoint &of;
  double distance(int) const { return of.distance; }
  Vector separation(int) const { return vector_of(of.separation); }
};

struct ContactsBefore {
  const ContactLinks &links;
  const Link *link;
  std::size_t contacts;
  int count() const { return static_cast<int>(contacts); }
  int number(int m) const { return static_cast<int>(links.partner(link[m])); }
  double distance(int m) const { return links.own_extra(link[m])[3]; }
  Vector normal(int m) const { return vector_of(links.own_extra(link[m])); }
};

}    // namespace

bool PatchNumbers::looks_alike(const WallPoint &point, const ContactLinks &links, Link contact)
{
  const OnePoint only{point};
  const ContactsBefore before{links, &contact, 1};
  return PatchNumbering<const OnePoint, ContactsBefore>{only, before}.looks_alike(0, 0);
}

const std::vector<PatchNumbers::Jump> &PatchNumbers::number(Points points, const ContactLinks &links,
                                                            const std::vector<Link> &before, double radius,
                                                            const std::function<double(const WallPoint &)> &depth)
{
  struct Depth {
    const WallPoint *first;
    const std::function<double(const WallPoint &)> &depth;
    double of(int k) const { return depth(first[k]); }
  };
  struct Note {
    const WallPoint *first;
    const std::vector<Link> &before;
    std::vector<Jump> &jumps;
    void at(int m, int k, bool merged) { jumps.push_back({m < 0 ? Link::NONE : before[m], first + k, merged}); }
  };
  jumps.clear();
  PointsOfParticle of_particle{points};
  const ContactsBefore contacts{links, before.data(), before.size()};
  Note note{points.first, before, jumps};
  PatchNumbering<PointsOfParticle, ContactsBefore>{of_particle, contacts}.number(radius, Depth{points.first, depth},
                                                                                 note);
  return jumps;
}
