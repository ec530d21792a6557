// Neighbour lists built on an executor, compared with a search through all pairs.

#include "device/device_list_maker.h"
#include "shuffled_executor.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <random>
#include <tuple>
#include <vector>

using namespace granular_plus;

namespace {

constexpr int VALUES = 4;
constexpr std::int64_t WIDE = 1LL << 40;    // LAMMPS may use IDs of 64 bits
using Periods = std::array<int, 3>;
// IDs of two grains, and the offset between their images in box periods
using Identity = std::tuple<int, int, Periods>;

// Grains of two types in a box that is periodic in two dimensions.
class Scene {
 public:
  ShuffledExecutor executor;
  StepPlan plan;
  int grains;
  std::vector<double> position, velocity, radius, mass;
  std::vector<int> mask, type;
  std::vector<std::int64_t> tag;

  Scene(int grains, double edge) : grains(grains), random(grains), maker(executor)
  {
    StepPlan::Lists lists{{{-1.0, 2.0, 0.0}, {edge - 1.0, edge + 2.0, edge}, {edge, edge, edge}, {true, true, false}},
                          {0.05, 0.2, 0.1, 0.01},
                          2,
                          {-1, -1, -1, -1, 0, 1, -1, 1, 0}};
    plan.lists = lists;
    plan.pairs.resize(2);
    plan.pairs[0].signs = {-1.0, 1.0, -1.0, 1.0};
    plan.pairs[1].signs = {1.0, -1.0, 1.0, -1.0};
    for (int a = 0; a < grains; ++a) {
      for (int d = 0; d < 3; ++d) {
        position.push_back(lists.box.low[d] + lists.box.period[d] * uniform());
        velocity.push_back(20.0 * (uniform() - 0.5));
      }
      radius.push_back(0.2 + 0.3 * uniform());
      mass.push_back(1.0);
      mask.push_back(1);
      type.push_back(1 + static_cast<int>(random() % 2));
      tag.push_back(a + 1 + (a % 2 == 0 ? WIDE : 0));
    }
    std::shuffle(tag.begin(), tag.end(), random);
    for (auto [room, values] : {std::pair{&on.position, &position}, {&on.velocity, &velocity}, {&on.radius, &radius}})
      room->set(executor, *values);
    GrainArrays given{};
    given.type = type.data();
    given.tag = tag.data();
    maker.begin(plan, given, grains);
  }

  void make_list(double farthest)
  {
    position = on.position.copy(executor);
    for (int c = 0; c < 3 * grains; ++c) {
      position[c] += 2.0 * farthest * (uniform() - 0.5);
      const auto &box = plan.lists->box;
      if (c % 3 == 2) position[c] = std::clamp(position[c], box.low[2], box.high[2]);
    }
    on.position.set(executor, position);
    std::swap(contacts, before);
    maker.make(plan, view(), ++lists, VALUES, before, contacts);
    position = on.position.copy(executor);
  }

  struct List {
    std::vector<int> i, j, shift;
    bool operator==(const List &other) const { return i == other.i && j == other.j && shift == other.shift; }
  };
  List made() { return {copy(maker.listed().i), copy(maker.listed().j), copy(maker.listed().shift)}; }

  List all_pairs_by_distance() const
  {
    const auto &lists = *plan.lists;
    std::vector<std::array<std::int64_t, 6>> found;    // group, i, ID of j, shift, j
    for (int a = 0; a < grains; ++a)
      for (int b = 0; b < grains; ++b)
        for (int y = -3; y <= 3; ++y)
          for (int x = -3; x <= 3; ++x) {
            if (a == b && x == 0 && y == 0) continue;
            const int shift = steps::shift_of(x, y, 0);
            const double limit = reach(a) + reach(b);
            const Vector separation =
                vector_of(&position[3 * a]) - steps::shifted(&position[3 * b], shift, lists.box.period);
            if (dot(separation, separation) > limit * limit) continue;
            if (x == 0 && y == 0 && ((tag[a] + tag[b]) % 2 == 0) != (tag[a] < tag[b])) continue;
            found.push_back({lists.groups[type[a] * 3 + type[b]], a, tag[b], shift, b});
          }
    std::sort(found.begin(), found.end());
    List list;
    for (const auto &[group, a, id, shift, b, nothing] : found) {
      list.i.push_back(static_cast<int>(a));
      list.j.push_back(static_cast<int>(b));
      list.shift.push_back(static_cast<int>(shift));
    }
    return list;
  }

  // IDs of the pair, and the offset between their images in box periods before the grains were wrapped
  Identity identity(const List &list, int pair, const std::vector<int> &wraps) const
  {
    const int a = list.i[pair], b = list.j[pair];
    Periods periods;
    for (int d = 0; d < 3; ++d)
      periods[d] = steps::periods_of(list.shift[pair], d) + wraps[3 * b + d] - wraps[3 * a + d];
    return {a, b, periods};
  }

  DeviceListMaker<ShuffledExecutor> &list_maker() { return maker; }
  StoredContacts<ShuffledExecutor> contacts;

 private:
  std::mt19937 random;
  DeviceListMaker<ShuffledExecutor> maker;
  int lists = 0;
  StoredContacts<ShuffledExecutor> before;
  struct {
    DeviceBuffer<double, ShuffledExecutor> position, velocity, radius;
  } on;

  double uniform() { return std::uniform_real_distribution<double>()(random); }
  double reach(int a) const
  {
    return radius[a] + plan.lists->budgets.of(radius[a], length(vector_of(&velocity[3 * a])));
  }
  steps::Grains view()
  {
    steps::Grains grains{};
    grains.position = on.position.data();
    grains.velocity = on.velocity.data();
    grains.radius = on.radius.data();
    return grains;
  }
  std::vector<int> copy(const int *values)
  {
    std::vector<int> copied(maker.pairs());
    executor.copy_out(copied.data(), values, copied.size() * sizeof(int));
    return copied;
  }
};

}    // namespace

