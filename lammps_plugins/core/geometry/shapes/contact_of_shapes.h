// The contact of two bodies as one number: the fourth moment of the depth of their surfaces in each other.
//
// M4 = int d^4 dA over the surface of one that lies below that of the other, as a sum over nodes; of both directions the
// weighted mean. delta = (5 M4 / (2 pi R*))^(1/5) is the overlap of Hertz for spheres. It depends on nothing but where the
// bodies are, so that with any law f(delta) the force -f grad delta conserves energy, momentum and angular momentum.

#ifndef GRANULAR_PLUS_CONTACT_OF_SHAPES_H
#define GRANULAR_PLUS_CONTACT_OF_SHAPES_H

#include "rigid_rotation.h"
#include "shape.h"

#include <vector>

namespace granular_plus {

class MeshParts;

// A grain as contacts see it. A sphere has no shape; a wall has a surface of its own.
struct Body {
  const Shape *shape = nullptr;    // null: a sphere
  Vector position{0.0, 0.0, 0.0};
  Rotation turn{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  double scale = 1.0;    // of the shape; of a sphere its radius

  double volume_radius() const { return shape ? scale * shape->volume_radius : scale; }
  // a point inside, as far from the surface as there is any, and how far that is
  Vector core() const { return shape ? position + turn * (scale * shape->core) : position; }
  double core_depth() const { return shape ? scale * shape->core_depth : scale; }
};

// Which nodes of one body may lie inside the other. Points of a body come no closer to a surface than both move: until the
// bodies have moved against each other by `margin` no other node can be inside, and of those listed none before they have
// moved by what was missing. So a node that is left out is one that would add nothing, whenever the list was made.
struct Candidates {
  bool known = false;
  Vector shift;    // of the one in the axes of the other when the list was made
  Rotation turn;
  Vector direction;    // that of the plane or tube then
  double margin;
  std::vector<int> node;
  std::vector<double> missing;
};

struct ContactCache {
  Candidates of_i, of_j;
};

struct ShapeContact {
  double overlap;                 // delta
  double radius;                  // R*
  Vector gradient;                // of delta by the position of i; that by the position of j is its opposite
  Vector turning_i, turning_j;    // by a rotation of either about its centre
  Vector point;                   // centroid of d^3, in the middle between the surfaces
  int nodes;                      // inside the other body
  double deepest;                 // of the nodes
};

// what nodes in contacts are weighted with, in proportion to the energy of a contact
inline double weight_of_nodes(const ShapeContact &contact)
{
  return contact.overlap * contact.overlap * std::sqrt(contact.overlap * contact.radius);
}

// false where they do not touch
bool find_contact(const Body &i, const Body &j, ContactCache &cache, ShapeContact &contact);

// a plane at rest in its own axes: grains are on the side to which the normal points
struct Plane {
  Vector point, normal;
};
bool find_contact(const Body &i, const Plane &plane, ContactCache &cache, ShapeContact &contact);

// the inside of a cylinder; the direction of its axis has length 1
struct Tube {
  Vector point, axis;
  double radius;
};
bool find_contact(const Body &i, const Tube &tube, ContactCache &cache, ShapeContact &contact);

struct PartContact {
  int part;
  ShapeContact contact;
};

// Adds the contacts with the parts of a mesh whose axes and origin lie so in space. Nodes belong to the part that is nearest;
// there is one list of candidates for all.
void find_contacts(const Body &i, const MeshParts &mesh, const Vector &origin, const Rotation &axes,
                   ContactCache &cache, std::vector<PartContact> &contacts);

}    // namespace granular_plus

#endif
