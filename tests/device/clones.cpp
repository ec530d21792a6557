// The library that python -m tests.device loads. It evaluates contacts by the clones of the plug-in, by its lane
// functions on the host, and by the same functions on a device.

#include "compiled.h"

#include "kernels/kernels.h"
#include "model/contact_model.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>
#include <sstream>

using namespace granular_plus;

namespace {

std::string failure;

enum Where { CLONE, HOST, DEVICE };

std::vector<std::string> words_of(const std::string &text)
{
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

const StageList &stages_of(const PairGroup &pair_group, Path path)
{
  return path == Path::SEPARATED ? pair_group.separated
      : path == Path::ENDING     ? pair_group.ending
                                 : pair_group.touching;
}

void run_clone(const PairGroup &pair_group, const StageList &stages, bool heat, int size, int observables,
               const Contacts &contacts)
{
  const auto batch = std::make_unique<Batch>();
  Batch &b = *batch;
  b.timestep = contacts.timestep;
  for (int first = 0; first < contacts.n; first += LANES) {
    b.count = std::min(LANES, contacts.n - first);
    const double *in = contacts.given + first;
    for_each_given(b, [&](Row &row) { std::copy_n(in, b.count, row), in += contacts.n; });
    for (int h = 0; h < size; ++h) std::copy_n(contacts.history + h * contacts.n + first, b.count, b.history[h]);
    stages.run(b, pair_group.constants);
    for (int h = 0; h < size; ++h) std::copy_n(b.history[h], b.count, contacts.history + h * contacts.n + first);
    double *out = contacts.results + first;
    for_each_result(b, heat, observables, [&](const Row &row) { std::copy_n(row, b.count, out), out += contacts.n; });
  }
}

struct Group {
  PairGroup pairs;
  HistoryLayout layout;
};

Group compile(const Compiled &compiled, const char *words, double timestep)
{
  const ContactModel model(words_of(words));
  Group group{{}, common_layout({model}, compiled.observes ? Ledger::COLLISIONS : Ledger::NO)};
  model.compile(group.pairs, group.layout, kernels(), timestep,
                compiled.path == Path::PATCHES ? Surfaces::PATCHES : Surfaces::ROUND);
  ModelConstants known = group.pairs.constants;
  copy_offsets(compiled.offsets, known);
  if (std::memcmp(&known, &group.pairs.constants, sizeof known) != 0)
    throw std::logic_error("the layout of the history differs from the layout for which lanes were compiled");
  return group;
}

}    // namespace

extern "C" {

int device_count() { return devices(); }

int given_rows() { return GIVEN; }

int history_rows() { return MAX_HISTORY; }

int result_rows() { return RESULTS; }

int compiled_count() { return static_cast<int>(all_compiled().size()); }

const char *compiled_law(int number, int role) { return all_compiled()[number].laws[role].c_str(); }

const char *compiled_types(int number) { return all_compiled()[number].types.c_str(); }

int compiled_path(int number) { return static_cast<int>(all_compiled()[number].path); }

int compiled_observes(int number) { return all_compiled()[number].observes; }

const char *last_failure() { return failure.c_str(); }

int constants_size() { return sizeof(ModelConstants); }

// Copies the constants of a model; `words` are the text of a pair_coeff command. Returns false on failure.
bool copy_constants(int number, const char *words, double timestep, void *constants)
try {
  const auto group = compile(all_compiled()[number], words, timestep);
  std::memcpy(constants, &group.pairs.constants, sizeof group.pairs.constants);
  return true;
} catch (const std::exception &error) {
  failure = error.what();
  return false;
}

// Evaluates contacts; results that the code path `where` does not compute are left unchanged. Returns seconds per
// contact for a device, 0 otherwise, and a negative number on failure.
double evaluate_contacts(int number, const char *words, int where, int n, double timestep, const double *given,
                         double *history, double *results)
try {
  const Compiled &compiled = all_compiled()[number];
  const auto [pair_group, layout] = compile(compiled, words, timestep);
  const Contacts contacts{n, timestep, given, history, results};
  if (where == HOST) compiled.on_host(pair_group.constants, contacts);
  if (where == DEVICE) return compiled.on_device(pair_group.constants, contacts);
  if (where == CLONE)
    run_clone(pair_group, stages_of(pair_group, compiled.path), pair_group.passes_heat, layout.size,
              compiled.observes ? layout.observables : 0, contacts);
  return 0.0;
} catch (const std::exception &error) {
  failure = error.what();
  return -1.0;
}
}
