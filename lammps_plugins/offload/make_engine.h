// Selects the engine that computes steps, and its device.

#ifndef GRANULAR_PLUS_MAKE_ENGINE_H
#define GRANULAR_PLUS_MAKE_ENGINE_H

#include "../device/grain_engine.h"

#include <memory>
#include <stdexcept>
#include <string>

namespace granular_plus {

struct Engine {
  std::unique_ptr<GrainEngine> computes;
  std::string device;    // name of the device, for messages
};

// The engine runs on the CPU if the environment variable GRANULAR_PLUS_DEVICE is host, otherwise on an NVIDIA GPU.
// Throws std::runtime_error if the engine is not available.
Engine make_engine();

}    // namespace granular_plus

#endif
