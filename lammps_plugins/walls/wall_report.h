// Output of a wall: a row for each contact, a row for each grain that touches the wall, and sums. Owned by the fix.

#ifndef LMP_GRANULAR_PLUS_WALL_REPORT_H
#define LMP_GRANULAR_PLUS_WALL_REPORT_H

#include "pointers.h"

#include "../core/ledger/outputs.h"
#include "wall_contacts.h"
#include "wall_load.h"

#include <array>
#include <vector>

namespace LAMMPS_NS {

class WallReport : protected Pointers {
 public:
  WallReport(LAMMPS *lmp, const WallContacts &contacts, const WallSurface &surface, const WallLoad &load)
      : Pointers(lmp), contacts(contacts), surface(surface), load(load)
  {
  }
  ~WallReport() override;

  // if has_heat is false, the rows of grains do not have the last column
  bool has_grains = false, has_contacts = false, has_heat = false;
  int columns_of_grain() const
  {
    return has_heat ? granular_plus::wall_atom_output::COUNT : granular_plus::wall_atom_output::heat;
  }

  // Called before and after an evaluation. If the list of near grains is new, begin clears the rows of all grains.
  void begin(bool near_is_new);
  void add(const granular_plus::Batch &batch, int lane)
  {
    if (has_contacts) add_contact(batch, lane);
    if (has_grains) add_to_grain(batch, lane);
  }
  // `heat` is the heat per time that flows across the gap
  void add_heat(int grain, double heat)
  {
    if (has_grains && has_heat) of_grains[grain][granular_plus::wall_atom_output::heat] += heat;
  }
  void end();

  double **of_grains = nullptr;
  std::vector<double *> of_contacts;    // in arbitrary order
  double of_wall(int n, const granular_plus::EnergyLedger &ledger);

  void grow(int grains);
  void copy(int from, int to);
  void forget(int grain);
  double memory_usage() const;

 private:
  const WallContacts &contacts;
  const WallSurface &surface;
  const WallLoad &load;
  using ContactRow = std::array<double, granular_plus::wall_local_output::COUNT>;
  std::vector<ContactRow> contact_rows;
  double sums[granular_plus::wall_output::COUNT];
  bool is_summed = false;

  void add_to_grain(const granular_plus::Batch &batch, int lane);
  void add_contact(const granular_plus::Batch &batch, int lane);
};

}    // namespace LAMMPS_NS

#endif
