#ifdef FIX_CLASS
// clang-format off
FixStyle(wall/granular/plus,FixWallGranularPlus);
// clang-format on
#else

#ifndef LMP_FIX_WALL_GRANULAR_PLUS_H
#define LMP_FIX_WALL_GRANULAR_PLUS_H

#include "fix.h"

#include "../contacts/outputs.h"
#include "../model/contact_model.h"
#include "surroundings.h"
#include "wall_surface.h"

#include "fix_contact_history.h"

#include <memory>
#include <string>
#include <vector>

namespace LAMMPS_NS {

// Walls with the contact laws of pair granular/plus: a contact with a wall is one whose partner cannot be moved.
class FixWallGranularPlus : public Fix {
 public:
  FixWallGranularPlus(class LAMMPS *, int, char **);
  ~FixWallGranularPlus() override;
  int setmask() override;
  void init() override;
  void setup(int) override;
  void post_force(int) override;
  void reset_dt() override;
  double compute_vector(int) override;

  void grow_arrays(int) override;
  void copy_arrays(int, int, int) override;
  void set_arrays(int) override;
  int pack_exchange(int, double *) override;
  int unpack_exchange(int, double *) override;
  void write_restart(FILE *) override;
  void restart(char *) override;
  int pack_restart(int, double *) override;
  void unpack_restart(int, int) override;
  int size_restart(int) override;
  int maxsize_restart() override;
  double memory_usage() override;

  // energies in the contacts and losses, as those of the pair style; of this processor's particles
  FixContactHistory::Ledger ledger;
  // done by the wall on the particles since the fix was defined, likewise
  double work = 0.0;

 private:
  std::unique_ptr<granular_plus::ContactModel> model;
  std::unique_ptr<WallSurface> surface;
  granular_plus::HistoryLayout layout;
  granular_plus::PairGroup pair_group{};
  const granular_plus::Kernels *kernels = nullptr;
  std::unique_ptr<granular_plus::Batch> batch;
  RigidBodies rigid_bodies;
  StepCheck step_check;

  // What contacts remember, those of a particle one after another. Each evaluation writes a new memory in the order of
  // the particles.
  struct Memory {
    std::vector<int> surface;       // which one of the wall
    std::vector<double> values;     // a row for each contact
    std::vector<double> normals;    // three values each, where normals turn and springs have to follow
  };
  Memory kept, next;
  int kept_then = -1;                        // contacts after the last evaluation; -1: there was none
  int *first = nullptr, *count = nullptr;    // of each particle's contacts in `kept`

  struct Contact {
    int particle;
    int remembered;    // where in `kept`, -1 for a new one
    int place;         // where in `next`
    WallPoint point;
  };
  // for a full batch: contacts, particles that a liquid bridge joins to the wall across a gap, contacts that have ended
  std::vector<Contact> waiting, apart, ended;
  int touching = 0;
  bool keeps_normals = false;
  bool keeps_ledger = false;
  // of the wall, by number or by variable
  double temperature = 0.0;
  std::string temperature_variable;
  bool softens = false;    // contacts are softer than their material, and may overlap too much
  std::vector<WallPoint> points;
  bool keeps_history = false;    // not in setup

  // of a body of the wall on the particles: force, and torque about the centre of the body
  struct Load {
    double force[3] = {}, torque[3] = {};
  };
  std::vector<Load> loads, loads_before;
  double growth_power = 0.0;

  double output[granular_plus::WALL_OUTPUTS];
  bool output_is_summed = false;

  // rows of the restart file, and how many of their values suit; -1: none
  int values_in_restart = 0, values_taken = -1;
  bool normals_in_restart = false;

  void parse_options(const std::vector<std::string> &words, std::size_t next_word);
  void set_layout();
  void check_bridges() const;
  void check_step();
  void warn_of_overlaps();
  void find_temperature();
  void collect_contacts(int i);
  void evaluate(std::vector<Contact> &contacts, const granular_plus::Stage *stages, int stage_count);
  void note_if_ended(int i, int remembered);
  void tally_ended();
  void fill_batch(const std::vector<Contact> &contacts);
  void apply(const Contact &contact, int lane, bool touches);
  double pass_heat(int i, int lane);
  void remember(const Contact &contact, int lane);
  void tally_batch(bool alive);
  void do_work();
  double value_before(int remembered, int h) const;
  void book_exchange();
  void find_turn(const Contact &contact, int lane);
  // of a contact for its atom: which surface, values, the normal
  int packed_size() const { return 1 + layout.size + (keeps_normals ? 3 : 0); }
  int unpack_contacts(int i, const double *buf, int size, int taken, bool with_normals);
};

}    // namespace LAMMPS_NS

#endif
#endif
