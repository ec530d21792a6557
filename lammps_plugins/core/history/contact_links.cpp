#include "contact_links.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace granular_plus {

namespace {

double as_number(ContactLinks::Id name)
{
  double number;
  static_assert(sizeof name == sizeof number, "a ContactLinks::Id must be as large as a double");
  std::memcpy(&number, &name, sizeof number);
  return number;
}

ContactLinks::Id as_name(double number)
{
  ContactLinks::Id name;
  std::memcpy(&name, &number, sizeof name);
  return name;
}

}    // namespace

void ContactLinks::set_extra_values(int numbers)
{
  if (numbers == extra) return;
  extra = numbers;
  extras.assign(static_cast<std::size_t>(own_count) * extra, 0.0);
}

void ContactLinks::activate(int owned_and_ghosts, int new_room)
{
  entries.clear();
  own_count = 0;
  active = true;
  room = new_room;
  head.provide(room);
  ids.provide(room);
  std::fill_n(head.data(), owned_and_ghosts, Link::NONE);
  std::fill_n(ids.data(), owned_and_ghosts, Id{0});
}

void ContactLinks::reserve(std::size_t links_to_come, bool with_own_rows)
{
  entries.reserve(links_to_come);
  if (with_own_rows) own.reserve(links_to_come * stride() + History::READ_AHEAD);
}

void ContactLinks::deactivate()
{
  if (!active) return;
  active = false;
  own_count = 0;
  // Small arrays keep their memory for the next list.
  constexpr std::size_t SMALL = 1 << 17;    // bytes
  const auto release = [](auto &list) {
    const bool stays = list.capacity() * sizeof list[0] < SMALL;
    list.clear();
    if (!stays) list.shrink_to_fit();
  };
  release(entries);
  release(own);
  release(extras);
  if (room * sizeof(Id) <= SMALL) return;
  room = 0;
  head.release();
  ids.release();
}

void ContactLinks::grow(int atoms)
{
  if (!active || atoms <= room) return;
  Buffer<Link> more_heads;
  Buffer<Id> more_ids;
  more_heads.provide(atoms);
  more_ids.provide(atoms);
  std::fill(std::copy_n(head.data(), room, more_heads.data()), more_heads.data() + atoms, Link::NONE);
  std::fill(std::copy_n(ids.data(), room, more_ids.data()), more_ids.data() + atoms, Id{0});
  head = std::move(more_heads);
  ids = std::move(more_ids);
  room = atoms;
}

void ContactLinks::copy(int from, int to)
{
  if (!active) return;
  head[to] = head[from];
  ids[to] = ids[from];
}

void ContactLinks::forget(int atom)
{
  if (!active) return;
  head[atom] = Link::NONE;
  ids[atom] = 0;
}

int ContactLinks::count(int atom) const
{
  int count = 0;
  for (Link link = first(atom); link != Link::NONE; link = next(link)) ++count;
  return count;
}

void ContactLinks::add(int atom, Id partner, int pair, bool reversed)
{
  entries.push_back({partner, head[atom], ~(2 * pair + (reversed ? 1 : 0))});
  head[atom] = last();
}

int ContactLinks::new_row()
{
  const std::size_t rows = own_count + 1, needed = rows * stride() + History::READ_AHEAD;
  if (own.size() < needed) own.resize(needed);
  extras.resize(rows * extra);
  clear_row(own_count);
  return own_count++;
}

void ContactLinks::clear_row(int place)
{
  std::fill_n(row_at(place), stride(), 0.0);
  std::fill_n(extras.begin() + static_cast<std::ptrdiff_t>(place) * extra, extra, 0.0);
}

Link ContactLinks::make(Id partner)
{
  if (dropped.empty()) {
    entries.push_back({partner, Link::NONE, new_row()});
    return last();
  }
  const Link link = dropped.back();
  dropped.pop_back();
  entry(link).partner = partner;
  clear_row(entry(link).row_or_pair);
  return link;
}

