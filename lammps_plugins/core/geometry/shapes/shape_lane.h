// A contact of shapes as a lane of the batch: provides the input that laws expect for two spheres, and the
// corrections afterwards.
//
// Laws read the overlap delta, R*, the normal -grad delta/|grad delta| and, as Batch::gradient, |grad delta|. The
// radii of a lane are the radii of spheres of equal volume. The two bodies need not touch on the line between their
// centres. The velocity of the lane is therefore the velocity at the contact point, minus the part that the stages
// add for the spin of spheres of these radii. The torques that the stages compute for such spheres are replaced by
// the torques at the contact point.

#ifndef GRANULAR_PLUS_SHAPE_LANE_H
#define GRANULAR_PLUS_SHAPE_LANE_H

#include "contact_of_shapes.h"
#include "../../laws/contact.h"

namespace granular_plus {

// one of the two bodies in contact
struct Partner {
  Vector position, velocity, spin;
  double radius;    // radius of the sphere of equal volume; 0 for a wall
  double mass;
  bool held;    // true if forces cannot move the body
  bool is_wall;
  const TurnedInertia *inertia;    // null if normal forces do not rotate the body, as for spheres and walls
};

// Fills the lane before the stages. normal_before: the normal in the last step, zero for a new contact.
void fill_lane(Batch &batch, int lane, const ModelConstants &model, const ShapeContact &contact, const Partner &i,
               const Partner &j, const Vector &normal_before);

// Corrects the torques of the lane after the stages; the forces stay. For a wall, batch.torque_j acts about the
// wall's position.
void finish_lane(Batch &batch, int lane, const ModelConstants &model, const ShapeContact &contact, const Partner &i,
                 const Partner &j);

// normal of the contact, pointing to i
inline Vector normal_of(const ShapeContact &contact) { return (-1.0 / length(contact.gradient)) * contact.gradient; }

}    // namespace granular_plus

#endif
