// A contact of shapes as a lane of the batch: the input that laws expect for two spheres, and the corrections afterwards.
//
// Laws read the overlap delta, R*, the normal -grad delta / |grad delta| and, as Batch::gradient, |grad delta|. The
// radii of a lane are those of equal volume. The two bodies need not touch on the line of their centres, so the
// velocity of the lane is that at the contact point, minus the part that the stages add for the spin of spheres of
// these radii, and the torques that the stages compute for such spheres are replaced by those at the contact point.

#ifndef GRANULAR_PLUS_SHAPE_LANE_H
#define GRANULAR_PLUS_SHAPE_LANE_H

#include "contact_of_shapes.h"
#include "../../laws/contact.h"

namespace granular_plus {

// one of the two bodies in contact
struct Partner {
  Vector position, velocity, spin;
  double radius;    // of equal volume; 0 for a wall
  double mass;
  bool held;    // it cannot be moved
  bool is_wall;
  const TurnedInertia *inertia;    // null if normal forces do not turn it: spheres and walls
};

// normal_before: the normal in the last step, zero for a new contact
void fill_lane(Batch &batch, int lane, const ModelConstants &model, const ShapeContact &contact, const Partner &i,
               const Partner &j, const Vector &normal_before);

// Called after the stages. Forces stay; batch.torque_j of a wall acts about the wall's position.
void finish_lane(Batch &batch, int lane, const ModelConstants &model, const ShapeContact &contact, const Partner &i,
                 const Partner &j);

// of the contact, towards i
inline Vector normal_of(const ShapeContact &contact) { return (-1.0 / length(contact.gradient)) * contact.gradient; }

}    // namespace granular_plus

#endif
