// Kernels for walls under a load. The forces of contacts are added in the same order as on the CPU, so sums are bitwise
// identical. Also compiled for GPUs.

#ifndef GRANULAR_PLUS_LOAD_KERNELS_H
#define GRANULAR_PLUS_LOAD_KERNELS_H

#include "body_under_load.h"
#include "kernels_of_algorithms.h"
#include "wall_kernels.h"

GRANULAR_PLUS_LAWS_BEGIN

namespace steps {

struct MoveUnderLoad {
  LoadedWall *wall;
  WallPose *poses;    // as in Poses
  int first;
  const Progress *progress;
  STAGE void operator()(int) const
  {
    BodyUnderLoad &body = wall->body;
    body.advance();
    WallPose &pose = poses[progress->done + 1 - first];
    pose.displacement[body.axis] = body.displacement;
    pose.velocity[body.axis] = body.velocity;
    if (wall->centre_moves) pose.centre[body.axis] = wall->centre + body.displacement;
  }
};

// The contacts that touch in this step. Contact s of grain a has the number s * owned + a. At a mesh, the contacts of a
// grain are ordered by their rank (see EvaluateMeshContacts).
struct TouchingContacts {
  int owned, slots;
  bool has_ranks;
  const int *alive;
  STAGE int begin(int chunk) const { return chunk * algorithms::CHUNK; }
  STAGE int end(int chunk) const { return algorithms::end_of_chunk(chunk, owned); }
};

struct CountTouching {
  TouchingContacts contacts;
  int *counts;    // number of touching contacts in each chunk of grains
  STAGE void operator()(int chunk) const
  {
    int count = 0;
    for (int slot = 0; slot < contacts.slots; ++slot)
      for (int a = contacts.begin(chunk); a < contacts.end(chunk); ++a)
        count += contacts.alive[slot * contacts.owned + a] != 0;
    counts[chunk] = count;
  }
};

struct ListTouching {
  TouchingContacts contacts;
  const int *first;    // first contact of each chunk of grains
  int *list;
  STAGE void operator()(int chunk) const
  {
    int place = first[chunk];
    if (first[chunk + 1] == place) return;
    for (int a = contacts.begin(chunk); a < contacts.end(chunk); ++a) {
      int count = 0;
      for (int slot = 0; slot < contacts.slots; ++slot) {
        const int contact = slot * contacts.owned + a, rank = contacts.alive[contact];
        if (rank == 0) continue;
        list[place + (contacts.has_ranks ? rank - 1 : count)] = contact;
        ++count;
      }
      place += count;
    }
  }
};

// Adds up value k of `loads` over the contacts in `list`; k is the kernel's index.
struct SumLoads {
  static constexpr int AT_A_TIME = 16;    // number of values that are read before they are added
  const int *count, *list;
  WallLoads loads;
  double *sums;
  STAGE void operator()(int k) const
  {
    const double *values = loads.values + k * loads.contacts;
    double sum = 0.0;
    int m = 0;
    for (; m + AT_A_TIME <= *count; m += AT_A_TIME) {
      double next[AT_A_TIME];
      UNROLL
      for (int n = 0; n < AT_A_TIME; ++n) next[n] = values[list[m + n]];
      UNROLL
      for (int n = 0; n < AT_A_TIME; ++n) sum += next[n];
    }
    for (; m < *count; ++m) sum += values[list[m]];
    sums[k] = sum;
  }
};

// Does the same as WallLoad::work and DrivenWall::apply_force.
struct ApplyLoad {
  LoadedWall *wall;
  const double *sums;
  Poses poses;
  STAGE void operator()(int) const
  {
    const WallPose &pose = poses.now();
    const double half = 0.5 * wall->body.timestep, *force = sums + WallLoads::FORCE, *torque = sums + WallLoads::TORQUE;
    double work = half * (sums[WallLoads::POWER] + wall->power);
    wall->power = sums[WallLoads::POWER];
    for (int d = 0; d < 3; ++d) {
      work += half * ((force[d] + wall->force[d]) * pose.velocity[d] + (torque[d] + wall->torque[d]) * pose.spin[d]);
      wall->force[d] = force[d];
      wall->torque[d] = torque[d];
    }
    wall->work += work;
    wall->body.bear(wall->load + (0.0 - force[wall->body.axis]));
  }
};

}    // namespace steps

GRANULAR_PLUS_LAWS_END

#endif
