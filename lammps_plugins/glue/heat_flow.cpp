#include "heat_flow.h"

#if __has_include("fix_heat_flow.h")
#include "fix_heat_flow.h"
#else

#include "fix.h"

namespace LAMMPS_NS {

// Members and virtual functions are in LAMMPS's order.
class FixHeatFlow : public Fix {
 public:
  FixHeatFlow(class LAMMPS *, int, char **);
  int setmask() override;
  void init() override;
  void setup_pre_force(int) override;
  void pre_force(int) override;
  void final_integrate() override;
  void final_integrate_respa(int, int) override;
  int pack_forward_comm(int, int *, double *, int, int *) override;
  void unpack_forward_comm(int, int, double *) override;
  int pack_reverse_comm(int, int, double *) override;
  void unpack_reverse_comm(int, int *, double *) override;
  void reset_dt() override;

 protected:
  double step;
  double cp, *cp_type;    // cp_type is not initialized if cp applies to all types
  int cp_style;
  int is_first;
};

}    // namespace LAMMPS_NS

#endif

using namespace LAMMPS_NS;

double LAMMPS_NS::specific_heat(Fix *heat_flow, int type)
{
  constexpr int BY_TYPE = 2;    // value of an enumeration in LAMMPS
  struct Seen : FixHeatFlow {
    static double of(FixHeatFlow &fix, int type)
    {
      return fix.*&Seen::cp_style == BY_TYPE ? (fix.*&Seen::cp_type)[type] : fix.*&Seen::cp;
    }
  };
  return Seen::of(*static_cast<FixHeatFlow *>(heat_flow), type);
}
