// Header of each style's part of a restart file.

#ifndef LMP_GRANULAR_PLUS_RESTART_HEADER_H
#define LMP_GRANULAR_PLUS_RESTART_HEADER_H

#include "../core/ledger/energy_ledger.h"

#include <mpi.h>

#include <string>

namespace LAMMPS_NS {

class LAMMPS;

void check_restart_format(LAMMPS *lmp, const std::string &message_prefix, double format);

struct RestartHeader {
  double format = 0.0;
  double contents = 0.0;    // fingerprint of the laws that store values
  double values = 0.0;
  double parts = 0.0;               // parts of the ledger, see HistoryLayout
  double has_extra_values = 0.0;    // 1 if a separation or a normal is stored with each contact
  // index of a bridge's volume; -1 if bridges take no liquid from films
  double liquid = -1.0;
  double widest_gap = 0.0;    // largest gap across which a bond was formed
  double ledger_started = 0.0;
  granular_plus::LedgerSums ledger;

  RestartHeader() = default;
  // Must be called on all ranks. On the first rank, the ledger is the sum over all ranks.
  RestartHeader(MPI_Comm world, const std::string &contents, int values, unsigned parts, bool has_extra_values,
                int liquid, const granular_plus::EnergyLedger &ledger);

  // Returns how many leading values of a contact in the file can be used. If the parts of the ledger differ, only the
  // values of the laws can be used. If the models differ, prints a warning and returns -1. Stops with an error if the
  // format of the file differs.
  int usable_values(LAMMPS *lmp, const std::string &message_prefix, const std::string &contents, unsigned parts,
                    int values_of_laws) const;
  // The sums are restored on the first rank only.
  void restore(granular_plus::EnergyLedger &ledger, bool first_rank) const;
};

// An atom's record starts with the number of values in the record, including this number. LAMMPS concatenates the
// records of all fixes.
inline int with_size(double *buf, int values)
{
  buf[0] = 1 + values;
  return 1 + values;
}
inline const double *values_in_restart(const double *extra, int nth)
{
  int m = 0;
  for (int k = 0; k < nth; ++k) m += static_cast<int>(extra[m]);
  return extra + m + 1;
}

}    // namespace LAMMPS_NS

#endif
