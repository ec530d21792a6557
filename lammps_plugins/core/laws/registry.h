// Registry of the laws that scripts choose by name. A new law needs one header and one line here. The first law of a
// kind is the default, except for normal and tangential laws, which must be given. Laws whose keyword takes no law name
// are not listed: van der Waals attraction, and heat flow through gas, by radiation and through liquid.

#ifndef GRANULAR_PLUS_REGISTRY_H
#define GRANULAR_PLUS_REGISTRY_H

#include "attraction/van_der_waals.h"
#include "bond/beam.h"
#include "capillary/film.h"
#include "capillary/willett.h"
#include "capillary/willett_simple.h"
#include "damping/coeff_restitution.h"
#include "damping/mass_velocity.h"
#include "damping/mdr.h"
#include "damping/tsuji.h"
#include "damping/velocity.h"
#include "damping/viscoelastic.h"
#include "friction/csds.h"
#include "friction/dsds.h"
#include "friction/truncate.h"
#include "heat/area.h"
#include "heat/none.h"
#include "heat/radius.h"
#include "none.h"
#include "normal/actm.h"
#include "normal/brodu.h"
#include "normal/dmt.h"
#include "normal/hertz.h"
#include "normal/hertz_material.h"
#include "normal/hooke.h"
#include "normal/edinburgh.h"
#include "normal/jkr.h"
#include "normal/luding.h"
#include "normal/mdr.h"
#include "normal/thornton_ning.h"
#include "normal/walton_braun.h"
#include "rolling/sds.h"
#include "tangential/linear_history.h"
#include "tangential/linear_nohistory.h"
#include "tangential/mindlin.h"
#include "tangential/mindlin_deresiewicz.h"
#include "twisting/marshall.h"
#include "twisting/sds.h"

GRANULAR_PLUS_LAWS_BEGIN

template <class... Law> struct Laws {
  static constexpr int count = sizeof...(Law);
};

template <class Law> struct Type {
  using type = Law;
};

template <class... Law, class Function> void for_each_law(Laws<Law...>, Function f)
{
  int index = 0;
  (f(index++, Type<Law>{}), ...);
}

// clang-format off
using NormalLaws = Laws<
    normal::Hooke,
    normal::Hertz,
    normal::HertzMaterial,
    normal::Dmt,
    normal::Jkr,
    normal::Actm,
    normal::WaltonBraun,
    normal::Luding,
    normal::Edinburgh,
    normal::ThorntonNing,
    normal::Mdr,
    normal::Brodu>;

using DampingLaws = Laws<
    damping::Viscoelastic,
    damping::Velocity,
    damping::MassVelocity,
    damping::Tsuji,
    damping::CoeffRestitution,
    damping::Mdr>;

using TangentialLaws = Laws<
    tangential::LinearNohistory,
    tangential::LinearHistory,
    tangential::Mindlin,
    tangential::MindlinForce,
    tangential::MindlinRescale,
    tangential::MindlinRescaleForce,
    tangential::MindlinDeresiewicz,
    tangential::LinearHistoryClassic,
    tangential::MindlinClassic>;

using RollingLaws = Laws<
    friction::None,
    rolling::Sds>;

using TwistingLaws = Laws<
    friction::None,
    twisting::Sds,
    twisting::Marshall>;

using Sliders = Laws<
    friction::Csds,
    friction::Dsds,
    friction::Truncate>;

using CapillaryLaws = Laws<
    capillary::None,
    capillary::Willett,
    capillary::WillettSimple,
    capillary::WillettFilm,
    capillary::WillettSimpleFilm>;

using HeatLaws = Laws<
    heat::None,
    heat::Radius,
    heat::Area>;

using BondLaws = Laws<
    bond::None,
    bond::Beam>;
// clang-format on

GRANULAR_PLUS_LAWS_END

#endif
