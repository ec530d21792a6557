// Kernels for heat flow. Results are bitwise identical to those of core/kernels/gap_heat.h, walls/wall_heat.cpp and
// LAMMPS's fix heat/flow. Also compiled for GPUs.

#ifndef GRANULAR_PLUS_HEAT_KERNELS_H
#define GRANULAR_PLUS_HEAT_KERNELS_H

#include "../core/laws/heat/gap.h"
#include "mesh_kernels.h"

GRANULAR_PLUS_LAWS_BEGIN

namespace steps {

// ------------------------------------------------------------------------------------------------------- grains

struct PassHeatAcrossGaps {
  int begin;
  const int *i, *j, *shift;
  double period[3];
  Grains grains;
  GapHeatConstants constants;
  double *heat;
  STAGE void operator()(int k) const
  {
    const int p = begin + k, a = i[p], b = j[p];
    const Vector separation = vector_of(grains.position + 3 * a) - shifted(grains.position + 3 * b, shift[p], period);
    const double squared = separation.x * separation.x + separation.y * separation.y + separation.z * separation.z;
    const double radius_i = grains.radius[a], radius_j = grains.radius[b];
    const double reach = radius_i + radius_j + heat::Gap::reach(constants, radius_i, radius_j);
    if (!(squared < reach * reach && squared > 0.0)) return;
    const auto conductance = heat::Gap::between_spheres(constants, radius_i, radius_j, std::sqrt(squared));
    heat[HEATS * static_cast<long>(p) + ACROSS] =
        heat::Gap::flow(conductance, grains.temperature[a], grains.temperature[b]);
  }
};

struct SumHeat {
  PairsOfGrains pairs;
  const double *heat;
  Grains grains;

  struct Sum {
    static constexpr int LAST = AFTER_END;
    const double *heat;
    double flow;
    STAGE bool belongs(int phase, int now) const
    {
      return now == GAP_HEAT || now == (phase & HAS_ENDED ? AFTER_END : phase);
    }
    STAGE void pair(int p, bool is_j, int now)
    {
      const double *of_pair = heat + HEATS * static_cast<long>(p);
      if (now == GAP_HEAT)
        flow += is_j ? -of_pair[ACROSS] : of_pair[ACROSS];
      else
        flow += is_j ? -(of_pair[CONDUCTED] - of_pair[MADE]) : of_pair[CONDUCTED] + of_pair[MADE];
    }
  };
  STAGE void operator()(int a) const
  {
    Sum sum{heat, 0.0};
    pairs.visit(a, sum);
    grains.heatflow[a] = sum.flow;
  }
};

// ------------------------------------------------------------------------------------------------------- walls

struct HeatFromWall {
  double temperature;
  GapHeatConstants constants;
  Grains grains;
  Observations observations;    // the first contact of grain a has index a

  STAGE double reach(int a) const { return grains.radius[a] + heat::Gap::reach(constants, grains.radius[a], 0.0); }
  STAGE double flow(int a, double distance) const
  {
    if (!(distance > 0.0)) return 0.0;
    return heat::Gap::flow(heat::Gap::at_plane(constants, grains.radius[a], distance), grains.temperature[a],
                           temperature);
  }
  STAGE void give(int a, double heat) const
  {
    grains.heatflow[a] += heat;
    observations.add_heat(a, 0.0, heat);
  }
};

struct PassHeatFromWall {
  int group;
  SimpleSurface surface;
  Poses poses;
  HeatFromWall from;
  STAGE void operator()(int a) const
  {
    if (!(from.grains.mask[a] & group)) return;
    double heat = 0.0;
    for (int side = 0; side < surface.sides; ++side) {
      PointOfWall point;
      const bool has_point = find_point(surface, poses.now(), from.grains.position + 3 * a, side, point);
      if (has_point && point.distance < from.reach(a)) heat += from.flow(a, point.distance);
    }
    from.give(a, heat);
  }
};

struct PassHeatFromMesh {
  FindPatches patches;
  HeatFromWall from;

  struct Nearest {
    double distance;    // negative if there is no nearest patch
    STAGE void clear() { distance = -1.0; }
    STAGE bool is_full() const { return false; }
    STAGE void add(const PatchDepth &patch, double radius)
    {
      const double here = radius - patch.overlap;
      if (distance < 0.0 || here < distance) distance = here;
    }
  };
  STAGE void operator()(int a) const
  {
    if (!(from.grains.mask[a] & patches.group)) return;
    Nearest nearest{-1.0};
    if (!patches.find_within(a, from.reach(a), nearest) || nearest.distance < 0.0) return;
    from.give(a, from.flow(a, nearest.distance));
  }
};

// ------------------------------------------------------------------------------------------------------- temperatures

// Integrates temperatures as LAMMPS's fix heat/flow does.
struct Warm {
  int group;
  double timestep;
  const double *capacity;
  Grains grains;
  STAGE void operator()(int a) const
  {
    if (grains.mask[a] & group) grains.temperature[a] += timestep * grains.heatflow[a] / capacity[a];
  }
};

struct WatchTemperatures {
  Grains grains;
  Progress *progress;
  STAGE void operator()(int a) const
  {
    if (!(grains.temperature[a] > 0.0)) progress->is_cold = 1;
  }
};

}    // namespace steps

GRANULAR_PLUS_LAWS_END

#endif
