#include "model_table.h"

namespace granular_plus {

void ModelTable::clear(int types)
{
  models.clear();
  index.assign(types + 1, std::vector<int>(types + 1, -1));
}

void ModelTable::give(int ilo, int ihi, int jlo, int jhi, const ContactModel &model)
{
  // Pairs of types whose models have the same words share one model. The groups therefore do not change when a restart
  // file sets the pairs of types one by one.
  std::size_t number = 0;
  while (number < models.size() && (models[number].mixed() || models[number].text() != model.text())) ++number;
  if (number == models.size()) models.push_back(model);
  for (int i = ilo; i <= ihi; ++i)
    for (int j = std::max(jlo, i); j <= jhi; ++j) index[i][j] = index[j][i] = static_cast<int>(number);
  drop_mixed();
}

void ModelTable::mix(int i, int j)
{
  models.push_back(ContactModel::mix(of(i, i), of(j, j)));
  index[i][j] = index[j][i] = static_cast<int>(models.size()) - 1;
}

void ModelTable::drop_mixed()
{
  std::vector<ContactModel> used;
  std::vector<int> new_number(models.size(), -1);
  const int types = static_cast<int>(index.size()) - 1;
  for (int i = 1; i <= types; ++i)
    for (int j = i; j <= types; ++j) {
      int &number = index[i][j];
      if (number >= 0 && models[number].mixed()) number = -1;
      if (number >= 0) {
        if (new_number[number] < 0) {
          new_number[number] = static_cast<int>(used.size());
          used.push_back(models[number]);
        }
        number = new_number[number];
      }
      index[j][i] = number;
    }
  models = std::move(used);
}

}    // namespace granular_plus
