#include "single_contact.h"

#include "../core/laws/capillary/film.h"
#include "../core/laws/heat/gap.h"
#include "../core/ledger/outputs.h"
#include "../core/ledger/pair_report.h"
#include "../glue/share_of_pair.h"

#include "atom.h"

#include <algorithm>
#include <cmath>

using namespace LAMMPS_NS;
using namespace granular_plus;

SingleContact::SingleContact(const Atom &atom, int i, int j, const ContactModel &model, const HistoryLayout &layout,
                             double timestep, int evaluation, const Kernels &suited, const Particles &particles,
                             ShapedPairs *shapes, LoopWork &work)
    : atom(atom), i(i), j(j), model(model), layout(layout), timestep(timestep), evaluation(evaluation), suited(suited),
      particles(particles), shapes(shapes), work(work),
      has_shape(shapes && (shapes->bodies[i].shape || shapes->bodies[j].shape))
{
}

double SingleContact::report(const double *remembered, bool swapped, double *values)
{
  std::fill_n(values, static_cast<int>(pair_output::COUNT), 0.0);
  evaluate(remembered);
  const double sign = swapped ? -1.0 : 1.0;
  const double force = work.batch.count > 0 ? report_contact(sign, values) : 0.0;
  if (pair_group.heat_crosses_gaps) {
    const double distance = std::sqrt(squared_distance(atom.x[i], atom.x[j]));
    const auto conductance =
        heat::Gap::between_spheres(pair_group.constants.gap_heat, atom.radius[i], atom.radius[j], distance);
    values[pair_output::heat] += sign * heat::Gap::flow(conductance, atom.temperature[i], atom.temperature[j]);
  }
  return force;
}

/* ----------------------------------------------------------------------
   Passes a list that contains only this pair through the loop. `remembered` may be null.
------------------------------------------------------------------------- */

void SingleContact::evaluate(const double *remembered)
{
  double row[MAX_HISTORY + History::READ_AHEAD] = {};
  if (remembered) {
    std::copy_n(remembered, layout.size, row);
    row[layout.size] = evaluation;
  }
  Slot slot{0};
  int slots_used = 1;
  const History memory{&slot, row, layout.size, &slots_used};

  HistoryLayout observing = layout;
  observing.has_ledger = true;
  observing.observables = OBSERVABLES;
  model.compile(pair_group, observing, suited, timestep, has_shape ? Surfaces::SHAPES : Surfaces::ROUND);
  pair_group.begin = 0;
  pair_group.end = 1;

  const double radius_i = atom.radius[i], radius_j = atom.radius[j];
  const double touch = radius_i + radius_j, touching_squared = touch * touch;
  const auto touching_rounded = static_cast<float>(touching_squared);
  double gap = pair_group.breaking_gap ? pair_group.breaking_gap(pair_group.constants, radius_i, radius_j) : 0.0;
  const double volume = row[layout.first[BRIDGE]];
  if (pair_group.film)
    gap = volume > 0.0 ? capillary::Films::breaking_gap(pair_group.constants.film, radius_i, radius_j, volume) : 0.0;
  double cutoff_squared = (touch + gap) * (touch + gap);
  const PairIndex number = 0;
  const RowOffset row_i = Pairs::row_of(i), row_j = Pairs::row_of(j);
  unsigned char bridged = remembered != nullptr;
  int separated[1 + Pairs::LIST_PADDING] = {};
  const Pairs pairs{&row_i,          &row_j,   nullptr,  &number, &touching_rounded, &touching_squared,
                    &cutoff_squared, &bridged, separated};

  Particles view = particles;
  view.force = view.torque = view.heatflow = nullptr;
  const LoopOptions options = LoopOptions::read_only(evaluation);
  work.batch.count = 0;
  if (has_shape)
    shapes->loop(suited, view, pairs, memory, pair_group, options, work);
  else
    in_bounds_kernels().loop(view, pairs, memory, pair_group, options, work);
}

/* ----------------------------------------------------------------------
   `sign` is 1 if the caller named the two grains in the order of the batch, and -1 if the caller named them in the
   opposite order.
------------------------------------------------------------------------- */

