// Copies values between particles, contact history and the batch.

#ifndef GRANULAR_PLUS_TRANSFER_H
#define GRANULAR_PLUS_TRANSFER_H

#include "kernels.h"
#include "rows.h"

GRANULAR_PLUS_LAWS_BEGIN

namespace {

// Assigns a history row to each contact. SIZE: number of history values per contact, -1 for any number.
template <int SIZE> void take_rows(const Particles &particles, const Pairs &pairs, const History &history,
                                   const int *__restrict found, int listed, LoopWork &work)
{
  const double *__restrict v = particles.velocity, *__restrict omega = particles.spin;
  const int count = work.batch.count;
  for (int l = 0; l < count; ++l) {
    const PairIndex pair = pairs.number[found[l]];
    work.pair[l] = pair;
    work.slot[l] = history.take_slot(pair);
    work.row_i[l] = pairs.row_i[pair];
    work.row_j[l] = pairs.row_j[pair];
    if (particles.prefetch) {
      const int later = l + LoopWork::AHEAD < listed ? l + LoopWork::AHEAD : l;
      const PairIndex pair_later = pairs.number[found[later]];
      const RowOffset row = pairs.row_j[pair_later];
      if (SIZE > 7) {
        const double *values = history.rows + static_cast<long>(history.slot[pair_later]) * (SIZE + 1);
        for (int h = 0; h < SIZE; h += 8) __builtin_prefetch(values + h, 1);
      }
      prefetch_row(v, row);
      prefetch_row(omega, row);
      prefetch_value(particles.radius, row);
      prefetch_value(particles.packed_mass, row);
      prefetch_row(particles.force, row);
      prefetch_row(particles.torque, row);
    }
  }
}

LANE void fill_few_lanes(const Particles &particles, LoopWork &work)
{
  Batch &b = work.batch;
  for (int l = 0; l < b.count; ++l) {
    const RowOffset i = work.row_i[l], j = work.row_j[l];
    const double *x_i = row_of(particles.position, i), *x_j = row_of(particles.position, j);
    const double *v_i = row_of(particles.velocity, i), *v_j = row_of(particles.velocity, j);
    const double *omega_i = row_of(particles.spin, i), *omega_j = row_of(particles.spin, j);
    for (int d = 0; d < 3; ++d) {
      b.separation[d][l] = x_i[d] - x_j[d];
      b.velocity[d][l] = v_i[d] - v_j[d];
      b.spin_i[d][l] = omega_i[d];
      b.spin_j[d][l] = omega_j[d];
    }
    const double mass_i = value_of(particles.packed_mass, i), mass_j = value_of(particles.packed_mass, j);
    b.radius_i[l] = value_of(particles.radius, i);
    b.radius_j[l] = value_of(particles.radius, j);
    b.mass_i[l] = std::fabs(mass_i);
    b.mass_j[l] = std::fabs(mass_j);
    b.held_i[l] = mass_i < 0.0 ? 1.0 : 0.0;
    b.held_j[l] = mass_j < 0.0 ? 1.0 : 0.0;
  }
}

LANE void fill_lanes(const Particles &particles, LoopWork &work)
{
  Batch &b = work.batch;
  const double *__restrict x = particles.position, *__restrict v = particles.velocity;
  const double *__restrict omega = particles.spin;
  const int count = b.count, lanes = padded_to_vectors(count);
  // pads the last group with copies of its last contact
  for (int l = count; l % VECTOR_LANES != 0; ++l) {
    work.row_i[l] = work.row_i[count - 1];
    work.row_j[l] = work.row_j[count - 1];
  }
  if (lanes % VECTOR_LANES != 0) return fill_few_lanes(particles, work);
  // A separate loop for each array keeps the row indices in registers.
  const RowOffset *__restrict row_i = work.row_i, *__restrict row_j = work.row_j;
  const auto vectors = [](const double *of, const RowOffset *row) {
    return rows_of([=](int k) { return load_three(row_of(of, row[k])); });
  };
  const double *__restrict radius = particles.radius, *__restrict mass = particles.packed_mass;
  const auto values = [](const double *of, const RowOffset *row) {
    return column_from([=](int k) { return value_of(of, row[k]); });
  };
  for (int l = 0; l < lanes; l += VECTOR_LANES) {
    store_column(b.radius_i + l, values(radius, row_i + l));
    store_column(b.mass_i + l, values(mass, row_i + l));
    store_column(b.radius_j + l, values(radius, row_j + l));
    store_column(b.mass_j + l, values(mass, row_j + l));
  }
  const auto unpack = [lanes](double *packed, double *is_held) {
#pragma omp simd
    for (int l = 0; l < lanes; ++l) {
      is_held[l] = packed[l] < 0.0 ? 1.0 : 0.0;
      packed[l] = std::fabs(packed[l]);
    }
  };
  unpack(b.mass_i, b.held_i);
  unpack(b.mass_j, b.held_j);
  for (int l = 0; l < lanes; l += VECTOR_LANES)
    store_vector(b.separation, l, vectors(x, row_i + l) - vectors(x, row_j + l));
  for (int l = 0; l < lanes; l += VECTOR_LANES)
    store_vector(b.velocity, l, vectors(v, row_i + l) - vectors(v, row_j + l));
  for (int l = 0; l < lanes; l += VECTOR_LANES) {
    store_vector(b.spin_i, l, vectors(omega, row_i + l));
    store_vector(b.spin_j, l, vectors(omega, row_j + l));
  }
}

LANE void fill_orientations(const Particles &particles, LoopWork &work)
{
  Batch &b = work.batch;
  const int lanes = padded_to_vectors(b.count);    // fill_lanes has padded row_i and row_j to whole groups
  const auto fill = [&](const RowOffset *row, Row *to) {
    for (int l = 0; l < lanes; l += VECTOR_LANES) {
      const Rows rows =
          rows_of([&](int k) { return load_four(particles.orientation + 4L * Pairs::particle_of(row[l + k])); });
      store_vector(to, l, rows);
      store_column(to[3] + l, column_of<3>(rows));
    }
  };
  fill(work.row_i, b.orientation_i);
  fill(work.row_j, b.orientation_j);
}

// Contacts that are not alive start with zeros.
template <int SIZE> void load_history(const History &history, int stamp_before, LoopWork &work)
{
  Batch &b = work.batch;
  const double *__restrict rows = history.rows;
  const int size = SIZE < 0 ? history.size : SIZE, stride = size + 1;
  const int lanes = padded_to_vectors(b.count);
  if (lanes % VECTOR_LANES != 0) {
    for (int l = 0; l < lanes; ++l) {
      const double *__restrict row = history.row(work.slot[l]);
      const bool lives = row[size] == stamp_before;
      for (int h = 0; h < size; ++h) b.history[h][l] = lives ? row[h] : 0.0;
    }
    return;
  }
  for (int l = b.count; l < lanes; ++l) work.slot[l] = work.slot[b.count - 1];
  for (int l = 0; l < lanes; l += VECTOR_LANES) {
    const Slot *slot = work.slot + l;
    const int last = size & ~3;    // the last four columns, which are loaded first, include the stamp
    Column stamp{};
    for (int h = last; h >= 0; h -= 4) {
      const Rows part = rows_of([=](int k) { return load_four(rows + static_cast<long>(slot[k]) * stride + h); });
      const Column columns[4] = {column_of<0>(part), column_of<1>(part), column_of<2>(part), column_of<3>(part)};
      if (h == last) stamp = columns[size & 3];
      for (int k = 0; k < 4 && h + k < size; ++k)
        store_column(b.history[h + k] + l, if_stamped(columns[k], stamp, stamp_before));
    }
  }
}

LANE void scale_forces(const unsigned char *special, const double *factors, LoopWork &work)
{
  Batch &b = work.batch;
  for (int l = 0; l < b.count; ++l) {
    const double factor = factors[special[work.pair[l]]];
    for (int d = 0; d < 3; ++d) {
      b.force[d][l] *= factor;
      b.torque_i[d][l] *= factor;
      b.torque_j[d][l] *= factor;
    }
  }
}

LANE void scatter_forces(const Particles &particles, const LoopWork &work)
{
  const Batch &b = work.batch;
  double *__restrict f = particles.force, *__restrict torque = particles.torque;
  const int count = b.count;
  const RowOffset force_end = Pairs::row_of(particles.force_end);
  for (int l = 0; l < count; ++l) {
    const RowOffset i = work.row_i[l], j = work.row_j[l];
    const Two push = {b.force[0][l], b.force[1][l]};
    const double third = b.force[2][l];
    add_to_row(row_of(f, i), push, third);
    add_to_row(row_of(torque, i), Two{b.torque_i[0][l], b.torque_i[1][l]}, b.torque_i[2][l]);
    if (j < force_end) {
      add_to_row(row_of(f, j), -push, -third);
      add_to_row(row_of(torque, j), Two{b.torque_j[0][l], b.torque_j[1][l]}, b.torque_j[2][l]);
    }
  }
}

LANE void hand_out_heat(const Particles &particles, LoopWork &work)
{
  const Batch &b = work.batch;
  double made = 0.0, of_wall = 0.0;
  const double *temperature = particles.temperature;
  for (int l = 0; l < b.count; ++l) {
    const int i = Pairs::particle_of(work.row_i[l]);
    const int j = Pairs::particle_of(work.row_j[l]);
    const bool with_wall = work.row_j[l] == LoopWork::WALL;
    const double of_partner = with_wall ? particles.wall_temperature : temperature[j];
    const double conducted = b.conductance[l] * (of_partner - temperature[i]);
    particles.heatflow[i] += conducted + b.warming[l];
    made += b.warming[l];
    if (with_wall) {
      of_wall += conducted;
    } else if (j < particles.force_end) {
      particles.heatflow[j] -= conducted - b.warming[l];
      made += b.warming[l];
    }
  }
  work.heat_made += made;
  work.heat_of_wall += of_wall;
}

template <int SIZE> void store_history(const History &history, int stamp_now, LoopWork &work)
{
  Batch &b = work.batch;
  const int size = SIZE < 0 ? history.size : SIZE, stride = size + 1;
  const int count = b.count;
  double *__restrict stamp = b.history[size];
  for (int l = 0; l < LANES; ++l) stamp[l] = stamp_now;
  const int in_fours = count & ~3, whole = stride & ~3;
  for (int l = 0; l < in_fours; l += 4) {
    double *row[4];
    for (int k = 0; k < 4; ++k) row[k] = history.rows + static_cast<long>(work.slot[l + k]) * stride;
    for (int h = 0; h < whole; h += 4) {
      double *const part[4] = {row[0] + h, row[1] + h, row[2] + h, row[3] + h};
      store_rows(b.history + h, l, part);
    }
    for (int h = whole; h < stride; ++h)
      for (int k = 0; k < 4; ++k) row[k][h] = b.history[h][l + k];
  }
  for (int l = in_fours; l < count; ++l) {
    double *__restrict row = history.row(work.slot[l]);
    for (int h = 0; h < stride; ++h) row[h] = b.history[h][l];
  }
}

// Writes history in setup. Springs keep their values from the end of the last step. The row of a new contact stores the
// twist and, for shapes, the normal. Values of laws that set `yields` are written, because contacts may yield in setup.
// A ledger stores the forces, because these forces act in the first half of the next step.
LANE void remember_setup(const History &history, const ModelConstants &model, int stamp_before, int ledger,
                         LoopWork &work)
{
  const int yielding = model.normal_history, not_yielding = yielding + model.yielding_values;
  const int normal = model.normal_of_shapes;
  for (int l = 0; l < work.batch.count; ++l) {
    double *row = history.row(work.slot[l]);
    double &stamp = row[history.size];
    const auto take = [&](int h) { row[h] = work.batch.history[h][l]; };
    if (stamp != stamp_before) {
      stamp = stamp_before;
      for (int h = 0; h < history.size; ++h) row[h] = 0.0;
      for (int d = 0; normal >= 0 && d < 3; ++d) take(normal + d);
      for (int h = 0; h < model.twisting_values; ++h) take(model.twisting_history + h);
    }
    for (int h = yielding; h < not_yielding; ++h) take(h);
    for (int h = ledger; h >= 0 && h < history.size; ++h) take(h);
  }
}

}    // namespace

GRANULAR_PLUS_LAWS_END

#endif
