// Finds the grains that have a shape, and the shapes of these grains, in all fixes shape/granular/plus.

#ifndef LMP_GRANULAR_PLUS_SHAPED_GRAINS_H
#define LMP_GRANULAR_PLUS_SHAPED_GRAINS_H

#include "pointers.h"

#include "../core/model/contact_model.h"
#include "../core/geometry/shapes/contact_of_shapes.h"

#include <string>
#include <vector>

namespace LAMMPS_NS {

class GrainsOfShape {
 public:
  virtual const granular_plus::Shape &shape() const = 0;
  virtual double scale(int i) const = 0;
  virtual double mass(double radius) const = 0;               // radius: radius of the bounding sphere
  virtual granular_plus::Inertia inertia(int i) const = 0;    // uses the grain's present mass
  virtual double spin_energy(int i) const = 0;

 protected:
  ~GrainsOfShape() = default;
};

class ShapedGrains : protected Pointers {
 public:
  using Pointers::Pointers;

  void find();
  void find_types();    // called on all ranks
  bool any() const { return !givers.empty(); }
  int groups() const { return bits; }    // group bits of grains with a shape
  // the shape of a grain; null for a sphere
  const GrainsOfShape *of(int i) const;
  bool has(int i) const { return of(i) != nullptr; }

  granular_plus::Body body(int i) const;
  granular_plus::TurnedInertia inertia(int i) const;
  // fills the lists with the bodies and inertias of owned and ghost grains
  void list(std::vector<granular_plus::Body> &bodies, std::vector<granular_plus::TurnedInertia> &inertias) const;

  // Called on all ranks. Returns whether the group contains a grain with a shape, or may receive such a grain during
  // the run.
  bool may_be_in(int igroup) const;
  // Stops with an error for laws that are not defined for shapes. `message_prefix` begins the message.
  void check(const std::string &message_prefix, int itype, int jtype, const granular_plus::ContactModel &model) const;
  void check(const std::string &message_prefix, const granular_plus::ContactModel &model) const;
  // Warns once if contacts contain too few nodes. `weighted_nodes` and `weight` are sums over all ranks.
  void warn_of_few_nodes(const std::string &message_prefix, double weighted_nodes, double weight);

 private:
  struct ShapeFix {
    const class Fix *fix;
    const GrainsOfShape *grains;
  };
  std::vector<ShapeFix> givers;
  int bits = 0;
  std::vector<char> may_have_shape;    // for each type; true for all types if a fix has no grains yet
  bool warned_of_nodes = false;
};

}    // namespace LAMMPS_NS

#endif
