/* ----------------------------------------------------------------------
   fix shape/granular/plus: grains of any shape. The code for meshes, distances and inertia is in
   core/geometry/shapes/. Pair granular/plus and fix wall/granular/plus compute the contacts.
------------------------------------------------------------------------- */

#include "fix_shape_granular_plus.h"

#include "../core/laws/random.h"
#include "../glue/file_for_all.h"
#include "../glue/over_ranks.h"
#include "../glue/surface_file.h"
#include "../glue/surroundings.h"

#include "atom.h"
#include "comm.h"
#include "domain.h"
#include "error.h"
#include "force.h"
#include "group.h"
#include "modify.h"
#include "update.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

using namespace LAMMPS_NS;
using namespace FixConst;
using granular_plus::Inertia;
using granular_plus::POSITIVE;
using granular_plus::Shape;
using granular_plus::ShapeOptions;
using granular_plus::Vector;

const Options<FixShapeGranularPlus> FixShapeGranularPlus::OPTIONS(
    "shape/granular/plus",
    {Option<FixShapeGranularPlus>("file", {Operand::word("F", "an STL or OBJ file")}, "closed surface of triangles", "",
                                  [](FixShapeGranularPlus &fix, const Operands &given) { fix.file = given.word(0); })
         .required(),
     Option<FixShapeGranularPlus>(
         "density", {Operand::number("RHO", "mass/volume", POSITIVE)}, "mass of the grains divided by their volume", "",
         [](FixShapeGranularPlus &fix, const Operands &given) { fix.density = given.number(0); })
         .required(),
     {"surface",
      {Operand::one_of("smooth facets")},
      "*smooth*: the surface of the body is smooth and passes through the corners of the mesh; *facets*: the body is a "
      "polyhedron",
      "edges of the mesh that are sharper than 30 degrees are edges of the body; elsewhere the body is smooth",
      [](FixShapeGranularPlus &fix, const Operands &given) {
        fix.how.surface = given.word(0) == "smooth" ? ShapeOptions::SMOOTH : ShapeOptions::FACETS;
      }},
     {"nodes",
      {Operand::whole("N", "")},
      "smallest number of nodes on the surface",
      "number of corners of the mesh, but at least 2500",
      [](FixShapeGranularPlus &fix, const Operands &given) { fix.how.nodes = given.whole(0); }},
     {"cell",
      {Operand::number("H", "unit of the file", POSITIVE)},
      "spacing of the grid that stores the distance from the surface",
      "1/12 of the radius of the sphere of equal volume",
      [](FixShapeGranularPlus &fix, const Operands &given) { fix.how.cell = given.number(0); }},
     {"orient",
      {Operand::one_of("random"), Operand::whole("SEED", "")},
      "new grains get random orientations, which depend on SEED and the IDs of the grains",
      "given by *quat* of each atom",
      [](FixShapeGranularPlus &fix, const Operands &given) {
        fix.orients = true;
        fix.seed = given.whole(1);
      }},
     {"vtk",
      {Operand::whole("N", "steps"), Operand::word("FILE", "a file")},
      "the surfaces of all grains are written every N steps; the step replaces the * in the name FILE",
      "none",
      [](FixShapeGranularPlus &fix, const Operands &given) {
        fix.vtk_every = given.whole(0);
        fix.vtk_file = given.word(1);
        if (std::count(fix.vtk_file.begin(), fix.vtk_file.end(), '*') != 1)
          given.refuse(1, "a name with one *, which stands for the step");
      }}});

FixShapeGranularPlus::FixShapeGranularPlus(LAMMPS *lmp, int narg, char **arg) : Fix(lmp, narg, arg)
{
  OptionReader(lmp, fmt::format("granular/plus: fix {}", id), {OPTIONS.of(*this)}).read({arg, arg + narg}, 3);
  read_shape();

  time_integrate = 1;
  create_attribute = 1;
  scalar_flag = 1;
  extscalar = 1;
  global_freq = 1;
  comm_forward = 5;
  wd_header = 1;    // makes write_data call this fix
  if (vtk_every > 0) nevery = vtk_every;

  if (!atom->quat_flag || !atom->radius_flag || !atom->rmass_flag || !atom->omega_flag || !atom->torque_flag)
    error->all(FLERR,
               "granular/plus: fix {} requires the atom attributes quat, radius, rmass, omega and torque (atom_style "
               "bpm/sphere)",
               id);
  if (domain->dimension == 2) error->all(FLERR, "granular/plus: fix {}: dimension = 2 must be 3", id);
}

FixShapeGranularPlus::~FixShapeGranularPlus()
{
  if (modify->get_fix_by_id(store)) modify->delete_fix(store);
}

