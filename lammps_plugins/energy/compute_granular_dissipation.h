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

// Dissipation of contacts, per contact of two grains or per grain. Each of the two grains of a contact gets half of the
// loss. A grain at a wall gets the whole loss.
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
  void add_bridge_loss(int i, int j, double energy) override;

 private:
  bool pairs = false;    // if true, the output has a row for each contact of two grains
  std::vector<int> columns;
  std::string store;             // ID of the fix property/atom that stores sums
  double **of_step = nullptr;    // losses in this step, in a row for each grain; unused if `sums` or `pairs` is true
  int of_step_rows = 0, array_atom_rows = 0;    // number of rows of of_step and of array_atom
  bigint counted_step = -1;                     // last step whose losses have all been added
  double **rows() const;
  static constexpr int NOBODY = -1;    // partner of a grain in a contact with a wall
  void give(double **lost, int i, int j, const granular_plus::Dissipation &here, bool seen_from_both);

  std::vector<double> losses;
  std::vector<double *> loss_rows;
  void add_pair(int i, int j, const granular_plus::Dissipation &, bool seen_from_both);
  void check_counted() const;
};

}    // namespace LAMMPS_NS

#endif
#endif
