#include "fix_granular_insert.h"

#include "../core/laws/random.h"
#include "../core/model/law_table.h"
#include "../glue/atom_making.h"
#include "../glue/films.h"
#include "../shapes/shaped_grains.h"

#include "atom.h"
#include "comm.h"
#include "domain.h"
#include "error.h"
#include "group.h"
#include "modify.h"
#include "update.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

using namespace LAMMPS_NS;
using granular_plus::FeedingOrder;
using granular_plus::InputError;
using granular_plus::NON_NEGATIVE;
using granular_plus::POSITIVE;

namespace {

constexpr const char *PLACES = "region, mesh or face", *TOTAL = "number or mass";
constexpr const char *PLACING = "[scale ...] [turn ...] [offset ...]";

}    // namespace

const Options<FixGranularInsert> FixGranularInsert::OPTIONS(
    "granular/insert",
    {Option<FixGranularInsert>("region", {Operand::word("R", "ID of a region")},
                               "grains are inserted into this region, which must have a bounding box", "",
                               [](FixGranularInsert &fix, const Operands &given) {
                                 fix.place = InsertionPlace::in_region(fix.lmp, given.word(0));
                               })
         .required()
         .among(PLACES),
     Option<FixGranularInsert>(
         "mesh", {Operand::word("FILE", "an STL file")}, "grains are inserted inside a closed surface", "",
         [](FixGranularInsert &fix, const Operands &given) { fix.place = InsertionPlace::in_mesh(given); })
         .required()
         .among(PLACES)
         .reads_rest(PLACING),
     Option<FixGranularInsert>(
         "face", {Operand::word("FILE", "an STL file")},
         "grains are inserted behind a flat surface and pass through the surface with the velocity given by "
         "*velocity*",
         "", [](FixGranularInsert &fix, const Operands &given) { fix.place = InsertionPlace::behind_face(given); })
         .required()
         .among(PLACES)
         .reads_rest(PLACING),
     Option<FixGranularInsert>("seed", {Operand::whole("SEED", "")}, "random seed", "",
                               [](FixGranularInsert &fix, const Operands &given) { fix.state.seed = given.number(0); })
         .required(),
     Option<FixGranularInsert>("number", {Operand::whole("N", "")}, "total number of grains", "",
                               [](FixGranularInsert &fix, const Operands &given) {
                                 fix.total_amount = given.number(0);
                               })
         .required()
         .among(TOTAL),
     Option<FixGranularInsert>("mass", {Operand::number("M", "mass", POSITIVE)}, "total mass of grains", "",
                               [](FixGranularInsert &fix, const Operands &given) {
                                 fix.by = By::MASS;
                                 fix.total_amount = given.number(0);
                               })
         .required()
         .among(TOTAL),
     {"rate",
      {Operand::number("R", "1/time; mass/time", POSITIVE)},
      "number of grains per time if *number* is given; mass per time if *mass* is given",
      "all grains are due at once",
      [](FixGranularInsert &fix, const Operands &given) { fix.rate = given.number(0); }},
     {"every",
      {Operand::whole("N", "steps")},
      "time steps between two insertions",
      "100",
      [](FixGranularInsert &fix, const Operands &given) { fix.every = given.whole(0); }},
     {"tries",
      {Operand::whole("N", "")},
      "number of positions tried for a grain before the grain waits for the next insertion",
      "1000",
      [](FixGranularInsert &fix, const Operands &given) { fix.tries = given.whole(0); }},
     Option<FixGranularInsert>(
         "species", {Operand::whole("TYPE", "")},
         "atom type, density or shape, distribution of diameters by mass, fraction of the total mass", "",
         [](FixGranularInsert &fix, const Operands &given) { fix.add_species(given); })
         .required()
         .repeated()
         .reads_rest("density D diameter LAW ... [fraction F] [group ID]"),
     {"velocity",
      {Operand::number("VX", "velocity"), Operand::number("VY", "velocity"), Operand::number("VZ", "velocity")},
      "velocity of the grains",
      "0 0 0",
      [](FixGranularInsert &fix, const Operands &given) {
        for (int d = 0; d < 3; ++d) fix.velocity[d] = given.number(d);
      }},
     {"film",
      {Operand::number("V", "volume", NON_NEGATIVE)},
      "volume of the liquid film of each grain",
      "0",
      [](FixGranularInsert &fix, const Operands &given) { fix.film = given.number(0); }},
     {"temperature",
      {Operand::number("T", "temperature", NON_NEGATIVE)},
      "temperature of each grain",
      "0",
      [](FixGranularInsert &fix, const Operands &given) { fix.temperature = given.number(0); }}});

