// The contact models of all pairs of types: those given by commands, and those mixed from them. Owned by the pair style.

#ifndef GRANULAR_PLUS_MODEL_TABLE_H
#define GRANULAR_PLUS_MODEL_TABLE_H

#include "contact_model.h"

#include <algorithm>
#include <vector>

namespace granular_plus {

class ModelTable {
 public:
  void clear(int types);    // types count from 1
  // for types in these ranges, i <= j
  void give(int ilo, int ihi, int jlo, int jhi, const ContactModel &model);
  // from the models of the types with themselves; throws InputError
  void mix(int i, int j);
  // back to the models given by commands, without those that no types use
  void drop_mixed();

  bool has(int i, int j) const { return index[i][j] >= 0; }
  const ContactModel &of(int i, int j) const { return models[index[i][j]]; }
  // by number; each is a group of pairs
  const std::vector<ContactModel> &list() const { return models; }
  const std::vector<std::vector<int>> &numbers() const { return index; }

  template <class Predicate> bool any(Predicate predicate) const
  {
    return std::any_of(models.begin(), models.end(), predicate);
  }

 private:
  std::vector<ContactModel> models;
  std::vector<std::vector<int>> index;    // -1: none
};

}    // namespace granular_plus

#endif
