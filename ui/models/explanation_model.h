// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/models/rows_model.h"

namespace parapet::ui {

/// One term of a dot product.
struct ScoreTerm {
  int dimension = 0;
  float value = 0.0f;
  double runningSum = 0.0;  ///< of this and all terms above it
};

/// A score term by term: query[d]·candidate[d], the largest in size first.
class ExplanationModel : public RowsModel<ScoreTerm> {
  Q_OBJECT

 public:
  enum Column { kDimension, kValue, kRunningSum, kColumnCount };
  using Term = ScoreTerm;
  explicit ExplanationModel(QObject* parent = nullptr);

  void setTerms(const std::vector<float>& terms);
  [[nodiscard]] const std::vector<Term>& terms() const { return rows(); }
  /// Equals the score up to rounding.
  [[nodiscard]] double sum() const { return terms().empty() ? 0.0 : terms().back().runningSum; }
};

}  // namespace parapet::ui