FixGranularInsert::FixGranularInsert(LAMMPS *lmp, int narg, char **arg)
    : Fix(lmp, narg, arg), message_prefix("fix " + std::string(id) + " granular/insert")
{
  if (!atom->radius_flag || !atom->rmass_flag)
    error->all(FLERR, "{} requires the atom attributes radius and rmass (atom_style sphere)", message_prefix);
  if (!atom->tag_enable) error->all(FLERR, "{} requires atom IDs (atom_modify id yes)", message_prefix);
  call([&] { parse(narg, arg); });
  state.rate = rate;
  force_reneighbor = 1;
  next_reneighbor = update->ntimestep + 1;
  time_depend = 1;    // LAMMPS then refuses reset_timestep: insertions are due at numbered steps
  restart_global = 1;
  vector_flag = 1;
  size_vector = 3;
  global_freq = 1;
  extvector = 0;    // LAMMPS must not divide the amounts by the number of atoms
}

FixGranularInsert::~FixGranularInsert() = default;

void FixGranularInsert::parse(int narg, char **arg)
{
  OptionReader reader(lmp, message_prefix, {OPTIONS.of(*this)});
  reader.read({arg, arg + narg}, 3);
  has_film = reader.has("film");
  has_temperature = reader.has("temperature");
  order = std::make_unique<FeedingOrder>(materials);
  if (by == By::MASS && total_amount < 0.5 * order->next().mass)
    throw InputError(
        fmt::format("keyword mass: M = {:g} must be >= {:g}, half the mass of the first grain, whose diameter is {:g}",
                    total_amount, 0.5 * order->next().mass, order->next().diameter));
  largest_of_type.assign(atom->ntypes + 1, 0.0);
  for (const auto &material : materials) {
    double &largest = largest_of_type[material.type];
    largest = std::max(largest, 0.5 * material.sizes.largest());
    largest_radius = std::max(largest_radius, largest);
  }
}

void FixGranularInsert::add_species(const Operands &given)
{
  const int type = given.whole(0);
  if (type > atom->ntypes) given.refuse(0, fmt::format("<= {}", atom->ntypes));
  Species one;
  if (given.take(Operand::one_of("density shape")).word == "density")
    one.density = given.take(Operand::number("density D", "mass/volume", POSITIVE)).number;
  else
    one.shape = given.take(Operand::word("FIX-ID", "the ID of a fix shape/granular/plus")).word;
  given.take(Operand::one_of("diameter"));
  const auto sizes = granular_plus::SizeDistribution::parse(given.words, given.next);
  double fraction = 1.0;
  for (bool goes_on = true; goes_on;) {
    const auto share = given.take(Operand::number("F", "", POSITIVE).optional("fraction"));
    const auto other = given.take(Operand::word("ID", "the ID of a group").optional("group"));
    if (share.is_given) fraction = share.number;
    if (other.is_given) one.group = other.word;
    goes_on = share.is_given || other.is_given;
  }
  look_up(one);
  species.push_back(one);
  materials.push_back({type, one.density, fraction, sizes});
}

