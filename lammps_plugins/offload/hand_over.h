// Lends grains, contacts and walls of LAMMPS to an engine, and takes them back.

#ifndef LMP_GRANULAR_PLUS_HAND_OVER_H
#define LMP_GRANULAR_PLUS_HAND_OVER_H

#include "pointers.h"

#include "lent_wall.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace LAMMPS_NS {

class HandOver : protected Pointers {
 public:
  HandOver(LAMMPS *lmp, std::unique_ptr<granular_plus::GrainEngine> engine);

  // As a run begins: plans its steps. Returns what stands in the way, empty if the engine can compute them.
  std::string begin_run();

  // While the engine has the state, that of LAMMPS is out of date. Where it is not lent, LAMMPS has to compute the next step;
  // returns what stands in the way of more than this step.
  std::string lend();
  void take_back();
  bool is_lent() const { return lent; }
  // Where the engine lacked room, the steps since the state was lent do not count: LAMMPS is back where it was, the next loan comes
  // with more room. Returns how many steps those are, empty if there was room enough.
  std::optional<int> begin_again();

  granular_plus::GrainEngine &engine() { return *computes; }
  // how many of the coming steps the engine may begin with a new neighbour list
  int steps_with_lists() const;
  // that the engine has made since the run began
  bigint lists_made() const { return lists; }

 private:
  std::unique_ptr<granular_plus::GrainEngine> computes;
  granular_plus::StepPlan plan;
  std::vector<LentWall> walls;
  class PairGranularPlus *pair = nullptr;
  std::vector<granular_plus::steps::MeshRoom> rooms;    // of walls
  bool lent = false;
  bigint lent_in = 0;    // step
  bigint lists = 0;
  bigint list_of = -1;    // the step in which the list was made that the engine has
  const bool poisons;     // for tests: what is out of date becomes NaN

  std::vector<std::int64_t> tags;    // IDs, whatever the width of LAMMPS's
  granular_plus::RememberedContacts of_pairs;
  std::vector<granular_plus::RememberedContacts> of_walls;

  void lend_list();
  void plan_pairs();
  std::vector<int> shifts_of_atoms(std::vector<int> &owner) const;
  void make_list_of(const granular_plus::MadeLists &made);
  void lend_contacts();
  void take_back_contacts();
  granular_plus::GrainArrays arrays() const;
  void poison();
  std::vector<std::vector<double>> poisoned;    // what was there before
  std::vector<double *> arrays_of_vectors() const;
};

}    // namespace LAMMPS_NS

#endif
