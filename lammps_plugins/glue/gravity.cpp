#include "gravity.h"

#if __has_include("fix_gravity.h")
#include "fix_gravity.h"
#else

#include "fix.h"

namespace LAMMPS_NS {

// Members and virtual functions are in LAMMPS's order.
class FixGravity : public Fix {
 public:
  FixGravity(class LAMMPS *, int, char **);
  ~FixGravity() override;
  int setmask() override;
  void init() override;
  void setup(int) override;
  void post_force(int) override;
  void post_force_respa(int, int, int) override;
  double compute_scalar() override;
  void *extract(const char *, int &) override;
  enum { CONSTANT, EQUAL };

 protected:
  int style, disable;
  double magnitude;
  double vertical, phi, theta;
  double given[3], direction[3], xacc, yacc, zacc;
  int respa_level_of_it;
  int time_origin;
  double vector[3];
  int knows_energy;
  double energy, energy_of_all;
  int varflag;    // CONSTANT, or EQUAL if a variable gives the angle
};

}    // namespace LAMMPS_NS

#endif

using namespace LAMMPS_NS;

bool LAMMPS_NS::constant_gravity(Fix *gravity, double *acceleration)
{
  struct Seen : FixGravity {
    static bool constant(FixGravity &fix, double *result)
    {
      result[0] = fix.*&Seen::xacc;
      result[1] = fix.*&Seen::yacc;
      result[2] = fix.*&Seen::zacc;
      return fix.*&Seen::varflag == CONSTANT && !(fix.*&Seen::disable);
    }
  };
  return Seen::constant(*static_cast<FixGravity *>(gravity), acceleration);
}
