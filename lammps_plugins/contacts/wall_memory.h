// What contacts with a wall remember. Those of a particle lie one after another; each evaluation writes them anew, in the
// order of the particles. Knows neither LAMMPS nor physics.

#ifndef GRANULAR_PLUS_WALL_MEMORY_H
#define GRANULAR_PLUS_WALL_MEMORY_H

#include "../kernels/kernels.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace granular_plus {

class WallMemory {
 public:
  // Values of a contact; with normals, and distances from the particle's centre, where normals turn and springs have to
  // follow, or where a contact is known again by them. Of contacts that there are the first `staying` values stay.
  void resize_rows(int values, int staying, bool normals);

  // arrays that go with the particles
  void grow(int particles);
  void copy(int from, int to);
  void forget(int particle) { first[particle] = count[particle] = 0; }
  void forget_all()
  {
    for (int &n : count) n = 0;
  }

  // An evaluation: for each particle its contacts of before, then those that there are now.
  struct Range {
    int begin, end;
  };
  void begin_evaluation();
  Range begin_particle(int particle)
  {
    const Range before = contacts_of(particle);
    first[particle] = static_cast<int>(next.surface.size());
    count[particle] = 0;
    return before;
  }
  int find(Range before, int surface) const    // -1: not there
  {
    for (int k = before.begin; k < before.end; ++k)
      if (kept.surface[k] == surface) return k;
    return -1;
  }
  // returns the place of the contact, which goes on with what it remembered, or starts with nothing where that is -1
  int add(int particle, int surface, int remembered)
  {
    const int place = size_of(next);
    next.surface.push_back(surface);
    make_room(next);
    double *now = next.values.data() + at(place, stride());
    // rows are short: a few values at a time, and past the end, beats the library's functions
    constexpr int FEW = History::READ_AHEAD;
    for (int h = 0; h < stride(); h += FEW)
      if (remembered >= 0)
        std::copy_n(row(remembered) + h, FEW, now + h);
      else
        std::fill_n(now + h, FEW, 0.0);
    if (with_normals) next.normals.resize(NORMAL_SIZE * next.surface.size());
    ++count[particle];
    return place;
  }
  bool goes_on(int particle, int surface) const;    // among the new ones
  void end_evaluation();

  // of the evaluation before
  int surface(int contact) const { return kept.surface[contact]; }
  const double *row(int contact) const { return kept.values.data() + at(contact, stride()); }
  const double *normal(int contact) const { return kept.normals.data() + at(contact, NORMAL_SIZE); }
  double distance(int contact) const { return normal(contact)[3]; }
  // for the kernels, until the next contact is added: slots are places, or contacts of the evaluation before
  History history_now() { return {nullptr, next.values.data(), values, nullptr}; }
  History history_before() { return {nullptr, kept.values.data(), values, nullptr}; }
  static constexpr int ALIVE = 1;    // the stamp of contacts that go on
  // of the present one
  void set_normal(int place, const double *normal, double distance)
  {
    double *kept_here = next.normals.data() + at(place, NORMAL_SIZE);
    for (int d = 0; d < 3; ++d) kept_here[d] = normal[d];    // one by one, as they have just been written
    kept_here[3] = distance;
  }

  bool has_normals() const { return with_normals; }
  int evaluated() const { return contacts_then; }    // contacts after the last evaluation; -1: there was none
  bool has(int particle) const { return count[particle] > 0; }
  Range contacts_of(int particle) const { return {first[particle], first[particle] + count[particle]}; }

  // a particle's contacts as numbers: how many, and of each its surface, values, normal and distance
  int packed_size(int contacts) const { return 1 + contacts * (1 + values + (with_normals ? NORMAL_SIZE : 0)); }
  int pack(int particle, double *buffer) const;
  // from rows of another size, of which the first values are taken; returns the numbers read
  int unpack(int particle, const double *buffer, int row_size, int taken, bool normals);
  int unpack(int particle, const double *buffer) { return unpack(particle, buffer, values, values, with_normals); }

  double memory_usage() const;

 private:
  static constexpr int NORMAL_SIZE = 4;    // with the distance
  int values = 0;
  bool with_normals = false;
  int stride() const { return values + 1; }
  struct Contacts {
    std::vector<int> surface;
    std::vector<double> values, normals;    // values are rows of History, with READ_AHEAD behind them
  };
  // for the contacts that there are, and more, as the next one comes soon
  void make_room(Contacts &contacts) const
  {
    const std::size_t needed = at(size_of(contacts), stride()) + History::READ_AHEAD;
    if (contacts.values.size() < needed) contacts.values.resize(2 * needed);
  }
  static int size_of(const Contacts &contacts) { return static_cast<int>(contacts.surface.size()); }
  Contacts kept, next;
  int contacts_then = -1;
  std::vector<int> first, count;    // of each particle's contacts in `kept`, and while it is evaluated in `next`

  static std::size_t at(int contact, int size) { return static_cast<std::size_t>(contact) * size; }
};

}    // namespace granular_plus

#endif
