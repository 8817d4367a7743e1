// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/explanation_model.h"

#include <algorithm>
#include <cmath>

#include "ui/models/recommendation_model.h"
#include "ui/models/table_text.h"

namespace parapet::ui {

void ExplanationModel::setTerms(const std::vector<float>& terms) {
  beginResetModel();
  terms_.clear();
  for (std::size_t d = 0; d < terms.size(); ++d)
    terms_.push_back({static_cast<int>(d), terms[d], 0.0});
  std::stable_sort(terms_.begin(), terms_.end(), [](const Term& a, const Term& b) {
    return std::abs(a.value) > std::abs(b.value);
  });
  double sum = 0.0;
  for (Term& term : terms_) term.runningSum = sum += static_cast<double>(term.value);
  endResetModel();
}

int ExplanationModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(terms_.size());
}

int ExplanationModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(kColumnCount);
}

QVariant ExplanationModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const Term& term = terms_[static_cast<std::size_t>(index.row())];
  if (role == Qt::TextAlignmentRole) return QVariant::fromValue(Qt::AlignVCenter | Qt::AlignRight);
  if (role != Qt::DisplayRole && role != Qt::EditRole) return {};
  switch (index.column()) {
    case kDimension:
      return term.dimension;
    case kValue:
      if (role == Qt::EditRole) return term.value;
      return scoreText(static_cast<double>(term.value));
    default:
      if (role == Qt::EditRole) return term.runningSum;
      return scoreText(term.runningSum);
  }
}

QVariant ExplanationModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= kColumnCount) return {};
  if (role == kFileKeyRole) {
    constexpr const char* kKeys[] = {"dimension", "term", "running_sum"};
    return QString::fromLatin1(kKeys[section]);
  }
  if (role == Qt::TextAlignmentRole) return QVariant::fromValue(Qt::AlignVCenter | Qt::AlignRight);
  if (role != Qt::DisplayRole) return {};
  const QString titles[] = {tr("Dimension"), tr("Term"), tr("Sum so far")};
  return titles[section];
}

}  // namespace parapet::ui
