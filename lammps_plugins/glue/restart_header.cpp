#include "restart_header.h"

#include "films.h"
#include "../core/model/contact_model.h"

#include "comm.h"
#include "error.h"
#include "lammps.h"

using namespace LAMMPS_NS;

void LAMMPS_NS::check_restart_format(LAMMPS *lmp, const std::string &message_prefix, double format)
{
  if (format != granular_plus::RESTART_FORMAT)
    lmp->error->all(FLERR,
                    "{}: the restart file was written by another version of granular/plus (its format is {} instead of "
                    "{}); with that version, read the restart file and write a data file (write_data); then continue "
                    "from the data file",
                    message_prefix, format, granular_plus::RESTART_FORMAT);
}

RestartHeader::RestartHeader(MPI_Comm world, const std::string &contents, int values, unsigned parts,
                             bool has_extra_values, int liquid, const granular_plus::EnergyLedger &ledger)
    : format(granular_plus::RESTART_FORMAT), contents(granular_plus::fingerprint(contents)), values(values),
      parts(parts), has_extra_values(has_extra_values), liquid(liquid), ledger_started(ledger.started)
{
  const granular_plus::LedgerSums &here = ledger;
  MPI_Reduce(&here, &this->ledger, granular_plus::LedgerSums::COUNT, MPI_DOUBLE, MPI_SUM, 0, world);
}

int RestartHeader::usable_values(LAMMPS *lmp, const std::string &message_prefix, const std::string &contents_now,
                                 unsigned parts_now, int values_of_laws) const
{
  check_restart_format(lmp, message_prefix, format);
  if (contents == granular_plus::fingerprint(contents_now))
    return parts == parts_now ? static_cast<int>(values) : values_of_laws;
  const char *liquid_goes = liquid < 0.0 ? ""
      : films_of(lmp)                    ? "; the liquid of bridges returns to the films"
                      : "; the liquid of bridges is lost because there is no fix property/atom d_film";
  if (lmp->comm->me == 0)
    lmp->error->warning(FLERR,
                        "{}: the restart file was written with models that differ from the present models ({}): "
                        "contacts start without history{}",
                        message_prefix, contents_now, liquid_goes);
  return -1;
}

void RestartHeader::restore(granular_plus::EnergyLedger &to, bool first_rank) const
{
  to.started = ledger_started != 0.0;
  if (first_rank) static_cast<granular_plus::LedgerSums &>(to) = ledger;
}
