// A contact of shapes as a lane of the batch: what the laws take for a contact of two spheres, and what is put right after.
//
// Laws see the overlap delta, R*, the normal -grad delta / |grad delta| and, as Batch::gradient, |grad delta|. A lane's
// radii are those of equal volume; the two do not meet on the line of their centres, so the velocity of the lane is
// that at the contact point, less what the stages will add for the spin of spheres of these radii, and the torques that
// the stages find for such spheres are replaced by those at the contact point.

#ifndef GRANULAR_PLUS_SHAPE_LANE_H
#define GRANULAR_PLUS_SHAPE_LANE_H

#include "contact_of_shapes.h"
#include "../../laws/contact.h"

namespace granular_plus {

// one of the two in contact
struct Partner {
  Vector position, velocity, spin;
  double radius;    // of equal volume; of a wall 0
  double mass;
  bool held;    // it cannot be moved
  bool is_wall;
  const TurnedInertia *inertia;    // null where normal forces do not turn it: spheres and walls
};

// normal_before: of the step before, zero for a new contact
void fill_lane(Batch &batch, int lane, const ModelConstants &model, const ShapeContact &contact, const Partner &i,
               const Partner &j, const Vector &normal_before);

// After the stages. Forces stay; batch.torque_j of a wall acts about its position.
void finish_lane(Batch &batch, int lane, const ModelConstants &model, const ShapeContact &contact, const Partner &i,
                 const Partner &j);

// of the contact, from i's side
inline Vector normal_of(const ShapeContact &contact) { return (-1.0 / length(contact.gradient)) * contact.gradient; }

}    // namespace granular_plus

#endif
