// Entry point of the plug-in: refuse a LAMMPS that it was not built for, then register the styles.

#include "compute_granular_ledger.h"
#include "compute_granular_liquid.h"
#include "fix_contact_history.h"
#include "fix_granular_film.h"
#include "fix_nve_sphere_plus.h"
#include "fix_shape_granular_plus.h"
#include "fix_wall_granular_plus.h"
#include "../lammps_version.h"
#include "pair_capillary_willett.h"
#include "pair_granular_plus.h"

#include "error.h"
#include "lammps.h"
#include "library.h"

#include <mpi.h>

#include <string>

using namespace LAMMPS_NS;

namespace {

std::string mpi_flavour_of(const std::string &description)
{
  for (const char *flavour : {"MPICH", "Intel", "MVAPICH", "Open MPI", "STUBS"})
    if (description.find(flavour) != std::string::npos) return flavour;
  return description.substr(0, description.find('\n'));
}

std::string compiled_mpi()
{
#if defined(MPICH_VERSION)
  return "MPICH";
#elif defined(OPEN_MPI)
  return "Open MPI";
#else
  return "STUBS";
#endif
}

// empty if this LAMMPS is the one that the plug-in was built for
std::string mismatch(void *lammps)
{
  const int version = lammps_version(lammps);
  if (version != GRANULAR_PLUS_LAMMPS_VERSION)
    return "built for LAMMPS version " + std::to_string(GRANULAR_PLUS_LAMMPS_VERSION) + ", this is LAMMPS version " +
        std::to_string(version);
  const int tag_bytes = lammps_extract_setting(lammps, "tagint");
  const int big_bytes = lammps_extract_setting(lammps, "bigint");
  const int image_bytes = lammps_extract_setting(lammps, "imageint");
  if (tag_bytes != sizeof(tagint) || big_bytes != sizeof(bigint) || image_bytes != sizeof(imageint))
    return "built for " + std::to_string(8 * sizeof(tagint)) + "-bit atom IDs and " +
        std::to_string(8 * sizeof(imageint)) + "-bit image flags, this LAMMPS has " + std::to_string(8 * tag_bytes) +
        " and " + std::to_string(8 * image_bytes) + " (smallbig and bigbig do not mix)";
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string flavour = mpi_flavour_of(std::string(text, length));
  if (flavour != compiled_mpi() && !(compiled_mpi() == "MPICH" && (flavour == "Intel" || flavour == "MVAPICH")))
    return "built with " + compiled_mpi() + ", this LAMMPS runs with " + flavour;
  return "";
}

void *create_pair(void *lammps) { return new PairGranularPlus(static_cast<LAMMPS *>(lammps)); }

void *create_bridges(void *lammps) { return new PairCapillaryWillett(static_cast<LAMMPS *>(lammps)); }

void *create_ledger(void *lammps, int narg, char **arg)
{
  return new ComputeGranularLedger(static_cast<LAMMPS *>(lammps), narg, arg);
}

void *create_liquid(void *lammps, int narg, char **arg)
{
  return new ComputeGranularLiquid(static_cast<LAMMPS *>(lammps), narg, arg);
}

void *create_history(void *lammps, int narg, char **arg)
{
  return new FixContactHistory(static_cast<LAMMPS *>(lammps), narg, arg);
}

void *create_film(void *lammps, int narg, char **arg)
{
  return new FixGranularFilm(static_cast<LAMMPS *>(lammps), narg, arg);
}

void *create_wall(void *lammps, int narg, char **arg)
{
  return new FixWallGranularPlus(static_cast<LAMMPS *>(lammps), narg, arg);
}

void *create_mover(void *lammps, int narg, char **arg)
{
  return new FixNVESpherePlus(static_cast<LAMMPS *>(lammps), narg, arg);
}

void *create_shape(void *lammps, int narg, char **arg)
{
  return new FixShapeGranularPlus(static_cast<LAMMPS *>(lammps), narg, arg);
}

}    // namespace

extern "C" void lammpsplugin_init(void *lammps, void *handle, void *register_function)
{
  const std::string problem = mismatch(lammps);
  if (!problem.empty())
    static_cast<LAMMPS *>(lammps)->error->all(FLERR,
                                              "The granular/plus plug-in does not fit this LAMMPS: " + problem +
                                                  ". Build and install it again with the LAMMPS that is to load it.");

  const auto add = reinterpret_cast<granular_plus_register>(register_function);
  granular_plus_registration style{};
  style.version = static_cast<LAMMPS *>(lammps)->version;
  style.author = "the granular/plus authors";
  style.handle = handle;

  style.style = "pair";
  style.name = "granular/plus";
  style.info = "granular/plus: granular contacts with C-SDS friction " GRANULAR_PLUS_VERSION;
  style.creator.v1 = create_pair;
  add(&style, lammps);

  style.name = "capillary/willett";
  style.info = "liquid bridges on top of any granular style " GRANULAR_PLUS_VERSION;
  style.creator.v1 = create_bridges;
  add(&style, lammps);

  style.style = "fix";
  style.name = "GRANULAR_PLUS/HISTORY";
  style.info = "contact history of pair granular/plus " GRANULAR_PLUS_VERSION;
  style.creator.v2 = create_history;
  add(&style, lammps);

  style.name = "granular/film";
  style.info = "films of grains that dry, are sprayed or come in wet " GRANULAR_PLUS_VERSION;
  style.creator.v2 = create_film;
  add(&style, lammps);

  style.name = "wall/granular/plus";
  style.info = "walls with the contact laws of pair granular/plus " GRANULAR_PLUS_VERSION;
  style.creator.v2 = create_wall;
  add(&style, lammps);

  style.name = "nve/sphere/plus";
  style.info = "LAMMPS's fix nve/sphere in vectors, to the same bits " GRANULAR_PLUS_VERSION;
  style.creator.v2 = create_mover;
  add(&style, lammps);

  style.name = "shape/granular/plus";
  style.info = "grains of any shape for pair granular/plus " GRANULAR_PLUS_VERSION;
  style.creator.v2 = create_shape;
  add(&style, lammps);

  style.style = "compute";
  style.name = "granular/ledger";
  style.info = "energy balance of pair granular/plus " GRANULAR_PLUS_VERSION;
  style.creator.v2 = create_ledger;
  add(&style, lammps);

  style.name = "granular/liquid";
  style.info = "liquid in the films and bridges of grains " GRANULAR_PLUS_VERSION;
  style.creator.v2 = create_liquid;
  add(&style, lammps);
}
