// Prefix sums, reductions and sorting by kernels, on an executor that shuffles the indices at each launch.

#include "device/algorithms.h"
#include "shuffled_executor.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

using namespace granular_plus;

namespace {

// sizes near those at which the numbers of chunks and parts change, see kernels_of_algorithms.h
constexpr int SIZES[] = {0, 1, 2, 63, 64, 65, 255, 256, 257, 4095, 4096, 4097, 65537, 300000};

template <class Number> std::vector<Number> random_numbers(int n, Number largest)
{
  std::mt19937_64 random(n);
  std::vector<Number> numbers(n);
  for (Number &number : numbers) number = static_cast<Number>(random() % (static_cast<std::uint64_t>(largest) + 1));
  return numbers;
}

template <class Executor> double sum_of(Executor &executor, const std::vector<double> &numbers)
{
  DeviceArray<double, Executor> array(executor, numbers);
  return reduce<Sum>(executor, static_cast<int>(numbers.size()), algorithms::ValueOf{array.data()});
}

template <class Key> void check_sorting(int n, int bits)
{
  ShuffledExecutor executor;
  const std::vector<Key> keys = random_numbers<Key>(n, static_cast<Key>((static_cast<Key>(1) << bits) - 1));
  std::vector<int> values(n);
  std::iota(values.begin(), values.end(), 0);
  DeviceArray<Key, ShuffledExecutor> sorted_keys(executor, keys);
  DeviceArray<int, ShuffledExecutor> sorted_values(executor, values);
  sort_by_key(executor, n, sorted_keys.data(), sorted_values.data(), bits);
  std::stable_sort(values.begin(), values.end(), [&keys](int a, int b) { return keys[a] < keys[b]; });
  std::vector<Key> expected(n);
  std::transform(values.begin(), values.end(), expected.begin(), [&keys](int k) { return keys[k]; });
  CHECK(sorted_keys.copy() == expected);
  CHECK(sorted_values.copy() == values);
}

}    // namespace

TEST_CASE("arrays are copied to the executor and back, and free their memory")
{
  ShuffledExecutor executor;
  {
    const std::vector<int> numbers = {3, 1, 4};
    DeviceArray<int, ShuffledExecutor> array(executor, numbers), none(executor, 0);
    CHECK(array.copy() == numbers);
    CHECK(none.copy().empty());
    CHECK(executor.taken == 1);
  }
  CHECK(executor.taken == 0);
}

TEST_CASE("each prefix sum excludes its own element, and the total is returned")
{
  ShuffledExecutor executor;
  for (const int n : SIZES) {
    const std::vector<int> values = random_numbers(n, 9);
    std::vector<int> expected(n + 1, 0);
    std::partial_sum(values.begin(), values.end(), expected.begin() + 1);
    DeviceArray<int, ShuffledExecutor> given(executor, values), sums(executor, n + 1);
    running_sums(executor, n, given.data(), sums.data());
    CHECK(sums.copy() == expected);
    executor.copy_in(sums.data(), values.data(), n * sizeof(int));
    running_sums(executor, n, sums.data(), sums.data());    // in place
    CHECK(sums.copy() == expected);
  }
}

TEST_CASE("sums of rounded numbers have the same bits in any order of the indices")
{
  HostExecutor host;
  ShuffledExecutor shuffled;
  for (const int n : SIZES) {
    std::vector<double> numbers(n);
    std::mt19937 random(n);
    for (double &number : numbers) number = std::normal_distribution<double>()(random);
    const double sum = sum_of(host, numbers);
    CHECK(sum_of(shuffled, numbers) == sum);
    CHECK(sum == doctest::Approx(std::accumulate(numbers.begin(), numbers.end(), 0.0)));
  }
}

TEST_CASE("the maximum is found at any index")
{
  ShuffledExecutor executor;
  for (const int n : {1, 300, 70000})
    for (const int where : {0, n / 2, n - 1}) {
      std::vector<double> numbers(n, -2.0);
      numbers[where] = -1.0;
      DeviceArray<double, ShuffledExecutor> array(executor, numbers);
      CHECK(reduce<Largest>(executor, n, algorithms::ValueOf{array.data()}) == -1.0);
    }
}

TEST_CASE("sorting keeps the order of equal keys")
{
  for (const int n : SIZES) {
    check_sorting<std::uint32_t>(n, 3);
    check_sorting<std::uint32_t>(n, 20);
    check_sorting<std::uint64_t>(n, 37);
  }
}