double SingleContact::report_contact(double sign, double *values) const
{
  const Batch &b = work.batch;
  const auto observed = [&b](Observed what) { return b.observed[what][0]; };
  const double central =
      b.normal_force[0] - observed(CAPILLARY_FORCE) - observed(VISCOUS_FORCE) - observed(ATTRACTION_FORCE);
  const bool touches = observed(TOUCHING) != 0.0;
  // Rolling forces and twisting moments are read from the history values of the ledger. Only the stages of touching
  // contacts write these values.
  const auto remembered = [&](RememberedPart part, int what) { return b.history[layout.remembered[part] + what][0]; };
  const bool rolls = touches && model.law(ROLLING).history > 0;
  const bool twists = touches && model.law(TWISTING).history > 0;
  const bool has_spring = model.law(TANGENTIAL).history > 0;
  double distance_squared = 0.0;
  for (int d = 0; d < 3; ++d) {
    distance_squared += b.separation[d][0] * b.separation[d][0];
    values[pair_output::friction_x + d] = sign * (b.force[d][0] - central * b.normal[d][0]);
    values[pair_output::rolling_x + d] = rolls ? remembered(OF_ROLLING, ROLLING_FORCE_BEFORE + d) : 0.0;
    values[pair_output::spring_x + d] = has_spring ? sign * b.history[layout.first[TANGENTIAL] + d][0] : 0.0;
  }
  const Vector point = has_shape ? shapes->inspected_point - vector_of(atom.x[i]) : point_of_spheres(b);
  report_geometry(values, b, sign, -b.overlap[0], point);
  add_force(values, b, sign);
  for (double *vector : {values + pair_output::friction_x, values + pair_output::rolling_x})
    vector[3] = length(vector_of(vector));
  values[pair_output::twisting] = twists ? remembered(OF_TWISTING, TWISTING_MOMENT_BEFORE) : 0.0;
  values[pair_output::normal_elastic] = observed(NORMAL_ELASTIC_FORCE);
  values[pair_output::normal_dashpot] = b.normal_force[0] - observed(NORMAL_ELASTIC_FORCE);
  values[pair_output::sliding] = observed(SLIDING);
  values[pair_output::elastic_normal] = observed(NORMAL_ENERGY);
  values[pair_output::elastic_tangential] = observed(TANGENTIAL_ENERGY);
  values[pair_output::elastic_rolling] = observed(ROLLING_ENERGY);
  values[pair_output::elastic_twisting] = observed(TWISTING_ENERGY);
  values[pair_output::bridge] = observed(BRIDGES);
  values[pair_output::bridge_force] = observed(CAPILLARY_FORCE);
  values[pair_output::bridge_energy] = observed(CAPILLARY_ENERGY);
  values[pair_output::bridge_volume] =
      pair_group.film ? observed(BRIDGE_VOLUME) : observed(BRIDGES) * model.bridge_volume();
  values[pair_output::van_der_waals_force] = observed(ATTRACTION_FORCE);
  values[pair_output::van_der_waals_energy] = observed(ATTRACTION_ENERGY);
  values[pair_output::viscous_force] = observed(VISCOUS_FORCE);
  const auto kept_by_normal = [&](int what) { return b.history[layout.first[NORMAL] + what][0]; };
  if (model.law(NORMAL).per_collision) {
    values[pair_output::stiffness] = kept_by_normal(0);
    values[pair_output::damping] = kept_by_normal(1);
  }
  if (layout.has_ledger && layout.remembered[OF_COLLISION] >= 0) {
    values[pair_output::approach_speed] = remembered(OF_COLLISION, APPROACH_SPEED);
    values[pair_output::contact_time] = remembered(OF_COLLISION, CONTACT_TIME);
    values[pair_output::largest_overlap] = remembered(OF_COLLISION, COLLISION_OVERLAP);
  }
  if (model.law(NORMAL).yields && touches) {
    values[pair_output::largest_overlap] = kept_by_normal(0);
    values[pair_output::plastic_overlap] = kept_by_normal(1);
  }
  if (pair_group.passes_heat)
    values[pair_output::heat] = sign * b.conductance[0] * (atom.temperature[j] - atom.temperature[i]);
  return distance_squared > 0.0 ? central / std::sqrt(distance_squared) : 0.0;
}
