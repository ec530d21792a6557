#include "contact_list.h"

#include <algorithm>
#include <limits>

namespace granular_plus {

std::string limit_exceeded_message(long long particles, long long pairs)
{
  constexpr long long MOST_PARTICLES = std::numeric_limits<RowOffset>::max() / Pairs::ROW_BYTES;
  // links encode a pair and a side in one number
  constexpr long long MOST_PAIRS = std::numeric_limits<PairIndex>::max() / 2;
  const auto message = [](long long number, const char *of, long long most) {
    return std::to_string(number) + " " + of + " on one rank exceed the limit of " + std::to_string(most) +
        "; use more ranks";
  };
  if (particles > MOST_PARTICLES) return message(particles, "atoms, including ghosts,", MOST_PARTICLES);
  if (pairs > MOST_PAIRS) return message(pairs, "neighbour pairs", MOST_PAIRS);
  return "";
}

void ContactList::resize_rows(int new_values)
{
  begin_new_list({}, false);
  values = new_values;
  finish_new_list();
}

void ContactList::begin_new_list(const std::vector<int> &pairs_by_group, bool scales_forces)
{
  evaluations = 1;
  is_new = true;
  slots_used = 0;
  previous_list = std::move(current_list);
  current_list.first.assign(1, 0);
  for (const int pairs : pairs_by_group) current_list.first.push_back(current_list.first.back() + pairs);
  next.assign(current_list.first.begin(), current_list.first.end() - 1);

  const int capacity = current_list.first.back();
  row_i.resize(capacity);
  row_j.resize(capacity);
  current_list.slot.assign(capacity, Slot::NONE);
  special.resize(scales_forces ? capacity : 0);

  // Unused slots take up address space only.
  const auto size = static_cast<std::size_t>(capacity) * (values + 1);
  current_list.rows.provide(size + History::READ_AHEAD);
}

void ContactList::add(int group, int i, int j, int kind, bool continues, const double *values_of_contact)
{
  const int pair = next[group]++;
  row_i[pair] = Pairs::row_of(i);
  row_j[pair] = Pairs::row_of(j);
  if (!special.empty()) special[pair] = static_cast<unsigned char>(kind);
  if (!continues) return;
  double *row = history().row(history().take_slot(pair));
  std::copy_n(values_of_contact, values, row);
  row[values] = evaluations;
}

void ContactList::finish_new_list()
{
  previous_list = {};
  auto &first = current_list.first;
  auto &slot = current_list.slot;
  int end = 0;
  for (int group = 0; group < groups(); ++group) {
    const int begin = first[group], count = next[group] - begin;
    if (begin != end) {
      for (auto *list : {&row_i, &row_j}) std::copy_n(list->begin() + begin, count, list->begin() + end);
      std::copy_n(slot.begin() + begin, count, slot.begin() + end);
      if (!special.empty()) std::copy_n(special.begin() + begin, count, special.begin() + end);
    }
    first[group] = end;
    end += count;
  }
  if (groups() > 0) first.back() = end;
}

int ContactList::group_before(int pair) const
{
  const auto &first = (previous_list.rows.data() ? previous_list : current_list).first;
  return static_cast<int>(std::upper_bound(first.begin(), first.end(), pair) - first.begin()) - 1;
}

int ContactList::find(int i, int j) const
{
  for (int group = 0; group < groups(); ++group) {
    const auto from = row_i.begin() + begin(group), to = row_i.begin() + end(group);
    for (auto at = std::lower_bound(from, to, Pairs::row_of(i)); at != to && *at == Pairs::row_of(i); ++at) {
      const int pair = static_cast<int>(at - row_i.begin());
      if (row_j[pair] == Pairs::row_of(j)) return pair;
    }
  }
  return -1;
}

Pairs ContactList::select_near_pairs(const Kernels &kernels, const Particles &particles, int particle_count,
                                     std::vector<PairGroup> &pair_groups, double skin, bool sizes_vary,
                                     bool lists_ended, LoopWork &work)
{
  if (is_new || sizes_vary) selection.invalidate();
  is_new = false;
  Pairs pairs = listed_pairs();
  if (selection.update(kernels, particles, particle_count, pair_groups, current_list.first, pairs, history(),
                       evaluations, skin, lists_ended, work))
    selection.fill(pairs);
  for (int group = 0; group < groups(); ++group) {
    pair_groups[group].begin = selection.first[group];
    pair_groups[group].end = selection.first[group + 1];
  }
  return pairs;
}

int ContactList::find_touching(int group, const double *const *position, const double *radius, int *found) const
{
  int count = 0;
  for (int pair = begin(group); pair < end(group); ++pair) {
    const double *a = position[i(pair)], *b = position[j(pair)];
    const double dx = a[0] - b[0], dy = a[1] - b[1], dz = a[2] - b[2], distance = radius[i(pair)] + radius[j(pair)];
    if (dx * dx + dy * dy + dz * dz < distance * distance) found[count++] = pair;
  }
  return count;
}

Pairs ContactList::listed_pairs()
{
  Pairs pairs;
  selection.fill(pairs);
  pairs.row_i = row_i.data();
  pairs.row_j = row_j.data();
  pairs.special = special.empty() ? nullptr : special.data();
  return pairs;
}

double *ContactList::begin_contact(const Pairs &pairs, int near_pair, int stamp)
{
  double *row = history().row(history().take_slot(pairs.number[near_pair]));
  if (row[values] != stamp) std::fill_n(row, values, 0.0);
  row[values] = stamp;
  return row;
}

const std::vector<PairIndex> &ContactList::ended_pairs(int group)
{
  ended_contacts.clear();
  for (int pair = begin(group); pair < end(group); ++pair)
    if (has_ended(pair)) ended_contacts.push_back(static_cast<PairIndex>(pair));
  return ended_contacts;
}

double ContactList::memory_usage() const
{
  return sizeof(RowOffset) * (static_cast<double>(row_i.capacity()) + row_j.capacity()) +
      sizeof(Slot) * static_cast<double>(current_list.slot.capacity()) +
      static_cast<double>(sizeof(double)) * slots_used * (values + 1) + static_cast<double>(special.capacity()) +
      selection.memory_usage();
}

}    // namespace granular_plus
