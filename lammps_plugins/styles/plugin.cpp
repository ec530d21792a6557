// Entry point of the plug-in: refuse a LAMMPS that it was not built for, then register the styles.

#include "compute_granular_dissipation.h"
#include "compute_granular_ledger.h"
#include "compute_granular_liquid.h"
#include "fix_bond_history.h"
#include "fix_contact_history.h"
#include "fix_granular_bond.h"
#include "fix_granular_film.h"
#include "fix_granular_temperature.h"
#include "fix_nve_sphere_plus.h"
#include "fix_shape_granular_plus.h"
#include "fix_wall_gran_plus.h"
#include "fix_wall_granular_plus.h"
#include "../lammps_version.h"
#include "pair_capillary_willett.h"
#include "pair_gran_plus.h"
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

template <class Style> void *create_pair(void *lammps) { return new Style(static_cast<LAMMPS *>(lammps)); }

template <class Style> void *create(void *lammps, int narg, char **arg)
{
  return new Style(static_cast<LAMMPS *>(lammps), narg, arg);
}

}    // namespace

extern "C" void lammpsplugin_init(void *lammps, void *handle, void *register_function)
{
  const std::string problem = mismatch(lammps);
  if (!problem.empty())
    static_cast<LAMMPS *>(lammps)->error->all(FLERR,
                                              "The granular/plus plug-in does not fit this LAMMPS: " + problem +
                                                  ". Build and install it again with the LAMMPS that is to load it.");

  auto *lmp = static_cast<LAMMPS *>(lammps);
  const auto add = reinterpret_cast<granular_plus_register>(register_function);
  granular_plus_registration style{};
  style.version = lmp->version;
  style.author = "the granular/plus authors";
  style.handle = handle;
  const auto add_pair = [&](const char *name, const char *info, granular_plus_factory *creator) {
    style.style = "pair";
    style.name = name;
    style.info = info;
    style.creator.v1 = creator;
    add(&style, lammps);
  };
  const auto add_other = [&](const char *kind, const char *name, const char *info,
                             granular_plus_factory_with_arguments *creator) {
    style.style = kind;
    style.name = name;
    style.info = info;
    style.creator.v2 = creator;
    add(&style, lammps);
  };

  add_pair("granular/plus", "granular/plus: granular contacts with C-SDS friction " GRANULAR_PLUS_VERSION,
           create_pair<PairGranularPlus>);
  add_pair("capillary/willett", "liquid bridges on top of any granular style " GRANULAR_PLUS_VERSION,
           create_pair<PairCapillaryWillett>);
  add_other("fix", "GRANULAR_PLUS/HISTORY", "contact history of pair granular/plus " GRANULAR_PLUS_VERSION,
            create<FixContactHistory>);
  add_other("fix", "GRANULAR_PLUS/BONDS", "bonds of pair granular/plus " GRANULAR_PLUS_VERSION, create<FixBondHistory>);
  add_other("fix", "granular/bond", "solid bonds that form, break and are removed " GRANULAR_PLUS_VERSION,
            create<FixGranularBond>);
  add_other("fix", "granular/film", "films of grains that dry, are sprayed or come in wet " GRANULAR_PLUS_VERSION,
            create<FixGranularFilm>);
  add_other("fix", "granular/temperature", "temperature of grains that come in " GRANULAR_PLUS_VERSION,
            create<FixGranularTemperature>);
  add_other("fix", "wall/granular/plus", "walls with the contact laws of pair granular/plus " GRANULAR_PLUS_VERSION,
            create<FixWallGranularPlus>);
  add_other("fix", "nve/sphere/plus", "fix nve/sphere in vectors, to the same bits " GRANULAR_PLUS_VERSION,
            create<FixNVESpherePlus>);
  add_other("fix", "shape/granular/plus", "grains of any shape for pair granular/plus " GRANULAR_PLUS_VERSION,
            create<FixShapeGranularPlus>);
  add_other("compute", "granular/ledger", "energy balance of pair granular/plus " GRANULAR_PLUS_VERSION,
            create<ComputeGranularLedger>);
  add_other("compute", "granular/dissipation",
            "where contacts of pair granular/plus lose energy " GRANULAR_PLUS_VERSION,
            create<ComputeGranularDissipation>);
  add_other("compute", "granular/liquid", "liquid in the films and bridges of grains " GRANULAR_PLUS_VERSION,
            create<ComputeGranularLiquid>);

  // what suffixes plus and plus/dsds put in the place of LAMMPS's styles
  const char *info = "for scripts of LAMMPS's granular styles, with suffix plus or plus/dsds " GRANULAR_PLUS_VERSION;
  add_pair("granular/plus/dsds", info, create_pair<PairGranularPlusDsds>);
  add_pair("gran/hooke/plus", info, create_pair<PairGranHookePlus>);
  add_pair("gran/hooke/plus/dsds", info, create_pair<PairGranHookePlusDsds>);
  add_pair("gran/hooke/history/plus", info, create_pair<PairGranHookeHistoryPlus>);
  add_pair("gran/hooke/history/plus/dsds", info, create_pair<PairGranHookeHistoryPlusDsds>);
  add_pair("gran/hertz/history/plus", info, create_pair<PairGranHertzHistoryPlus>);
  add_pair("gran/hertz/history/plus/dsds", info, create_pair<PairGranHertzHistoryPlusDsds>);
  add_other("fix", "wall/gran/plus", info, create<FixWallGranPlus>);
  add_other("fix", "wall/gran/plus/dsds", info, create<FixWallGranPlusDsds>);
  add_other("fix", "wall/gran/region/plus", info, create<FixWallGranPlus>);
  add_other("fix", "wall/gran/region/plus/dsds", info, create<FixWallGranPlusDsds>);
  add_other("fix", "nve/sphere/plus/dsds", info, create<FixNVESpherePlus>);
}
