// What stands at the beginning of each style's part of a restart file: whose contacts they are, how many values each
// keeps, and the ledger.

#ifndef LMP_GRANULAR_PLUS_RESTART_HEADER_H
#define LMP_GRANULAR_PLUS_RESTART_HEADER_H

#include "../core/ledger/energy_ledger.h"

#include <mpi.h>

#include <string>

namespace LAMMPS_NS {

class LAMMPS;

// error if a file has another format
void check_restart_format(LAMMPS *lmp, const std::string &who, double format);

struct RestartHeader {
  double format = 0.0;        // of the file
  double contents = 0.0;      // of the laws that keep values
  double values = 0.0;        // of a contact
  double parts = 0.0;         // which of what a ledger remembers, see HistoryLayout
  double vectors = 0.0;       // 1 where a separation or a normal goes with each contact
  double liquid = -1.0;       // the value that is the liquid of a bridge, if it belongs to the grains; else -1
  double widest_gap = 0.0;    // across which a bond was formed
  double ledger_started = 0.0;
  granular_plus::LedgerSums ledger;

  RestartHeader() = default;
  // on all ranks; the first one gets the ledger of all
  RestartHeader(MPI_Comm world, const std::string &contents, int values, unsigned parts, bool vectors, int liquid,
                const granular_plus::EnergyLedger &ledger);

  // Error if the file has another format. Returns how many values of a contact can be taken into rows that keep these parts,
  // the laws' coming first: all, those of the laws, or -1 where the models differ; then there is a warning, which also says
  // what becomes of the liquid of bridges.
  int values_that_suit(LAMMPS *lmp, const std::string &who, const std::string &contents, unsigned parts,
                       int values_of_laws) const;
  // to what the file holds: the sums of all ranks go to the first one
  void restore(granular_plus::EnergyLedger &ledger, bool first_rank) const;
};

// Of each atom a fix writes how many numbers follow, itself included, and then these; LAMMPS strings together what all fixes
// have written, and tells a fix that it is the nth.
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
