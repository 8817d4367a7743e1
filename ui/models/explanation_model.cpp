// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/explanation_model.h"

#include <algorithm>
#include <cmath>

#include "ui/models/recommendation_model.h"

namespace parapet::ui {

ExplanationModel::ExplanationModel(QObject* parent) : RowsModel(parent) {
  setColumns({
      {.title = tr("Dimension"),
       .fileKey = "dimension",
       .alignment = Qt::AlignRight,
       .text = [](const Term& of, int) { return QString::number(of.dimension); },
       .value = [](const Term& of, int) { return QVariant(of.dimension); }},
      {.title = tr("Term"),
       .fileKey = "term",
       .alignment = Qt::AlignRight,
       .text = [](const Term& of, int) { return scoreText(static_cast<double>(of.value)); },
       .value = [](const Term& of, int) { return QVariant(of.value); }},
      {.title = tr("Sum so far"),
       .fileKey = "running_sum",
       .alignment = Qt::AlignRight,
       .text = [](const Term& of, int) { return scoreText(of.runningSum); },
       .value = [](const Term& of, int) { return QVariant(of.runningSum); }},
  });
}

void ExplanationModel::setTerms(const std::vector<float>& terms) {
  std::vector<Term> sorted;
  for (std::size_t d = 0; d < terms.size(); ++d)
    sorted.push_back({static_cast<int>(d), terms[d], 0.0});
  std::stable_sort(sorted.begin(), sorted.end(), [](const Term& a, const Term& b) {
    return std::abs(a.value) > std::abs(b.value);
  });
  double sum = 0.0;
  for (Term& term : sorted) term.runningSum = sum += static_cast<double>(term.value);
  replaceRows(std::move(sorted));
}

}  // namespace parapet::ui
