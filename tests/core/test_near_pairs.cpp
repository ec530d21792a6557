// The short list of pairs that can touch soon, compared with all pairs, for the kernels of each instruction set.

#include "history/contact_list.h"
#include "model/contact_model.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <random>
#include <sstream>
#include <vector>

using namespace granular_plus;

namespace {

std::vector<std::string> words_of(const std::string &text)
{
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

// grains in a box; one list with one group contains all pairs closer than range plus skin
struct Scene {
  static constexpr double SKIN = 0.6;
  int count;
  std::vector<double> position, velocity, spin, radius, mass, force, torque;
  std::vector<const double *> rows;
  ContactModel model;
  HistoryLayout layout;
  std::vector<PairGroup> groups;
  ContactList list;
  std::unique_ptr<LoopWork> work = std::make_unique<LoopWork>();

  Scene(int count, const Kernels &kernels, const std::string &text)
      : count(count), position(3 * count + 4), velocity(3 * count + 4), spin(3 * count + 4), radius(count),
        mass(count, 1.0), force(3 * count + 4), torque(3 * count + 4), rows(count), model(words_of(text)), groups(1),
        list(0)
  {
    std::mt19937 chance(11);
    std::uniform_real_distribution<double> place(0.0, 7.0), size(0.3, 0.6), speed(-1.0, 1.0);
    for (int k = 0; k < 3 * count; ++k) {
      position[k] = place(chance);
      velocity[k] = speed(chance);
    }
    for (int i = 0; i < count; ++i) {
      radius[i] = size(chance);
      rows[i] = &position[3 * i];
    }
    layout = common_layout({model}, Ledger::NO);
    list.resize_rows(layout.size);
    model.compile(groups[0], layout, kernels, 1e-3, Surfaces::ROUND);
    renew();
  }

  double distance(int i, int j) const
  {
    double square = 0.0;
    for (int d = 0; d < 3; ++d) square += std::pow(position[3 * i + d] - position[3 * j + d], 2);
    return std::sqrt(square);
  }
  void renew()
  {
    std::vector<std::pair<int, int>> pairs;
    for (int i = 0; i < count; ++i)
      for (int j = i + 1; j < count; ++j)
        if (distance(i, j) < radius[i] + radius[j] + SKIN) pairs.emplace_back(i, j);
    list.begin_new_list({static_cast<int>(pairs.size())}, false);
    for (const auto &[i, j] : pairs) list.add(0, i, j, 0, false, nullptr);
    list.finish_new_list();
  }
  Particles view()
  {
    return {position.data(), velocity.data(), spin.data(),   radius.data(),
            mass.data(),     force.data(),    torque.data(), count};
  }
  Pairs near(const Kernels &kernels)
  {
    return list.select_near_pairs(kernels, view(), count, groups, SKIN, false, false, *work);
  }
};

}    // namespace

TEST_CASE("while grains move, the short list contains every touching pair, in the order of the full list")
{
  for (const Kernels *kernels : supported_kernels()) {
    CAPTURE(kernels->name);
    Scene scene(220, *kernels, "hooke 1e4 5 tangential linear_history 5e3 1 0.5");
    std::size_t near_in_all = 0, listed_in_all = 0;
    for (int step = 0; step < 60; ++step) {
      // grains move by less than half of the skin before the list is rebuilt
      for (int k = 0; k < 3 * scene.count; ++k) scene.position[k] += 0.004 * scene.velocity[k];
      if (step % 30 == 29) scene.renew();
      const Pairs pairs = scene.near(*kernels);
      const int begin = scene.groups[0].begin, end = scene.groups[0].end;
      std::vector<int> near(pairs.number + begin, pairs.number + end);
      CHECK(std::is_sorted(near.begin(), near.end()));
      std::vector<int> touching(scene.list.size());
      touching.resize(scene.list.find_touching(0, scene.rows.data(), scene.radius.data(), touching.data()));
      CHECK(touching.size() > 20);
      CHECK(std::includes(near.begin(), near.end(), touching.begin(), touching.end()));
      near_in_all += near.size();
      listed_in_all += static_cast<std::size_t>(scene.list.size());
    }
    CHECK(near_in_all < 0.9 * static_cast<double>(listed_in_all));
  }
}

TEST_CASE("the loop of every instruction set evaluates all pairs that touch, and no other pairs")
{
  for (const Kernels *kernels : supported_kernels()) {
    CAPTURE(kernels->name);
    Scene scene(120, *kernels, "hooke 1e4 0 tangential linear_nohistory 0 0");
    const Pairs pairs = scene.near(*kernels);
    LoopOptions options = LoopOptions::of(true, 1e-3, -1);
    scene.list.begin_evaluation(options);
    kernels->loop(scene.view(), pairs, scene.list.history(), scene.groups[0], options, *scene.work);
    std::vector<double> expected(3 * scene.count, 0.0);
    for (int i = 0; i < scene.count; ++i)
      for (int j = i + 1; j < scene.count; ++j) {
        const double r = scene.distance(i, j), overlap = scene.radius[i] + scene.radius[j] - r;
        for (int d = 0; overlap > 0.0 && d < 3; ++d) {
          const double push = 1e4 * overlap * (scene.position[3 * i + d] - scene.position[3 * j + d]) / r;
          expected[3 * i + d] += push;
          expected[3 * j + d] -= push;
        }
      }
    for (int k = 0; k < 3 * scene.count; ++k) CHECK(scene.force[k] == doctest::Approx(expected[k]).epsilon(1e-10));
  }
}

TEST_CASE("the short list is rebuilt if radii may have changed")
{
  const Kernels &used = kernels();
  Scene scene(220, used, "hooke 1e4 5 tangential linear_history 5e3 1 0.5");
  scene.near(used);
  for (double &r : scene.radius) r += 0.5 * Scene::SKIN;
  scene.list.select_near_pairs(used, scene.view(), scene.count, scene.groups, Scene::SKIN, true, false, *scene.work);
  const Pairs pairs = scene.list.listed_pairs();
  std::vector<int> near(pairs.number + scene.groups[0].begin, pairs.number + scene.groups[0].end);
  std::vector<int> touching(scene.list.size());
  touching.resize(scene.list.find_touching(0, scene.rows.data(), scene.radius.data(), touching.data()));
  CHECK(std::includes(near.begin(), near.end(), touching.begin(), touching.end()));
}
