// The compiled laws as numpy functions. One generic binding of the registry serves all laws.

#include "arrays.h"

#include "../core/history/contact_list.h"
#include "../core/ledger/outputs.h"
#include "../core/model/contact_model.h"
#include "../core/laws/elementary.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <functional>
#include <iterator>
#include <memory>
#include <sstream>

using namespace granular_plus;

namespace {

using Scalars = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Rows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

std::vector<std::string> words_of(const std::string &text)
{
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

const Kernels &clone_named(const std::string &name)
{
  if (name.empty()) return kernels();
  for (const Kernels *clone : supported_kernels())
    if (clone->name == name) return *clone;
  throw std::invalid_argument("there is no clone " + name + " for this CPU");
}

nb::list parameter_list(const LawEntry &law)
{
  nb::list list;
  for (const auto &p : law.parameters) {
    nb::dict entry;
    entry["symbol"] = p.symbol;
    entry["unit"] = p.unit;
    entry["meaning"] = p.meaning;
    entry["low"] = p.bounds.low;
    entry["high"] = p.bounds.high;
    entry["low_allowed"] = p.bounds.low_allowed;
    entry["high_allowed"] = p.bounds.high_allowed;
    entry["may_be_null"] = p.may_be_null;
    entry["label"] = p.label ? p.label : "";
    entry["may_be_steps"] = p.may_be_steps;
    entry["may_be_missing"] = p.may_be_missing;
    list.append(entry);
  }
  return list;
}

nb::dict dict_of(const LawEntry &law)
{
  nb::dict entry;
  entry["name"] = law.name;
  entry["source"] = law.source;
  entry["parameters"] = parameter_list(law);
  // for a damping law: unit of the damping parameter, which is an argument of the normal law
  entry["coefficient_unit"] = law.damping_parameter.unit ? law.damping_parameter.unit : "";
  entry["history"] = law.history;
  entry["history_vectors"] = law.history_vectors;
  entry["needs_material"] = law.needs_material;
  entry["per_collision"] = law.per_collision;
  entry["yields"] = law.yields;
  entry["non_local"] = law.nonlocal || law.dashpot_by_contact;
  entry["synchronizes"] = law.synchronizes;
  return entry;
}

nb::dict registry()
{
  nb::dict roles;
  for (int r = 0; r < ROLES; ++r) {
    nb::list list;
    for (const auto &law : laws(static_cast<Role>(r))) list.append(dict_of(law));
    roles[role_name(static_cast<Role>(r))] = list;
  }
  return roles;
}

// If a bar divides the text, the models of the two parts are mixed.
ContactModel model_of(const std::string &text, bool wall)
{
  const auto bar = text.find(" | ");
  if (bar != std::string::npos)
    return ContactModel::mix(ContactModel(words_of(text.substr(0, bar))), ContactModel(words_of(text.substr(bar + 3))));
  return wall ? ContactModel::against_wall(words_of(text)) : ContactModel(words_of(text));
}

double curvature_radius(double surface_radius) { return std::isinf(surface_radius) ? FLAT : surface_radius; }

void check_counts(std::size_t n, std::initializer_list<std::size_t> counts, const std::string &what)
{
  for (const auto count : counts)
    if (count != n) throw std::invalid_argument("all arrays must describe the same number of " + what);
}

struct PairArrays {
  Vectors separation, velocity, spin_i, spin_j;
  Scalars radius_i, radius_j, mass_i, mass_j;

  // sign: 1 if separation and velocity are those of i relative to j, -1 if they are those of j relative to i
  void fill_lane(Batch &b, int l, int k, double sign) const
  {
    for (int d = 0; d < 3; ++d) {
      b.separation[d][l] = sign * separation(k, d);
      b.velocity[d][l] = sign * velocity(k, d);
      b.spin_i[d][l] = spin_i(k, d);
      b.spin_j[d][l] = spin_j(k, d);
    }
    b.radius_i[l] = radius_i(k);
    b.radius_j[l] = radius_j(k);
    b.mass_i[l] = mass_i(k);
    b.held_i[l] = 0.0;
    b.held_j[l] = std::isinf(mass_j(k)) ? 1.0 : 0.0;
    b.mass_j[l] = b.held_j[l] > 0.0 ? b.mass_i[l] : mass_j(k);
  }
  bool are_within(std::size_t k, double gap) const
  {
    double square = 0.0;
    for (int d = 0; d < 3; ++d) square += separation(k, d) * separation(k, d);
    const double distance = radius_i(k) + radius_j(k) + gap;
    return square < distance * distance;
  }
};

// Independent contacts. Contact k acts on particle k and has row k of the history.
struct Evaluation : ContactSource {
  Evaluation(std::size_t n, int values)
      : force(3 * n), torque_i(3 * n), torque_j(3 * n), values(values), rows(n * (values + 1) + History::READ_AHEAD)
  {
  }

  std::vector<double> force, torque_i, torque_j;
  std::function<void(Batch &, int lane, int contact)> fill_lane;
  std::function<void(const Batch &, int lane, int contact)> report;

  double *row(std::size_t contact) { return rows.data() + contact * (values + 1); }
  void add(std::size_t contact)
  {
    row(contact)[values] = ALIVE;
    found.push_back({static_cast<int>(contact), -1, 0, static_cast<Slot>(contact)});
  }
  void run(const Kernels &kernels, const PairGroup &pair_group, const StageList &stages, double timestep, int ledger)
  {
    Particles particles{};
    particles.force = force.data();
    particles.torque = torque_i.data();
    LoopOptions options = LoopOptions::of(true, timestep, ledger);
    options.stamp_before = options.stamp_now = ALIVE;
    options.receiver = this;
    options.report = [](void *to, const LoopWork &work, Mode) { static_cast<Evaluation *>(to)->receive(work); };
    const auto work = std::make_unique<LoopWork>();
    kernels.evaluate_contacts(particles, nullptr, found.data(), static_cast<int>(found.size()), *this,
                              {nullptr, rows.data(), values, nullptr}, pair_group, stages, options, *work);
    found.clear();
  }

  nb::dict result() const
  {
    nb::dict result;
    const std::size_t n = force.size() / 3;
    result["force"] = new_array({n, 3}, force);
    result["torque_i"] = new_array({n, 3}, torque_i);
    result["torque_j"] = new_array({n, 3}, torque_j);
    return result;
  }

 private:
  static constexpr int ALIVE = 1;
  int values;
  std::vector<double> rows;
  std::vector<FoundContact> found;

  void fill(LoopWork &work, int /*first*/) override
  {
    for (int l = 0; l < work.batch.count; ++l) fill_lane(work.batch, l, work.i(l));
  }
  void receive(const LoopWork &work)
  {
    for (int l = 0; l < work.batch.count; ++l) {
      const int k = work.i(l);
      for (int d = 0; d < 3; ++d) torque_j[3 * k + d] = work.batch.torque_j[d][l];
      report(work.batch, l, k);
    }
  }
};

bool acts(std::size_t k, const PairArrays &pairs, double partner_radius, const ContactModel &model,
          const PairGroup &group)
{
  if (model.law(BRIDGE).acts_across_gap || pairs.are_within(k, 0.0)) return true;
  return group.breaking_gap &&
      pairs.are_within(k, group.breaking_gap(group.constants, pairs.radius_i(k), partner_radius));
}

// Evaluates one step of a contact model for independent contacts. surface_radius is used only for contacts with walls.
// gradient is the derivative of the overlap along the normal. Without this argument, the derivative is 1.
nb::dict evaluate(const std::string &text, bool wall, Vectors separation, Vectors velocity, Vectors spin_i,
                  Vectors spin_j, Scalars radius_i, Scalars radius_j, Scalars mass_i, Scalars mass_j,
                  Scalars surface_radius, std::optional<Scalars> gradient, Rows history, double timestep,
                  const std::string &clone, bool observe)
{
  const ContactModel model = model_of(text, wall);
  if (model.nonlocal())
    throw std::invalid_argument("normal model " + model.law(NORMAL).name +
                                ": the force depends on all contacts of a grain, but this function evaluates each "
                                "contact alone; run LAMMPS with pair_style granular/plus");
  const HistoryLayout layout = common_layout({model}, Ledger::NO);
  HistoryLayout observing = layout;
  if (observe) {
    observing.has_ledger = true;
    observing.observables = OBSERVABLES;
  }
  const PairArrays pairs{separation, velocity, spin_i, spin_j, radius_i, radius_j, mass_i, mass_j};
  const std::size_t n = separation.shape(0);
  check_counts(n,
               {velocity.shape(0), spin_i.shape(0), spin_j.shape(0), radius_i.shape(0), radius_j.shape(0),
                mass_i.shape(0), mass_j.shape(0), surface_radius.shape(0), gradient ? gradient->shape(0) : n,
                history.shape(0)},
               "contacts");
  if (history.shape(1) != static_cast<std::size_t>(layout.size))
    throw std::invalid_argument("history must have " + std::to_string(layout.size) +
                                " columns, one for each value that this contact model stores per contact");

  const Kernels &kernels = clone_named(clone);
  PairGroup pair_group{};
  model.compile(pair_group, observing, kernels, timestep, gradient ? Surfaces::PATCHES : Surfaces::ROUND);
  Evaluation evaluation(n, layout.size);
  evaluation.fill_lane = [&](Batch &b, int l, int k) {
    pairs.fill_lane(b, l, k, 1.0);
    b.surface_radius[l] = curvature_radius(surface_radius(k));
    b.gradient[l] = gradient ? (*gradient)(k) : 1.0;
    b.attraction_factor[l] = b.gradient[l];
    for (int h = layout.size; h < MAX_HISTORY; ++h) b.history[h][l] = 0.0;    // further values of observing stages
  };
  std::vector<double> normal_force(n), conductance(n), warming(n), energy(n), plastic_loss(n);
  evaluation.report = [&](const Batch &b, int l, int k) {
    normal_force[k] = b.normal_force[l];
    if (observe) {
      energy[k] = b.observed[NORMAL_ENERGY][l];
      plastic_loss[k] = b.observed[PLASTIC_LOSS][l];
    }
    if (pair_group.passes_heat) conductance[k] = b.conductance[l], warming[k] = b.warming[l];
  };
  const auto partner_radius = [&](std::size_t k) { return wall ? curvature_radius(surface_radius(k)) : radius_j(k); };
  const auto touches = [&](std::size_t k) { return pair_group.separated.count == 0 || pairs.are_within(k, 0.0); };
  for (const bool touching : {true, false}) {
    for (std::size_t k = 0; k < n; ++k) {
      if (!acts(k, pairs, partner_radius(k), model, pair_group) || touches(k) != touching) continue;
      std::copy_n(history.data() + k * layout.size, layout.size, evaluation.row(k));
      evaluation.add(k);
    }
    evaluation.run(kernels, pair_group, touching ? pair_group.touching : pair_group.separated, timestep, -1);
  }
  std::vector<double> next(n * layout.size);
  for (std::size_t k = 0; k < n; ++k) std::copy_n(evaluation.row(k), layout.size, next.data() + k * layout.size);
  nb::dict result = evaluation.result();
  result["normal_force"] = new_array({n}, normal_force);
  result["conductance"] = new_array({n}, conductance);
  result["warming"] = new_array({n}, warming);
  result["energy"] = new_array({n}, energy);
  result["plastic_loss"] = new_array({n}, plastic_loss);
  result["history"] = new_array({n, static_cast<std::size_t>(layout.size)}, next);
  return result;
}

// Evaluates bonds once. A bond exerts no force at the separation `birth` (x_j - x_i) and the orientations
// birth_orientation_i and birth_orientation_j. Orientations are quaternions w, x, y, z.
nb::dict bonds(const std::string &text, Vectors birth, Rows birth_orientation_i, Rows birth_orientation_j,
               Vectors separation, Rows orientation_i, Rows orientation_j, Vectors velocity, Vectors spin_i,
               Vectors spin_j, Scalars radius_i, Scalars radius_j, Scalars mass_i, Scalars mass_j, double timestep,
               const std::string &clone)
{
  const ContactModel model(words_of(text));
  if (!model.bonds()) throw std::invalid_argument("the model needs keyword bond");
  const PairArrays pairs{separation, velocity, spin_i, spin_j, radius_i, radius_j, mass_i, mass_j};
  const std::size_t n = separation.shape(0);
  check_counts(n,
               {birth.shape(0), velocity.shape(0), spin_i.shape(0), spin_j.shape(0), radius_i.shape(0),
                radius_j.shape(0), mass_i.shape(0), mass_j.shape(0), birth_orientation_i.shape(0),
                birth_orientation_j.shape(0), orientation_i.shape(0), orientation_j.shape(0)},
               "bonds");
  for (const auto size :
       {birth_orientation_i.shape(1), birth_orientation_j.shape(1), orientation_i.shape(1), orientation_j.shape(1)})
    if (size != 4) throw std::invalid_argument("quaternions must have four components: w, x, y, z");
  const HistoryLayout layout = bond_layout({model}, true);
  const Kernels &kernels = clone_named(clone);
  PairGroup pair_group{};
  model.compile_bond(pair_group, layout, kernels, timestep);

  Evaluation evaluation(n, layout.size);
  for (std::size_t k = 0; k < n; ++k)
    if (model.begin_bond(birth.data() + 3 * k, birth_orientation_i.data() + 4 * k, birth_orientation_j.data() + 4 * k,
                         radius_i(k), radius_j(k), 2 * k + 1, 2 * k + 2, evaluation.row(k)))
      evaluation.add(k);
  evaluation.fill_lane = [&](Batch &b, int l, int k) {
    pairs.fill_lane(b, l, k, -1.0);
    for (int d = 0; d < 4; ++d) {
      b.orientation_i[d][l] = orientation_i(k, d);
      b.orientation_j[d][l] = orientation_j(k, d);
    }
  };
  std::vector<double> energy(n), stress(4 * n), breaks(n), loss(n);
  evaluation.report = [&](const Batch &b, int l, int k) {
    for (int s = 0; s < 4; ++s) stress[4 * k + s] = b.bond_stress[s][l];
    energy[k] = b.bond_energy[l];
    breaks[k] = b.breaks[l];
    loss[k] = b.observed[BOND_DAMPING_LOSS][l];
  };
  evaluation.run(kernels, pair_group, pair_group.touching, timestep, layout.ledger_index);
  nb::dict result = evaluation.result();
  result["energy"] = new_array({n}, energy);
  result["stress"] = new_array({n, 4}, stress);
  result["breaks"] = new_array({n}, breaks);
  result["loss"] = new_array({n}, loss);
  return result;
}

nb::tuple slide(const std::string &slider, Vectors state, Vectors velocity, Scalars stiffness, Scalars damping,
                Scalars bound, double timestep, bool carries_force, const std::string &clone)
{
  const std::size_t n = state.shape(0);
  check_counts(n, {velocity.shape(0), stiffness.shape(0), damping.shape(0), bound.shape(0)}, "springs");
  const int s = find_law(SLIDER, slider);
  std::vector<double> q(state.data(), state.data() + 3 * n), force(3 * n);
  clone_named(clone).slide(s, carries_force, static_cast<int>(n), q.data(), velocity.data(), stiffness.data(),
                           damping.data(), bound.data(), timestep, force.data());
  return nb::make_tuple(new_array({n, 3}, force), new_array({n, 3}, q));
}

nb::object elementary(const std::string &function, Scalars x)
{
  std::vector<double> y(x.shape(0));
  for (std::size_t k = 0; k < y.size(); ++k) {
    if (function == "logarithm")
      y[k] = logarithm(x(k));
    else if (function == "exponential")
      y[k] = exponential(x(k));
    else if (function == "arctangent")
      y[k] = arctangent(x(k));
    else
      throw std::invalid_argument("unknown function " + function);
  }
  return new_array({y.size()}, y);
}

nb::dict outputs()
{
  nb::dict tables;
  const auto add = [&](const char *style, const auto &table) {
    nb::list list;
    for (const Output &output : table) list.append(nb::make_tuple(output.name, output.unit, output.meaning));
    tables[style] = list;
  };
  add("granular/ledger", ledger_output::TABLE);
  add("granular/plus", pair_output::TABLE);
  add("wall/granular/plus", wall_output::TABLE);
  add("wall/granular/plus contacts", wall_atom_output::TABLE);
  add("wall/granular/plus local", wall_local_output::TABLE);
  add("granular/dissipation", dissipation_output::TABLE);
  add("granular/dissipation pairs", loss_output::TABLE);
  return tables;
}

// Returns the words of the granular/plus model that replaces a gran/* style. Each word is a row (text, kind of
// computation, divisor), as in ClassicWord.
nb::list classic(const std::string &model, const std::vector<std::string> &arguments)
{
  nb::list list;
  for (const auto &[text, computed, divisor] : classic_words(model, arguments)) {
    const char *how = computed == Computed::NO ? "" : computed == Computed::RATIO ? "ratio" : "two sevenths";
    list.append(nb::make_tuple(text, how, divisor));
  }
  return list;
}

std::vector<std::string> clones()
{
  std::vector<std::string> names;
  for (const Kernels *clone : supported_kernels()) names.push_back(clone->name);
  return names;
}

}    // namespace

NB_MODULE(_laws, module)
{
  translate<InputError>();
  module.def("registry", &registry);
  module.def("attraction", [] { return dict_of(attraction_law()); });
  module.def("outputs", &outputs);
  module.def("classic", &classic);
  module.def("clones", &clones);
  module.def("history_size",
             [](const std::string &text, bool wall) { return common_layout({model_of(text, wall)}, Ledger::NO).size; });
  module.def("canonical", [](const std::string &text, bool wall) { return model_of(text, wall).text(); });
  module.def("breaking_gap", [](const std::string &text, double radius_i, double radius_j) {
    return ContactModel(words_of(text)).breaking_gap(radius_i, radius_j, kernels());
  });
  module.def("elementary", &elementary);
  module.def("beyond_limits", &limit_exceeded_message);
  module.def("evaluate", &evaluate, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
             nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg(), nb::arg());
  module.def("bonds", &bonds);
  module.def("slide", &slide);
}
