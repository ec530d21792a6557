#include "linked_liquid.h"
#include "../glue/films.h"

#include "atom.h"
#include "lammps.h"
#include "update.h"

#include <algorithm>

using namespace LAMMPS_NS;
using granular_plus::Link;

double LinkedLiquid::give_back(int atom_index, Link link)
{
  double *film = films_of(lmp);
  if (!film || !links.owns_row(link)) return 0.0;
  double &volume = links.own_row(link)[value];
  const double half = 0.5 * volume;
  film[atom_index] += half;
  volume = 0.0;
  return half;
}

double LinkedLiquid::give_back_all()
{
  double sum = 0.0;
  for (int a = 0; any() && a < atom->nlocal; ++a)
    for (Link link = links.first(a); link != Link::NONE; link = links.next(link)) sum += give_back(a, link);
  return sum;
}

double LinkedLiquid::give_back(int atom_index, const double *packed, int row_size, int extra, int value_there)
{
  double *film = value_there >= 0 ? films_of(lmp) : nullptr;
  const int count = static_cast<int>(packed[0]), size = 1 + row_size + extra;
  double sum = 0.0;
  for (int k = 0; film && k < count; ++k) sum += 0.5 * packed[1 + k * size + 1 + value_there];
  if (film) film[atom_index] += sum;
  return sum;
}

void LinkedLiquid::begin_dry(int atom_index)
{
  // between runs, the film may come from a file and must be kept
  if (double *film = films_of(lmp); film && update->whichflag != 0) film[atom_index] = 0.0;
}

void LinkedLiquid::forget_ghosts()
{
  if (any()) std::fill(films_of(lmp) + atom->nlocal, films_of(lmp) + atom->nmax, 0.0);
}
