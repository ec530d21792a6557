#include "fix_granular_bond.h"

#include "../grains/pair_granular_plus.h"

#include "../core/laws/contact.h"
#include "../glue/over_ranks.h"

#include "atom.h"
#include "comm.h"
#include "error.h"
#include "group.h"
#include "modify.h"
#include "update.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <tuple>

using namespace LAMMPS_NS;

namespace {

constexpr int EVENTS_EVERY = 100;    // number of steps between writes to the table

// Reads N, N*, *N, M*N or *. Returns whether the range is valid and lies between 1 and `most`.
bool read_range(const std::string &text, int most, int (&range)[2])
{
  const std::size_t star = text.find('*');
  const auto read = [](const std::string &word, int if_empty) {
    if (word.empty()) return if_empty;
    return word.size() < 10 && utils::is_integer(word) ? std::stoi(word) : 0;
  };
  range[0] = read(text.substr(0, star), star == std::string::npos ? 0 : 1);
  range[1] = star == std::string::npos ? range[0] : read(text.substr(star + 1), most);
  return 1 <= range[0] && range[0] <= range[1] && range[1] <= most;
}

}    // namespace

const Options<FixGranularBond> FixGranularBond::OPTIONS(
    "granular/bond",
    {Option<FixGranularBond>("form", {Operand::number("GAP", "distance", granular_plus::NON_NEGATIVE)},
                             "bonds form between grains whose surfaces are closer than GAP", "",
                             [](FixGranularBond &fix, const Operands &given) { fix.largest_gap = given.number(0); })
         .required(),
     Option<FixGranularBond>("once", {}, "bonds form at the start of the first run only", "the default",
                             [](FixGranularBond &, const Operands &) {})
         .among("once or every"),
     Option<FixGranularBond>(
         "every", {Operand::whole("N", "steps", 1.0, granular_plus::SEED.high)}, "bonds also form every N steps", "",
         [](FixGranularBond &fix, const Operands &given) { fix.every = static_cast<bigint>(given.number(0)); })
         .among("once or every"),
     {"within",
      {Operand::word("I", "a type or a range").after("type"), Operand::word("J", "a type or a range")},
      "bonds form only between grains of types I and J; ranges are written as in `pair_coeff`",
      "all types",
      [](FixGranularBond &fix, const Operands &given) {
        const int most = fix.atom->ntypes;
        for (int k = 0; k < 2; ++k)
          if (!read_range(given.word(k), most, fix.types[k]))
            given.refuse(k, fmt::format("a type or a range of types from 1 to {}", most));
      }},
     {"events",
      {Operand::word("FILE", "a file")},
      "writes a table of the bonds that break (cracks)",
      "none",
      [](FixGranularBond &fix, const Operands &given) { fix.set_events(given.word(0)); }}});

const Options<FixGranularBond>
    FixGranularBond::CHANGES("fix_modify granular/bond",
                             {{"remove",
                               {Operand::word("GROUP", "ID of a group")},
                               "bonds between two grains of GROUP are removed at the start of the next run",
                               "none",
                               [](FixGranularBond &fix, const Operands &given) {
                                 if (fix.group->find(given.word(0)) < 0) given.refuse(0, "the ID of a group");
                                 fix.to_remove.push_back(given.word(0));
                               }}});

FixGranularBond::FixGranularBond(LAMMPS *lmp, int narg, char **arg) : Fix(lmp, narg, arg)
{
  for (auto &range : types) range[0] = 1, range[1] = atom->ntypes;
  OptionReader(lmp, fmt::format("fix {} granular/bond", id), {OPTIONS.of(*this)}).read({arg, arg + narg}, 3);
  nevery = 1;
  restart_global = 1;
  vector_flag = 1;
  size_vector = OUTPUTS;
  global_freq = 1;
  extvector = 0;
}

FixGranularBond::~FixGranularBond()
{
  if (events_file) fclose(events_file);
}

void FixGranularBond::set_events(const std::string &name)
{
  for (const Fix *fix : modify->get_fix_by_style("^granular/bond"))
    if (const auto *other = dynamic_cast<const FixGranularBond *>(fix); other && other->events_name == name)
      error->all(FLERR, "fix {} granular/bond: fix {} already writes to file {} (keyword events)", id, other->id, name);
  events_name = name;
}

int FixGranularBond::setmask()
{
  return FixConst::PRE_FORCE | FixConst::MIN_PRE_FORCE | FixConst::END_OF_STEP | FixConst::POST_RUN;
}

void FixGranularBond::init()
{
  pair = granular_pair(lmp);
  if (!pair || !pair->bonds.any())
    error->all(FLERR,
               "fix {} granular/bond needs exactly one pair_style granular/plus, and a pair_coeff with keyword bond",
               id);
  bool any = false;
  for (int i = types[0][0]; i <= types[0][1]; ++i)
    for (int j = types[1][0]; j <= types[1][1]; ++j) any = any || pair->bonds.may_join(i, j);
  if (!any)
    error->all(FLERR,
               "fix {} granular/bond: no pair_coeff with keyword bond applies to the types given with keyword within",
               id);
  if (!events_name.empty()) begin_events();
}

