#include "shapes_at_wall.h"

#include "atom.h"
#include "error.h"

using namespace LAMMPS_NS;
using granular_plus::Batch;
using granular_plus::ContactLinks;
using granular_plus::ContactModel;
using granular_plus::Link;
using granular_plus::Partner;
using granular_plus::ShapeContact;
using granular_plus::TurnedInertia;
using granular_plus::Vector;
using granular_plus::vector_of;

namespace {

// Computes turning_j from turning_i. This is possible because a rotation of both bodies about one point does not change
// the overlap.
void let_wall_turn(ShapeContact &contact, const Vector &centre_of_grain)
{
  contact.turning_j =
      -1.0 * (contact.turning_i + granular_plus::cross(centre_of_grain - contact.point, contact.gradient));
}

Partner wall(const ShapedWallContact &contact, const WallSurface &surface)
{
  const WallBody &body = surface.bodies[contact.point.body];
  double place[3], velocity[3];
  write(place, contact.shape.point);
  body.velocity_at(place, velocity);
  for (int d = 0; d < 3; ++d) velocity[d] += contact.point.surface_velocity[d];
  return {contact.shape.point, vector_of(velocity), vector_of(body.spin), 0.0, 1.0, true, true, nullptr};
}

}    // namespace

void ShapesAtWall::init(const std::string &new_prefix, int igroup, const ContactModel &model, WallSurface &surface)
{
  message_prefix = new_prefix;
  grains.find();
  if (!grains.may_be_in(igroup)) return;
  grains.check(message_prefix, model);
  surface.admit_shapes();
}

void ShapesAtWall::find(int i, WallSurface &surface, std::vector<ShapedWallContact> &contacts)
{
  const std::size_t first = contacts.size();
  points.clear();
  if (surface.has_patches()) {
    find_at_mesh(i, surface, contacts);
  } else {
    surface.points_near(i, atom->x[i], atom->radius[i], atom->radius[i], 2, points);
    for (const WallPoint &point : points) {
      ShapedWallContact contact{{i, Link::NONE, Link::NONE}, point, {}};
      if (find_at_point(i, point, surface, contact.shape)) contacts.push_back(contact);
    }
  }
  for (std::size_t k = first; k < contacts.size(); ++k) {
    const ShapeContact &contact = contacts[k].shape;
    const double most = grains.body(i).volume_radius();
    if (!(contact.overlap < most))
      error->one(
          FLERR,
          "{}: overlap of grain {} with the wall = {:.4g} must be < {:.4g}, the radius of the sphere of equal volume",
          message_prefix, atom->tag[i], contact.overlap, most);
    const double weight = weight_of_nodes(contact);
    weighted_nodes += weight * contact.nodes;
    node_weight += weight;
  }
}

void ShapesAtWall::find_at_mesh(int i, WallSurface &surface, std::vector<ShapedWallContact> &contacts)
{
  Vector origin;
  granular_plus::Rotation axes;
  const granular_plus::Body body = grains.body(i);
  const auto *parts = surface.parts_near(i, body, origin, axes);
  if (!parts) return;
  parts_touched.clear();
  granular_plus::find_contacts(body, *parts, origin, axes, caches[i], parts_touched);
  for (const auto &part : parts_touched) {
    ShapedWallContact contact{{i, Link::NONE, Link::NONE}, WallPoint{}, part.contact};
    contact.point.surface = part.part;
    write(contact.point.surface_velocity, surface.belt(granular_plus::normal_of(part.contact)));
    let_wall_turn(contact.shape, body.position);
    contacts.push_back(contact);
  }
}

bool ShapesAtWall::find_at_point(int i, const WallPoint &point, const WallSurface &surface, ShapeContact &contact)
{
  const granular_plus::Body body = grains.body(i);
  granular_plus::Tube tube;
  const bool in_tube = surface.tube(atom->x[i], tube);
  if (!in_tube && (point.surface_radius != granular_plus::FLAT || !(point.distance > 0.0)))
    error->one(FLERR,
               "{}: grain {} has a shape; grains with a shape can touch only planes, the inside of a zcylinder, closed "
               "meshes and flat sides of a region",
               message_prefix, atom->tag[i]);
  auto &cache = caches[static_cast<std::int64_t>(i) * surface.max_points() + point.surface];
  const Vector separation = vector_of(point.separation);
  const bool touches = in_tube
      ? granular_plus::find_contact(body, tube, cache, contact)
      : granular_plus::find_contact(
            body, granular_plus::Plane{body.position - separation, (1.0 / point.distance) * separation}, cache,
            contact);
  let_wall_turn(contact, body.position);
  return touches;
}

bool ShapesAtWall::ended(int i, Link remembered, const ContactLinks &links, ShapedWallContact &contact) const
{
  contact = {{i, remembered, Link::NONE}, WallPoint{}, {}};
  contact.point.surface_radius = granular_plus::FLAT;
  for (const WallPoint &point : points)
    if (point.surface == links.partner(remembered)) contact.point = point;
  const Vector normal = vector_of(links.extra_values() > 0 ? links.own_extra(remembered) : contact.point.separation);
  const double length = granular_plus::length(normal);
  if (!(length > 0.0)) return false;
  const granular_plus::Body body = grains.body(i);
  contact.shape.gradient = (-1.0 / length) * normal;
  contact.shape.point = body.position - (body.volume_radius() / length) * normal;
  return true;
}

Partner ShapesAtWall::grain(int i, TurnedInertia &inertia) const
{
  inertia = grains.inertia(i);
  return {vector_of(atom->x[i]),
          vector_of(atom->v[i]),
          vector_of(atom->omega[i]),
          grains.body(i).volume_radius(),
          atom->rmass[i],
          false,
          false,
          &inertia};
}

void ShapesAtWall::fill_lane(Batch &batch, int l, const ShapedWallContact &contact, const ContactLinks &links,
                             const WallSurface &surface) const
{
  TurnedInertia inertia;
  const Partner of_grain = grain(contact.particle, inertia);
  const double *n = contact.previous_link != Link::NONE && links.extra_values() > 0
      ? links.own_extra(contact.previous_link)
      : nullptr;
  granular_plus::fill_lane(batch, l, pair_group.constants, contact.shape, of_grain, wall(contact, surface),
                           n ? vector_of(n) : Vector{0.0, 0.0, 0.0});
}

void ShapesAtWall::finish_lane(Batch &batch, int l, ShapedWallContact &contact, const WallSurface &surface) const
{
  TurnedInertia inertia;
  const Partner of_grain = grain(contact.particle, inertia);
  granular_plus::finish_lane(batch, l, pair_group.constants, contact.shape, of_grain, wall(contact, surface));
  write(contact.point.separation, of_grain.position - contact.shape.point);
}
