// The contact of two bodies, measured by one number: the fourth moment of the depth of their surfaces in each other.
//
// M4 = int d^4 dA over the part of one surface that lies below the other, computed as a sum over nodes; the weighted mean of
// both directions is used. delta = (5 M4 / (2 pi R*))^(1/5) is the overlap of Hertz for spheres. It depends only on the
// positions of the bodies, so with any law f(delta) the force -f grad delta conserves energy, momentum and angular momentum.

#ifndef GRANULAR_PLUS_CONTACT_OF_SHAPES_H
#define GRANULAR_PLUS_CONTACT_OF_SHAPES_H

#include "rigid_rotation.h"
#include "shape.h"

#include <vector>

namespace granular_plus {

class MeshParts;

// A body in contact. A sphere has no shape; a wall has a surface of its own.
struct Body {
  const Shape *shape = nullptr;    // null: a sphere
  Vector position{0.0, 0.0, 0.0};
  Rotation turn{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  double scale = 1.0;    // of the shape; the radius of a sphere

  double volume_radius() const { return shape ? scale * shape->volume_radius : scale; }
  // the point deepest inside, and its distance from the surface
  Vector core() const { return shape ? position + turn * (scale * shape->core) : position; }
  double core_depth() const { return shape ? scale * shape->core_depth : scale; }
};

// Nodes of one body that may lie inside the other. Relative to a surface, no point of a body comes closer than the
// distance that it has moved: until that is `margin`, no other node can be inside, and no listed node before it has moved
// by the distance that it was `missing`. So a node that is left out would contribute nothing, whenever the list was built.
struct Candidates {
  bool known = false;
  Vector shift;    // of the nodes' body in the axes of the other one when the list was built
  Rotation turn;
  Vector direction;    // of the plane or tube when the list was built
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
  Vector gradient;                // of delta with respect to the position of i; that for j is its opposite
  Vector turning_i, turning_j;    // with respect to a rotation of either body about its centre
  Vector point;                   // centroid of d^3, midway between the surfaces
  int nodes;                      // inside the other body
  double deepest;                 // depth of the deepest node
};

// weight of the nodes of a contact, in proportion to its energy
inline double weight_of_nodes(const ShapeContact &contact)
{
  return contact.overlap * contact.overlap * std::sqrt(contact.overlap * contact.radius);
}

// returns false if they do not touch
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

// Adds the contacts with the parts of a mesh that has these axes and this origin in space. Each node belongs to the
// nearest part; all parts share one list of candidates.
void find_contacts(const Body &i, const MeshParts &mesh, const Vector &origin, const Rotation &axes,
                   ContactCache &cache, std::vector<PartContact> &contacts);

}    // namespace granular_plus

#endif
