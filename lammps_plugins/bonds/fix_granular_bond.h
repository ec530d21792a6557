#ifdef FIX_CLASS
// clang-format off
FixStyle(granular/bond,FixGranularBond);
// clang-format on
#else

#ifndef LMP_FIX_GRANULAR_BOND_H
#define LMP_FIX_GRANULAR_BOND_H

#include "fix.h"

#include "../glue/options.h"
#include "fix_granular_bond_history.h"

#include <cstdio>
#include <string>
#include <vector>

namespace LAMMPS_NS {

// Forms and removes bonds, and records broken bonds. The pair style owns the bonds.
class FixGranularBond : public Fix {
 public:
  FixGranularBond(class LAMMPS *, int, char **);
  ~FixGranularBond() override;
  int setmask() override;
  void init() override;
  void setup_pre_force(int) override;
  void pre_force(int) override;
  void end_of_step() override;
  void post_run() override;
  int modify_param(int, char **) override;
  double compute_vector(int) override;
  void write_restart(FILE *) override;
  void restart(char *) override;
  void *extract(const char *, int &) override;    // "gap": largest gap at which bonds form

 private:
  double largest_gap = 0.0;
  bigint every = 0;    // 0: bonds form only once
  int types[2][2];     // range of types of each of the two grains
  std::string events_name;
  FILE *events_file = nullptr;
  std::vector<std::string> to_remove;    // IDs of groups
  class PairGranularPlus *pair = nullptr;
  enum { BONDS, BROKEN, FORMED, REMOVED, OUTPUTS };
  bool has_formed = false;
  bigint formed = 0, removed = 0;    // on all ranks
  bigint broken = 0;                 // on this rank
  std::vector<BrokenBond> events;

  static const Options<FixGranularBond> OPTIONS, CHANGES;    // CHANGES: keywords of fix_modify
  void set_events(const std::string &name);
  void form();
  void begin_events();
  void write_events();
};

}    // namespace LAMMPS_NS

#endif
#endif
