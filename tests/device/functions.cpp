// The library that python -m tests.device.functions loads: elementary functions on the host.

#include "functions.h"

using namespace granular_plus;

extern "C" {
#define GRANULAR_PLUS_ON_HOST(Function) \
  void ours_##Function(int n, const double *x, double *y) { values<Function, true>(n, x, y); } \
  void library_##Function(int n, const double *x, double *y) { values<Function, false>(n, x, y); }

GRANULAR_PLUS_ON_HOST(Exponential)
GRANULAR_PLUS_ON_HOST(Logarithm)
GRANULAR_PLUS_ON_HOST(Arctangent)
GRANULAR_PLUS_ON_HOST(Power)
GRANULAR_PLUS_ON_HOST(CubeRoot)
GRANULAR_PLUS_ON_HOST(FifthRoot)
}
