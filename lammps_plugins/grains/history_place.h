// Reserves a place in LAMMPS's list of fixes for the fix that stores the history of a pair style. A dummy fix holds the
// place until the models are known. The place is before fixes that add, delete or move atoms. Owned by the pair style
// (for contacts) and by GrainBonds (for bonds).

#ifndef LMP_GRANULAR_PLUS_HISTORY_PLACE_H
#define LMP_GRANULAR_PLUS_HISTORY_PLACE_H

#include "pointers.h"

#include "../core/model/contact_model.h"

#include <string>

namespace LAMMPS_NS {

class HistoryPlace : protected Pointers {
 public:
  // kind is HISTORY or BONDS. The first free number becomes part of the ID of the fix. This ID identifies the history
  // in a restart file, so a script that defines the same pair styles again must get the same IDs.
  HistoryPlace(LAMMPS *lmp, const std::string &kind, int first = 0);
  ~HistoryPlace() { release(); }
  HistoryPlace(const HistoryPlace &) = delete;

  void reserve();
  void release();
  // `find` returns null if there is no fix yet. `fill` is called in init, after `store_contacts_with_atoms` of the fix.
  // `fill` creates a new fix if the rows of the present fix do not fit the layout.
  class GrainHistory *find() const;
  class GrainHistory *fill(const std::string &message_prefix, const granular_plus::HistoryLayout &layout);

  int number;

 private:
  const std::string style;
  std::string id, dummy;    // IDs of the fix and of its placeholder
  bool is_reserved() const;
  void lead() const;
};

}    // namespace LAMMPS_NS

#endif
