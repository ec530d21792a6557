// Launches lanes on a device and measures their time.

#ifndef GRANULAR_PLUS_DEVICE_LAUNCH_H
#define GRANULAR_PLUS_DEVICE_LAUNCH_H

#include "contacts.h"

#include <cuda_runtime.h>

#include <stdexcept>

namespace granular_plus {

inline void must(cudaError_t status)
{
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

// returns the time per contact of the fastest of a few runs, and copies the results back
inline double launch(void (*kernel)(ModelConstants, Contacts), const ModelConstants &model, const Contacts &contacts)
{
  constexpr int THREADS = 128, RUNS = 5;
  const std::size_t row = sizeof(double) * contacts.n;
  const std::size_t sizes[] = {GIVEN * row, MAX_HISTORY * row, RESULTS * row};
  double *given, *history, *results;
  must(cudaMalloc(&given, sizes[0]));
  must(cudaMalloc(&history, sizes[1]));
  must(cudaMalloc(&results, sizes[2]));
  must(cudaMemcpy(given, contacts.given, sizes[0], cudaMemcpyHostToDevice));
  must(cudaMemset(results, 0, sizes[2]));
  cudaEvent_t begin, end;
  must(cudaEventCreate(&begin));
  must(cudaEventCreate(&end));
  float best = 1.0e30f;
  for (int run = 0; run < RUNS; ++run) {
    must(cudaMemcpy(history, contacts.history, sizes[1], cudaMemcpyHostToDevice));
    must(cudaEventRecord(begin));
    kernel<<<(contacts.n + THREADS - 1) / THREADS, THREADS>>>(model,
                                                              {contacts.n, contacts.timestep, given, history, results});
    must(cudaGetLastError());
    must(cudaEventRecord(end));
    must(cudaEventSynchronize(end));
    float milliseconds;
    must(cudaEventElapsedTime(&milliseconds, begin, end));
    best = milliseconds < best ? milliseconds : best;
  }
  must(cudaMemcpy(contacts.history, history, sizes[1], cudaMemcpyDeviceToHost));
  must(cudaMemcpy(contacts.results, results, sizes[2], cudaMemcpyDeviceToHost));
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  for (double *array : {given, history, results}) cudaFree(array);
  return 1.0e-3 * best / contacts.n;
}

inline int count_devices()
{
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

}    // namespace granular_plus

#endif
