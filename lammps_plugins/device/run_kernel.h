// Runs a kernel with one thread per index. Only NVRTC compiles this file.

#ifndef GRANULAR_PLUS_RUN_KERNEL_H
#define GRANULAR_PLUS_RUN_KERNEL_H

template <class Kernel> __global__ void run(int n, const __grid_constant__ Kernel kernel)
{
  const int index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index < n) kernel(index);
}

#endif
