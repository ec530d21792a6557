// Computes time steps of grains on an executor, as long as the rest of the program does not need the grains.
// Independent of LAMMPS and of how contacts are stored: the owner of the contacts passes the whole state to the
// engine and takes it back.

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

// The stages of the contacts in a group of pairs or with a wall, see PairGroup.
struct ContactStages {
  StageList touching, separated, ending;
  BreakingGap breaking_gap;
  bool attracts, films, passes_heat, heat_crosses_gaps, observes;
  std::string name_on_gpu;    // name of the stages on a GPU, see stages_on_gpu
};

// The work of each step. Groups are bits of a grain's mask.
struct StepPlan {
  struct Pairs {    // pairs with the same contact model, consecutive in the list
    int begin, end;
    ContactStages stages;
    ModelConstants model;
    std::vector<double> signs;    // for each value of a contact: -1 if swapping the pair changes the sign
  };
  // how new neighbour lists are built
  struct Lists {
    steps::Box box;
    MotionBudget budgets;
    int types;
    std::vector<int> groups;    // index in `pairs` for types i, j at [i * (types + 1) + j]
    // largest gaps across which grains act on each other, in the same order
    std::vector<double> gaps = {};
    double widest_gap = 0.0;
  };
  struct Wall {
    int group;
    SimpleSurface surface;
    std::function<WallPose(int)> pose;    // pose in a step, counted from the step at which the state was given
    double temperature;
    bool springs_turn;    // springs are rotated with the normals of the surface
    int values;           // number of values in a contact's history
    ContactStages stages;
    ModelConstants model;
    std::shared_ptr<const FlatMesh> mesh;    // of SimpleSurface::MESH
    steps::MeshRoom room;                    // its `contacts` is also the number of sides
    double film;                             // thickness of the wall's film
  };
  // acts after the forces of pairs; actions are executed in this order
  struct Action {
    enum Kind { GRAVITY, FREEZE, WALL } kind;
    int group;
    double acceleration[3];    // acceleration of gravity
    int wall;                  // index in `walls`
  };

  // evaporation of films at the end of a step and, with dries_bridges, of bridges
  struct Evaporation {
    int group;
    double depth;    // thickness of the layer that evaporates
    bool dries_bridges;
  };

  double timestep = 0.0;
  steps::Movement movement{};
  std::vector<Pairs> pairs;
  std::optional<Lists> lists;    // empty if the owner of the grains builds the lists
  std::vector<Wall> walls;
  std::vector<Action> actions;
  std::vector<Evaporation> evaporation;
  // then temperatures, by each fix that integrates them; without any, contacts pass no heat
  struct Warming {
    int group;
    std::vector<double> capacity;    // heat per temperature, of each grain
  };
  std::vector<Warming> warming;
  bool radiates = false;    // if grains do, a step begins only with temperatures > 0
  int observables = 0;      // with a ledger: largest number of observables that stages fill
};

// The neighbour list: pairs that may touch before it is rebuilt.
struct ListedPairs {
  std::vector<int> i, j, shift;    // the two grains, and the image of the second (steps::shift_of)
  double period[3] = {};
  bool both_receive = false;    // the owner of an image receives the force on the image, as with newton on
  // position of each grain when the list was built, and its allowed displacement
  std::vector<double> positions, budgets;

  int grains() const { return static_cast<int>(budgets.size()); }
};

// History of contacts; value h of contact c is at [h * contacts + c].
struct RememberedContacts {
  std::vector<double> history, extra;
  std::vector<int> alive;
  std::vector<int> names;    // names of contacts with a mesh, see MeetMesh
  // With a ledger, on return: sums of its observables over the steps. A pair that is seen from both sides counts
  // half on each side.
  std::vector<double> observed = {};
  double heat_made = 0.0, heat_of_wall = 0.0;    // likewise: heat per time that contacts made, and that a wall gave
  // For a wall that moves as a function of time, on return: sums of steps::WallLoads over its contacts.
  std::vector<double> load = {};
  // for a wall under a load
  std::optional<LoadedWall> loaded = {};
  // With liquid from films, on return. Of a wall: the volume that it took from bridges minus the volume that it
  // gave. Of pairs: the volume lost to each evaporation. Of both: the largest volume outside the range of the fit,
  // see capillary::Films.
  double taken = 0.0;
  std::vector<double> evaporated = {};
  double outside_fit = 0.0;
};

// Arrays of the owner of the grains. Vectors are rows of three.
struct GrainArrays {
  double *position, *velocity, *spin, *force, *torque;
  double *temperature, *heatflow;    // if the plan has `warming`
  const double *radius, *mass, *packed_mass;
  const int *mask, *type;
  const std::int64_t *tag;
  double *film = nullptr;    // null if no bridges take their liquid from films
};

// The neighbour lists that the engine has built since it was given the state.
struct MadeLists {
  int count = 0, steps_ago = 0;              // number of lists, and steps since the last one
  std::vector<double> position, velocity;    // of the grains from which the last list was built
  // rows of three: number of periods that these lists together added to the position of each grain
  std::vector<int> wraps;
};

class GrainEngine {
 public:
  virtual ~GrainEngine() = default;
  // Called in this order: set_list with a new list; then load with state and plan, as often as these change.
  virtual void set_list(const ListedPairs &list) = 0;
  virtual void load(const GrainArrays &grains, const StepPlan &plan, int history_size, const RememberedContacts &pairs,
                    const std::vector<RememberedContacts> &walls) = 0;
  // Computes at most `most` steps and returns their number. It stops before a step that takes a grain beyond its
  // motion budget, unless this is one of the first `with_lists` steps and the plan defines how lists are built.
  virtual int steps(int most, int with_lists) = 0;
  // Whether there was too little room at a mesh. The steps since the state was given are then invalid, and the
  // state must be given again, with a plan that has more room.
  virtual bool lacks_room(int &wall, bool &for_triangles) const = 0;
  virtual MadeLists made_lists() const = 0;
  virtual void unload(const GrainArrays &grains, RememberedContacts &pairs, std::vector<RememberedContacts> &walls) = 0;
};

// The name of the type CompiledStages for a contact model with this number of history values. of_mesh: for patches of
// a mesh.
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