void FixGranularBond::setup_pre_force(int /*vflag*/)
{
  for (const std::string &name : to_remove) {
    const int which = group->find(name);
    if (which < 0) error->all(FLERR, "fix_modify {}: keyword remove: group {} has been deleted", id, name);
    const int bits = group->bitmask[which];
    removed += pair->bonds.remove([&](int i, int j) { return atom->mask[i] & bits && atom->mask[j] & bits; },
                                  pair->contact_history()->ledger);
  }
  to_remove.clear();
  if (!has_formed) form();
}

void FixGranularBond::pre_force(int /*vflag*/)
{
  if (every > 0 && update->ntimestep % every == 0) form();
}

void FixGranularBond::form()
{
  has_formed = true;
  const int *type = atom->type, *mask = atom->mask;
  const auto is = [&](int i, int which) { return types[which][0] <= type[i] && type[i] <= types[which][1]; };
  formed += pair->bonds.form(largest_gap, [&](int i, int j) {
    return mask[i] & groupbit && mask[j] & groupbit && ((is(i, 0) && is(j, 1)) || (is(j, 0) && is(i, 1)));
  });
}

/* ----------------------------------------------------------------------
   Bonds are removed at the start of the next run, because the groups of ghosts are up to date only then.
------------------------------------------------------------------------- */

int FixGranularBond::modify_param(int narg, char **arg)
{
  std::size_t next = 0;
  OptionReader(lmp, fmt::format("fix_modify {}", id), {CHANGES.of(*this)}).read_one({arg, arg + narg}, next);
  return static_cast<int>(next);
}

void FixGranularBond::end_of_step()
{
  const auto &fresh = pair->bonds.history->broken_now;
  broken += static_cast<bigint>(fresh.size());
  if (!events_name.empty()) events.insert(events.end(), fresh.begin(), fresh.end());
  if (!events_name.empty() && update->ntimestep % EVENTS_EVERY == 0) write_events();
}

void FixGranularBond::post_run()
{
  if (!events_name.empty()) write_events();
}

void FixGranularBond::begin_events()
{
  int ready = 1;
  if (comm->me == 0 && !events_file) {
    events_file = fopen(events_name.c_str(), "w");
    if (events_file)
      utils::print(events_file, "step,time,id_i,id_j,x,y,z,mode,load,axial,bending,shear,torsion,energy\n");
    else
      ready = 0;
  }
  const std::string reason = utils::getsyserror();
  MPI_Bcast(&ready, 1, MPI_INT, 0, world);
  if (!ready)
    error->all(FLERR, "fix {} granular/bond: keyword events: cannot write file {}: {}", id, events_name, reason);
}

void FixGranularBond::write_events()
{
  std::vector<BrokenBond> all = gathered(world, events);
  events.clear();
  if (comm->me != 0) return;
  std::sort(all.begin(), all.end(), [](const BrokenBond &a, const BrokenBond &b) {
    return std::tie(a.step, a.first, a.second) < std::tie(b.step, b.first, b.second);
  });
  using namespace granular_plus;
  for (const BrokenBond &bond : all) {
    const double *stress = bond.stress;
    const char *load = bond.in_tension ? stress[BENDING_STRESS] > stress[AXIAL_STRESS] ? "bending" : "axial"
        : stress[TORSION_STRESS] > stress[SHEAR_STRESS] ? "torsion"
                                                        : "shear";
    utils::print(events_file,
                 "{},{:.16g},{},{},{:.16g},{:.16g},{:.16g},{},{},{:.16g},{:.16g},{:.16g},{:.16g},{:.16g}\n", bond.step,
                 bond.time, bond.first, bond.second, bond.place[0], bond.place[1], bond.place[2],
                 bond.in_tension ? "tension" : "shear", load, stress[AXIAL_STRESS], stress[BENDING_STRESS],
                 stress[SHEAR_STRESS], stress[TORSION_STRESS], bond.energy);
  }
  fflush(events_file);
}

double FixGranularBond::compute_vector(int n)
{
  if (n == BONDS) {
    const auto *now = granular_pair(lmp);    // the pair style may have been replaced between runs
    return now ? static_cast<double>(now->bonds.count()) : 0.0;
  }
  if (n == FORMED) return static_cast<double>(formed);
  if (n == REMOVED) return static_cast<double>(removed);
  const bigint sum = sum_over_ranks(world, broken);
  return static_cast<double>(sum);
}

void FixGranularBond::write_restart(FILE *fp)
{
  bigint sum;
  MPI_Reduce(&broken, &sum, 1, MPI_LMP_BIGINT, MPI_SUM, 0, world);
  if (comm->me != 0) return;
  const double kept[] = {static_cast<double>(has_formed), static_cast<double>(formed), static_cast<double>(removed),
                         static_cast<double>(sum)};
  const int size = sizeof kept;
  fwrite(&size, sizeof(int), 1, fp);
  fwrite(kept, size, 1, fp);
}

void FixGranularBond::restart(char *buf)
{
  const auto *kept = reinterpret_cast<const double *>(buf);
  has_formed = kept[0] != 0.0;
  formed = static_cast<bigint>(kept[1]);
  removed = static_cast<bigint>(kept[2]);
  broken = comm->me == 0 ? static_cast<bigint>(kept[3]) : 0;
}

void *FixGranularBond::extract(const char *name, int &dimension)
{
  dimension = 0;
  return strcmp(name, "gap") == 0 ? &largest_gap : nullptr;
}
