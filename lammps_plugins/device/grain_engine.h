// Computes time steps of grains on an executor. The engine does not depend on LAMMPS. The owner of the contacts passes
// the whole state to the engine and later takes the state back.

#ifndef GRANULAR_PLUS_GRAIN_ENGINE_H
#define GRANULAR_PLUS_GRAIN_ENGINE_H

#include "../core/kernels/kernels.h"
#include "body_under_load.h"
#include "list_kernels.h"
#include "mesh_kernels.h"

#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace granular_plus {

struct FlatMesh;

struct ContactStages {
  StageList touching, separated, ending;
  BreakingGap breaking_gap;
  bool attracts, films, passes_heat, heat_crosses_gaps, observes;
  std::string name_on_gpu;    // see stages_on_gpu
};

// The work of each step. Each `group` is a bit in the masks of grains.
struct StepPlan {
  struct Pairs {    // pairs with one contact model, consecutive in the list
    int begin, end;
    ContactStages stages;
    ModelConstants model;
    std::vector<double> signs;    // for each value of a contact: -1 if the value changes sign when the pair is swapped
  };
  struct Lists {
    steps::Box box;
    MotionBudget budgets;
    int types;
    std::vector<int> groups;    // index in `pairs` for types i, j at [i * (types + 1) + j]
    // largest gaps across which grains of types i, j act on each other
    std::vector<double> gaps = {};
    double widest_gap = 0.0;
  };
  struct Wall {
    int group;
    SimpleSurface surface;
    std::function<WallPose(int)> pose;    // steps are counted from GrainEngine::load
    double temperature;
    bool springs_turn;
    int values;
    ContactStages stages;
    ModelConstants model;
    std::shared_ptr<const FlatMesh> mesh;    // triangles of a SimpleSurface::MESH
    steps::MeshRoom room;                    // room.contacts equals surface.sides
    double film;                             // thickness of the wall's film
  };
  struct Action {
    enum Kind { GRAVITY, FREEZE, WALL } kind;
    int group;
    double acceleration[3];
    int wall;
  };

  struct Evaporation {
    int group;
    double depth;    // thickness of the evaporated layer
    bool dries_bridges;
  };

  double timestep = 0.0;
  steps::Movement movement{};
  std::vector<Pairs> pairs;
  std::optional<Lists> lists;    // empty if the owner of the grains builds the lists
  std::vector<Wall> walls;
  std::vector<Action> actions;
  std::vector<Evaporation> evaporation;
  // A fix that integrates the temperatures of its group. If there is no such fix, contacts pass no heat.
  struct Warming {
    int group;
    std::vector<double> capacity;    // heat capacity of each grain
  };
  std::vector<Warming> warming;
  bool radiates = false;    // true if grains or walls radiate, which requires temperatures > 0
  int observables = 0;      // largest number of observables that stages fill; 0 without a ledger
};

struct ListedPairs {
  std::vector<int> i, j, shift;    // the two grains, and the image of the second (steps::shift_of)
  double period[3] = {};
  bool both_receive = false;    // if true, the grain of an image receives the force on the image, as with newton on
  // for each grain: position when the list was built, and allowed displacement
  std::vector<double> positions, budgets;

  int grains() const { return static_cast<int>(budgets.size()); }
};

// History of contacts. Value h of contact c is at [h * contacts + c].
struct RememberedContacts {
  std::vector<double> history, extra;
  std::vector<int> alive;
  std::vector<int> names;    // names of contacts with a mesh, see EvaluateMeshContacts
  // Set on return if there is a ledger: sums of observables over the steps. If a pair is listed once for each of its
  // grains, each of the two entries has the weight 1/2.
  std::vector<double> observed = {};
  double heat_made = 0.0, heat_of_wall = 0.0;    // sums over steps of heat per time
  // Set on return for a wall that moves: sums of steps::WallLoads over the contacts of the wall.
  std::vector<double> load = {};
  std::optional<LoadedWall> loaded = {};
  // Set on return if there are films. taken: volume that a wall took from bridges minus volume that the wall gave to
  // bridges. evaporated: for each fix that dries liquid, the volume that films and bridges lost. outside_fit: largest
  // result of Films::outside_fit.
  double taken = 0.0;
  std::vector<double> evaporated = {};
  double outside_fit = 0.0;
};

