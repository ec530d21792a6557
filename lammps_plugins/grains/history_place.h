// Reserves a place among LAMMPS's fixes for the fix that stores the history of a pair style: a dummy fix stands there until
// the models are known, so that fixes keep the order of the input script. It is moved before fixes that add, delete or move
// atoms, which a script may define before the pair style. Owned by the pair style (contacts) and by GrainBonds (bonds).

#ifndef LMP_GRANULAR_PLUS_HISTORY_PLACE_H
#define LMP_GRANULAR_PLUS_HISTORY_PLACE_H

#include "pointers.h"

#include "../core/model/contact_model.h"

#include <string>

namespace LAMMPS_NS {

class HistoryPlace : protected Pointers {
 public:
  // Kind: HISTORY or BONDS. The first free number is used: history in a restart file is identified by the ID of its
  // fix, so a script that defines the pair styles again must get the same IDs.
  HistoryPlace(LAMMPS *lmp, const std::string &kind, int first = 0);
  ~HistoryPlace() { release(); }
  HistoryPlace(const HistoryPlace &) = delete;

  void reserve();    // from now on, if it is not reserved yet
  void release();    // and removes the fix
  // in init: the fix, null if there is none yet; once that has settled, a new one if its rows do not fit the layout
  class GrainHistory *find() const;
  class GrainHistory *fill(const std::string &who, const granular_plus::HistoryLayout &layout);

  int number;

 private:
  const std::string style;
  std::string id, dummy;    // of the fix, and of its placeholder
  bool is_reserved() const;
  void lead() const;
};

}    // namespace LAMMPS_NS

#endif
