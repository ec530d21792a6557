// Contacts between shaped grains and walls. Owned by WallContacts.

#ifndef LMP_GRANULAR_PLUS_SHAPES_AT_WALL_H
#define LMP_GRANULAR_PLUS_SHAPES_AT_WALL_H

#include "pointers.h"

#include "../core/history/contact_links.h"
#include "../core/kernels/kernels.h"
#include "../core/model/contact_model.h"
#include "../core/geometry/shapes/shape_lane.h"
#include "shaped_grains.h"
#include "../walls/wall_surface.h"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace LAMMPS_NS {

struct WallContact {
  int particle;
  granular_plus::Link previous_link;    // link before this evaluation; NONE for a new contact
  // link after this evaluation; NONE if the contact has ended or its surfaces do not touch
  granular_plus::Link link;
};

struct ShapedWallContact : WallContact {
  WallPoint point;
  granular_plus::ShapeContact shape;
};

class ShapesAtWall : protected Pointers {
 public:
  explicit ShapesAtWall(LAMMPS *lmp) : Pointers(lmp), grains(lmp) {}

  // Called in init, on all ranks. Stops with an error for laws and surfaces that cannot be combined with shapes.
  // `message_prefix` begins every message.
  void init(const std::string &message_prefix, int igroup, const granular_plus::ContactModel &model,
            WallSurface &surface);
  bool any() const { return grains.any(); }
  bool has(int i) const { return grains.has(i); }
  double volume_radius(int i) const { return grains.body(i).volume_radius(); }

  granular_plus::PairGroup pair_group{};    // laws of the wall, compiled for contacts of shapes

  void begin_list() { caches.clear(); }    // called when particles are renumbered
  // adds the contacts of particle i to `contacts`, still without links
  void find(int i, WallSurface &surface, std::vector<ShapedWallContact> &contacts);
  // `i` must be the particle of the last call of find. The position of the ended contact is estimated from its last
  // normal. Returns false if this normal is not available.
  bool ended(int i, granular_plus::Link remembered, const granular_plus::ContactLinks &links,
             ShapedWallContact &contact) const;

  void fill_lane(granular_plus::Batch &batch, int lane, const ShapedWallContact &contact,
                 const granular_plus::ContactLinks &links, const WallSurface &surface) const;
  // Called after the stages. Sets contact.point.separation to the vector from the contact point to the grain's centre.
  void finish_lane(granular_plus::Batch &batch, int lane, ShapedWallContact &contact, const WallSurface &surface) const;

  // called on all ranks
  void watch() { grains.warn_of_few_nodes(message_prefix, weighted_nodes, node_weight); }

 private:
  std::string message_prefix;
  ShapedGrains grains;
  std::unordered_map<std::int64_t, granular_plus::ContactCache> caches;    // by particle and surface
  std::vector<granular_plus::PartContact> parts_touched;
  std::vector<WallPoint> points;
  double weighted_nodes = 0.0, node_weight = 0.0;

  void find_at_mesh(int i, WallSurface &surface, std::vector<ShapedWallContact> &contacts);
  bool find_at_point(int i, const WallPoint &point, const WallSurface &surface, granular_plus::ShapeContact &contact);
  granular_plus::Partner grain(int i, granular_plus::TurnedInertia &inertia) const;
};

}    // namespace LAMMPS_NS

#endif
