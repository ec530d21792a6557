#include "shaped_grains.h"

#include "../glue/over_ranks.h"

#include "atom.h"
#include "comm.h"
#include "error.h"
#include "fix.h"
#include "group.h"
#include "modify.h"

#include <algorithm>

using namespace LAMMPS_NS;
using granular_plus::Body;
using granular_plus::ContactModel;
using granular_plus::TurnedInertia;

void ShapedGrains::find()
{
  givers.clear();
  bits = 0;
  for (const Fix *fix : modify->get_fix_by_style("^shape/granular/plus"))
    if (const auto *grains = dynamic_cast<const GrainsOfShape *>(fix)) {
      givers.push_back({fix, grains});
      bits |= fix->groupbit;
    }
}

void ShapedGrains::find_types()
{
  std::vector<int> here(atom->ntypes + 1 + givers.size(), 0), anywhere(here.size());
  for (int i = 0; i < atom->nlocal; ++i) {
    if (!(atom->mask[i] & bits)) continue;
    here[atom->type[i]] = 1;
    for (std::size_t k = 0; k < givers.size(); ++k)
      if (atom->mask[i] & givers[k].fix->groupbit) here[atom->ntypes + 1 + k] = 1;
  }
  MPI_Allreduce(here.data(), anywhere.data(), static_cast<int>(here.size()), MPI_INT, MPI_MAX, world);
  const bool some_to_come = std::find(anywhere.begin() + atom->ntypes + 1, anywhere.end(), 0) != anywhere.end();
  may_have_shape.assign(atom->ntypes + 1, some_to_come);
  for (int type = 1; type <= atom->ntypes; ++type) may_have_shape[type] |= anywhere[type];
}

const GrainsOfShape *ShapedGrains::of(int i) const
{
  const int mask = atom->mask[i];
  if (!(mask & bits)) return nullptr;
  for (const ShapeFix &giver : givers)
    if (mask & giver.fix->groupbit) return giver.grains;
  return nullptr;
}

Body ShapedGrains::body(int i) const
{
  Body body;
  body.position = granular_plus::vector_of(atom->x[i]);
  const GrainsOfShape *grains = of(i);
  body.scale = grains ? grains->scale(i) : atom->radius[i];
  if (grains) {
    body.shape = &grains->shape();
    body.turn = granular_plus::rotation_of(atom->quat[i]);
  }
  return body;
}

TurnedInertia ShapedGrains::inertia(int i) const { return of(i)->inertia(i).turned(atom->quat[i]); }

void ShapedGrains::list(std::vector<Body> &bodies, std::vector<TurnedInertia> &inertias) const
{
  const int all = atom->nlocal + atom->nghost;
  bodies.resize(all);
  inertias.resize(all);
  for (int i = 0; i < all; ++i) {
    bodies[i] = body(i);
    if (bodies[i].shape) inertias[i] = inertia(i);
  }
}

bool ShapedGrains::may_be_in(int igroup) const
{
  const int groupbit = group->bitmask[igroup];
  for (const ShapeFix &giver : givers)
    if (igroup == 0 || giver.fix->igroup == 0 || igroup == giver.fix->igroup || group->dynamic[igroup]) return true;
  const auto has_shape = [&](int mask) { return (mask & bits) && (mask & groupbit); };
  return any_over_ranks(world, std::any_of(atom->mask, atom->mask + atom->nlocal, has_shape));
}

void ShapedGrains::check(const std::string &message_prefix, int itype, int jtype, const ContactModel &model) const
{
  if (any() && (may_have_shape[itype] || may_have_shape[jtype]))
    check(fmt::format("{}: types {} {}", message_prefix, itype, jtype), model);
}

void ShapedGrains::check(const std::string &message_prefix, const ContactModel &model) const
{
  using namespace granular_plus;
  const auto refuse = [&](const std::string &what) {
    error->all(FLERR, "{}: {} is not available for grains with a shape (fix {} shape/granular/plus)", message_prefix,
               what, givers.front().fix->id);
  };
  if (!model.has(NORMAL) || model.law(BRIDGE).acts_across_gap) refuse("a liquid bridge");
  if (model.attracts()) refuse("van_der_waals");
  if (model.heat_crosses_gaps()) refuse("heat across gaps");
  if (model.law(NORMAL).pulls_at_touch) refuse("normal " + model.law(NORMAL).name);
  if (model.law(DAMPING).name == "velocity" && !model.law(NORMAL).per_collision)
    refuse("damping velocity (unbounded force where faces meet)");
}

void ShapedGrains::warn_of_few_nodes(const std::string &message_prefix, double weighted_nodes, double weight)
{
  if (warned_of_nodes || !any()) return;
  const double here[2] = {weighted_nodes, weight};
  double sum[2];
  MPI_Allreduce(here, sum, 2, MPI_DOUBLE, MPI_SUM, world);
  constexpr double MIN_NODES = 4.0, ENOUGH = 9.0;
  if (!(sum[1] > 0.0) || sum[0] >= MIN_NODES * sum[1]) return;
  warned_of_nodes = true;
  const double nodes = sum[0] / sum[1];
  if (comm->me == 0)
    error->warning(FLERR,
                   "{}: contacts of shapes contain {:.2g} nodes on average. The error of the force between smooth "
                   "bodies is 4 % with {:g} nodes and 1 % with {:g} nodes. Multiply the value of the keyword nodes by "
                   "{:.2g}",
                   message_prefix, nodes, MIN_NODES, ENOUGH, ENOUGH / nodes);
}
