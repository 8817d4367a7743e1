// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>

#include "engine/retrieval/recommender.h"

namespace parapet::ui {

/// A score term by term: query[d]·candidate[d], the largest in size first.
class ExplanationModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { kDimension, kValue, kRunningSum, kColumnCount };
  /// One term of the dot product.
  struct Term {
    int dimension = 0;
    float value = 0.0f;
    double runningSum = 0.0;  ///< of this and all terms above it
  };
  using QAbstractTableModel::QAbstractTableModel;

  void setTerms(const std::vector<float>& terms);
  [[nodiscard]] const std::vector<Term>& terms() const { return terms_; }
  /// Equals the score up to rounding.
  [[nodiscard]] double sum() const { return terms_.empty() ? 0.0 : terms_.back().runningSum; }

  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                    int role = Qt::DisplayRole) const override;

 private:
  std::vector<Term> terms_;
};

}  // namespace parapet::ui
