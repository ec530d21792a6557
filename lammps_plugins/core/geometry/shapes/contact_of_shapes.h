// Contact of two bodies, measured by the fourth moment of the depth of one surface below the other surface.
//
// M4 = int d^4 dA over the part of one body's surface that lies at a depth d below the surface of the other body. The
// nodes of each body give one value of M4, and the weighted mean of the two values is used. R* is the effective radius
// of the spheres that have the volumes of the bodies. For spheres, the overlap delta = (5 M4/(2 pi R*))^(1/5) equals
// the overlap in Hertz' theory. The force -f(delta) grad delta conserves energy, momentum and angular momentum.

#ifndef GRANULAR_PLUS_CONTACT_OF_SHAPES_H
#define GRANULAR_PLUS_CONTACT_OF_SHAPES_H

#include "rigid_rotation.h"
#include "shape.h"

#include <vector>

namespace granular_plus {

class MeshParts;

struct Body {
  const Shape *shape = nullptr;    // null: a sphere
  Vector position{0.0, 0.0, 0.0};
  Rotation turn{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  double scale = 1.0;    // scale of the shape, or radius of a sphere

  double volume_radius() const { return shape ? scale * shape->volume_radius : scale; }
  Vector core() const { return shape ? position + turn * (scale * shape->core) : position; }
  double core_depth() const { return shape ? scale * shape->core_depth : scale; }
};

// Nodes of one body that may lie inside the other body. The list is valid until the body with the nodes has moved by
// `margin`. For each node, `missing` is a lower bound of the distance from the surface when the list was built. A node
// is skipped until its body can have covered this distance.
struct Candidates {
  bool known = false;
  Vector shift;    // position of the body with the nodes, in the axes of the other body, when the list was built
  Rotation turn;
  Vector direction;    // normal of the plane or axis of the tube when the list was built
  double margin;
  std::vector<int> node;
  std::vector<double> missing;
};

struct ContactCache {
  Candidates of_i, of_j;
};

struct ShapeContact {
  double overlap;    // delta
  double radius;     // R*
  // gradient of delta with respect to the position of i
  Vector gradient;
  Vector turning_i, turning_j;    // derivatives of delta with respect to a rotation of either body about its centre
  Vector point;                   // midway between the surfaces, at the mean position of the nodes weighted by d^3
  int nodes;                      // number of nodes inside the other body
  double deepest;
};

// proportional to the energy of a Hertz contact
inline double weight_of_nodes(const ShapeContact &contact)
{
  return contact.overlap * contact.overlap * std::sqrt(contact.overlap * contact.radius);
}

// Returns false if the bodies do not touch.
bool find_contact(const Body &i, const Body &j, ContactCache &cache, ShapeContact &contact);

// Grains are on the side to which the normal points.
struct Plane {
  Vector point, normal;
};
bool find_contact(const Body &i, const Plane &plane, ContactCache &cache, ShapeContact &contact);

// Grains are inside the cylinder. `axis` is a unit vector.
struct Tube {
  Vector point, axis;
  double radius;
};
bool find_contact(const Body &i, const Tube &tube, ContactCache &cache, ShapeContact &contact);

struct PartContact {
  int part;
  ShapeContact contact;
};

// Appends the contacts of body i with the parts of a mesh to `contacts`. `origin` and `axes` place the mesh in space.
// Each node of the body belongs to the nearest part.
void find_contacts(const Body &i, const MeshParts &mesh, const Vector &origin, const Rotation &axes,
                   ContactCache &cache, std::vector<PartContact> &contacts);

}    // namespace granular_plus

#endif