void FixShapeGranularPlus::post_constructor()
{
  store = fmt::format("{}_shape_granular_plus", id);
  modify->add_fix(
      fmt::format("{0} all property/atom d2_{0} {1} ghost no writedata no", store, static_cast<int>(COLUMNS)));
  int flag, size;
  store_index = atom->find_custom(store.c_str(), flag, size);
}

double *FixShapeGranularPlus::kept(int i) const
{
  double **rows = atom->darray[store_index];
  if (!rows)
    error->one(FLERR, "granular/plus: fix {}: fix {}, which this fix needs, has been deleted; define this fix again",
               id, store);
  return rows[i];
}

void FixShapeGranularPlus::read_shape()
{
  const auto fail = [&](const std::string &problem) {
    error->all(FLERR, "granular/plus: fix {}: file {}: {}", id, file, problem);
  };
  try {
    body = std::make_unique<Shape>(granular_plus::parse_mesh(file_for_all(lmp, file)), how);
  } catch (granular_plus::MeshError &e) {
    fail(e.what());
  } catch (std::bad_alloc &) {
    fail("not enough memory; use fewer nodes or a larger cell");
  }
  if (comm->me == 0)
    utils::logmesg(lmp,
                   "granular/plus: fix {}: {} has {} nodes, volume {:.6g}, bounding radius {:.6g}, radius of equal "
                   "volume {:.6g}, {} surface\n",
                   id, file, body->nodes.size(), body->volume, body->bounding_radius, body->volume_radius,
                   body->smooth ? "smooth" : "angular");
}

int FixShapeGranularPlus::setmask()
{
  return INITIAL_INTEGRATE | FINAL_INTEGRATE | PRE_NEIGHBOR | MIN_PRE_NEIGHBOR | (vtk_every > 0 ? END_OF_STEP : 0);
}

void FixShapeGranularPlus::init()
{
  if (utils::strmatch(update->integrate_style, "^respa"))
    error->all(FLERR, "granular/plus: fix {} cannot be combined with run_style respa; use run_style verlet", id);
  if (comm->ghost_velocity == 0)
    error->all(FLERR, "granular/plus: fix {} requires that ghost atoms store velocities (comm_modify vel yes)", id);
  check_other_movers();
  groups_of_other_movers = 0;
  for (const Fix *other : other_movers()) groups_of_other_movers |= other->groupbit;
  warned_of_mass = false;
}

/* ----------------------------------------------------------------------
   Each shaped grain must be moved by only one fix, must have only one shape, and must keep its size. check_other_movers
   checks these rules for present grains and for grains that fixes will insert. pre_neighbor checks all other grains.
------------------------------------------------------------------------- */

std::vector<Fix *> FixShapeGranularPlus::other_movers() const
{
  std::vector<Fix *> found;
  for (const auto &other : modify->get_fix_list())
    if (other != this && (other->time_integrate || other->rigid_flag || other->diam_flag)) found.push_back(other);
  return found;
}

void FixShapeGranularPlus::check_other_movers() const
{
  const int all = group->bitmask[0];
  for (const Fix *other : other_movers()) {
    const auto moves_too = [&](int mask) { return (mask & groupbit) && (mask & other->groupbit); };
    const bool here = std::any_of(atom->mask, atom->mask + atom->nlocal, moves_too);
    std::string grains = any_over_ranks(world, here) ? "grains" : "";
    for (const Fix *source : inserting_fixes(lmp))
      if (grains.empty() && moves_too(all | source->groupbit))
        grains = fmt::format("grains inserted by fix {} {}", source->id, source->style);
    if (grains.empty()) continue;
    const std::string does = other->diam_flag
        ? fmt::format("changes the size of {} to which fix {} gives a shape", grains, id)
        : fmt::format("moves {} that fix {} already moves", grains, id);
    error->all(FLERR, "granular/plus: fix {0} {1} {2}; give fix {0} a group without grains of this shape", other->id,
               other->style, does);
  }
}

double FixShapeGranularPlus::mass(double radius) const
{
  const double size = radius / body->bounding_radius;
  return density * size * size * size * body->volume;
}

double FixShapeGranularPlus::scale(int i) const { return atom->radius[i] / body->bounding_radius; }

Inertia FixShapeGranularPlus::inertia(int i) const
{
  Inertia result = body->inertia;
  const double size = scale(i), per_volume = atom->rmass[i] * size * size / body->volume;
  for (double &moment : result.moment) moment *= per_volume;
  return result;
}

/* ----------------------------------------------------------------------
   Computes the mass from density and size, even if another command has set the mass. The masses must be known before
   the neighbour list is built, because the ledger of the pairs adds the energy of new grains when the list is built.
------------------------------------------------------------------------- */

void FixShapeGranularPlus::setup_pre_neighbor() { pre_neighbor(); }

void FixShapeGranularPlus::min_pre_neighbor() { pre_neighbor(); }