Link ContactLinks::add(int atom, Id partner)
{
  const Link link = make(partner);
  entry(link).next = head[atom];
  head[atom] = link;
  return link;
}

Link ContactLinks::give_last_own_row()
{
  const Link link = last();
  const int place = new_row();
  copy_row(link, row_at(place));
  entry(link).row_or_pair = place;
  return link;
}

void ContactLinks::compact(int atoms)
{
  if (entries.empty()) return;
  ContactLinks before(values);
  before.extra = extra;
  std::swap(before.entries, entries);
  std::swap(before.own, own);
  std::swap(before.extras, extras);
  own_count = 0;
  dropped.clear();
  for (int atom = 0; atom < atoms; ++atom) {
    Link link = std::exchange(head[atom], Link::NONE), previous = Link::NONE;
    for (; link != Link::NONE; link = before.next(link)) {
      const Link copy = make(before.partner(link));
      std::copy_n(before.own_row(link), stride(), own_row(copy));
      std::copy_n(before.own_extra(link), extra, own_extra(copy));
      (previous == Link::NONE ? head[atom] : entry(previous).next) = copy;
      previous = copy;
    }
  }
}

void ContactLinks::copy_row(Link link, double *to) const
{
  if (owns_row(link)) {
    std::copy_n(own_row(link), values, to);
    return;
  }
  const int code = ~entry(link).row_or_pair, pair = code / 2;
  const double *row = listed->row_in_complete_list(pair), *sign = signs[listed->group_before(pair)].data();
  for (int k = 0; k < values; ++k) to[k] = code & 1 ? sign[k] * row[k] : row[k];
}

void ContactLinks::resize_rows(int new_values, int staying, const PartOffsets &from, const PartOffsets &to)
{
  ContactLinks resized(new_values);
  resized.set_extra_values(extra);
  std::vector<double> kept(values);
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const Link link{static_cast<int>(k)};
    const int place = resized.new_row();
    double *row = resized.row_at(place);
    copy_row(link, kept.data());
    std::copy_n(kept.data(), staying, row);
    for (int part = 0; part < REMEMBERED_PARTS; ++part)
      if (from[part] >= 0 && to[part] >= 0)
        std::copy_n(kept.data() + from[part], REMEMBERED_VALUES[part], row + to[part]);
    row[new_values] = ALIVE;
    if (extra > 0) std::copy_n(own_extra(link), extra, resized.extras.end() - extra);
    entries[k].row_or_pair = place;
  }
  values = new_values;
  own = std::move(resized.own);
  extras = std::move(resized.extras);
  own_count = resized.own_count;
}

int ContactLinks::pack(int atom, double *buffer) const
{
  int m = 0;
  buffer[m++] = count(atom);
  for (Link link = first(atom); link != Link::NONE; link = next(link)) {
    buffer[m++] = as_number(entry(link).partner);
    copy_row(link, buffer + m);
    if (extra > 0) std::copy_n(own_extra(link), extra, buffer + m + values);
    m += values + extra;
  }
  return m;
}

// Links are read in reverse order, because add() puts each link at the head of the chain.

int ContactLinks::unpack(int atom, const double *buffer, int row_size, int taken, int extra_there)
{
  const int count = static_cast<int>(buffer[0]), size = 1 + row_size + extra_there;
  for (int k = count - 1; k >= 0; --k) {
    const double *packed = buffer + 1 + k * size;
    const Link link = add(atom, as_name(packed[0]));
    std::copy_n(packed + 1, taken, own_row(link));
    own_row(link)[values] = ALIVE;
    std::copy_n(packed + 1 + row_size, std::min(extra, extra_there), own_extra(link));
  }
  return 1 + count * size;
}

double ContactLinks::memory_usage() const
{
  return static_cast<double>(room) * (sizeof(Link) + sizeof(Id)) +
      sizeof(double) * (static_cast<double>(own.capacity()) + static_cast<double>(extras.capacity())) +
      sizeof(Entry) * static_cast<double>(entries.capacity());
}

}    // namespace granular_plus
