// A mesh on an executor: its triangles, and the data that its kernels store for each grain.

#ifndef GRANULAR_PLUS_DEVICE_MESH_H
#define GRANULAR_PLUS_DEVICE_MESH_H

#include "../core/geometry/meshes/flat_mesh.h"
#include "device_list_maker.h"

#include <memory>

namespace granular_plus {

template <class Executor> class DeviceMesh {
 public:
  // Called when the state is loaded. The grains may differ from those of the previous state.
  void begin(Executor &executor, const StepPlan::Wall &wall, int owned)
  {
    if (mesh != wall.mesh) {
      mesh = wall.mesh;
      facets.set(executor, mesh->facets), boxes.set(executor, mesh->boxes);
      first_link.set(executor, mesh->first_link), links.set(executor, mesh->links);
    }
    const auto grains = static_cast<std::size_t>(owned);
    const std::size_t triangles = grains * wall.room.triangles, contacts = grains * wall.room.contacts;
    place.provide(executor, 3 * grains), reach.provide(executor, grains);
    for (DeviceBuffer<int, Executor> *array : {&near_count, &met_count}) array->provide(executor, grains);
    for (DeviceBuffer<int, Executor> *array : {&triangle, &patch}) array->provide(executor, triangles);
    square.provide(executor, triangles);
    value.provide(executor, contacts * steps::MetPatches::VALUES), number.provide(executor, contacts);
    if (wall.stages.passes_heat) ended.provide(executor, contacts);
    executor.for_each(owned, steps::InvalidateReach{reach.data()});
  }

  MeshArrays arrays() const
  {
    return {facets.data(), boxes.data(), static_cast<int>(boxes.size()), first_link.data(), links.data()};
  }
  steps::NearTriangles near() const
  {
    return {place.data(), reach.data(), near_count.data(), triangle.data(), square.data(), patch.data()};
  }
  steps::MetPatches met() const { return {met_count.data(), value.data(), number.data()}; }
  double *heat_of_ended() const { return ended.data(); }    // see EvaluateMeshContacts

 private:
  std::shared_ptr<const FlatMesh> mesh;
  DeviceBuffer<Facet, Executor> facets;
  DeviceBuffer<SearchBox, Executor> boxes;
  DeviceBuffer<int, Executor> first_link, links;
  DeviceBuffer<double, Executor> place, reach, square, value, ended;
  DeviceBuffer<int, Executor> near_count, met_count, triangle, patch, number;
};

}    // namespace granular_plus

#endif
