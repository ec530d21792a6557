// All laws and stages with one lane, compiled by nvcc for host and device, or by another compiler for the host only.

#include "compiled.h"
#include "one_lane.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <typeinfo>

#ifdef __CUDACC__
#include "launch.h"
#endif

GRANULAR_PLUS_LAWS_BEGIN

namespace {

// names of laws with all template arguments, as in the assembler's report
template <class L> std::string full_name_of()
{
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(typeid(L).name(), nullptr, nullptr, nullptr), &std::free);
  return text.get();
}

using OnDevice = double (*)(const ModelConstants &, const Contacts &);
template <class L, Path PATH, bool OBSERVES> OnDevice on_device_of()
{
#ifdef __CUDACC__
  return [](const ModelConstants &model, const Contacts &contacts) {
    return launch(contact<L, PATH, OBSERVES>, model, contacts);
  };
#else
  return nullptr;
#endif
}

template <class L, Path PATH, bool OBSERVES> void add_one(std::vector<Compiled> &list)
{
  list.push_back({{L::Normal::name, L::NamedDamping::name, L::Tangential::name, L::Rolling::name, L::Twisting::name,
                   L::Slider::name, L::Bridge::name, L::Heat::name},
                  full_name_of<L>(),
                  PATH,
                  OBSERVES,
                  offsets_of<L, OBSERVES>(),
                  [](const ModelConstants &model, const Contacts &contacts) {
                    for (int l = 0; l < contacts.n; ++l) evaluate<L, PATH, OBSERVES>(model, contacts, l);
                  },
                  on_device_of<L, PATH, OBSERVES>()});
}

template <class L, Path PATH> void add(std::vector<Compiled> &list)
{
  if constexpr (PATH != Path::ENDING) add_one<L, PATH, false>(list);
  add_one<L, PATH, true>(list);
}

// every law and every stage at least once, except nonlocal laws, which do not run on a device
std::vector<Compiled> compile_all()
{
  using Usual = normal::HertzMaterial;
  using Damping = damping::Viscoelastic;
  std::vector<Compiled> list;
  for_each_law(NormalLaws{}, [&](int, auto type) {
    using Law = typename decltype(type)::type;
    if constexpr (!Law::nonlocal) {
      add<Laws8<Law>, Path::TOUCHING>(list);
      add<Laws8<Law>, Path::PATCHES>(list);
      add<Laws8<Law>, Path::ENDING>(list);
    }
  });
  for_each_law(DampingLaws{}, [&](int index, auto type) {
    using Law = typename decltype(type)::type;
    if constexpr (!std::is_same_v<Law, Damping> && !Law::reads_dashpot) add<Laws8<Usual, Law>, Path::TOUCHING>(list);
  });
  for_each_law(Sliders{}, [&](int, auto slider_type) {
    using Slider = typename decltype(slider_type)::type;
    for_each_law(TangentialLaws{}, [&](int, auto type) {
      using Law = typename decltype(type)::type;
      if constexpr (!(Slider::lammps_geometry && Law::in_lammps)) {    // otherwise another law has the same stage
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
  add<Attracted<Laws8<Usual>>, Path::TOUCHING>(list);
  add<Attracted<Laws8<Usual>>, Path::SEPARATED>(list);
  for_each_law(HeatLaws{}, [&](int, auto type) {
    using Law = typename decltype(type)::type;
    if constexpr (!std::is_same_v<Law, heat::None>)
      add<Laws8<Usual, Damping, tangential::Mindlin, friction::Csds, friction::None, friction::None, capillary::None,
                Law>,
          Path::TOUCHING>(list);
  });
  // heat from dissipation, which requires stages with observables
  using Rough = Heated<Laws8<normal::Luding, Damping, tangential::LinearHistory, friction::Csds, rolling::Sds,
                             twisting::Sds, capillary::None, heat::Radius>,
                       true>;
  add_one<Rough, Path::TOUCHING, true>(list);
  add_one<Rough, Path::PATCHES, true>(list);
  add_one<Rough, Path::ENDING, true>(list);
  using Wet = Heated<Laws8<Usual, Damping, tangential::Mindlin, friction::Csds, friction::None, friction::None,
                           capillary::Willett>,
                     true>;
  add_one<Wet, Path::TOUCHING, true>(list);
  add_one<Wet, Path::SEPARATED, true>(list);
  add_one<Wet, Path::ENDING, true>(list);
  add_one<Attracted<Heated<Laws8<Usual>, true>>, Path::SEPARATED, true>(list);
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
#ifdef __CUDACC__
  return count_devices();
#else
  return 0;
#endif
}

}    // namespace granular_plus
