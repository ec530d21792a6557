// Registers the styles, or stops LAMMPS with an error if the plug-in was built for another version of LAMMPS.

#include "all_styles.h"
#include "glue/lammps_version.h"

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

// Returns an empty string if the plug-in was built for this LAMMPS, otherwise a description of the difference.
std::string mismatch(void *lammps)
{
  const int version = lammps_version(lammps);
  if (version != GRANULAR_PLUS_LAMMPS_VERSION)
    return "it was built for LAMMPS version " + std::to_string(GRANULAR_PLUS_LAMMPS_VERSION) +
        ", but this is LAMMPS version " + std::to_string(version);
  const int tag_bytes = lammps_extract_setting(lammps, "tagint");
  const int big_bytes = lammps_extract_setting(lammps, "bigint");
  const int image_bytes = lammps_extract_setting(lammps, "imageint");
  if (tag_bytes != sizeof(tagint) || big_bytes != sizeof(bigint) || image_bytes != sizeof(imageint))
    return "it was built for " + std::to_string(8 * sizeof(tagint)) + "-bit atom IDs and " +
        std::to_string(8 * sizeof(imageint)) + "-bit image flags, but this LAMMPS has " +
        std::to_string(8 * tag_bytes) + "-bit atom IDs and " + std::to_string(8 * image_bytes) +
        "-bit image flags (smallbig and bigbig cannot be combined)";
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string flavour = mpi_flavour_of(std::string(text, length));
  if (flavour != compiled_mpi() && !(compiled_mpi() == "MPICH" && (flavour == "Intel" || flavour == "MVAPICH")))
    return "it was built with " + compiled_mpi() + ", but this LAMMPS runs with " + flavour;
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
                                                  ". Rebuild and install the plug-in with the LAMMPS that loads it.");

  auto *lmp = static_cast<LAMMPS *>(lammps);
  const auto add = reinterpret_cast<granular_plus_register>(register_function);
  granular_plus_registration style{};
  style.version = lmp->version;
  style.author = "the granular/plus authors";
  style.handle = handle;
  const auto announce = [&](const char *kind, const char *name, const char *info) {
    style.style = kind;
    style.name = name;
    style.info = info;
    add(&style, lammps);
  };
#define INFO(STYLE) STYLE " of granular/plus " GRANULAR_PLUS_VERSION
#define PAIR_CLASS
#define PairStyle(NAME, CLASS) \
  style.creator.v1 = create_pair<CLASS>; \
  announce("pair", #NAME, INFO("pair style " #NAME))
#define FIX_CLASS
#define FixStyle(NAME, CLASS) \
  style.creator.v2 = create<CLASS>; \
  announce("fix", #NAME, INFO("fix " #NAME))
#define COMPUTE_CLASS
#define ComputeStyle(NAME, CLASS) \
  style.creator.v2 = create<CLASS>; \
  announce("compute", #NAME, INFO("compute " #NAME))
#define INTEGRATE_CLASS
#define IntegrateStyle(NAME, CLASS) \
  style.creator.v2 = create<CLASS>; \
  announce("run", #NAME, INFO("run style " #NAME))
#include "all_styles.h"
}
