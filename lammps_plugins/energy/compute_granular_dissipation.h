#ifdef COMPUTE_CLASS
// clang-format off
ComputeStyle(granular/dissipation,ComputeGranularDissipation);
// clang-format on
#else

#ifndef LMP_COMPUTE_GRANULAR_DISSIPATION_H
#define LMP_COMPUTE_GRANULAR_DISSIPATION_H

#include "dissipation_receiver.h"

#include "../core/ledger/dissipation.h"

#include <string>
#include <vector>

namespace LAMMPS_NS {

// Dissipation of contacts. Per grain: half of a contact's loss for each of its grains, all of it at a wall. Or per
// contact of two grains.
class ComputeGranularDissipation : public DissipationReceiver {
 public:
  ComputeGranularDissipation(class LAMMPS *, int, char **);
  ~ComputeGranularDissipation() override;
  void init() override;
  void compute_peratom() override;
  void compute_local() override;
  void set_arrays(int) override;
  int pack_reverse_comm(int, int, double *) override;
  void unpack_reverse_comm(int, int *, double *) override;
  double memory_usage() override;

  void begin_pairs() override;
  void end_pairs(bool ghosts_have_got) override;
  void add(const granular_plus::LoopWork &work, bool seen_from_both) override;
  void add_to_bridge(int i, int j, double energy) override;

 private:
  bool pairs = false;          // a row for each contact of two grains
  std::vector<int> columns;    // output columns
  std::string store;           // fix property/atom that keeps sums
  double **of_step = nullptr;
  int of_step_rows = 0, put_out = 0;
  bigint counted = -1;    // last step whose losses are complete
  double **rows() const;
  static constexpr int NOBODY = -1;    // partner of a grain at a wall
  // adds the losses of a contact to the rows of its grains or, with `pairs`, to the list of contacts
  void give(double **lost, int i, int j, const granular_plus::Dissipation &here, bool seen_from_both);

  std::vector<double> losses;    // for the contacts of a step, row by row
  std::vector<double *> loss_rows;
  void add_pair(int i, int j, const granular_plus::Dissipation &, bool seen_from_both);
  void check_counted() const;
};

}    // namespace LAMMPS_NS

#endif
#endif
