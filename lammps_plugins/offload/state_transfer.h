// Passes grains, contacts and walls from LAMMPS to an engine and back. Owned by run_style verlet/plus/gpu.

#ifndef LMP_GRANULAR_PLUS_HAND_OVER_H
#define LMP_GRANULAR_PLUS_HAND_OVER_H

#include "pointers.h"

#include "wall_transfer.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace LAMMPS_NS {

class StateTransfer : protected Pointers {
 public:
  StateTransfer(LAMMPS *lmp, std::unique_ptr<granular_plus::GrainEngine> engine);

  // Called at the start of a run. Returns an empty string if the engine can compute steps, otherwise the obstacle (see
  // plan_steps).
  std::string begin_run();

  // Passes the state to the engine. LAMMPS's own state is then outdated until `download` is called. Returns the
  // obstacle, or an empty string if there is none. If is_uploaded returns false after the call, LAMMPS must compute the
  // next step before `upload` is called again.
  std::string upload();
  void download();
  bool is_uploaded() const { return uploaded; }
  // If the storage of the engine was too small, resets the run to the state before the upload and returns the number of
  // steps that must be repeated. Otherwise returns nothing.
  std::optional<int> undo_for_more_room();

  granular_plus::GrainEngine &engine() { return *computes; }
  // number of next steps in which the engine may build neighbour lists
  int steps_with_lists() const;
  bigint lists_made() const { return lists; }

 private:
  std::unique_ptr<granular_plus::GrainEngine> computes;
  granular_plus::StepPlan plan;
  std::vector<WallTransfer> walls;
  class PairGranularPlus *pair = nullptr;
  std::vector<granular_plus::steps::MeshRoom> rooms;    // one for each wall
  bool uploaded = false;
  bigint upload_step = 0;
  bigint lists = 0;
  bigint engine_list_step = -1;    // step in which the engine's list was built
  const bool poisons;              // for tests: outdated values become NaN

  std::vector<std::int64_t> tags;
  granular_plus::RememberedContacts of_pairs;
  std::vector<granular_plus::RememberedContacts> of_walls;

  void upload_list();
  void plan_pairs();
  std::vector<int> shifts_of_atoms(std::vector<int> &owner) const;
  void make_list_of(const granular_plus::MadeLists &made);
  void upload_contacts();
  void download_contacts();
  granular_plus::GrainArrays arrays() const;
  void poison();
  std::vector<std::vector<double>> poisoned;
  // grain data that the engine changes
  struct Changing {
    double *values;
    std::size_t count;
  };
  std::vector<Changing> changing_arrays() const;
  bool moves_liquid() const;
};

}    // namespace LAMMPS_NS

#endif
