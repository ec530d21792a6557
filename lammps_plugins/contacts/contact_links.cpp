#include "contact_links.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace granular_plus {

namespace {

// integers travel as the bits of numbers
double as_number(ContactLinks::Name name)
{
  double number;
  static_assert(sizeof name == sizeof number, "a name fits into a number");
  std::memcpy(&number, &name, sizeof number);
  return number;
}

ContactLinks::Name as_name(double number)
{
  ContactLinks::Name name;
  std::memcpy(&name, &number, sizeof name);
  return name;
}

}    // namespace

void ContactLinks::begin(int owned_and_ghosts, int room)
{
  links.clear();
  own.clear();
  own_count = 0;
  are_there = true;
  // of the atoms that there are; those to come are seen to as they come
  head.resize(room);
  names.resize(room);
  std::fill_n(head.begin(), owned_and_ghosts, -1);
}

void ContactLinks::reserve(std::size_t links_to_come, bool with_own_values)
{
  links.reserve(links_to_come);
  if (with_own_values) own.reserve(links_to_come * size());
}

void ContactLinks::end()
{
  if (!are_there) return;
  are_there = false;
  own_count = 0;
  links.clear();
  own.clear();
  // the memory of small arrays stays for the next list
  const auto release = [](auto &list) {
    constexpr std::size_t SMALL = 1 << 17;    // bytes
    if (list.capacity() * sizeof list[0] < SMALL) return;
    list.clear();
    list.shrink_to_fit();
  };
  release(links);
  release(own);
  release(head);
  release(names);
}

void ContactLinks::grow(int atoms)
{
  if (!are_there) return;
  head.resize(atoms);
  names.resize(atoms);
}

void ContactLinks::copy(int from, int to)
{
  if (!are_there) return;
  head[to] = head[from];
  names[to] = names[from];
}

void ContactLinks::forget(int atom)
{
  if (!are_there) return;
  head[atom] = -1;
  names[atom] = 0;
}

int ContactLinks::count(int atom) const
{
  int count = 0;
  for (int link = first(atom); link >= 0; link = links[link].next) ++count;
  return count;
}

void ContactLinks::add(int atom, Name partner, int pair, bool reversed)
{
  links.push_back({partner, head[atom], ~(2 * pair + (reversed ? 1 : 0))});
  head[atom] = static_cast<int>(links.size()) - 1;
}

double *ContactLinks::add(int atom, Name partner)
{
  links.push_back({partner, head[atom], own_count++});
  head[atom] = static_cast<int>(links.size()) - 1;
  own.resize(own.size() + size());
  return own.data() + own.size() - size();
}

double *ContactLinks::make_values_its_own()
{
  own.resize(own.size() + size());
  double *values = own.data() + own.size() - size();
  copy_values(static_cast<int>(links.size()) - 1, values);
  links.back().place = own_count++;
  return values + contacts.row_size();
}

void ContactLinks::copy_values(int link, double *to) const
{
  if (owns_values(link)) {
    std::copy_n(own_values(link), size(), to);
    return;
  }
  const int code = ~links[link].place, listed = code / 2;
  const double *row = contacts.row_before(listed), *sign = signs[contacts.group_before(listed)].data();
  for (int k = 0; k < contacts.row_size(); ++k) to[k] = code & 1 ? sign[k] * row[k] : row[k];
}

void ContactLinks::resize_rows(ContactList &list, int values, int staying, const Beginnings &from, const Beginnings &to)
{
  const int before = list.row_size(), size_before = size(), size_now = values + size_before - before;
  std::vector<double> resized(links.size() * size_now, 0.0), kept(size_before);
  for (std::size_t k = 0; k < links.size(); ++k) {
    copy_values(static_cast<int>(k), kept.data());
    double *row = resized.data() + k * size_now;
    std::copy_n(kept.data(), staying, row);
    for (int part = 0; part < REMEMBERED_PARTS; ++part)
      if (from[part] >= 0 && to[part] >= 0)
        std::copy_n(kept.data() + from[part], REMEMBERED_VALUES[part], row + to[part]);
    std::copy(kept.begin() + before, kept.end(), row + values);
  }
  for (std::size_t k = 0; k < links.size(); ++k) links[k].place = static_cast<int>(k);
  own_count = static_cast<int>(links.size());
  list.resize_rows(values);
  own = std::move(resized);
}

int ContactLinks::pack(int atom, double *buffer) const
{
  int m = 0;
  buffer[m++] = count(atom);
  for (int link = first(atom); link >= 0; link = links[link].next) {
    buffer[m++] = as_number(links[link].partner);
    copy_values(link, buffer + m);
    m += size();
  }
  return m;
}

int ContactLinks::unpack(int atom, const double *buffer, int row_size, int taken)
{
  int m = 0;
  const int count = static_cast<int>(buffer[m++]), separation = tell_images ? 3 : 0;
  for (int k = 0; k < count; ++k) {
    double *values = add(atom, as_name(buffer[m++]));
    std::copy_n(buffer + m, taken, values);
    std::copy_n(buffer + m + row_size, separation, values + contacts.row_size());
    m += row_size + separation;
  }
  return m;
}

double ContactLinks::memory_usage() const
{
  return sizeof(int) * static_cast<double>(head.capacity()) + sizeof(Name) * static_cast<double>(names.capacity()) +
      sizeof(double) * static_cast<double>(own.capacity()) + sizeof(Link) * static_cast<double>(links.capacity());
}

}    // namespace granular_plus
