// All laws and stages, compiled by nvcc for the host and for a device, and how they are launched.

#include "compiled.h"
#include "one_lane.h"

#include <cuda_runtime.h>

#include <stdexcept>

GRANULAR_PLUS_LAWS_BEGIN

namespace {

void must(cudaError_t status)
{
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

// on the device: the best of a few runs, after which results are copied back
double launch(void (*kernel)(ModelConstants, Contacts), const ModelConstants &model, const Contacts &contacts)
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

// the text names L as its kernels do in what the assembler reports
template <class L> const char *text_of() { return __PRETTY_FUNCTION__; }

template <class L, Path PATH, bool OBSERVES> void add_one(std::vector<Compiled> &list)
{
  list.push_back({{L::Normal::name, L::NamedDamping::name, L::Tangential::name, L::Rolling::name, L::Twisting::name,
                   L::Slider::name, L::Bridge::name, L::Heat::name},
                  text_of<L>(),
                  PATH,
                  OBSERVES,
                  offsets_of<L, OBSERVES>(),
                  [](const ModelConstants &model, const Contacts &contacts) {
                    for (int l = 0; l < contacts.n; ++l) evaluate<L, PATH, OBSERVES>(model, contacts, l);
                  },
                  [](const ModelConstants &model, const Contacts &contacts) {
                    return launch(contact<L, PATH, OBSERVES>, model, contacts);
                  }});
}

template <class L, Path PATH> void add(std::vector<Compiled> &list)
{
  if constexpr (PATH != Path::ENDING) add_one<L, PATH, false>(list);
  add_one<L, PATH, true>(list);
}

// every law and every stage of it at least once, the others being the usual ones
std::vector<Compiled> compile_all()
{
  using Usual = normal::HertzMaterial;
  using Damping = damping::Viscoelastic;
  std::vector<Compiled> list;
  for_each_law(NormalLaws{}, [&](int, auto type) {
    using Law = typename decltype(type)::type;
    add<Laws8<Law>, Path::TOUCHING>(list);
    add<Laws8<Law>, Path::PATCHES>(list);
    add<Laws8<Law>, Path::ENDING>(list);
  });
  for_each_law(DampingLaws{}, [&](int index, auto type) {
    if constexpr (!std::is_same_v<typename decltype(type)::type, Damping>)
      add<Laws8<Usual, typename decltype(type)::type>, Path::TOUCHING>(list);
  });
  for_each_law(Sliders{}, [&](int, auto slider_type) {
    using Slider = typename decltype(slider_type)::type;
    for_each_law(TangentialLaws{}, [&](int, auto type) {
      using Law = typename decltype(type)::type;
      if constexpr (!(Slider::lammps_geometry && Law::in_lammps)) {    // else the stage is that of another law
        using L = Laws8<Usual, Damping, Law, Slider, rolling::Sds, twisting::Marshall>;
        add<L, Path::TOUCHING>(list);
        if constexpr (Law::history > 0 && !Law::complete && Law::keeps_length) add<L, Path::SYNCHRONIZED>(list);
      }
    });
    for_each_law(TwistingLaws{}, [&](int, auto type) {
      using Law = typename decltype(type)::type;
      add<Laws8<Usual, Damping, tangential::LinearHistory, Slider, friction::None, Law>, Path::TOUCHING>(list);
    });
  });
  for_each_law(CapillaryLaws{}, [&](int, auto type) {
    using Law = typename decltype(type)::type;
    if constexpr (Law::pulls) {
      using L = Laws8<Usual, Damping, tangential::Mindlin, friction::Csds, friction::None, friction::None, Law>;
      add<L, Path::TOUCHING>(list);
      add<L, Path::SEPARATED>(list);
      add<L, Path::ENDING>(list);
    }
  });
  for_each_law(HeatLaws{}, [&](int, auto type) {
    using Law = typename decltype(type)::type;
    if constexpr (!std::is_same_v<Law, heat::None>)
      add<Laws8<Usual, Damping, tangential::Mindlin, friction::Csds, friction::None, friction::None, capillary::None,
                Law>,
          Path::TOUCHING>(list);
  });
  return list;
}

}    // namespace

GRANULAR_PLUS_LAWS_END

namespace granular_plus {

const std::vector<Compiled> &all_compiled()
{
  static const std::vector<Compiled> list = compile_all();
  return list;
}

int devices()
{
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

}    // namespace granular_plus
