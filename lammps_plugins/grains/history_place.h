// The place among LAMMPS's fixes of the one that keeps the history of a pair style: a dummy fix holds it until the models are
// known, so that fixes keep the order of the input script. It moves before those that add, delete or move atoms, which a
// script may define before the pair style.

#ifndef LMP_GRANULAR_PLUS_HISTORY_PLACE_H
#define LMP_GRANULAR_PLUS_HISTORY_PLACE_H

#include "pointers.h"

#include "../core/model/contact_model.h"

#include <string>

namespace LAMMPS_NS {

class HistoryPlace : protected Pointers {
 public:
  // Kind: HISTORY or BONDS. It gets the first number that is free: history in a restart file is found by the ID of its fix,
  // so a script that gives the pair styles again must get the same ones.
  HistoryPlace(LAMMPS *lmp, const std::string &kind, int first = 0);
  ~HistoryPlace() { leave(); }
  HistoryPlace(const HistoryPlace &) = delete;

  void hold();     // from now on, if it is not held yet
  void leave();    // together with the fix
  // in init: the fix, null if there is none yet; once that has settled, the one whose rows suit the layout
  class GrainHistory *find() const;
  class GrainHistory *fill(const std::string &who, const granular_plus::HistoryLayout &layout);

  int number;

 private:
  const std::string style;
  std::string id, dummy;    // of the fix, and of the one that holds its place
  bool is_held() const;
  void lead() const;
};

}    // namespace LAMMPS_NS

#endif
