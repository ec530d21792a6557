// The contact models of all pairs of types. If no command sets the model of two unlike types, the model is mixed from
// the models of the two types. Owned by the pair style.

#ifndef GRANULAR_PLUS_MODEL_TABLE_H
#define GRANULAR_PLUS_MODEL_TABLE_H

#include "contact_model.h"

#include <algorithm>
#include <vector>

namespace granular_plus {

class ModelTable {
 public:
  void clear(int types);    // types are counted from 1
  // Sets the model for all pairs of types i <= j in these ranges.
  void give(int ilo, int ihi, int jlo, int jhi, const ContactModel &model);
  // Throws InputError.
  void mix(int i, int j);
  void drop_mixed();

  bool has(int i, int j) const { return index[i][j] >= 0; }
  const ContactModel &of(int i, int j) const { return models[index[i][j]]; }
  const std::vector<ContactModel> &list() const { return models; }
  const std::vector<std::vector<int>> &numbers() const { return index; }

  template <class Predicate> bool any(Predicate predicate) const
  {
    return std::any_of(models.begin(), models.end(), predicate);
  }

 private:
  std::vector<ContactModel> models;
  std::vector<std::vector<int>> index;    // number of the model, or -1
};

}    // namespace granular_plus

#endif