void FixShapeGranularPlus::pre_neighbor()
{
  enum { CHANGED, OVERRULED, MOVED_TWICE, KINDS };
  bigint here[KINDS] = {}, anywhere[KINDS];
  for (int i = 0; i < atom->nlocal; ++i) {
    if (!(atom->mask[i] & groupbit)) continue;
    if (atom->mask[i] & groups_of_other_movers) ++here[MOVED_TWICE];
    if (!(atom->radius[i] > 0.0))
      error->one(FLERR, "granular/plus: fix {}: radius of grain {} = {} must be > 0", id, atom->tag[i],
                 atom->radius[i]);
    double &prepared = kept(i)[PREPARED];
    const bool is_new = prepared == 0.0;
    if (is_new && orients) orient(i);
    const bool was_turned = straighten(i, is_new);

    constexpr double ROUNDING = 1.0e-10;
    const double mass = this->mass(atom->radius[i]);
    if (prepared == atom->radius[i] && std::fabs(atom->rmass[i] - mass) > ROUNDING * mass) ++here[OVERRULED];
    if (was_turned || atom->rmass[i] != mass) ++here[CHANGED];
    atom->rmass[i] = mass;
    prepared = atom->radius[i];
  }
  MPI_Allreduce(here, anywhere, KINDS, MPI_LMP_BIGINT, MPI_SUM, world);
  if (anywhere[MOVED_TWICE]) check_other_movers();
  if (anywhere[CHANGED]) comm->forward_comm(this);
  if (!anywhere[OVERRULED] || warned_of_mass) return;
  warned_of_mass = true;
  const char *grains = anywhere[OVERRULED] == 1 ? "grain had" : "grains had";
  if (comm->me == 0)
    error->warning(FLERR,
                   "granular/plus: fix {}: the mass of a grain is density = {:.8g} times volume; {} {} another mass, "
                   "which was replaced; to change masses, use the keyword density",
                   id, density, anywhere[OVERRULED], grains);
}

// Normalizes quat and returns whether quat was changed. If the length differs from 1 only by rounding, quat is kept, so
// a run without steps leaves quat bitwise unchanged.

bool FixShapeGranularPlus::straighten(int i, bool is_new)
{
  double *q = atom->quat[i];
  const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (!(length > 0.0 && std::isfinite(length)))
    error->one(FLERR, "granular/plus: fix {}: length of quat of grain {} = {} must be > 0 and finite", id, atom->tag[i],
               length);
  constexpr double ROUNDING = 1.0e-14;
  if (!is_new && std::fabs(length - 1.0) <= ROUNDING) return false;
  for (int k = 0; k < 4; ++k) q[k] /= length;
  return true;
}

void FixShapeGranularPlus::orient(int i)
{
  std::uint64_t state = static_cast<std::uint64_t>(seed) << 32 ^ static_cast<std::uint64_t>(atom->tag[i]);
  double numbers[3];
  for (double &number : numbers)
    number = granular_plus::uniform(granular_plus::mixed(state += granular_plus::SPLITMIX_STEP));
  granular_plus::orientation_of(numbers, atom->quat[i]);
}

void FixShapeGranularPlus::setup(int /*vflag*/)
{
  if (vtk_every > 0 && update->ntimestep % vtk_every == 0) write_vtk();
}

/* ----------------------------------------------------------------------
   set_spin stores the rounding error of the conversion of angular momentum to spin. momentum_of adds this error to the
   angular momentum, so that errors do not accumulate. If the error is too large to come from rounding, another command
   has set the spin, orientation or size, and momentum_of ignores the error.
------------------------------------------------------------------------- */

Vector FixShapeGranularPlus::momentum_of(int i, const Inertia &inertia) const
{
  constexpr double ROUNDING = 1.0e-12;
  const Vector of_spin = inertia.angular_momentum_of(granular_plus::vector_of(atom->omega[i]), atom->quat[i]);
  const Vector lost = granular_plus::vector_of(kept(i) + LEFT_OVER);
  const bool counts = granular_plus::dot(lost, lost) <= ROUNDING * ROUNDING * granular_plus::dot(of_spin, of_spin);
  return counts ? of_spin + lost : of_spin;
}

void FixShapeGranularPlus::set_spin(int i, const Vector &momentum, const Inertia &inertia)
{
  const Vector spin = inertia.spin_of(momentum, atom->quat[i]);
  granular_plus::write(atom->omega[i], spin);
  granular_plus::write(kept(i) + LEFT_OVER, momentum - inertia.angular_momentum_of(spin, atom->quat[i]));
}

void FixShapeGranularPlus::initial_integrate(int /*vflag*/) { integrate(true); }

void FixShapeGranularPlus::final_integrate() { integrate(false); }

// Advances velocities and spins by half a step. If `moves` is true, also advances positions and orientations by a full
// step.

