#ifdef FIX_CLASS
// clang-format off
FixStyle(shape/granular/plus,FixShapeGranularPlus);
// clang-format on
#else

#ifndef LMP_FIX_SHAPE_GRANULAR_PLUS_H
#define LMP_FIX_SHAPE_GRANULAR_PLUS_H

#include "fix.h"

#include "../core/geometry/shapes/rigid_rotation.h"
#include "../core/geometry/shapes/shape.h"
#include "../glue/options.h"
#include "shaped_grains.h"

#include <memory>
#include <string>
#include <vector>

namespace LAMMPS_NS {

// Gives the grains of its group a shape, mass and inertia, and moves and rotates them. Pair granular/plus and fix
// wall/granular/plus obtain the shapes from this fix.
class FixShapeGranularPlus : public Fix, public GrainsOfShape {
 public:
  FixShapeGranularPlus(class LAMMPS *, int, char **);
  ~FixShapeGranularPlus() override;
  void post_constructor() override;
  int setmask() override;
  void init() override;
  void setup_pre_neighbor() override;
  void pre_neighbor() override;
  void min_pre_neighbor() override;
  void setup(int) override;
  void initial_integrate(int) override;
  void final_integrate() override;
  void end_of_step() override;
  double compute_scalar() override;

  void set_arrays(int) override;
  int pack_forward_comm(int, int *, double *, int, int *) override;
  void unpack_forward_comm(int, int, double *) override;
  void write_data_header(FILE *, int) override;
  double memory_usage() override;

  const granular_plus::Shape &shape() const override { return *body; }
  double scale(int i) const override;
  double mass(double radius) const override;
  granular_plus::Inertia inertia(int i) const override;
  double spin_energy(int i) const override;

 private:
  std::string file;
  double density = 0.0;
  granular_plus::ShapeOptions how;
  std::unique_ptr<granular_plus::Shape> body;
  bool orients = false;
  int seed = 0;
  int vtk_every = 0;
  std::string vtk_file;
  int groups_of_other_movers = 0;    // group bits of the fixes that other_movers returns
  bool warned_of_data = false, warned_of_mass = false;

  // Values stored for each atom in a fix property/atom. LEFT_OVER: angular momentum minus the angular momentum of the
  // rounded spin. PREPARED: the radius for which mass and orientation have been set; 0 for a new atom.
  enum Column { LEFT_OVER, PREPARED = 3, COLUMNS };
  std::string store;
  int store_index = -1;
  double *kept(int i) const;

  static const Options<FixShapeGranularPlus> OPTIONS;
  void read_shape();
  std::vector<Fix *> other_movers() const;    // includes fixes that change sizes
  void check_other_movers() const;
  void integrate(bool moves);
  bool straighten(int i, bool is_new);
  void orient(int i);
  void write_vtk();
  granular_plus::Vector momentum_of(int i, const granular_plus::Inertia &inertia) const;
  void set_spin(int i, const granular_plus::Vector &momentum, const granular_plus::Inertia &inertia);
};

}    // namespace LAMMPS_NS

#endif
#endif