TEST_CASE("lists built on an executor contain all pairs within reach, in order")
{
  // in the smallest box, grains are within reach of several images of each other
  for (const auto &[grains, edge] : {std::pair{400, 6.0}, {60, 2.5}, {5, 0.9}, {1, 30.0}, {40, 30.0}}) {
    Scene scene(grains, edge);
    for (const double farthest : {0.0, 0.3, 0.3}) {
      scene.make_list(farthest);
      CHECK(scene.made() == scene.all_pairs_by_distance());
    }
  }
}

TEST_CASE(
    "the entries of a grain list its pairs in ascending order, except that images of one grain may be in any order")
{
  Scene scene(200, 4.0);
  scene.make_list(0.1);
  const Scene::List made = scene.made();
  std::vector<int> first, entry;
  ListedPairs list;
  list.i = made.i, list.j = made.j, list.shift = made.shift;
  list.budgets.resize(200);
  list_entries(list, first, entry);
  std::vector<int> first_made(201), entries_made(entry.size());
  scene.executor.copy_out(first_made.data(), scene.list_maker().first_entry(), first_made.size() * sizeof(int));
  scene.executor.copy_out(entries_made.data(), scene.list_maker().entries(), entry.size() * sizeof(int));
  CHECK(first_made == first);
  CHECK(entries_made == entry);
}

TEST_CASE("contacts keep their history in a new list, even across a periodic boundary")
{
  Scene scene(300, 5.0);
  auto &executor = scene.executor;
  scene.make_list(0.0);
  Scene::List list = scene.made();
  int reversed = 0, gone_on = 0;
  for (int round = 0; round < 5; ++round) {
    const int count = static_cast<int>(list.i.size());
    std::vector<double> history(static_cast<std::size_t>(count) * VALUES);
    std::vector<int> alive(count);
    std::iota(history.begin(), history.end(), 1.0 + 1e6 * round);
    const auto wraps_before = scene.list_maker().made(0).wraps;
    std::map<Identity, int> known;
    for (int p = 0; p < count; ++p) {
      const Identity identity = scene.identity(list, p, wraps_before);
      const auto &[a, b, periods] = identity;
      alive[p] = (a + b) % 3 != 0;
      known[identity] = p;
    }
    // a pair that is listed for both grains has the same history in both rows, apart from signs
    const auto group_of = [&](int p) { return scene.type[list.i[p]] == scene.type[list.j[p]] ? 0 : 1; };
    for (const auto &[identity, p] : known) {
      const auto &[a, b, periods] = identity;
      const auto other = known.find({b, a, {-periods[0], -periods[1], -periods[2]}});
      if (other == known.end() || other->second < p) continue;
      for (int h = 0; h < VALUES; ++h)
        history[h * count + other->second] = scene.plan.pairs[group_of(p)].signs[h] * history[h * count + p];
    }
    scene.contacts.history.set(executor, history);
    scene.contacts.alive.set(executor, alive);

    scene.make_list(0.25);
    list = scene.made();
    const auto wraps = scene.list_maker().made(0).wraps;
    const auto history_now = scene.contacts.history.copy(executor);
    const auto alive_now = scene.contacts.alive.copy(executor);
    const int count_now = static_cast<int>(list.i.size());
    bool agree = true;
    for (int p = 0; p < count_now; ++p) {
      const Identity identity = scene.identity(list, p, wraps);
      const auto &[a, b, periods] = identity;
      auto was = known.find(identity);
      const bool turned = was == known.end();
      if (turned) was = known.find({b, a, {-periods[0], -periods[1], -periods[2]}});
      const bool lives = was != known.end() && alive[was->second];
      agree = agree && (alive_now[p] != 0) == lives;
      if (!lives) continue;
      ++gone_on;
      reversed += turned ? 1 : 0;
      const auto &signs = scene.plan.pairs[group_of(p)].signs;
      for (int h = 0; h < VALUES; ++h)
        agree = agree && history_now[h * count_now + p] == (turned ? signs[h] : 1.0) * history[h * count + was->second];
    }
    CHECK(agree);
  }
  CHECK(gone_on > 1000);
  CHECK(reversed > 20);
}

TEST_CASE("a grain that is about to be lost is detected one step ahead")
{
  Scene scene(20, 8.0);
  scene.plan.movement.count = 1;
  scene.plan.movement.groups[0] = 1;
  scene.plan.movement.timestep = 1.0;
  std::vector<double> still(60, 0.0);
  DeviceBuffer<double, ShuffledExecutor> position, velocity, force, mass;
  DeviceBuffer<int, ShuffledExecutor> mask;
  position.set(scene.executor, scene.position), force.set(scene.executor, still), mass.set(scene.executor, scene.mass);
  mask.set(scene.executor, scene.mask);
  const auto loses = [&](int d, double speed) {
    std::vector<double> moving = still;
    moving[3 * 7 + d] = speed;
    velocity.set(scene.executor, moving);
    steps::Grains grains{};
    grains.position = position.data(), grains.velocity = velocity.data(), grains.force = force.data();
    grains.mass = mass.data(), grains.mask = mask.data();
    return scene.list_maker().loses_a_grain(scene.plan, grains);
  };
  CHECK(!loses(0, 0.0));
  CHECK(!loses(0, 7.0));    // LAMMPS wraps the grain to the other side of the box
  CHECK(loses(0, 17.0));    // too far for LAMMPS to wrap
  CHECK(loses(2, 8.0));
  CHECK(loses(2, -8.0));
  CHECK(loses(1, std::nan("")));
}