void FixShapeGranularPlus::integrate(bool moves)
{
  const double half_kick = 0.5 * update->dt * force->ftm2v;
  for (int i = 0; i < atom->nlocal; ++i) {
    if (!(atom->mask[i] & groupbit)) continue;
    const double kick = half_kick / atom->rmass[i];
    for (int d = 0; d < 3; ++d) {
      atom->v[i][d] += kick * atom->f[i][d];
      if (moves) atom->x[i][d] += update->dt * atom->v[i][d];
    }
    const Inertia of_grain = inertia(i);
    const Vector momentum = momentum_of(i, of_grain) + half_kick * granular_plus::vector_of(atom->torque[i]);
    if (moves) granular_plus::turn_freely(atom->quat[i], momentum, of_grain, update->dt);
    set_spin(i, momentum, of_grain);
  }
}

double FixShapeGranularPlus::spin_energy(int i) const
{
  const Vector spin = granular_plus::vector_of(atom->omega[i]);
  return 0.5 * granular_plus::dot(spin, inertia(i).angular_momentum_of(spin, atom->quat[i]));
}

double FixShapeGranularPlus::compute_scalar()
{
  double here = 0.0;
  for (int i = 0; i < atom->nlocal; ++i)
    if (atom->mask[i] & groupbit) here += spin_energy(i);
  return force->mvv2e * sum_over_ranks(world, here);
}

// Clears the row, because it may contain values of an earlier atom.

void FixShapeGranularPlus::set_arrays(int i) { std::fill_n(kept(i), static_cast<int>(COLUMNS), 0.0); }

int FixShapeGranularPlus::pack_forward_comm(int n, int *atoms, double *buf, int /*pbc_flag*/, int * /*pbc*/)
{
  int m = 0;
  for (int k = 0; k < n; ++k) {
    buf[m++] = atom->rmass[atoms[k]];
    for (int d = 0; d < 4; ++d) buf[m++] = atom->quat[atoms[k]][d];
  }
  return m;
}

void FixShapeGranularPlus::unpack_forward_comm(int n, int start, double *buf)
{
  for (int i = start; i < start + n; ++i) {
    atom->rmass[i] = *buf++;
    for (int d = 0; d < 4; ++d) atom->quat[i][d] = *buf++;
  }
}

double FixShapeGranularPlus::memory_usage() { return sizeof(double) * 4.0 * body->nodes.size() + body->field.bytes(); }

void FixShapeGranularPlus::write_data_header(FILE *, int)
{
  if (warned_of_data) return;
  warned_of_data = true;
  error->warning(FLERR,
                 "granular/plus: fix {}: a data file contains no orientations, so grains that are read from the file "
                 "have quat 1 0 0 0; use write_restart to keep orientations",
                 id);
}

void FixShapeGranularPlus::end_of_step() { write_vtk(); }

void FixShapeGranularPlus::write_vtk()
{
  constexpr int VALUES = 13;    // ID, type, scale, position, orientation, velocity
  std::vector<double> here;
  for (int i = 0; i < atom->nlocal; ++i) {
    if (!(atom->mask[i] & groupbit)) continue;
    here.insert(here.end(), {static_cast<double>(atom->tag[i]), static_cast<double>(atom->type[i]), scale(i)});
    here.insert(here.end(), atom->x[i], atom->x[i] + 3);
    here.insert(here.end(), atom->quat[i], atom->quat[i] + 4);
    here.insert(here.end(), atom->v[i], atom->v[i] + 3);
  }
  const std::vector<double> all = gathered(world, here);
  if (comm->me != 0) return;

  const std::string name = utils::star_subst(vtk_file, update->ntimestep, 0);
  SurfaceFile surfaces;
  const struct {
    const char *name;
    int first, components;
  } columns[] = {{"id", 0, 1}, {"type", 1, 1}, {"velocity", 10, 3}};
  std::vector<double> values[3];
  for (std::size_t g = 0; g < all.size() / VALUES; ++g) {
    const double *grain = all.data() + VALUES * g;
    const auto turn = granular_plus::rotation_of(grain + 6);
    std::vector<int> number;
    for (const Vector &point : body->surface.points)
      number.push_back(surfaces.corner(turn * (grain[2] * point) + granular_plus::vector_of(grain + 3)));
    for (const auto &corner : body->surface.triangles) {
      surfaces.triangle(number[corner[0]], number[corner[1]], number[corner[2]]);
      for (int q = 0; q < 3; ++q) {
        const double *first = grain + columns[q].first;
        values[q].insert(values[q].end(), first, first + columns[q].components);
      }
    }
  }
  for (int q = 0; q < 3; ++q) surfaces.add_column(columns[q].name, columns[q].components, values[q]);
  if (!surfaces.write(name))
    error->one(FLERR, "granular/plus: fix {}: keyword vtk: cannot write file {}: {}", id, name, utils::getsyserror());
}
