// Computes time steps of grains on an executor, between two moments at which the rest of a program needs to see them. Knows
// neither LAMMPS nor where contacts are kept: whoever owns them hands everything over and takes it back.

#ifndef GRANULAR_PLUS_GRAIN_ENGINE_H
#define GRANULAR_PLUS_GRAIN_ENGINE_H

#include "../core/kernels/kernels.h"
#include "step_kernels.h"

#include <string>
#include <vector>

namespace granular_plus {

// What is done in each step. Groups are bits of a grain's mask.
struct StepPlan {
  struct Pairs {    // of one contact model, next to each other in the list
    int begin, end;
    StageList touching;
    std::string on_card;    // see stages_on_card
    ModelConstants model;
  };
  struct Wall {
    int group;
    RestingSurface surface;
    bool springs_turn;    // with the normals of the surface
    int values;           // that a contact remembers
    StageList touching;
    std::string on_card;
    ModelConstants model;
  };
  // after the forces of pairs, in this order
  struct Action {
    enum Kind { GRAVITY, FREEZE, WALL } kind;
    int group;
    double acceleration[3];    // of gravity
    int wall;                  // number in `walls`
  };

  double timestep = 0.0;
  steps::Movement movement{};
  std::vector<Pairs> pairs;
  std::vector<Wall> walls;
  std::vector<Action> actions;
};

// The neighbour list: which pairs may touch before it is renewed. Grains are the owned ones, then their ghosts.
struct ListedPairs {
  int owned = 0;
  std::vector<int> i, j;
  std::vector<double> cutoff_squared;    // as in EvaluatePairs; empty where all contacts end as surfaces part
  std::vector<int> owner, periods;       // of each ghost: whose image it is, and how many periods away, rows of three
  double period[3] = {};
  bool both_receive = false;                 // the owner of a ghost receives what acts on the ghost, as with newton on
  std::vector<double> positions, budgets;    // of owned grains: where the list was made, and how far they may move

  int grains() const { return owned + static_cast<int>(owner.size()); }
};

// What contacts remember; value h of contact c at [h * contacts + c].
struct RememberedContacts {
  std::vector<double> history, beside;
  std::vector<int> alive;
};

// Arrays of whoever owns the grains, ghosts included; vectors as rows of three.
struct GrainArrays {
  double *position, *velocity, *spin, *force, *torque;
  const double *radius, *mass, *packed_mass;
  const int *mask;
};

class GrainEngine {
 public:
  virtual ~GrainEngine() = default;
  // in this order: a new list; state and plan, as often as they have changed
  virtual void set_list(const ListedPairs &list) = 0;
  virtual void load(const GrainArrays &grains, const StepPlan &plan, int history_size, const RememberedContacts &pairs,
                    const std::vector<RememberedContacts> &walls) = 0;
  // Computes so many steps at most, and returns how many: it ends before one that takes a grain further than its motion budget.
  virtual int steps(int most) = 0;
  virtual void unload(const GrainArrays &grains, RememberedContacts &pairs, std::vector<RememberedContacts> &walls) = 0;
};

// The type CompiledStages of a contact model whose contacts remember so many values.
inline std::string stages_on_card(const PairGroup &group, int values)
{
  const auto &[normal, damping, tangential, slider, rolling, twisting, synchronized] = group.laws;
  const ModelConstants &model = group.constants;
  std::string numbers;
  for (const int number : {normal, damping, tangential, slider, rolling, twisting, static_cast<int>(synchronized),
                           model.normal_history, model.tangential_history, model.rolling_history,
                           model.twisting_history, values, static_cast<int>(model.meets_surface)})
    numbers += (numbers.empty() ? "" : ", ") + std::to_string(number);
  return "granular_plus::steps::CompiledStages<" + numbers + ">";
}

}    // namespace granular_plus

#endif
