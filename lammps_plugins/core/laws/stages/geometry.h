// Relative geometry of the two sides of a contact.
//
// Most stages have an observing variant, which also fills Batch::observed and updates the values of the ledger.

#ifndef GRANULAR_PLUS_STAGES_GEOMETRY_H
#define GRANULAR_PLUS_STAGES_GEOMETRY_H

#include "../contact.h"
#include "../lane.h"

GRANULAR_PLUS_LAWS_BEGIN

template <class Law, int SIZE> STAGE typename Law::Constants constants_of(const LawConstants<SIZE> &slot)
{
  typename Law::Constants constants;
  static_assert(sizeof constants <= sizeof slot, "constants of a law need more room: raise SIZE in ModelConstants");
  std::memcpy(&constants, &slot, sizeof constants);
  return constants;
}

LANE Vector load(const Row *rows, int lane) { return {rows[0][lane], rows[1][lane], rows[2][lane]}; }
LANE void store(Row *rows, int lane, const Vector &v)
{
  rows[0][lane] = v.x;
  rows[1][lane] = v.y;
  rows[2][lane] = v.z;
}

struct Geometry {
  Vector normal;    // from j to i; zero if the centres coincide, so that the force is zero and not NaN
  double inverse_distance, overlap, effective_radius, effective_mass;
};

// A single division serves both the radii and the masses, because divisions dominate the latency.
LANE Geometry geometry(const Batch &b, const double *facing, int lane)
{
  const Vector separation = load(b.separation, lane);
  const double radius_i = b.radius_i[lane], radius_j = b.radius_j[lane], curvature = facing[lane];
  const double mass_i = b.mass_i[lane], mass_j = b.mass_j[lane];
  // loaded unconditionally, so that the loop can be vectorised
  const bool held_i = b.held_i[lane] > 0.0, held_j = b.held_j[lane] > 0.0;
  const double radii = radius_i + curvature, masses = mass_i + mass_j;
  const double product = radii * masses;    // 0 if a concave wall has the radius of the grain
  const double inverse = product != 0.0 ? 1.0 / product : 0.0;
  const double both = mass_i * mass_j * (radii * inverse);
  const double distance = length(separation);
  const double inverse_distance = distance > 0.0 ? 1.0 / distance : 0.0;
  // if both particles are held, the effective mass is mass_i, as in LAMMPS
  return {inverse_distance * separation, inverse_distance, radius_i + radius_j - distance,
          radius_i * curvature * (masses * inverse), held_j ? mass_i : (held_i ? mass_j : both)};
}

LANE Vector projected(const Vector &q, const Vector &normal) { return q - dot(q, normal) * normal; }

// tangential velocity of the surfaces relative to each other, measured at the given depth below the surfaces
LANE Vector slip_velocity(const Batch &b, const Vector &normal, double depth, int lane)
{
  const Vector surface_spin =
      (b.radius_i[lane] - depth) * load(b.spin_i, lane) + (b.radius_j[lane] - depth) * load(b.spin_j, lane);
  return projected(load(b.velocity, lane), normal) - cross(surface_spin, normal);
}

// History rows that the ledger stores for one part. If the part is not stored, the rows contain other values.
LANE Row *remembered_of(RememberedPart part, Batch &b, const ModelConstants &model)
{
  return b.history + (model.remembered[part] < 0 ? 0 : model.remembered[part]);
}

template <RememberedPart PART> LANE void forget_part(Batch &b, const ModelConstants &model)
{
  constexpr int VALUES = REMEMBERED_VALUES[PART];
  if (model.remembered[PART] >= 0) std::memset(remembered_of(PART, b, model), 0, VALUES * sizeof(Row));
}

// Clears the observed values from number `first` on, because the model may lack the stages that fill these values.
LANE void begin_to_observe(Batch &b, const ModelConstants &model, int first)
{
  b.observables = model.observables;
  if (first < b.observables) std::memset(b.observed[first], 0, (b.observables - first) * sizeof(Row));
}

LANE const double *facing_of(const Batch &b, const ModelConstants &model)
{
  return model.meets_surface ? b.surface_radius : b.radius_j;
}

GRANULAR_PLUS_LAWS_END

#endif