void FixGranularInsert::look_up(Species &one) const
{
  one.groups = 0;
  if (!one.group.empty()) {
    const int found = group->find(one.group);
    if (found < 0) throw InputError("keyword species: there is no group " + one.group);
    one.groups = group->bitmask[found];
  }
  if (one.shape.empty()) return;
  const Fix *fix = modify->get_fix_by_id(one.shape);
  const auto *grains = dynamic_cast<const GrainsOfShape *>(fix);
  if (!grains)
    throw InputError("keyword species: shape = " + one.shape +
                     " must be the ID of a fix shape/granular/plus that has been defined");
  one.groups |= fix->groupbit;
  const double density = grains->mass(1.0) / (4.0 / 3.0 * granular_plus::PI);
  if (one.density > 0.0 && density != one.density)
    throw InputError("keyword species: shape = " + one.shape +
                     " gives grains a mass that differs from the mass when this fix was defined; define this fix "
                     "again after fix shape/granular/plus");
  one.density = density;
}

int FixGranularInsert::setmask() { return FixConst::PRE_EXCHANGE; }

template <class Function> void FixGranularInsert::call(const Function &function) const
{
  try {
    function();
  } catch (const InputError &e) {
    error->all(FLERR, "{}: {}", message_prefix, e.what());
  }
}

void FixGranularInsert::init()
{
  call([&] {
    place->init(velocity, 2.0 * largest_radius);
    for (Species &one : species) look_up(one);
  });
  if (has_film && !films_of(lmp))
    error->all(FLERR, "{}: keyword film needs the films of grains; use fix ID all property/atom d_film ghost yes",
               message_prefix);
  if (has_temperature && !atom->temperature_flag)
    error->all(FLERR,
               "{}: keyword temperature needs the temperatures of grains; use fix ID all property/atom temperature "
               "heatflow ghost yes",
               message_prefix);
  warn_of_grains_at_rest();
  next_reneighbor = state.done != 0.0 ? 0 : std::max<bigint>(static_cast<bigint>(state.next), update->ntimestep + 1);
}

void FixGranularInsert::warn_of_grains_at_rest() const
{
  const auto &fixes = modify->get_fix_list();
  const auto is_moved = [&](const Species &one) {
    return std::any_of(fixes.begin(), fixes.end(), [&](const Fix *fix) {
      return fix->time_integrate && (group->dynamic[fix->igroup] || (fix->groupbit & (1 | groupbit | one.groups)));
    });
  };
  if (comm->me == 0 && !std::all_of(species.begin(), species.end(), is_moved))
    error->warning(FLERR, "{}: no fix moves the inserted grains, which are in group {}; add fix ID {} nve/sphere",
                   message_prefix, group->names[igroup], group->names[igroup]);
}

void FixGranularInsert::setup_pre_exchange()
{
  if (state.last >= 0.0) return;
  state.last = static_cast<double>(update->ntimestep);
  state.time = time();
}

double FixGranularInsert::time() const
{
  return update->atime + static_cast<double>(update->ntimestep - update->atimestep) * update->dt;
}

double FixGranularInsert::due_since_last() const
{
  const bool one_timestep = static_cast<double>(update->atimestep) <= state.last;
  // a difference of step numbers is exact, a difference of times is rounded
  const double passed =
      one_timestep ? (static_cast<double>(update->ntimestep) - state.last) * update->dt : time() - state.time;
  return state.rate * passed;
}

double FixGranularInsert::behind() const { return std::max(0.0, std::min(state.due, total_amount) - fed(*order)); }

// Returns text such as "1 grain that is due waits". `singular` and `plural` are the two forms of the verb.

std::string FixGranularInsert::behind_in_words(const std::string &singular, const std::string &plural) const
{
  if (by == By::MASS) return fmt::format("a mass of {:g} that is due {}", behind(), singular);
  const std::string number = fmt::format("{:.0f}", behind());
  return number == "1" ? "1 grain that is due " + singular : number + " grains that are due " + plural;
}

// A grain is due as soon as the amount due includes half of this grain.

bool FixGranularInsert::is_due(const FeedingOrder &order) const
{
  const double half = by == By::MASS ? 0.5 * order.next().mass : 0.5;
  return fed(order) + half <= std::min(state.due, total_amount);
}