// Arrays that belong to the program that owns the grains. A vector takes three consecutive numbers.
struct GrainArrays {
  double *position, *velocity, *spin, *force, *torque;
  double *temperature, *heatflow;    // used if the plan has `warming`
  const double *radius, *mass, *packed_mass;
  const int *mask, *type;
  const std::int64_t *tag;
  double *film = nullptr;    // null if no liquid moves or evaporates
};

// the lists that the engine has built since the state was loaded
struct MadeLists {
  int count = 0, steps_ago = 0;              // number of lists, and steps since the last list
  std::vector<double> position, velocity;    // positions and velocities of the grains when the last list was built
  // rows of three: number of periods that were added to the position of each grain when these lists were built
  std::vector<int> wraps;
};

class GrainEngine {
 public:
  virtual ~GrainEngine() = default;
  // set_list must be called for each new list. load must be called after set_list and whenever the state or the plan
  // changes.
  virtual void set_list(const ListedPairs &list) = 0;
  virtual void load(const GrainArrays &grains, const StepPlan &plan, int history_size, const RememberedContacts &pairs,
                    const std::vector<RememberedContacts> &walls) = 0;
  // Computes at most `most` steps and returns the number of computed steps. Before a step that would take a grain
  // beyond its motion budget, the engine either builds a new list or stops. It builds a list if the plan has `lists`
  // and the step is one of the first `with_lists` steps.
  virtual int run_steps(int most, int with_lists) = 0;
  // Returns whether the arrays of a mesh were too small. If so, the steps since the state was loaded are invalid, and
  // the state must be loaded again with a plan that has more room.
  virtual bool lacks_room(int &wall, bool &for_triangles) const = 0;
  virtual MadeLists made_lists() const = 0;
  virtual void unload(const GrainArrays &grains, RememberedContacts &pairs, std::vector<RememberedContacts> &walls) = 0;
};

inline std::string stages_on_gpu(const PairGroup &group, int values, bool observes, bool of_mesh = false)
{
  const auto &[normal, damping, tangential, slider, rolling, twisting, bridge, heat, attracts, warms, synchronized] =
      group.laws;
  const ModelConstants &model = group.constants;
  std::vector<int> numbers = {normal,
                              damping,
                              tangential,
                              slider,
                              rolling,
                              twisting,
                              bridge,
                              heat,
                              static_cast<int>(attracts),
                              static_cast<int>(group.passes_heat),
                              static_cast<int>(warms),
                              static_cast<int>(synchronized),
                              model.normal_history,
                              model.tangential_history,
                              model.rolling_history,
                              model.twisting_history,
                              model.bridge_history,
                              values,
                              of_mesh ? 2 : static_cast<int>(model.meets_surface),
                              observes ? model.observables : 0};
  if (observes) numbers.insert(numbers.end(), std::begin(model.remembered), std::end(model.remembered));
  std::string list;
  for (const int number : numbers) list += (list.empty() ? "" : ", ") + std::to_string(number);
  return "granular_plus::steps::CompiledStages<" + list + ">";
}

inline ContactStages contact_stages(const PairGroup &group, int values, bool observes, bool of_mesh = false)
{
  return {group.touching,    group.separated,
          group.ending,      group.breaking_gap,
          group.attracts,    group.film,
          group.passes_heat, group.heat_crosses_gaps,
          observes,          stages_on_gpu(group, values, observes, of_mesh)};
}

}    // namespace granular_plus

#endif
