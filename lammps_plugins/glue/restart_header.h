// Header of each style's part of a restart file: the models of the contacts, the number of values of each contact,
// and the ledger.

#ifndef LMP_GRANULAR_PLUS_RESTART_HEADER_H
#define LMP_GRANULAR_PLUS_RESTART_HEADER_H

#include "../core/ledger/energy_ledger.h"

#include <mpi.h>

#include <string>

namespace LAMMPS_NS {

class LAMMPS;

// stops with an error if the file has another format
void check_restart_format(LAMMPS *lmp, const std::string &who, double format);

struct RestartHeader {
  double format = 0.0;        // of the file
  double contents = 0.0;      // fingerprint of the laws that store values
  double values = 0.0;        // of a contact
  double parts = 0.0;         // parts that a ledger stores, see HistoryLayout
  double vectors = 0.0;       // 1 if a separation or a normal is stored with each contact
  double liquid = -1.0;       // index of the value that is the liquid of a bridge, if it belongs to the grains; else -1
  double widest_gap = 0.0;    // largest gap across which a bond was formed
  double ledger_started = 0.0;
  granular_plus::LedgerSums ledger;

  RestartHeader() = default;
  // to be called on all ranks; the first one writes the ledger of all
  RestartHeader(MPI_Comm world, const std::string &contents, int values, unsigned parts, bool vectors, int liquid,
                const granular_plus::EnergyLedger &ledger);

  // Stops with an error if the file has another format. Returns how many leading values of a contact can be used in
  // rows with these parts: all, those of the laws, or -1 if the models differ. In that case it warns, and the warning
  // also states where the liquid of bridges goes.
  int usable_values(LAMMPS *lmp, const std::string &who, const std::string &contents, unsigned parts,
                    int values_of_laws) const;
  // sets it to the values in the file: the first rank gets the sums of all ranks
  void restore(granular_plus::EnergyLedger &ledger, bool first_rank) const;
};

// For each atom a fix writes the size of its record, itself included, and then the values; LAMMPS concatenates the
// records of all fixes, and tells each fix its index.
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