double FixGranularInsert::random()
{
  const auto seed = static_cast<std::uint64_t>(state.seed), count = static_cast<std::uint64_t>(state.drawn);
  state.drawn += 1.0;
  return granular_plus::uniform(granular_plus::mixed(granular_plus::mixed(seed) ^ count));
}

void FixGranularInsert::pre_exchange()
{
  if (next_reneighbor != update->ntimestep) return;
  const double now = static_cast<double>(update->ntimestep);
  if (state.last < 0.0) {
    state.last = now - 1.0;
    state.time = time() - update->dt;
  }
  state.due = rate > 0.0 ? state.due + due_since_last() : total_amount;
  state.last = now;
  state.time = time();

  make(place_all());
  const bool is_complete = fed(*order) + (by == By::MASS ? 0.5 * order->next().mass : 0.5) > total_amount;
  state.done = is_complete ? 1.0 : 0.0;
  state.next = now + every;
  next_reneighbor = is_complete ? 0 : static_cast<bigint>(state.next);
}

/* ----------------------------------------------------------------------
   Bisection finds how many of the due grains can be placed as one batch, in which large grains are placed first.
   Further grains are placed one after the other until a grain finds no room. This grain and all later grains wait.
------------------------------------------------------------------------- */

std::vector<PlacedGrain> FixGranularInsert::place_all()
{
  if (!is_due(*order)) return {};
  double way[3];
  for (int d = 0; d < 3; ++d) way[d] = velocity[d] * every * update->dt;
  call([&] { place->begin(way, 2.0 * largest_radius); });
  GrainPlacer placer(lmp, *place, largest_radius, tries, [this] { return random(); });
  constexpr std::size_t PRECISION = 64;
  std::vector<PlacedGrain> all = upcoming(), placed;
  std::size_t too_many = all.size() + 1;
  for (std::size_t next = all.size(); next > placed.size(); next = (placed.size() + too_many) / 2) {
    std::vector<PlacedGrain> batch(all.begin(), all.begin() + next);
    if (placer.place_without_taking(batch))
      placed.swap(batch);
    else
      too_many = next;
    if (too_many - placed.size() <= 1 + all.size() / PRECISION) break;
  }
  for (const PlacedGrain &one : placed) placer.mark_occupied(one);
  while (placed.size() < all.size() && placer.place(all[placed.size()])) placed.push_back(all[placed.size()]);
  for (std::size_t n = 0; n < placed.size(); ++n) order->take();
  if (is_due(*order)) warn_of_no_room(order->next().diameter);
  return placed;
}

// Returns the grains that are due, in the order of feeding. The total volume of these grains does not exceed the volume
// of the bounding box, except that at least one grain is returned.

std::vector<PlacedGrain> FixGranularInsert::upcoming() const
{
  std::vector<PlacedGrain> batch;
  double free = 1.0;    // unused volume (area in two dimensions) of the bounding box
  for (int d = 0; d < domain->dimension; ++d) free *= place->high[d] - place->low[d];
  for (FeedingOrder ahead(*order); is_due(ahead); ahead.take()) {
    const double diameter = ahead.next().diameter, area = 0.25 * granular_plus::PI * diameter * diameter;
    free -= domain->dimension == 2 ? area : 2.0 / 3.0 * area * diameter;
    if (free < 0.0 && !batch.empty()) break;
    batch.push_back({ahead.next(), !species[ahead.next().material].shape.empty()});
  }
  return batch;
}

void FixGranularInsert::warn_of_no_room(double diameter)
{
  const double waiting = behind();
  if (waiting <= 2.0 * behind_at_warning) return;
  behind_at_warning = waiting;
  if (comm->me == 0)
    error->warning(FLERR,
                   "{}: in step {} there was no room in {} for a grain of diameter {:g} after {} tries; {} for room",
                   message_prefix, update->ntimestep, place->name, diameter, tries, behind_in_words("waits", "wait"));
}

