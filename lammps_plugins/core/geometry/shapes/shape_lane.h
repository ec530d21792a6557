// Stores a contact of shapes in a lane of the batch. The laws treat it as the contact of two spheres that have the
// volumes of the bodies.
//
// Laws read the overlap delta, R*, the normal -grad delta/|grad delta| and |grad delta|, which is stored in
// Batch::gradient. The velocity of the lane is the velocity at the contact point, minus the part that the stages add
// for the spin of the spheres. finish_lane replaces the torques of the spheres by the torques at the contact point.

#ifndef GRANULAR_PLUS_SHAPE_LANE_H
#define GRANULAR_PLUS_SHAPE_LANE_H

#include "contact_of_shapes.h"
#include "../../laws/contact.h"

namespace granular_plus {

struct Partner {
  Vector position, velocity, spin;
  double radius;    // radius of the sphere of equal volume; 0 for a wall
  double mass;
  bool held;    // true if forces cannot move the body
  bool is_wall;
  const TurnedInertia *inertia;    // null for spheres and walls, which normal forces do not rotate
};

// Fills the lane before the stages run. normal_before: the normal in the last step, a zero vector for a new contact.
void fill_lane(Batch &batch, int lane, const ModelConstants &model, const ShapeContact &contact, const Partner &i,
               const Partner &j, const Vector &normal_before);

// Corrects the torques of the lane after the stages. For a wall, batch.torque_j acts about the wall's position.
void finish_lane(Batch &batch, int lane, const ModelConstants &model, const ShapeContact &contact, const Partner &i,
                 const Partner &j);

// normal of the contact, pointing to i
inline Vector normal_of(const ShapeContact &contact) { return (-1.0 / length(contact.gradient)) * contact.gradient; }

}    // namespace granular_plus

#endif
