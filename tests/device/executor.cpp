// Compares sums, prefix sums and sorting on the CPU and on a GPU, whose results must be bitwise identical. Prints the
// times.
//
//   executor_check NVRTC FOLDER ...   the compiler's library, and the folders of headers

#include "device/algorithms.h"
#include "device/cuda_executor.h"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <random>

using namespace granular_plus;

namespace {

template <class Run> double least_milliseconds(CudaExecutor &gpu, Run run)
{
  double least = 1.0e30;
  for (int k = 0; k < 6; ++k) {    // the first run compiles the kernels
    const auto began = std::chrono::steady_clock::now();
    run();
    gpu.wait();
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
    least = took.count() < least ? took.count() : least;
  }
  return least;
}

struct Sorted {
  std::vector<std::uint32_t> keys;
  std::vector<int> values;
  bool operator==(const Sorted &other) const { return keys == other.keys && values == other.values; }
};

template <class Executor> Sorted sorted(Executor &executor, const Sorted &given, int bits)
{
  DeviceArray<std::uint32_t, Executor> keys(executor, given.keys);
  DeviceArray<int, Executor> values(executor, given.values);
  sort_by_key(executor, static_cast<int>(keys.size()), keys.data(), values.data(), bits);
  return {keys.copy(), values.copy()};
}

template <class Executor> std::vector<int> added_up(Executor &executor, const std::vector<int> &given)
{
  DeviceArray<int, Executor> values(executor, given), sums(executor, given.size() + 1);
  running_sums(executor, static_cast<int>(given.size()), values.data(), sums.data());
  return sums.copy();
}

template <class Executor> double sum(Executor &executor, const std::vector<double> &given)
{
  DeviceArray<double, Executor> values(executor, given);
  return reduce<Sum>(executor, static_cast<int>(given.size()), algorithms::ValueOf{values.data()});
}

int compare(CudaExecutor &gpu)
{
  constexpr int BITS = 24;
  HostExecutor host;
  std::mt19937 random(1);
  int differ = 0;
  const auto check = [&differ](bool same, const char *what) {
    differ += same ? 0 : 1;
    return same ? "same bits" : what;
  };
  std::printf("%s, %s\n%9s %12s %12s %12s   milliseconds\n", gpu.gpu_name().c_str(), gpu.architecture().c_str(),
              "elements", "sum", "running sums", "sorting");
  for (const int n : {1000, 100000, 1000000, 10000000}) {
    std::vector<double> numbers(n);
    Sorted pairs{std::vector<std::uint32_t>(n), std::vector<int>(n)};
    std::vector<int> counts(n);
    for (int k = 0; k < n; ++k) {
      numbers[k] = std::normal_distribution<double>()(random);
      pairs.keys[k] = random() >> (32 - BITS);
      pairs.values[k] = k;
      counts[k] = static_cast<int>(random() % 8);
    }
    const char *verdicts[] = {check(sum(host, numbers) == sum(gpu, numbers), "differs"),
                              check(added_up(host, counts) == added_up(gpu, counts), "differs"),
                              check(sorted(host, pairs, BITS) == sorted(gpu, pairs, BITS), "differs")};
    const DeviceArray<double, CudaExecutor> values(gpu, numbers);
    const DeviceArray<int, CudaExecutor> terms(gpu, counts), sums(gpu, n + 1), tags(gpu, pairs.values);
    const DeviceArray<std::uint32_t, CudaExecutor> keys(gpu, pairs.keys);
    const double times[] = {least_milliseconds(gpu, [&] { reduce<Sum>(gpu, n, algorithms::ValueOf{values.data()}); }),
                            least_milliseconds(gpu, [&] { running_sums(gpu, n, terms.data(), sums.data()); }),
                            least_milliseconds(gpu, [&] { sort_by_key(gpu, n, keys.data(), tags.data(), BITS); })};
    std::printf("%9d %12.3f %12.3f %12.3f   %s, %s, %s\n", n, times[0], times[1], times[2], verdicts[0], verdicts[1],
                verdicts[2]);
  }
  return differ;
}

}    // namespace

int main(int count, char **arguments)
try {
  if (count < 3) throw std::runtime_error("usage: executor_check NVRTC FOLDER ...");
  CudaExecutor gpu({arguments[1], {arguments + 2, arguments + count}, {"device/kernels_of_algorithms.h"}});
  return compare(gpu) > 0;
} catch (const CudaError &error) {
  std::printf("Nothing to compare: %s\n", error.what());
  return 0;
} catch (const std::exception &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