void FixGranularInsert::post_run()
{
  if (is_due(*order) && comm->me == 0)
    error->warning(FLERR, "{}: {} found no room in {} by the end of this run", message_prefix,
                   behind_in_words("has", "have"), place->name);
}

void FixGranularInsert::make(const std::vector<PlacedGrain> &placed)
{
  // new atoms overwrite ghosts
  if (atom->map_style != Atom::MAP_NONE) atom->map_clear();
  atom->nghost = 0;
  if (!placed.empty()) {
    tagint last = 0;
    for (int i = 0; i < atom->nlocal; ++i) last = std::max(last, atom->tag[i]);
    MPI_Allreduce(MPI_IN_PLACE, &last, 1, MPI_LMP_TAGINT, MPI_MAX, world);
    if (last + static_cast<bigint>(placed.size()) >= MAXTAGINT)
      error->all(FLERR, "{}: IDs of grains would exceed {}", message_prefix, MAXTAGINT);
    for (const PlacedGrain &one : placed) {
      ++last;
      double point[3] = {one.place[0], one.place[1], one.place[2]};
      imageint image = ((imageint)IMGMAX << IMG2BITS) | ((imageint)IMGMAX << IMGBITS) | IMGMAX;
      if (!domain->ownatom(0, point, &image, 1)) continue;
      atom->avec->create_atom(one.grain.type, point);
      const int n = atom->nlocal - 1;
      const Species &kind = species[one.grain.material];
      atom->tag[n] = last;
      atom->mask[n] = 1 | groupbit | kind.groups;
      atom->image[n] = image;
      std::copy_n(velocity, 3, atom->v[n]);
      atom->radius[n] = 0.5 * one.grain.diameter;
      atom->rmass[n] = one.grain.mass;
      modify->create_attribute(n);
      if (!kind.shape.empty()) granular_plus::orientation_of(one.turn, atom->quat[n]);
      if (has_film) films_of(lmp)[n] = film;
      if (has_temperature) atom->temperature[n] = temperature;
    }
    atom->natoms += static_cast<bigint>(placed.size());
  }
  if (atom->map_style != Atom::MAP_NONE) {
    atom->map_init();
    atom->map_set();
  }
}

double FixGranularInsert::compute_vector(int n)
{
  const double values[] = {order->fed_count(), order->fed_mass(), behind()};
  return values[n];
}

void *FixGranularInsert::extract(const char *name, int &type)
{
  if (std::strcmp(name, "radius") != 0 || type < 1 || type > atom->ntypes) return nullptr;
  asked_for = largest_of_type[type];
  type = 0;
  return &asked_for;
}

void FixGranularInsert::write_restart(FILE *fp)
{
  if (comm->me != 0) return;
  const auto classes = order->state();
  state.numbers = static_cast<double>(classes.size());
  const int bytes = static_cast<int>(sizeof state + classes.size() * sizeof(double));
  fwrite(&bytes, sizeof(int), 1, fp);
  fwrite(&state, sizeof state, 1, fp);
  fwrite(classes.data(), sizeof(double), classes.size(), fp);
}

// Feeding continues from the restart file, but with the seed and the rate of the script.

void FixGranularInsert::restart(char *buf)
{
  const double *values = reinterpret_cast<const double *>(buf), seed = state.seed;
  State before;
  std::memcpy(&before, values, sizeof before);
  if (!order->restore(values + sizeof before / sizeof(double), static_cast<std::size_t>(before.numbers))) {
    if (comm->me == 0)
      error->warning(FLERR, "{}: the species differ from those in the restart file, so insertion starts over",
                     message_prefix);
    return;
  }
  const double rate_before = std::exchange(before.rate, rate);
  state = before;
  state.seed = seed;
  if (state.last < 0.0 || rate_before == rate) return;
  state.rate = rate_before;
  state.due += due_since_last();
  state.rate = rate;
  state.last = static_cast<double>(update->ntimestep);
  state.time = time();
}
