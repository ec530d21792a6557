#include "mesh_warnings.h"

#include "comm.h"
#include "error.h"

using namespace LAMMPS_NS;

namespace {

constexpr struct {
  const char *what, *more;
} MESSAGES[MeshWarnings::EVENTS] = {
    {"got behind", "keyword onesided warns only of the first such grain"},
    {"had two contacts that merged into one at", "the ledger counts the change of energy as a numerical loss"},
    {"is squeezed from opposite sides but has only one contact, at",
     "the opposite forces and their friction cancel; use a smaller angle of keyword feature, so that each side is a "
     "separate contact"},
    {"reaches through a plate to",
     "both faces push the grain, which makes the wall stiffer; model such a thin plate as a sheet, or use a stiffer "
     "contact model"}};

}    // namespace

void MeshWarnings::warn()
{
  for (int k = 0; k < EVENTS; ++k) {
    auto &event = noted[k];
    if (event.warned) continue;
    struct {
      double triangle;
      int rank;
    } here{event.triangle, comm->me}, found;
    MPI_Allreduce(&here, &found, 1, MPI_DOUBLE_INT, MPI_MAXLOC, world);
    if (found.triangle == 0.0) continue;
    event.warned = true;
    double all[2] = {event.grain, event.triangle};
    MPI_Bcast(all, 2, MPI_DOUBLE, found.rank, world);
    if (comm->me == 0)
      error->warning(FLERR, "granular/plus: mesh {}: grain {:.0f} {} triangle {:.0f}; {}", file, all[0],
                     MESSAGES[k].what, all[1], MESSAGES[k].more);
  }
}
