// Functions for PairGroup::breaking_gap: the largest gap across which surfaces act on each other.

#ifndef GRANULAR_PLUS_STAGES_GAPS_H
#define GRANULAR_PLUS_STAGES_GAPS_H

#include "../attraction/van_der_waals.h"
#include "../capillary/capillary_law.h"
#include "../capillary/film.h"
#include "geometry.h"

GRANULAR_PLUS_LAWS_BEGIN

template <class Normal> STAGE double breaking_gap_for(const ModelConstants &model, double radius_i, double radius_j)
{
  return Normal::breaking_gap(constants_of<Normal>(model.normal), radius_i * radius_j / (radius_i + radius_j));
}

STAGE double attraction_gap(const ModelConstants &model, double, double)
{
  return constants_of<attraction::VanDerWaals>(model.attraction).cutoff;
}

template <class Law> STAGE double bridge_breaking_gap_for(const ModelConstants &model, double radius_i, double radius_j)
{
  using capillary::Films;
  if constexpr (Law::from_films)
    return Films::breaking_gap(model.film, radius_i, radius_j, Films::largest_volume(model.film, radius_i, radius_j));
  else
    return Law::rupture_distance(constants_of<Law>(model.bridge), CapillaryLaw::derjaguin_radius(radius_i, radius_j));
}

GRANULAR_PLUS_LAWS_END

#endif
