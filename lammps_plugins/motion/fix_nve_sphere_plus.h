#ifdef FIX_CLASS
// clang-format off
FixStyle(nve/sphere/plus,FixNVESpherePlus);
FixStyle(nve/sphere/plus/dsds,FixNVESpherePlus);
// clang-format on
#else

#ifndef LMP_FIX_NVE_SPHERE_PLUS_H
#define LMP_FIX_NVE_SPHERE_PLUS_H

#include "fix.h"

#include "../core/kernels/kernels.h"

#include <memory>

namespace LAMMPS_NS {

// A vectorised version of LAMMPS's fix nve/sphere. Results are bitwise identical.
class FixNVESpherePlus : public Fix {
 public:
  FixNVESpherePlus(class LAMMPS *, int, char **);
  int setmask() override;
  void init() override;
  void initial_integrate(int) override;
  void final_integrate() override;
  void reset_dt() override;

  bool is_left_to_lammps() const { return of_lammps != nullptr; }

 private:
  const granular_plus::Kernels *kernels = nullptr;
  std::unique_ptr<Fix> of_lammps;    // LAMMPS's own fix, used if there are keywords; null otherwise

  void move(double **position);
  void move_few(int n, double **position, double per_mass, double per_inertia) const;
};

}    // namespace LAMMPS_NS

#endif
#endif
